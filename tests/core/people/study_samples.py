"""Studies made for tests, straight into the store of the current home, and who takes part."""

from __future__ import annotations

from core.people.building import with_gold
from core.people.design import checked, further_aspects
from core.people.records import Credit, Design, Item, Study
from core.people.roles import Actor
from core.people.rows import item_values, study_values
from core.services import studies
from core.services.workspace import workspace
from core.store.database import now
from core.store.people import insert_study

OWNER = Actor("owner@example.org", "owner", "Olga Owner")


def rater(number: int) -> Actor:
    return Actor(f"rater{number}@example.org", "rater", f"Rita {number}")


def make_study(n_items: int = 6, n_raters: int = 2, identifier: str = "study-one", options=(), **choices) -> Study:
    """A study over answers that no run gave: item i answers question i // 2 by system "a" or "b"."""
    design = checked(Design(**{"name": "A study", "runs": ("run-1",), "raters_per_item": 1, **choices}))
    loose = [
        Item(
            id="",
            ordinal=0,
            question_id=f"q{number // 2}",
            relation=("causal", "direct matching")[number // 2 % 2],
            question=f"Question {number // 2}?",
            reference=f"Reference {number // 2}.",
            answer=f"Answer {number}.",
            passages=(f"Passage of {number // 2}.",),
            credits=(Credit("run-1", "ab"[number % 2]),),
            cluster=f"d{number // 2}",
        )
        for number in range(n_items)
    ]
    items = with_gold(loose, design, identifier)
    study = Study(
        id=identifier,
        state="open",
        design=design,
        further=further_aspects(design, options),
        labels={"run-1/a": "System A", "run-1/b": "System B"},
        left_out={},
        n_items=len(items),
        created=now(),
        owner=OWNER.id,
        version=0,
    )
    _, store = workspace()
    insert_study(store, study_values(study), [item_values(item, identifier, design.raters_per_item) for item in items])
    for number in range(1, n_raters + 1):
        one = rater(number)
        studies.invite(OWNER, identifier, one.id, one.name)
    return study


class Clock:
    """The wall clock as the services read it, to be moved by hand."""

    def __init__(self, monkeypatch, start: float = 1_800_000_000.0) -> None:
        self.at = start
        monkeypatch.setattr("time.time", lambda: self.at)

    def move(self, seconds: float) -> None:
        self.at += seconds
