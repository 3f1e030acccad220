"""The questions of a category: page by page, worst first, by the measure that colours the tree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from core.errors import OptionError
from core.figures.notation import count, decimal
from core.services import trees
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.drilldown import PAGE_SIZE
from core.services.granularity_scores import Floats, configurations, quality, scores
from core.services.logic_tables import as_csv
from core.services.question_filter import run_questions
from core.services.workspace import workspace
from core.store.run_questions import CellRows, cell_page

NodeOrder = Literal["lowest", "highest", "unscored", "dataset"]
ORDERS: Mapping[NodeOrder, str] = {
    "lowest": "lowest first",
    "highest": "highest first",
    "unscored": "without a score first",
    "dataset": "as in the dataset",
}
assert set(ORDERS) == set(get_args(NodeOrder))


@dataclass(frozen=True, slots=True)
class NodeQuestions:
    """A list of questions: those at or below a category, or all that stand in the tree for "".

    With a ``second`` configuration they are ordered by how far the first one lies above it.
    """

    run_id: str
    dimension: str
    node: str
    configuration: str
    quality: str
    second: str = ""
    order: NodeOrder = "lowest"


@dataclass(frozen=True)
class NodePage:
    """One page of a list; ``rows`` as ``rows_table`` reads them, ``number`` counts from 1 to ``n_pages``."""

    rows: tuple[Mapping[str, Any], ...]
    n: int
    number: int
    n_pages: int
    sentence: str


def node_questions(chosen: NodeQuestions, number: int = 1) -> NodePage:
    """Return a page of a category's questions, the nearest there is to the one asked for.

    Raises:
        OptionError: there is no such run, tree, category, measure, configuration or order.
    """
    places, values, second = _ordered(chosen)
    n_pages = max(1, math.ceil(len(places) / PAGE_SIZE))
    number = min(max(number, 1), n_pages)
    shown = places[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return NodePage(
        rows=tuple(_rows(chosen, shown, values, second)),
        n=len(places),
        number=number,
        n_pages=n_pages,
        sentence=_sentence(chosen, places, values, second),
    )


def node_csv(chosen: NodeQuestions) -> str:
    """Return all of a category's questions as CSV. Raises OptionError as ``node_questions`` does."""
    places, values, second = _ordered(chosen)
    listed = _rows(chosen, places, values, second)
    table = rows_table(listed)
    table.insert(0, "question id", [row["question_id"] for row in listed])
    return as_csv(table)


def rows_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a list's rows as people read them: texts, category as labelled, scores, and why one is missing."""
    columns = [name for name in (rows[0] if rows else {}) if name != "question_id"]
    return pd.DataFrame({name: [row[name] for row in rows] for name in columns})


def _ordered(chosen: NodeQuestions) -> tuple[list[int], Floats, Floats | None]:
    """Return the places of the category's questions in order, and all values of one or both configurations."""
    run = run_summary(chosen.run_id)
    if chosen.order not in ORDERS:
        raise OptionError(f"questions cannot be sorted by '{str(chosen.order)[:80]}': choose one of the orders listed.")
    dimension = trees.dimension(run.id, chosen.dimension)
    within = frozenset(dimension.tree.within(chosen.node) if chosen.node else dimension.tree.nodes)
    own = trees.placed(run.id, chosen.dimension).own
    values = scores(run, chosen.quality, chosen.configuration)
    second = scores(run, chosen.quality, chosen.second) if chosen.second else None
    inside = np.array([i for i, node in enumerate(own) if node in within], dtype=np.int64)
    by = (values if second is None else values - second)[inside]
    missing = np.isnan(by)
    if chosen.order == "dataset":
        return inside.tolist(), values, second
    if chosen.order == "unscored":
        place = np.lexsort((by, ~missing))
    else:  # what is not scored stands last, whichever way the rest goes
        place = np.lexsort((by if chosen.order == "lowest" else -by, missing))
    return inside[place].tolist(), values, second


def _rows(
    chosen: NodeQuestions, places: Sequence[int], values: Floats, second: Floats | None
) -> list[Mapping[str, Any]]:
    _, store = workspace()
    run = run_summary(chosen.run_id)
    ids = run_questions(run.id).ids
    own = trees.placed(run.id, chosen.dimension).own
    names, symbol = configurations(run), quality(run, chosen.quality).symbol
    cell = CellRows(run.id, run.dataset, chosen.configuration, tuple(ids[i] for i in places), order="dataset")
    found = {row["question_id"]: row for row in cell_page(store, cell, -1, 0)}
    rows: list[Mapping[str, Any]] = []
    for i in places:
        if ids[i] not in found:
            continue
        stored = found[ids[i]]
        numbers: dict[str, Any] = {symbol: _number(values[i])}
        if second is not None:
            numbers = {
                f"{symbol}, {names[chosen.configuration]}": _number(values[i]),
                f"{symbol}, {names[chosen.second]}": _number(second[i]),
                "difference": _number(values[i] - second[i]),
            }
        rows.append(
            {
                "question_id": ids[i],
                "question": stored["question"],
                "category": own[i],
                **numbers,
                "reference": stored["reference"],
                "answer": stored["produced"],
                "state": _state(stored, values[i]),
            }
        )
    return rows


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _state(stored: Mapping[str, Any], value: float) -> str:
    if not math.isnan(value):
        return "refused" if stored["refused"] else "scored"
    if stored["similarity_state"] != "scored":
        return f"{stored['similarity_state'].replace('_', ' ')}: {stored['similarity_reason'] or 'no reason is stored'}"
    return "not applicable: this measure has no value for the question"


def _sentence(chosen: NodeQuestions, places: Sequence[int], values: Floats, second: Floats | None) -> str:
    run: RunSummary = run_summary(chosen.run_id)
    symbol = quality(run, chosen.quality).symbol
    if not places:
        return "No question of this run is labelled with this category or one below it."
    by = (values if second is None else values - second)[list(places)]
    scored = by[~np.isnan(by)]
    told = count(len(places), "question")
    if not scored.size:
        return f"{told}: none is scored by {symbol}."
    what = f"mean {symbol}" if second is None else f"mean difference in {symbol}"
    left = len(places) - scored.size
    rest = f"; {left:,} not scored" if left else ""
    return f"{told}: {what} {decimal(float(scored.mean()))} over the {scored.size:,} scored{rest}."
