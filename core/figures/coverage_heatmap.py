"""Coverage by kind of question: configurations x relations, or x categories of one dimension, the average apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.figures.chart import Chart
from core.figures.configurations import symbol
from core.figures.coverage_measures import of, rows_of, states
from core.figures.coverage_measures import symbol as written
from core.figures.grid import FEW, Cell, Grid, Head, State, draw
from core.figures.logic import AVERAGE
from core.figures.notation import count, decimal, measured
from core.figures.theme import Theme, colour, colour_range
from core.metrics.coverage_scores import CoverageScores
from core.metrics.scores import Measure
from core.taxonomy.relations import abbreviation


def coverage_heatmap(
    scores: CoverageScores,
    groups: Mapping[str, Mapping[str, Measure]],
    columns: Sequence[str],
    measure: str,
    theme: Theme,
    *,
    narrow: bool = False,
    chosen: tuple[str, str] | None = None,
) -> Chart:
    """Return the map of one measure; ``groups`` are its means by configuration id and column.

    A click gives ``customdata`` [configuration id, column], ``AVERAGE`` for the mean over all questions.
    """
    rows = rows_of(scores, measure)
    cells = [[_cell(row.label, name, groups[row.id].get(name), measure, narrow) for name in columns] for row in rows]
    aside = [_cell(row.label, "all questions", of(row, measure), measure, narrow) for row in rows]
    drawn = [cell for line in (*cells, aside) for cell in line]
    low, high = colour_range([c.value for c in drawn if c.value is not None and c.state == "scored"])
    grid = Grid(
        rows=[Head(r.id, r.label, r.label, colour(r.id, theme), symbol(r.id)) for r in rows],
        columns=[Head(name, name, abbreviation(name)) for name in columns],
        cells=cells,
        aside_head=Head(AVERAGE, "all questions", "ALL"),
        aside=aside,
        apart=sum(r.id not in scores.reference for r in rows),
        low=low,
        high=high,
        chosen=chosen,
    )
    return Chart(draw(grid, theme, narrow=narrow), _alt(scores, measure, len(columns)), _key(drawn, columns, narrow))


def _cell(label: str, column: str, measure: Measure | None, name: str, narrow: bool) -> Cell:
    if measure is None:
        return Cell(None, "", "not_applicable", (f"{label} · {column}", "not applicable: no question"))
    hover = (f"{label} · {column}", f"{written(name)} {measured(measure)}", states(measure))
    state = _state(measure)
    text = "×" if state == "failed" else "" if measure.value is None else decimal(measure.value, 2 if narrow else 3)
    return Cell(measure.value, text, state, hover, outlined=measure.n_failed > 0)


def _state(measure: Measure) -> State:
    if measure.value is None:
        return "failed" if measure.n_failed else "not_applicable"
    return "few" if measure.n_scored < FEW else "scored"


def _key(drawn: Sequence[Cell], columns: Sequence[str], narrow: bool) -> tuple[str, ...]:
    there = {cell.state for cell in drawn}
    known = (
        ("scored" in there, "the stronger the colour, the better"),
        ("few" in there, f"dots: fewer than {FEW} questions, no colour"),
        ("not_applicable" in there, "hatched: not applicable"),
        (any(c.outlined or c.state == "failed" for c in drawn), "orange frame: some or all questions failed"),
    )
    short = [f"{abbreviation(name)} {name}" for name in columns if narrow and abbreviation(name) != name]
    return tuple([text for shown, text in known if shown] + short)


def _alt(scores: CoverageScores, measure: str, n_columns: int) -> str:
    known = [
        (row.label, m)
        for row in rows_of(scores, measure)
        if row.id not in scores.reference and (m := of(row, measure)).value is not None
    ]
    what = f"Heatmap of {written(measure)}: {count(len(scores.configurations), 'configuration')} by " + (
        count(n_columns, "kind of question", "kinds of question") if n_columns else "all questions"
    )
    if not known:
        return f"{what}. Nothing is scored."
    return (
        f"{what}; highest average {known[0][0]}, {measured(known[0][1])}; lowest {known[-1][0]}, "
        f"{measured(known[-1][1])}."
    )
