"""Which dimension separates results most: one row a dimension, each at the level recommended for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.metrics.granularity_groups import Estimate
from core.metrics.granularity_levels import LevelTable
from core.metrics.granularity_rows import LevelRow
from core.stats.correction import ALPHA, adjusted


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """A dimension at one level: the recommended one, or its coarsest that can be measured (``recommended`` False).

    ``p_adjusted`` is by Holm over the dimensions. Numbers that do not exist are None, with a ``reason``.
    """

    dimension: str
    level: int | None
    level_name: str
    recommended: bool
    k: int
    n: int
    range: float | None
    power: float | None
    corrected: Estimate
    p: float | None
    p_adjusted: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DimensionTable:
    """Dimensions by corrected power, largest first, those without one last; ``sentence`` says what follows."""

    rows: tuple[DimensionRow, ...]
    sentence: str


def dimension_table(tables: Mapping[str, LevelTable]) -> DimensionTable:
    """Return the dimensions' rows; ``tables`` are their level tables for one score."""
    rows = [_row(dimension, table) for dimension, table in tables.items()]
    p = adjusted([np.nan if row[1] is None or row[1].p is None else row[1].p for row in rows])
    made = [
        _made(dimension, level, chosen, None if np.isnan(each) else float(each))
        for (dimension, level, chosen), each in zip(rows, p, strict=True)
    ]
    made.sort(key=lambda row: -np.inf if row.corrected.value is None else row.corrected.value, reverse=True)
    return DimensionTable(tuple(made), _sentence(made))


def _row(dimension: str, table: LevelTable) -> tuple[str, LevelRow | None, bool]:
    if table.recommended.level is not None:
        return dimension, table.rows[table.recommended.level], True
    return dimension, next((row for row in table.rows if row.power is not None), None), False


def _made(dimension: str, row: LevelRow | None, recommended: bool, p_adjusted: float | None) -> DimensionRow:
    if row is None:
        reason = "no level has two categories with enough questions"
        nothing = Estimate(None, None, None, reason)
        return DimensionRow(dimension, None, "", False, 0, 0, None, None, nothing, None, None, reason)
    return DimensionRow(
        dimension,
        row.level,
        row.name,
        recommended,
        row.k,
        row.n,
        row.range,
        row.power,
        row.corrected,
        row.p,
        p_adjusted,
    )


def _sentence(rows: list[DimensionRow]) -> str:
    measured = [row for row in rows if row.corrected.value is not None]
    if not measured:
        return "No dimension can be measured: none has two categories with enough questions."
    telling = [row for row in measured if row.p_adjusted is not None and row.p_adjusted <= ALPHA]
    if not telling:
        return "No dimension separates results by more than chance."
    best = telling[0]
    start = f"'{best.dimension}' separates results most (corrected power {best.corrected.value:.3f}"
    where = f" at {best.level_name})" if best.level_name else ")"
    low = -np.inf if best.corrected.low is None else best.corrected.low
    close = [f"'{row.dimension}'" for row in measured if row is not best and (row.corrected.high or 0.0) >= low]
    rest = f"; the intervals of {', '.join(close)} reach as far" if close else ""
    return f"{start}{where}{rest}."
