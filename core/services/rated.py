"""Use case *look at what was rated*: every answer with its item, and final scores where raters differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.people.answers import Number, checked_note, is_number
from core.people.records import Adjudication, Item, Rating, Study
from core.people.roles import AccessError, Actor, require
from core.people.rows import adjudication_of, item_of, rater_of, rating_of, study_of
from core.services.workspace import workspace
from core.store import people as rows
from core.store.people_ratings import adjudication_rows, answer_rows, put_adjudication


@dataclass(frozen=True, slots=True)
class RatedItem:
    """An item with what people and language models answered, in the order of raters, and its final score if any."""

    item: Item
    ratings: tuple[Rating, ...]
    model_ratings: tuple[Rating, ...]
    adjudication: Adjudication | None

    @property
    def values(self) -> tuple[float, ...]:
        """What people scored; "cannot judge" is no value."""
        return tuple(one.value for one in self.ratings if one.value is not None)

    @property
    def spread(self) -> float:
        """The greatest difference between two people's scores, 0 with fewer than two."""
        return max(self.values) - min(self.values) if self.values else 0.0

    def score(self, *, adjudicated: bool) -> float | None:
        """Return the item's score: the adjudicated one where wanted and given, else the mean of people's scores.

        None where nobody scored it.
        """
        if adjudicated and self.adjudication is not None:
            return self.adjudication.value
        return sum(self.values) / len(self.values) if self.values else None


@dataclass(frozen=True)
class RatingTable:
    """``values`` is (raters, items), NaN where missing; ``items`` are ids, ``raters`` labels."""

    values: NDArray[np.float64]
    raters: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True)
class RatedStudy:
    """A study with all answers. ``raters`` are people's labels ("Rater 3"), ``models`` those of language models.

    Both stand in the order of invitation, also those who have answered nothing yet. People and models are never mixed.
    """

    study: Study
    items: tuple[RatedItem, ...]
    raters: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """All answers of people, by item."""
        return tuple(one for item in self.items for one in item.ratings)

    @property
    def model_ratings(self) -> tuple[Rating, ...]:
        """All answers of language models, by item."""
        return tuple(one for item in self.items for one in item.model_ratings)

    def table(self, *, models: bool = False) -> RatingTable:
        """Return people's scores (or the models') as a table of raters by all items; "cannot judge" is missing."""
        raters = self.models if models else self.raters
        ratings = self.model_ratings if models else self.ratings
        row = {label: number for number, label in enumerate(raters)}
        column = {one.item.id: number for number, one in enumerate(self.items)}
        values = np.full((len(raters), len(self.items)), np.nan)
        for one in ratings:
            if one.value is not None:
                values[row[one.rater], column[one.item]] = one.value
        return RatingTable(values, raters, tuple(column))

    def question_scores(self, *, adjudicated: bool = True) -> dict[str, dict[str, float]]:
        """Return people's score of each system's answer by question: ``{Credit.key: {question id: score}}``.

        An answer that several systems gave counts for all of them. Items of known score count for none.
        """
        found: dict[str, dict[str, float]] = {key: {} for key in self.study.labels}
        for one in self.items:
            score = one.score(adjudicated=adjudicated)
            if score is not None:
                for credit in one.item.credits:
                    found.setdefault(credit.key, {})[one.item.question_id] = score
        return found

    def clusters(self) -> dict[str, str]:
        """Return what each question depends on with others (its source document), by question id."""
        return {one.item.question_id: one.item.cluster for one in self.items}


def ratings(study_id: str) -> RatedStudy:
    """Return all that was answered in a study, by labels of raters. Raises OptionError where there is no such study."""
    _, store = workspace()
    study = study_of(rows.study_row(store, study_id))
    raters = [rater_of(row) for row in rows.rater_rows(store, study_id)]
    label = {one.id: one.label for one in raters}
    models = {one.id for one in raters if one.is_model}
    finals = {row["item"]: adjudication_of(row) for row in adjudication_rows(store, study_id)}
    given: dict[str, tuple[list[Rating], list[Rating]]] = {}
    order = {one.id: place for place, one in enumerate(raters)}
    for row in sorted(answer_rows(store, study_id), key=lambda one: order[one["rater"]]):
        people, asked = given.setdefault(row["item"], ([], []))
        (asked if row["rater"] in models else people).append(rating_of(row, label[row["rater"]]))
    items = []
    for row in rows.item_rows(store, study_id):
        people, asked = given.get(row["id"], ([], []))
        items.append(RatedItem(item_of(row), tuple(people), tuple(asked), finals.get(row["id"])))
    return RatedStudy(
        study=study,
        items=tuple(items),
        raters=tuple(one.label for one in raters if not one.is_model),
        models=tuple(one.label for one in raters if one.is_model),
    )


def require_results(actor: Actor, study: Study) -> None:
    """Return where an actor may see what others scored; raters may not before the study is closed, to stay blind.

    Raises:
        AccessError: the actor may see no results, or is a rater and the study is not closed.
    """
    require(actor, "viewer")
    if actor.role == "rater" and study.state != "closed":
        raise AccessError("raters see what others scored when the study is closed: wait for it, or ask its owner.")


def rater_names(actor: Actor, study_id: str) -> Mapping[str, str]:
    """Return the name (or the id, where none is known) behind each label.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such study.
    """
    require(actor, "owner")
    _, store = workspace()
    rows.study_row(store, study_id)
    return {one.label: one.name or one.id for one in map(rater_of, rows.rater_rows(store, study_id))}


def adjudicate(actor: Actor, study_id: str, item_id: str, value: Number, reason: str) -> Adjudication:
    """Give an item its final score with a reason; an earlier one is replaced, and both stand in the history.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such study or item, a value off the scale, or no reason.
        InputError: the reason is too long.
    """
    require(actor, "owner")
    _, store = workspace()
    study = study_of(rows.study_row(store, study_id))
    if not is_number(value) or value not in study.scale:
        known = ", ".join(f"{one:g}" for one in study.scale)
        raise OptionError(f"{str(value)[:20]!r} is not on the study's scale: choose of {known}.")
    reason = checked_note(reason)
    if not reason:
        raise OptionError("a final score needs a reason: say in a few words why it is the right one.")
    if not put_adjudication(store, study_id, item_id, float(value), reason, actor.id):
        raise OptionError(f"the study has no item '{item_id[:80]}': choose one that is listed.")
    found = {row["item"]: row for row in adjudication_rows(store, study_id)}
    return adjudication_of(found[item_id])
