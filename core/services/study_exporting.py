"""Use case *export a study*: its ratings as a table, or everything of it with the whole history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, get_args

import pandas as pd

from core.errors import OptionError
from core.people.design import as_record
from core.people.records import Rating
from core.people.roles import Actor
from core.people.rows import press_of, rater_of, study_of
from core.services.logic_tables import as_csv
from core.services.rated import RatedItem, RatedStudy, ratings, require_results
from core.services.workspace import workspace
from core.store import people as rows
from core.store.people_ratings import press_rows

ExportFormat = Literal["csv", "json"]


def export_ratings(actor: Actor, study_id: str, format: ExportFormat) -> str:
    """Return a study's ratings: "csv" a row a rating, "json" design, items, ratings and history as well.

    Raters stand by label; their names are added for owners alone.

    Raises:
        AccessError: the actor may not see what others scored (yet).
        OptionError: no such study or format.
    """
    rated = ratings(study_id)
    require_results(actor, rated.study)
    if format not in get_args(ExportFormat):
        raise OptionError(f"ratings cannot be exported as '{str(format)[:20]}': choose csv or json.")
    names = _names(actor, study_id)
    if format == "csv":
        return as_csv(_table(rated, names))
    return json.dumps(_record(rated, names, _history(study_id, actor)), ensure_ascii=False, indent=2)


def export_history(actor: Actor, study_id: str) -> str:
    """Return every press of a study as CSV, oldest first, accepted and refused. Raises as ``export_ratings``."""
    _, store = workspace()
    require_results(actor, study_of(rows.study_row(store, study_id)))
    columns = ["number", "assignment", "item", "rater", "action", "outcome", "reason", "value", "at"]
    return as_csv(pd.DataFrame(_history(study_id, actor), columns=columns))


def _table(rated: RatedStudy, names: Mapping[str, str]) -> pd.DataFrame:
    listed = [
        _row(rated, item, one, kind, names)
        for item in rated.items
        for kind, given in (("person", item.ratings), ("model", item.model_ratings))
        for one in given
    ]
    fixed = [
        "item", "question id", "relation", "question", "reference", "answer", "systems", "known score", "rater",
        *(["name"] if names else []), "rated by", "status", "value", "second",
        *(aspect.name for aspect in rated.study.further), "note", "seconds", "saved", "final score", "final reason",
    ]  # fmt: skip
    return pd.DataFrame(listed, columns=fixed)


def _row(rated: RatedStudy, item: RatedItem, one: Rating, kind: str, names: Mapping[str, str]) -> dict[str, Any]:
    shown = item.item
    return {
        "item": shown.id,
        "question id": shown.question_id,
        "relation": shown.relation,
        "question": shown.question,
        "reference": shown.reference,
        "answer": shown.answer,
        "systems": "; ".join(rated.study.labels.get(credit.key, credit.key) for credit in shown.credits),
        "known score": shown.gold,
        "rater": one.rater,
        "name": names.get(one.rater, ""),
        "rated by": kind,
        "status": one.status,
        "value": one.value,
        "second": {None: "", True: "yes", False: "no"}[one.second],
        **one.further,
        "note": one.note,
        "seconds": round(one.seconds, 1),
        "saved": one.saved,
        "final score": item.adjudication.value if item.adjudication else None,
        "final reason": item.adjudication.reason if item.adjudication else "",
    }


def _record(rated: RatedStudy, names: Mapping[str, str], history: list[dict[str, Any]]) -> dict[str, Any]:
    study = rated.study
    return {
        "study": study.id,
        "state": study.state,
        "created": study.created,
        "design": as_record(study.design),
        "labels": dict(study.labels),
        "left_out": dict(study.left_out),
        "raters": [{"rater": label, "model": False, **_named(names, label)} for label in rated.raters]
        + [{"rater": label, "model": True} for label in rated.models],
        "items": [
            {
                **asdict(one.item),
                "ratings": [asdict(rating) for rating in (*one.ratings, *one.model_ratings)],
                "adjudication": _final(one),
            }
            for one in rated.items
        ],
        "history": history,
    }


def _final(one: RatedItem) -> dict[str, Any] | None:
    found = one.adjudication
    return {"value": found.value, "reason": found.reason, "at": found.at} if found else None


def _named(names: Mapping[str, str], label: str) -> dict[str, str]:
    return {"name": names[label]} if label in names else {}


def _names(actor: Actor, study_id: str) -> dict[str, str]:
    if actor.role != "owner":
        return {}
    _, store = workspace()
    found = map(rater_of, rows.rater_rows(store, study_id))
    return {one.label: one.name or one.id for one in found if not one.is_model}


def _history(study_id: str, actor: Actor) -> list[dict[str, Any]]:
    """The history by labels; who is no rater of the study (an adjudicating owner) stands as "owner"."""
    _, store = workspace()
    label = {one.id: one.label for one in map(rater_of, rows.rater_rows(store, study_id))}
    return [
        {**asdict(press_of(row)), "rater": label.get(row["rater"], row["rater"] if actor.role == "owner" else "owner")}
        for row in press_rows(store, study_id)
    ]
