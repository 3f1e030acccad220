"""Use case *study*: an owner makes one, invites raters, watches it, pauses and closes it, deletes it."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import OptionError
from core.people.building import with_gold
from core.people.design import checked, further_aspects
from core.people.records import DEFAULT_SCALE, Design, Rater, Study, StudyState
from core.people.roles import Actor, require
from core.people.rows import item_values, rater_of, study_of, study_values
from core.services.rating_guidelines import default_guidelines
from core.services.study_items import draw_items
from core.services.workspace import workspace
from core.store import people as rows
from core.store.database import now
from core.store.people_ratings import item_counts, rater_counts, refused_presses

LONGEST_ID = 200
#: how the id of a language model begins; no person can have it
MODEL = "model: "


@dataclass(frozen=True, slots=True)
class Preview:
    """What a design would make: ``n_ratings`` scores by people, without those that all raters give to shared items.

    ``by_relation`` counts items by relation ("" where there is none); ``merged`` says how many answers were given by
    several systems and are rated once.
    """

    n_questions: int
    n_items: int
    n_shared: int
    n_ratings: int
    merged: int
    by_relation: Mapping[str, int]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater's share: ``seconds`` is the median active time an answer took, None before the first.

    ``name`` and ``id`` are "" for everybody but owners.
    """

    label: str
    name: str
    id: str
    is_model: bool
    is_active: bool
    scored: int
    cannot_judge: int
    skipped: int
    open: int
    refused: int
    seconds: float | None
    last: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item's state: answered by ``answered`` people of ``needed``, in the hands of ``open`` more."""

    id: str
    question_id: str
    relation: str
    needed: int
    scored: int
    cannot_judge: int
    open: int

    @property
    def answered(self) -> int:
        """How many people have answered it."""
        return self.scored + self.cannot_judge


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is: ``answered`` of ``needed`` answers by people, ``short`` items that lack some."""

    study: Study
    raters: tuple[RaterLine, ...]
    items: tuple[ItemLine, ...]
    answered: int
    needed: int
    short: int


def preview(design: Design) -> Preview:
    """Return what a design would make of what is stored now; nothing is written. Raises OptionError as ``create``."""
    design = checked(design)
    drawn = draw_items(design, with_passages=False)
    items = with_gold(drawn.items, design, "")
    shared = sum(item.is_shared for item in items)
    return Preview(
        n_questions=drawn.n_questions,
        n_items=len(items),
        n_shared=shared,
        n_ratings=(len(items) - shared) * design.raters_per_item,
        merged=sum(len(item.credits) - 1 for item in items if item.credits),
        by_relation=dict(Counter(item.relation for item in items if item.gold is None)),
        left_out=drawn.left_out,
    )


def create(actor: Actor, design: Design) -> Study:
    """Make a study, open at once, and return it. Two of equal design differ in their ids alone.

    Raises:
        AccessError: the actor is no owner.
        OptionError: a choice is out of range, names nothing that is stored, or leaves nothing to rate.
    """
    require(actor, "owner")
    design = checked(design)
    drawn = draw_items(design)
    identifier = f"study-{secrets.token_hex(4)}"
    items = with_gold(drawn.items, design, identifier)
    study = Study(
        id=identifier,
        state="open",
        design=design,
        further=further_aspects(design, drawn.options),
        labels=drawn.labels,
        left_out=drawn.left_out,
        n_items=len(items),
        created=now(),
        owner=actor.id,
        version=0,
    )
    _, store = workspace()
    values = [item_values(item, identifier, design.raters_per_item) for item in items]
    rows.insert_study(store, study_values(study), values)
    return study


def studies() -> list[Study]:
    """Return all studies, newest first."""
    _, store = workspace()
    return [study_of(row) for row in rows.study_rows(store)]


def study(study_id: str) -> Study:
    """Return one study. Raises OptionError where there is none of that id."""
    _, store = workspace()
    return study_of(rows.study_row(store, study_id))


def pause(actor: Actor, study_id: str) -> Study:
    """Hand out nothing and take no score until ``resume``. Raises AccessError, OptionError (no such study)."""
    return _set_state(actor, study_id, "paused")


def resume(actor: Actor, study_id: str) -> Study:
    """Open a paused or closed study again. Raises AccessError, OptionError (no such study)."""
    return _set_state(actor, study_id, "open")


def close(actor: Actor, study_id: str) -> Study:
    """End a study; what was scored stays. Raises AccessError, OptionError (no such study)."""
    return _set_state(actor, study_id, "closed")


def delete(actor: Actor, study_id: str) -> None:
    """Delete a study with all scores, notes and history. Raises AccessError, OptionError (no such study)."""
    require(actor, "owner")
    _, store = workspace()
    if not rows.delete_study(store, study_id):
        rows.study_row(store, study_id)


def invite(actor: Actor, study_id: str, rater_id: str, name: str = "") -> Rater:
    """Invite somebody by the id they sign in with; twice is once, and one who was removed is active again.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such study, or no usable id.
    """
    require(actor, "owner")
    rater_id = rater_id.strip()
    if not rater_id or len(rater_id) > LONGEST_ID or not rater_id.isprintable():
        raise OptionError(f"'{rater_id[:40]}' is no id of a rater: give an e-mail address or the id of a code.")
    if rater_id.startswith(MODEL):
        raise OptionError(f"'{rater_id[:80]}' names a language model: `study llm-rate` asks one, people are invited.")
    _, store = workspace()
    rows.study_row(store, study_id)
    rows.put_rater(store, study_id, rater_id, " ".join(name.split())[:LONGEST_ID], is_model=False)
    return _rater(study_id, rater_id)


def remove_rater(actor: Actor, study_id: str, rater_id: str) -> Rater:
    """Take somebody out of a study: items in hand go back to the others, what was scored stays.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such study, or nobody of that id in it.
    """
    require(actor, "owner")
    _, store = workspace()
    rows.study_row(store, study_id)
    found = _rater(study_id, rater_id)
    if found.is_active:
        rows.drop_rater(store, study_id, rater_id)
    return replace(found, is_active=False)


def guidelines(found: Study) -> str:
    """Return what raters of a study are told, as sanitised Markdown: its own, else ours for 0, 3, 7, or ""."""
    ours = found.design.template == "answers" and found.scale == DEFAULT_SCALE
    return found.design.guidelines or (default_guidelines() if ours else "")


def raters(study_id: str) -> tuple[Rater, ...]:
    """Return those invited, removed ones too, people first. For owners' eyes: pages take names from ``progress``."""
    _, store = workspace()
    return tuple(rater_of(row) for row in rows.rater_rows(store, study_id))


