"""Use case *look behind a number*: a cell's questions page by page, and the neighbours of one of them in that list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from core.errors import OptionError
from core.figures.notation import count, decimal, per_cent
from core.services.logic_tables import as_csv
from core.services.question_filter import EVERYTHING, Where, matching, run_questions
from core.services.workspace import workspace
from core.store.run_questions import CellRows, Order, cell_counts, cell_neighbours, cell_page
from core.store.runs import run_row

PAGE_SIZE = 25
#: a search longer than this is cut: nobody types it
LONGEST_SEARCH = 200
ORDERS: Mapping[Order, str] = {
    "lowest": "lowest BERTSim first",
    "highest": "highest BERTSim first",
    "wrong": "wrong relations first",
    "right": "right relations first",
    "unscored": "without a score first",
    "dataset": "as in the dataset",
}
_AVERAGE = "The map's average weights relations equally and leaves out questions without a relation."
assert set(ORDERS) == set(get_args(Order))


@dataclass(frozen=True, slots=True)
class Cell:
    """A list of questions: one configuration's on a relation ("" for all) among those that match ``where``."""

    run_id: str
    configuration: str
    relation: str = ""
    where: Where = EVERYTHING
    order: Order = "lowest"
    search: str = ""


@dataclass(frozen=True)
class CellPage:
    """One page of a cell's questions.

    ``rows`` hold ``question_id, question, reference, relation, produced`` and the run's columns; ``number`` counts
    pages from 1 to ``n_pages`` and is the nearest there is to the one asked for. ``sentence`` sums the whole list up.
    """

    label: str
    rows: tuple[Mapping[str, Any], ...]
    n: int
    number: int
    n_pages: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """``place`` (from 1) of a question in a cell of ``total``, and the ids of those around it, None at the ends."""

    place: int
    total: int
    before: str | None
    after: str | None


def cell(chosen: Cell, number: int = 1) -> CellPage:
    """Return a page of a cell's questions.

    Raises:
        OptionError: no such run, configuration or order, or a label that no question of the run carries.
    """
    _, store = workspace()
    rows, label = _rows_of(chosen)
    counts = cell_counts(store, rows)
    n_pages = max(1, math.ceil(counts["n"] / PAGE_SIZE))
    number = min(max(number, 1), n_pages)
    return CellPage(
        label=label,
        rows=tuple(cell_page(store, rows, PAGE_SIZE, (number - 1) * PAGE_SIZE)),
        n=counts["n"],
        number=number,
        n_pages=n_pages,
        sentence=_sentence(chosen, counts, bool(rows.ids), bool(run_questions(chosen.run_id).relations)),
    )


def cell_csv(chosen: Cell) -> str:
    """Return all rows of a cell as CSV. Raises OptionError as ``cell`` does."""
    _, store = workspace()
    rows, label = _rows_of(chosen)
    listed = cell_page(store, rows, -1, 0)
    table = rows_table(listed)
    table.insert(0, "question id", [row["question_id"] for row in listed])
    table.insert(1, "configuration", label)
    return as_csv(table.assign(words=[row["words"] for row in listed]))


def neighbours(chosen: Cell, question_id: str) -> Neighbours | None:
    """Return a question's place in a cell, None where it is not in it. Raises OptionError as ``cell`` does."""
    _, store = workspace()
    found = cell_neighbours(store, _rows_of(chosen)[0], question_id)
    return Neighbours(**found) if found else None


def rows_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a cell's rows as people read them: texts, BERTSim, relations, and a state with its reason."""
    columns = {
        "question": "question", "BERTSim": "similarity", "relation": "relation", "predicted relation": "predicted",
        "reference": "reference", "answer": "produced",
    }  # fmt: skip
    table = pd.DataFrame({name: [row[column] for row in rows] for name, column in columns.items()})
    table.insert(4, "relation is", [verdict(row) for row in rows])
    return table.assign(state=[state(row) for row in rows]).astype({"BERTSim": float})


