"""Several measures of every configuration side by side, each mean with its 95 % interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.figures.chart import Chart, assemble, plain, wrapped
from core.figures.configurations import symbol
from core.figures.coverage_measures import of, rows_of, states
from core.figures.coverage_measures import symbol as written
from core.figures.grid import FEW
from core.figures.labels import label_width, row_name
from core.figures.notation import count, measured
from core.figures.ranking import ticks
from core.figures.theme import Theme, colour, palette, template, translucent
from core.metrics.coverage_scores import ConfigurationCoverage, CoverageScores

_ROW_PX, _HEAD_PX, _TICKS_PX = 26, 26, 24


def points(scores: CoverageScores, measures: Sequence[str], theme: Theme, *, narrow: bool = False) -> Chart:
    """Return a panel a measure, rows in the order of the first one; two panels beside each other where it is narrow.

    A click gives ``customdata`` [configuration id, measure].
    """
    rows = rows_of(scores, measures[0])
    tones = palette(theme)
    across = min(len(measures), 2) if narrow else len(measures)
    bands = -(-len(measures) // across)
    names = [row.label for row in rows]
    band_px = len(rows) * _ROW_PX + _HEAD_PX + _TICKS_PX
    layout: dict[str, Any] = {
        "template": template(theme),
        "height": bands * band_px,
        "margin": {"l": label_width(names, narrow) + 8, "r": 8, "t": 0, "b": 0},
        "showlegend": False,
        "hovermode": "closest",
        "annotations": [],
    }
    traces: list[dict[str, Any]] = []
    for place, measure in enumerate(measures):
        band, column = divmod(place, across)
        axis = "" if place == 0 else str(place + 1)
        low, high = _range([of(row, measure) for row in rows])
        gap = 0.03
        width = (1 - gap * (across - 1)) / across
        left = column * (width + gap)
        top = 1 - band / bands
        inner = [top - (band_px - _TICKS_PX) / (bands * band_px), top - _HEAD_PX / (bands * band_px)]
        tickvals, ticktext = ticks(low, high, 3 if narrow else 4)
        layout[f"xaxis{axis}"] = {
            "domain": [left, left + width], "anchor": f"y{axis}", "fixedrange": True, "zeroline": False,
            "range": [low, high], "tickvals": tickvals, "ticktext": ticktext,
        }  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "domain": [max(inner[0], 0.0), inner[1]], "anchor": f"x{axis}", "fixedrange": True, "showgrid": False,
            "zeroline": False, "range": [len(rows) - 0.4, -0.6], "tickvals": list(range(len(rows))),
            "tickfont": {"color": tones.text, "size": 11 if narrow else 13},
            "ticktext": ["<br>".join(plain(line) for line in row_name(name, narrow)) for name in names],
            "showticklabels": column == 0,
        }  # fmt: skip
        layout["annotations"].append(
            {
                "x": left, "xref": "paper", "xanchor": "left", "y": inner[1], "yref": "paper", "yanchor": "bottom",
                "showarrow": False, "text": f"<b>{plain(written(measure))}</b>",
                "font": {"size": 12, "color": tones.text},
            }
        )  # fmt: skip
        traces += _panel(rows, measure, theme, axis)
    return Chart(assemble(traces, layout), _alt(rows, measures), _key(rows, measures))


def _panel(rows: Sequence[ConfigurationCoverage], measure: str, theme: Theme, axis: str) -> Iterator[dict[str, Any]]:
    known = [(y, row, m) for y, row in enumerate(rows) if (m := of(row, measure)).value is not None]
    tones = [colour(row.id, theme) for _, row, _ in known]
    spans = [(y, m, tone) for (y, _, m), tone in zip(known, tones, strict=True) if m.low is not None]
    for tone in dict.fromkeys(tone for *_, tone in spans):
        yield {
            "type": "scatter",
            "mode": "lines",
            "xaxis": f"x{axis}",
            "yaxis": f"y{axis}",
            "x": [x for _, m, own in spans if own == tone for x in (m.low, m.high, None)],
            "y": [place for y, _, own in spans if own == tone for place in (y, y, None)],
            "line": {"color": translucent(tone, 0.3), "width": 7},
            "hoverinfo": "skip",
        }
    yield {
        "type": "scatter",
        "mode": "markers",
        "name": measure,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "x": [m.value for _, _, m in known],
        "y": [y for y, _, _ in known],
        "marker": {
            "symbol": [f"{symbol(row.id)}{'-open' if m.n_scored < FEW else ''}" for _, row, m in known],
            "size": 10,
            "color": tones,
            "opacity": 1,
        },
        "unselected": {"marker": {"opacity": 1}},
        "customdata": [[row.id, measure] for _, row, _ in known],
        "hovertext": [
            "<br>".join(wrapped(line, 60) for line in (row.label, f"{written(measure)} {measured(m)}", states(m)))
            for _, row, m in known
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _range(found: Sequence[Any]) -> tuple[float, float]:
    ends = [x for m in found for x in (m.value, m.low, m.high) if x is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = max(0.06 * (high - low), 0.01)
    return low - room, high + room


def _key(rows: Sequence[ConfigurationCoverage], measures: Sequence[str]) -> tuple[str, ...]:
    keys = ["bands: 95 % intervals", "means over questions"]
    if any(0 < of(row, measure).n_scored < FEW for row in rows for measure in measures):
        keys.append(f"hollow: fewer than {FEW} questions")
    keys += [
        f"no {written(measure)}, for want of a ranking that can be scored: {', '.join(without)}"
        for measure in measures
        if "@" in measure and (without := [row.label for row in rows if of(row, measure).value is None])
    ][:1]
    return tuple(keys)


def _alt(rows: Sequence[ConfigurationCoverage], measures: Sequence[str]) -> str:
    ends = []
    for measure in measures:
        known = [(row.label, m) for row in rows if (m := of(row, measure)).value is not None]
        if known:
            best = max(known, key=lambda pair: pair[1].value or 0.0)
            ends.append(f"{written(measure)} highest for {best[0]}, {measured(best[1])}")
    what = f"Means of {count(len(rows), 'configuration')} with 95 % intervals"
    return f"{what}. {'; '.join(ends)}." if ends else f"{what}. Nothing is scored."
