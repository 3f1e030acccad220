"""Two dimensions crossed: a line a category of the second, over those of the first; parallel means no interaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.figures.chart import Chart, assemble, plain, shorten, wrapped
from core.figures.notation import count, decimal, estimate
from core.figures.ranking import ticks
from core.figures.theme import Theme, palette, template, translucent
from core.metrics.granularity import FEWEST_QUESTIONS, Interaction, InteractionCell


def interaction_figure(found: Interaction, symbol: str, theme: Theme, *, narrow: bool = False) -> Chart:
    """Return the four cell means with their intervals, joined along the first dimension.

    Raises:
        ValueError: no cell has a scored question.
    """
    known = [cell for cell in found.cells if cell.mean.value is not None]
    if not known:
        raise ValueError("no cell has a scored question")
    ends = [x for cell in known for x in (cell.mean.value, cell.mean.low, cell.mean.high) if x is not None]
    low, high = min(ends), max(ends)
    room = max(0.08 * (high - low), 0.01)
    low, high = max(low - room, -1.0), min(high + room, 2.0)
    tickvals, ticktext = ticks(low, high, 6)
    tones = palette(theme)
    layout = {
        "template": template(theme),
        "height": 300,
        "margin": {"l": 40, "r": 8, "t": 6, "b": 34},
        "showlegend": False,
        "hovermode": "closest",
        "annotations": list(_names(found, tones.text, narrow)),
        "xaxis": {
            "fixedrange": True, "range": [-0.4, 1.95 if narrow else 1.6], "tickvals": [0, 1], "showgrid": False,
            "zeroline": False, "tickfont": {"color": tones.text, "size": 12 if narrow else 13},
            "ticktext": [plain(shorten(name, 18 if narrow else 40)) for name in found.first_pair],
        },
        "yaxis": {
            "fixedrange": True, "range": [low, high], "tickvals": tickvals, "ticktext": ticktext, "zeroline": False,
        },
    }  # fmt: skip
    return Chart(assemble(list(_lines(found, symbol, theme)), layout), _alt(found, symbol), _key(found))


def _lines(found: Interaction, symbol: str, theme: Theme) -> Iterator[dict[str, Any]]:
    tones = palette(theme)
    looks = (("circle", tones.accent, "solid", -0.02), ("square", tones.families["lexical"], "dash", 0.02))
    for name, (mark, tone, dash, aside) in zip(found.second_pair, looks, strict=True):
        cells = _of_second(found, name)
        yield {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": [place + aside for place, _ in cells],
            "y": [cell.mean.value for _, cell in cells],
            "line": {"color": tone, "width": 2, "dash": dash},
            "marker": {
                "size": 11, "color": tone, "line": {"width": 2, "color": tone},
                "symbol": [f"{mark}{'-open' if cell.n < FEWEST_QUESTIONS else ''}" for _, cell in cells],
            },
            "error_y": {
                "type": "data", "symmetric": False, "thickness": 7, "width": 0, "color": translucent(tone, 0.3),
                "array": [_reach(cell.mean.high, cell.mean.value) for _, cell in cells],
                "arrayminus": [_reach(cell.mean.value, cell.mean.low) for _, cell in cells],
            },
            "hovertext": [_hover(cell, symbol) for _, cell in cells],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }  # fmt: skip


def _of_second(found: Interaction, name: str) -> list[tuple[int, InteractionCell]]:
    return [
        (found.first_pair.index(cell.first), cell)
        for cell in found.cells
        if cell.second == name and cell.mean.value is not None
    ]


def _reach(far: float | None, near: float | None) -> float:
    return 0.0 if far is None or near is None else far - near


def _names(found: Interaction, tone: str, narrow: bool) -> Iterator[dict[str, Any]]:
    """Name each line at its right end; where the ends meet, the names part."""
    ends = [(cells[-1][1].mean.value or 0.0, cells[-1][0], name)
            for name in found.second_pair if (cells := _of_second(found, name))]  # fmt: skip
    ends.sort()
    for order, (y, x, name) in enumerate(ends):
        yield {
            "x": x, "y": y, "xanchor": "left", "xshift": 14, "yshift": 9 if order and len(ends) > 1 else -9,
            "showarrow": False, "font": {"size": 12, "color": tone}, "align": "left",
            "text": plain(shorten(name, 16 if narrow else 40)),
        }  # fmt: skip


def _hover(cell: InteractionCell, symbol: str) -> str:
    lines = (
        f"{cell.first} · {cell.second}",
        f"{symbol} {estimate(cell.mean.value or 0.0, cell.mean.low, cell.mean.high)}",
        f"{count(cell.n, 'question')} of {count(cell.n_documents, 'document')}",
    )
    return "<br>".join(wrapped(line, 60) for line in lines)


def _alt(found: Interaction, symbol: str) -> str:
    told = [
        f"{cell.first} and {cell.second} {decimal(cell.mean.value)}"
        for cell in found.cells
        if cell.mean.value is not None
    ]
    return f"Mean {symbol} of four cells: {'; '.join(told)}. {found.sentence}"


def _key(found: Interaction) -> tuple[str, ...]:
    keys = ["bands: 95 % intervals", "parallel lines: no interaction"]
    if any(cell.n < FEWEST_QUESTIONS for cell in found.cells):
        keys.append(f"hollow: fewer than {FEWEST_QUESTIONS} questions")
    return tuple(keys)