def verdict(row: Mapping[str, Any]) -> str:
    """Return "right", "wrong", or "" where the relation is not scored; of several answers, how many are right."""
    if row["correct_state"] != "scored":
        return ""
    return {1: "right", 0: "wrong"}.get(row["correct"], f"right in {per_cent(row['correct'])}")


def state(row: Mapping[str, Any]) -> str:
    """Return a row's state in words: "scored", "refused", or what failed or is not applicable, and why."""
    parts = {
        name: f"{row[f'{column}_state'].replace('_', ' ')}: {row[f'{column}_reason'] or 'no reason is stored'}"
        for name, column in (("BERTSim", "similarity"), ("relation", "correct"))
        if row[f"{column}_state"] != "scored"
    }
    if not parts:
        return "refused" if row["refused"] else "scored"
    if len(parts) == 2 and len(set(parts.values())) == 1:
        return parts["BERTSim"]
    return "; ".join(f"{name} {text}" for name, text in parts.items())


def _rows_of(chosen: Cell) -> tuple[CellRows, str]:
    """Return what the store is asked for and the configuration's name, both checked against the run."""
    _, store = workspace()
    run = run_row(store, chosen.run_id)
    if chosen.configuration not in run["spec"]["configurations"]:
        raise OptionError(f"this run has no configuration '{chosen.configuration[:80]}': choose one that is listed.")
    if chosen.order not in ORDERS:
        raise OptionError(f"questions cannot be sorted by '{str(chosen.order)[:80]}': choose one of the orders listed.")
    questions = run_questions(chosen.run_id)
    ids = matching(chosen.run_id, chosen.where)
    if chosen.relation:
        if chosen.relation not in questions.relations:
            raise OptionError(f"no question of this run has the relation '{chosen.relation[:80]}': choose another one.")
        of_relation = frozenset(matching(chosen.run_id, Where((chosen.relation,))))
        ids = tuple(identifier for identifier in ids if identifier in of_relation)
    rows = CellRows(
        run=chosen.run_id,
        dataset=run["dataset"],
        configuration=chosen.configuration,
        ids=ids,
        search=chosen.search[:LONGEST_SEARCH],
        order=chosen.order,
    )
    return rows, run["spec"]["labels"][chosen.configuration]


def _sentence(chosen: Cell, counts: Mapping[str, Any], any_question: bool, any_relation: bool) -> str:
    search = chosen.search.strip()
    if not counts["n"]:
        if not any_question:
            return "No question of this cell matches the filters."
        if search:
            return f"No question, reference or answer of this cell holds “{search[:LONGEST_SEARCH]}”."
        return "This run has stored no answers yet: they are stored when all are scored."
    judged = counts["right"] + counts["wrong"]
    parts = [f"relation right for {counts['right']:,}, wrong for {counts['wrong']:,}"] if judged else []
    parts += [f"{_mean_of(counts)} {decimal(counts['mean'])}"] if counts["mean"] is not None else []
    parts += [count(counts["refused"], "refusal")] if counts["refused"] else []
    parts += [f"{counts['failed']:,} failed"] if counts["failed"] else []
    parts += [f"{counts['not_applicable']:,} not applicable, at least in part"] if counts["not_applicable"] else []
    held = f" that {'holds' if counts['n'] == 1 else 'hold'} “{search[:LONGEST_SEARCH]}”" if search else ""
    # another mean than the one that was clicked
    aside = any_relation and not chosen.relation and counts["mean"] is not None
    average = f" {_AVERAGE}" if aside else ""
    return f"{count(counts['n'], 'question')}{held}: {'; '.join(parts)}.{average}"


def _mean_of(counts: Mapping[str, Any]) -> str:
    """Return which mean it is: every question weighs the same."""
    if counts["n"] == 1:
        return "BERTSim"
    if counts["scored"] == counts["n"]:
        return f"mean BERTSim over these {counts['n']:,} questions"
    return f"mean BERTSim over the {counts['scored']:,} of these questions that are scored"
