"""The Logic page's heatmap: configurations x relations of OPI, BERTSim or LRCR, the average apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.figures.chart import Chart
from core.figures.configurations import family, in_order, symbol
from core.figures.grid import FEW, Cell, Grid, Head, State, draw
from core.figures.measures import MeasureName, average, symbol_of
from core.figures.notation import count, decimal, measured
from core.figures.theme import Theme, colour, colour_range
from core.metrics.scores import ConfigurationScores, LogicCell, LogicScores, Measure
from core.taxonomy.relations import abbreviation

RowOrder = Literal["average", "fixed"]

#: column id of the average; a relation cannot be called this because names are stripped of blanks
AVERAGE = " average"


def rows_of(scores: LogicScores, measure: MeasureName, order: RowOrder) -> list[ConfigurationScores]:
    """Return the configurations in the order they are shown, reference rows last.

    "average" puts the best average first (unscored ones last, ties in the fixed order); "fixed" is the
    order of every page.
    """
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    rows = [by_id[identifier] for identifier in in_order(list(by_id))]
    if order == "average":
        rows.sort(key=lambda c: -value if (value := average(c, measure).value) is not None else float("inf"))
    rows.sort(key=lambda c: family(c.id) == "reference")
    return rows


def heatmap(
    scores: LogicScores,
    measure: MeasureName,
    theme: Theme,
    *,
    order: RowOrder = "average",
    narrow: bool = False,
    chosen: tuple[str, str] | None = None,
) -> Chart:
    """Return the heatmap of one measure, or of the averages alone where the dataset has no relations.

    ``chosen`` frames the cell of a (configuration id, relation), ``AVERAGE`` for the average.
    """
    rows = rows_of(scores, measure, order)
    cells = [
        [_relation_cell(scores, row, name, row.relations.get(name), measure, narrow) for name in scores.relations]
        for row in rows
    ]
    aside = [_average_cell(scores, row, measure, narrow) for row in rows]
    drawn = [cell for line in (*cells, aside) for cell in line]
    low, high = colour_range([c.value for c in drawn if c.value is not None and c.state == "scored"])
    grid = Grid(
        rows=[Head(r.id, r.label, r.label, colour(r.id, theme), symbol(r.id)) for r in rows],
        columns=[Head(name, name, abbreviation(name)) for name in scores.relations],
        cells=cells,
        aside_head=Head(AVERAGE, "all relations" if scores.relations else "all questions", "ALL"),
        aside=aside,
        apart=sum(family(r.id) != "reference" for r in rows),
        low=low,
        high=high,
        chosen=chosen,
    )
    key = _key(drawn, low, high) + _short_names(scores, narrow)
    return Chart(draw(grid, theme, narrow=narrow), _alt(scores, rows, measure), key)


def _state(measure: Measure) -> State:
    if measure.value is None:
        return "failed" if measure.n_failed else "not_applicable"
    return "few" if measure.n_scored < FEW else "scored"


def _relation_cell(
    scores: LogicScores,
    row: ConfigurationScores,
    relation: str,
    cell: LogicCell | None,
    measure: MeasureName,
    narrow: bool,
) -> Cell:
    if cell is None:
        return Cell(None, "", "not_applicable", (f"{row.label} · {relation}", "not applicable: no question"))
    trio: dict[MeasureName, Measure] = {"opi": cell.opi, "bertsim": cell.bertsim, "lrcr": cell.lrcr}
    lines = _hover(scores, f"{row.label} · {relation}", trio, measure)
    if cell.clamped:
        lines = (*lines, "mean BERTSim below 0, taken as 0 in OPI")
    return _cell(trio[measure], lines, narrow)


def _average_cell(scores: LogicScores, row: ConfigurationScores, measure: MeasureName, narrow: bool) -> Cell:
    over = "all relations, equal weight" if scores.relations else "all questions"
    trio: dict[MeasureName, Measure] = {"opi": row.opi, "bertsim": row.bertsim, "lrcr": row.lrcr}
    lines = _hover(scores, f"{row.label} · {over}", trio, measure)
    if scores.relations and measure == "opi":
        lines = (*lines, f"mean of the relations' OPIs {measured(row.opi_mean_of_relations)}")
    return _cell(trio[measure], lines, narrow)


def _cell(measure: Measure, lines: tuple[str, ...], narrow: bool) -> Cell:
    state = _state(measure)
    text = "×" if state == "failed" else "" if measure.value is None else decimal(measure.value, 2 if narrow else 3)
    return Cell(measure.value, text, state, lines, outlined=measure.n_failed > 0)


def _hover(scores: LogicScores, title: str, trio: dict[MeasureName, Measure], shown: MeasureName) -> tuple[str, ...]:
    order: Sequence[MeasureName] = (shown, *(name for name in trio if name != shown))
    lines = [title, *(f"{symbol_of(scores, name)} {measured(trio[name])}" for name in order)]
    measure = trio[shown]
    total = measure.n_scored + measure.n_failed + measure.n_not_applicable
    states = [f"{measure.n_scored} of {count(total, 'question')} scored"]
    states += [f"{measure.n_failed} failed"] if measure.n_failed else []
    states += [f"{measure.n_not_applicable} not applicable"] if measure.n_not_applicable else []
    states += [count(measure.n_refused, "refusal")] if measure.n_refused else []
    return (*lines, ", ".join(states))


def _key(drawn: Sequence[Cell], low: float, high: float) -> tuple[str, ...]:
    states = {cell.state for cell in drawn}
    framed = any(cell.outlined or cell.state == "failed" for cell in drawn)
    known = (
        ("scored" in states, f"colour from {decimal(low, 2)} to {decimal(high, 2)}, the stronger the better"),
        ("few" in states, f"dots: fewer than {FEW} questions, no colour"),
        ("not_applicable" in states, "hatched: not applicable"),
        (framed, "orange frame: some or all questions failed"),
    )
    return tuple(text for there, text in known if there)


def _short_names(scores: LogicScores, narrow: bool) -> tuple[str, ...]:
    """What the narrow heads mean."""
    pairs = [(abbreviation(name), name) for name in scores.relations]
    return tuple(f"{short} {name}" for short, name in pairs if narrow and short != name)


def _alt(scores: LogicScores, rows: Sequence[ConfigurationScores], measure: MeasureName) -> str:
    ranked = [(c, m) for c in rows if (m := average(c, measure)).value is not None and family(c.id) != "reference"]
    what = f"Heatmap of {symbol_of(scores, measure)}: {count(len(rows), 'configuration')} by " + (
        count(len(scores.relations), "logical relation") if scores.relations else "all questions"
    )
    if not ranked:
        return f"{what}. Nothing is scored."
    best = max(ranked, key=lambda pair: pair[1].value or 0.0)
    worst = min(ranked, key=lambda pair: pair[1].value or 0.0)
    ends = [f"highest average {best[0].label}, {measured(best[1])}"]
    if worst[0].id != best[0].id:
        ends.append(f"lowest {worst[0].label}, {measured(worst[1])}")
    return f"{what}; {', '.join(ends)}. 95 % intervals in parentheses."