def progress(actor: Actor, study_id: str) -> StudyProgress:
    """Return how far a study is, by rater and by item; names and ids of raters only for owners.

    Raises:
        AccessError: the actor is nobody who may see results.
        OptionError: no such study.
    """
    require(actor, "viewer")
    _, store = workspace()
    found = study(study_id)
    counted, refused = rater_counts(store, study_id), refused_presses(store, study_id)
    named = actor.role == "owner"
    people = raters(study_id)
    lines = [
        RaterLine(
            label=one.label,
            name=one.name if named else "",
            id=one.id if named else "",
            is_model=one.is_model,
            is_active=one.is_active,
            refused=refused.get(one.id, 0),
            **counted.get(one.id, _NOTHING),
        )
        for one in people
    ]
    active = sum(one.is_active and not one.is_model for one in people)
    counts = item_counts(store, study_id)
    items = []
    for row in rows.item_sizes(store, study_id):
        n = {state: counts.get(row["id"], {}).get(state, 0) for state in ("scored", "cannot_judge", "open")}
        # a shared item is for all: for those who are there, and those who answered before they were removed
        needed = max(active, n["scored"] + n["cannot_judge"]) if row["is_shared"] else row["needed"]
        items.append(ItemLine(row["id"], row["question_id"], row["relation"], needed, **n))
    return StudyProgress(
        study=found,
        raters=tuple(lines),
        items=tuple(items),
        answered=sum(one.answered for one in items),
        needed=sum(one.needed for one in items),
        short=sum(one.answered < one.needed for one in items),
    )


_NOTHING = {"scored": 0, "cannot_judge": 0, "skipped": 0, "open": 0, "seconds": None, "last": ""}


def _rater(study_id: str, rater_id: str) -> Rater:
    _, store = workspace()
    row = rows.rater_row(store, study_id, rater_id)
    if row is None:
        raise OptionError(f"nobody called '{rater_id[:80]}' is invited to this study: `study show` lists its raters.")
    return rater_of(row)


def _set_state(actor: Actor, study_id: str, state: StudyState) -> Study:
    require(actor, "owner")
    _, store = workspace()
    rows.study_row(store, study_id)
    rows.set_study_state(store, study_id, state)
    return study(study_id)
