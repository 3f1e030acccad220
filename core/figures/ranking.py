"""The ranking across relations: both averages with their intervals, and beside them how much text is handed over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.figures.chart import Chart, assemble, plain, wrapped
from core.figures.configurations import FAMILIES, GLYPHS, family, in_order, symbol
from core.figures.labels import label_width, row_name
from core.figures.measures import average, ranked_by, symbol_of
from core.figures.notation import count, decimal, estimate, per_cent
from core.figures.theme import Theme, colour, palette, template, translucent
from core.metrics.scores import ConfigurationScores, LogicScores, RankedConfiguration

_ROW_PX, _COMPACT_PX = 28, 23
#: where in a row the two averages stand
_FIRST, _SECOND = -0.13, 0.23
_FEW = 5

Trace = dict[str, Any]


def ranking(scores: LogicScores, theme: Theme, *, narrow: bool = False, compact: bool = False) -> Chart:
    """Return the ranking as points with 95 % intervals, the best on top; ``compact`` leaves out all but eq. 3.

    Filled marks are eq. 3 (mean BERTSim where the dataset has no relations), thin strokes the mean of the relations'
    OPIs. Reference rows are a dashed line. Grey bars are the words handed to the answerer per question.

    Raises:
        ValueError: nothing is ranked.
    """
    rows = scores.ranking.rows
    if not rows:
        raise ValueError("nothing is ranked")
    tones = palette(theme)
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    both = scores.ranking.measure == "opi" and not compact
    words = {} if compact else {r.id: w for r in rows if (w := by_id[r.id].words_per_question) is not None}
    references = {
        c.label: value
        for c in scores.configurations
        if family(c.id) == "reference" and (value := average(c, ranked_by(scores)).value) is not None
    }
    traces = list(_points(rows, by_id, scores, theme, both))
    if both:
        traces += _means_of_relations(rows, tones.muted, tones.text)
    if words:
        traces.append(_word_bars(rows, words, translucent(tones.muted, 0.35)))
    names = [by_id[r.id].label for r in rows]
    end = _end(bool(words), narrow)
    low, high = _range(rows, references, both)
    tickvals, ticktext = ticks(low, high, 4 if narrow else 7)
    top, bottom = 4 + (18 if references else 0), (26 if compact else 40)
    title = {"text": f"{symbol_of(scores, ranked_by(scores))} (right is better)", "standoff": 6}
    layout: dict[str, Any] = {
        "template": template(theme),
        "height": len(rows) * (_COMPACT_PX if compact else _ROW_PX) + top + bottom,
        "margin": {"l": label_width(names, narrow) + 12, "r": 8, "t": top, "b": bottom},
        "hovermode": "closest",
        "barmode": "overlay",
        "showlegend": False,
        "xaxis": {
            "domain": [0, end], "fixedrange": True, "zeroline": False, "range": [low, high],
            "tickvals": tickvals, "ticktext": ticktext, **({} if compact else {"title": title}),
        },
        "yaxis": {
            "fixedrange": True, "range": [len(rows) - 0.4, -0.6], "showgrid": False, "zeroline": False,
            "tickvals": list(range(len(rows))), "tickfont": {"color": tones.text, "size": 11 if narrow else 13},
            "ticktext": ["<br>".join(plain(line) for line in row_name(name, narrow)) for name in names],
        },
        "shapes": [_reference_line(value, tones.muted) for value in references.values()],
        "annotations": [
            *(_reference_name(name, value, (value - low) / (high - low), tones.muted)
              for name, value in references.items()),
            *([] if narrow else _numbers(rows, end, tones.text, tones.muted, compact)),
        ],
    }  # fmt: skip
    if words:
        layout["xaxis2"] = {
            "domain": [0.72 if narrow else 0.84, 1], "fixedrange": True, "anchor": "y", "showticklabels": False,
            "range": [0, max(*words.values(), 1.0) * 1.45], "showgrid": False, "zeroline": False,
            "title": {"text": "words" if narrow else "words a question", "standoff": 6},
        }  # fmt: skip
    return Chart(assemble(traces, layout), _alt(scores, by_id), _key(scores, by_id, compact))


def ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """Return about ``most`` round places at most between two ends at most 3 apart, and how they are written."""
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if (high - low) / step <= most)
    first = math.ceil(low / step - 1e-9)
    places = [round(i * step, 2) for i in range(first, math.floor(high / step + 1e-9) + 1)]
    return places, [decimal(place, 2 if step < 0.1 else 1) for place in places]


def _end(words: bool, narrow: bool) -> float:
    """Where the main panel ends: the numbers column (wide only) and the words panel follow it."""
    if narrow:
        return 0.68 if words else 1.0
    return 0.6 if words else 0.76


def _range(rows: Sequence[RankedConfiguration], references: Mapping[str, float], both: bool) -> tuple[float, float]:
    ends = [*references.values(), *(x for r in rows for x in (r.value, r.low, r.high) if x is not None)]
    if both:
        trios = [(r.mean_of_relations, r.mean_of_relations_low, r.mean_of_relations_high) for r in rows]
        ends += [x for trio in trios for x in trio if x is not None]
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 0.01)
    return low - room, high + room


def _points(
    rows: Sequence[RankedConfiguration],
    by_id: Mapping[str, ConfigurationScores],
    scores: LogicScores,
    theme: Theme,
    both: bool,
) -> Iterator[Trace]:
    shift = _FIRST if both else 0.0
    hollow = scores.ranking.n_questions < _FEW
    for name in dict.fromkeys(family(identifier) for identifier in in_order([r.id for r in rows])):
        members = [(y, r) for y, r in enumerate(rows) if family(r.id) == name]
        one = members[0][1].id
        tone = colour(one, theme)
        yield {
            "type": "scatter",
            "mode": "markers",
            "name": FAMILIES[name][0],
            "x": [r.value for _, r in members],
            "y": [y + shift for y, _ in members],
            "marker": {
                "symbol": f"{symbol(one)}-open" if hollow else symbol(one), "size": 10, "color": tone,
                "line": {"width": 2 if hollow else 0, "color": tone},
            },
            "error_x": {
                "type": "data", "symmetric": False, "thickness": 7, "width": 0, "color": translucent(tone, 0.3),
                "array": [0.0 if r.high is None else r.high - r.value for _, r in members],
                "arrayminus": [0.0 if r.low is None else r.value - r.low for _, r in members],
            },
            "customdata": [r.id for _, r in members],
            "hovertext": [_hover(r, by_id[r.id], scores) for _, r in members],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }  # fmt: skip


def _hover(row: RankedConfiguration, configuration: ConfigurationScores, scores: LogicScores) -> str:
    lines = [
        f"{row.rank}. {configuration.label}",
        f"{symbol_of(scores, ranked_by(scores))} {estimate(row.value, row.low, row.high)}",
    ]
    if row.mean_of_relations is not None:
        mean = estimate(row.mean_of_relations, row.mean_of_relations_low, row.mean_of_relations_high)
        lines.append(f"mean of the relations' OPIs {mean}, place {row.mean_of_relations_rank}")
    if row.probability_best is not None:
        lines.append(f"first in {per_cent(row.probability_best)} of redraws")
    if configuration.words_per_question is not None:
        lines.append(f"{configuration.words_per_question:,.0f} words a question")
    if configuration.bertsim.n_refused:
        lines.append(count(configuration.bertsim.n_refused, "refusal"))
    return "<br>".join(wrapped(line, 60) for line in lines)


def _means_of_relations(rows: Sequence[RankedConfiguration], faint: str, strong: str) -> Iterator[Trace]:
    known = [(y + _SECOND, r) for y, r in enumerate(rows) if r.mean_of_relations is not None]
    spans = [(y, r) for y, r in known if r.mean_of_relations_low is not None and r.mean_of_relations_high is not None]
    yield {
        "type": "scatter",
        "mode": "lines",
        "x": [x for _, r in spans for x in (r.mean_of_relations_low, r.mean_of_relations_high, None)],
        "y": [place for y, _ in spans for place in (y, y, None)],
        "line": {"color": faint, "width": 1},
        "hoverinfo": "skip",
    }
    yield {
        "type": "scatter",
        "mode": "markers",
        "name": "mean of the relations' OPIs",
        "x": [r.mean_of_relations for _, r in known],
        "y": [y for y, _ in known],
        "marker": {"symbol": "line-ns", "size": 8, "line": {"width": 2, "color": strong}},
        "hoverinfo": "skip",
    }


def _word_bars(rows: Sequence[RankedConfiguration], words: Mapping[str, float], tone: str) -> Trace:
    shown = [(y, words[r.id]) for y, r in enumerate(rows) if r.id in words]
    return {
        "type": "bar",
        "orientation": "h",
        "xaxis": "x2",
        "x": [number for _, number in shown],
        "y": [y for y, _ in shown],
        "width": 0.5,
        "marker": {"color": tone},
        "text": [f"{number:,.0f}" for _, number in shown],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _reference_line(value: float, tone: str) -> dict[str, Any]:
    line = {"color": tone, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": value, "x1": value, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def _reference_name(name: str, value: float, place: float, tone: str) -> dict[str, Any]:
    """Name a line at ``place`` of the axis (0 left, 1 right): before it, or behind it where there is no room before."""
    before = place > 0.4
    return {
        "x": value, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "right" if before else "left",
        "xshift": 4 if before else -4,
        "text": f"{plain(name)} {decimal(value)}", "showarrow": False, "font": {"size": 12, "color": tone},
    }  # fmt: skip


def _numbers(
    rows: Sequence[RankedConfiguration], end: float, strong: str, faint: str, compact: bool
) -> Iterator[dict[str, Any]]:
    for y, r in enumerate(rows):
        span = "" if r.low is None or r.high is None else f"({decimal(r.low)} to {decimal(r.high)})"
        yield {
            "x": end + 0.015, "xref": "paper", "xanchor": "left", "y": y, "showarrow": False, "align": "left",
            "font": {"size": 12 if compact else 13, "color": strong},
            "text": f'{decimal(r.value)} <span style="color:{faint}">{span}</span>',
        }  # fmt: skip


def _alt(scores: LogicScores, by_id: Mapping[str, ConfigurationScores]) -> str:
    rows = scores.ranking.rows
    shown = rows if len(rows) < 5 else (*rows[:3], rows[-1])
    places = "; ".join(f"{by_id[r.id].label} {estimate(r.value, r.low, r.high)}" for r in shown)
    return (
        f"Ranking of {count(len(rows), 'configuration')} by {symbol_of(scores, ranked_by(scores))} on "
        f"{scores.ranking.n_questions:,} of {count(scores.ranking.n_total, 'question')}, best first"
        f"{'' if shown is rows else ' (three and the last)'}: {places}. 95 % intervals in parentheses."
    )


def _key(scores: LogicScores, by_id: Mapping[str, ConfigurationScores], compact: bool) -> tuple[str, ...]:
    table = scores.ranking
    on = f"on the {count(table.n_questions, 'question')} that every configuration has scored"
    keys = [on if table.n_questions == table.n_total else f"{on}, of {table.n_total:,}", "bands: 95 % intervals"]
    families = dict.fromkeys(family(identifier) for identifier in in_order([r.id for r in table.rows]))
    keys += [f"{GLYPHS[FAMILIES[name][1]]} {FAMILIES[name][0]}" for name in families]
    if not compact and table.measure == "opi":
        keys.append("thin line: mean of the relations' OPIs")
    if table.n_questions < _FEW:
        keys.append(f"hollow: fewer than {_FEW} questions")
    if not compact:
        left_out = {i: why for i, why in table.left_out.items() if i in by_id and family(i) != "reference"}
        keys += [f"not ranked: {by_id[i].label} ({why})" for i, why in left_out.items()]
    return tuple(keys)
