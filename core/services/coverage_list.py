"""Use case *look behind a bar or a cell*: its nuggets page by page, each with what became of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.errors import OptionError
from core.figures.coverage_measures import PARTS, UNKNOWN
from core.figures.notation import count
from core.metrics.coverage_observations import CoverageObservations, Floats, Importance
from core.nuggets.outcomes import NuggetOutcome, outcome_of_record
from core.services.catalogue import run as run_summary
from core.services.coverage import group_labels, matcher_of, observations
from core.services.logic_tables import as_csv
from core.services.question_filter import EVERYTHING, Where
from core.services.workspace import workspace
from core.store.coverage import CoverageRow, coverage_rows
from core.store.datasets import question_of
from core.store.runs import run_row

PAGE_SIZE = 25
#: the parts of a bar one may ask for, with the one that stands for nuggets in no part
ASKABLE: Mapping[str, str] = {str(part): words for part, words in PARTS.items()} | {"unknown": UNKNOWN}


@dataclass(frozen=True, slots=True)
class NuggetCell:
    """A list of nuggets: one configuration's, vital ones alone or all, on the questions that match ``where``.

    ``part`` is that of its bar, ``group`` the kind of question in a ``dimension``; "" stands for all.
    """

    run_id: str
    configuration: str
    part: str = ""
    dimension: str = ""
    group: str = ""
    importance: Importance = "all"
    where: Where = EVERYTHING


@dataclass(frozen=True, slots=True)
class NuggetRow:
    """A nugget of a question. ``outcome`` says in words what became of it; ``rank`` is the first that holds it."""

    question_id: str
    question: str
    nugget: str
    importance: str
    outcome: str
    rank: int | None


@dataclass(frozen=True)
class NuggetPage:
    """One page of a list; ``number`` counts from 1 and is the nearest there is to the one asked for."""

    label: str
    rows: tuple[NuggetRow, ...]
    n: int
    number: int
    n_pages: int
    sentence: str


def nugget_list(chosen: NuggetCell, number: int = 1) -> NuggetPage:
    """Return a page of a list of nuggets, those of questions that have most of them first.

    Raises:
        OptionError: no such run, configuration, part or group, or the run has no coverage.
    """
    seen, row, numbers = _counted(chosen)
    order = _order(numbers)
    ends = np.cumsum(numbers[order])
    n = int(ends[-1]) if len(ends) else 0
    n_pages = max(1, math.ceil(n / PAGE_SIZE))
    number = min(max(number, 1), n_pages)
    first, last = (number - 1) * PAGE_SIZE, min(number * PAGE_SIZE, n)
    begins = ends - numbers[order]
    inside = [int(q) for q, begin, end in zip(order, begins, ends, strict=True) if begin < last and end > first]
    rows = _rows(chosen, [seen.question_ids[q] for q in inside])
    skip = first - int(begins[list(order).index(inside[0])]) if inside else 0
    return NuggetPage(
        label=seen.labels[chosen.configuration],
        rows=tuple(rows[skip : skip + last - first]),
        n=n,
        number=number,
        n_pages=n_pages,
        sentence=_sentence(chosen, seen, row, numbers),
    )


def nugget_csv(chosen: NuggetCell) -> str:
    """Return all rows of a list as CSV. Raises OptionError as ``nugget_list`` does."""
    seen, _, numbers = _counted(chosen)
    table = rows_table(_rows(chosen, [seen.question_ids[q] for q in _order(numbers)]))
    table.insert(0, "configuration", seen.labels[chosen.configuration])
    table["matcher"] = matcher_of(chosen.run_id)
    return as_csv(table)


def rows_table(rows: Sequence[NuggetRow]) -> pd.DataFrame:
    """Return rows as people read them."""
    columns = {
        "question id": "question_id", "question": "question", "nugget": "nugget", "importance": "importance",
        "outcome": "outcome", "first rank that holds it": "rank",
    }  # fmt: skip
    table = pd.DataFrame({name: [getattr(row, field) for row in rows] for name, field in columns.items()})
    return table.astype({"first rank that holds it": "Int64"})


def outcomes_of(row: CoverageRow) -> tuple[NuggetOutcome, ...]:
    """Return what became of each nugget of a question, in its order; () where there is no record."""
    return tuple(outcome_of_record(record) for record in row.record.get("nuggets", ()))


def outcome_words(outcome: NuggetOutcome, row: CoverageRow) -> str:
    """Return in words what became of a nugget: a part, or why that is not known."""
    if row.state != "scored":
        return f"{row.state.replace('_', ' ')}: {row.reason or 'no reason is stored'}"
    if outcome.part is None:
        return "said; what holds it is not known" if outcome.said else UNKNOWN
    return PARTS[outcome.part]


def first_rank(record: Mapping[str, Any], nugget: int) -> int | None:
    """Return the first rank (from 1) whose passage holds a nugget by itself, None where none does."""
    held = record.get("held", {})
    return next((rank for rank, name in enumerate(record.get("ranking", ()), 1) if nugget in held.get(name, ())), None)


def _counted(chosen: NuggetCell) -> tuple[CoverageObservations, int, Floats]:
    """Return the observations, the configuration's row, and how many listed nuggets each question has."""
    seen = observations(run_summary(chosen.run_id), chosen.where)
    if chosen.configuration not in seen.configurations:
        raise OptionError(f"this run has no configuration '{chosen.configuration[:80]}': choose one that is listed.")
    if chosen.part and chosen.part not in ASKABLE:
        raise OptionError(f"nuggets have no part '{chosen.part[:80]}': choose one of those listed.")
    row = seen.configurations.index(chosen.configuration)
    whole = seen.nuggets(chosen.importance)[row]
    numbers = whole
    if chosen.part == "unknown":
        parts = sum(np.nan_to_num(seen.count(part, chosen.importance)[row]) for part in PARTS)
        numbers = np.where(np.isfinite(seen.count("said", chosen.importance)[row]), whole - parts, 0.0)
    elif chosen.part:
        numbers = seen.count(chosen.part, chosen.importance)[row]
    numbers = np.nan_to_num(numbers)
    if chosen.group:
        label_of = group_labels(chosen.run_id, chosen.dimension)
        inside = np.array([label_of[question] == chosen.group for question in seen.question_ids])
        if not inside.any():
            raise OptionError(f"no question shown here is of the kind '{chosen.group[:80]}': choose another one.")
        numbers = np.where(inside, numbers, 0.0)
    return seen, row, numbers.astype(np.int64)


