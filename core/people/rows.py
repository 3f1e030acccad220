"""Records of a study as the store keeps them: from rows and to rows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from core.people.design import as_record, design_of
from core.people.records import (
    Adjudication,
    Aspect,
    Assignment,
    AssignmentState,
    Credit,
    Item,
    Press,
    Rater,
    Rating,
    Study,
)


def study_of(row: Mapping[str, Any]) -> Study:
    """Return the study of a row of the store."""
    return Study(
        id=row["id"],
        state=row["state"],
        design=design_of(row["design"]),
        further=tuple(
            Aspect(**{**one, "scale": tuple(one["scale"]), "options": tuple(one["options"])}) for one in row["further"]
        ),
        labels=row["labels"],
        left_out=row["left_out"],
        n_items=row["n_items"],
        created=row["created"],
        owner=row["owner"],
        version=row["version"],
    )


def study_values(study: Study) -> dict[str, Any]:
    """Return the row to store for a study."""
    return {
        "id": study.id,
        "state": study.state,
        "design": as_record(study.design),
        "further": [asdict(one) for one in study.further],
        "labels": dict(study.labels),
        "left_out": dict(study.left_out),
        "deadline": study.design.deadline,
        "n_items": study.n_items,
        "created": study.created,
        "owner": study.owner,
        "version": study.version,
    }


def item_of(row: Mapping[str, Any]) -> Item:
    """Return the item of a row of the store."""
    return Item(
        id=row["id"],
        ordinal=row["ordinal"],
        question_id=row["question_id"],
        relation=row["relation"],
        question=row["question"],
        reference=row["reference"],
        answer=row["answer"],
        passages=tuple(row["passages"]),
        credits=tuple(Credit(**one) for one in row["credits"]),
        cluster=row["cluster"],
        is_shared=bool(row["is_shared"]),
        gold=row["gold"],
        assigned=row["assigned"],
    )


def item_values(item: Item, study: str, needed: int) -> dict[str, Any]:
    """Return the row to store for an item that ``needed`` people are to answer."""
    values = {**asdict(item), "study": study, "is_shared": int(item.is_shared), "needed": needed}
    return {**values, "passages": list(item.passages), "credits": [asdict(one) for one in item.credits]}


def rater_of(row: Mapping[str, Any]) -> Rater:
    """Return the rater of a row; a person's label holds no name, a language model's is what it is called."""
    return Rater(
        id=row["rater"],
        label=row["rater"] if row["is_model"] else f"Rater {row['number']}",
        name=row["name"],
        is_model=bool(row["is_model"]),
        is_active=bool(row["is_active"]),
        invited=row["invited"],
    )


def assignment_of(row: Mapping[str, Any]) -> Assignment:
    """Return the assignment of a row of the store."""
    return Assignment(
        id=row["id"],
        study=row["study"],
        item=row["item"],
        rater=row["rater"],
        place=row["place"],
        systems=tuple(Credit(**one) for one in json.loads(row["systems"])),
        state=cast("AssignmentState", row["state"]),
        token=row["token"],
        leased_until=moment(row["leased_until"]),
        value=row["value"],
        second=None if row["second"] is None else bool(row["second"]),
        further=json.loads(row["further"]),
        note=row["note"],
        seconds=row["seconds"],
        decided=moment(row["decided"]) if row["decided"] is not None else "",
    )


def rating_of(row: Mapping[str, Any], label: str) -> Rating:
    """Return the rating of an answered assignment's row, by a rater of this label."""
    assignment = assignment_of(row)
    return Rating(
        item=assignment.item,
        rater=label,
        value=assignment.value,
        status="scored" if assignment.state == "scored" else "cannot_judge",
        second=assignment.second,
        further=assignment.further,
        note=assignment.note,
        seconds=assignment.seconds,
        saved=assignment.decided,
    )


def press_of(row: Mapping[str, Any]) -> Press:
    """Return the history's row as a record; ``rater`` is the id as stored."""
    return Press(**{name: value for name, value in row.items() if name != "study"})


def adjudication_of(row: Mapping[str, Any]) -> Adjudication:
    """Return the adjudication of a row of the store."""
    return Adjudication(row["item"], row["value"], row["reason"], row["rater"], row["at"])


def moment(seconds: float) -> str:
    """Return seconds since the epoch as UTC, ISO 8601, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