def _order(numbers: Floats) -> list[int]:
    """Return the questions that have any, those with most first, else as in the dataset."""
    return [int(q) for q in np.argsort(-numbers, kind="stable") if numbers[q] > 0]


def _rows(chosen: NuggetCell, question_ids: Sequence[str]) -> list[NuggetRow]:
    _, store = workspace()
    dataset = run_row(store, chosen.run_id)["dataset"]
    rows: list[NuggetRow] = []
    for identifier in question_ids:
        question = question_of(store, dataset, identifier)
        stored = coverage_rows(store, chosen.run_id, identifier, [chosen.configuration]).get(chosen.configuration)
        if question is None or stored is None:
            continue
        for place, (nugget, outcome) in enumerate(zip(question.nuggets, outcomes_of(stored), strict=True)):
            if chosen.importance == "vital" and nugget.importance != "vital":
                continue
            if chosen.part and (stored.state != "scored" or (outcome.part or "unknown") != chosen.part):
                continue
            rows.append(
                NuggetRow(
                    question_id=identifier,
                    question=question.question,
                    nugget=nugget.text,
                    importance=nugget.importance,
                    outcome=outcome_words(outcome, stored),
                    rank=first_rank(stored.record, place),
                )
            )
    return rows


def _sentence(chosen: NuggetCell, seen: CoverageObservations, row: int, numbers: Floats) -> str:
    n, among = int(numbers.sum()), int((numbers > 0).sum())
    kind = "vital nugget" if chosen.importance == "vital" else "nugget"
    if not n:
        return f"No {kind} here{f' is {ASKABLE[chosen.part]}' if chosen.part else ''}."
    if chosen.part:
        return f"{count(n, kind)} {ASKABLE[chosen.part]}, of {count(among, 'question')}."
    grounded = seen.count("grounded", chosen.importance)[row][numbers > 0]
    scored = np.isfinite(grounded)
    told = f", {int(grounded[scored].sum()):,} of them grounded" if scored.any() else ""
    without = f"; the answers to {count(int((~scored).sum()), 'question')} are not scored" if not scored.all() else ""
    return f"{count(n, kind)} of {count(among, 'question')}{told}{without}."
