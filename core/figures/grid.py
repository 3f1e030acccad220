"""A heatmap whose cells may be scored, scored on too few questions, failed or not applicable.

Plotly's own heatmap can neither hatch a cell nor report a click on it, so cells are bars at explicit places, and an
invisible layer of squares over them carries hover and selection (``customdata`` is [row id, column id]).
Units: one row is one unit high, one column one unit wide; ``row_px`` turns units into pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.figures.chart import assemble, plain, shorten, wrapped
from core.figures.configurations import GLYPHS
from core.figures.labels import ems, label_width, row_name
from core.figures.theme import Theme, ink, palette, shade, template, translucent

State = Literal["scored", "few", "failed", "not_applicable"]

#: cells on fewer scored questions than this carry dots instead of a colour
FEW = 5
_GAP = 0.35
_ANGLE = 35


@dataclass(frozen=True, slots=True)
class Cell:
    """``value`` is None unless scored or few; ``outlined`` marks cells some of whose questions failed.

    ``hover`` holds lines of plain text.
    """

    value: float | None
    text: str
    state: State
    hover: tuple[str, ...]
    outlined: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A row's or column's id, its name, its short name, and for rows the mark of the configuration."""

    id: str
    name: str
    short: str
    colour: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """``cells[r][c]`` over ``rows`` x ``columns``; ``aside[r]`` is the column apart, under ``aside_head``.

    Rows from ``apart`` on stand below a gap (reference rows). ``low`` and ``high`` bound the colours. ``chosen`` is
    the (row id, column id) of the cell that is framed.
    """

    rows: Sequence[Head]
    columns: Sequence[Head]
    cells: Sequence[Sequence[Cell]]
    aside_head: Head | None
    aside: Sequence[Cell]
    apart: int
    low: float
    high: float
    chosen: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Placed:
    x: float
    y: float
    row: Head
    column: Head
    cell: Cell


def draw(grid: Grid, theme: Theme, *, narrow: bool = False) -> Any:
    """Return the figure; ``narrow`` is for a width of about 360 px: short names, small print, bands of 13 columns."""
    tones = palette(theme)
    row_px, per_band = 28, 13 if narrow else 24
    n_band = max(1, math.ceil(len(grid.columns) / per_band))
    in_band = max(1, math.ceil(len(grid.columns) / n_band))
    width = max(_aside_x(grid, in_band) + 1 if grid.aside_head else in_band, 4 if narrow else 7)
    heads_px, angle = _head_space(grid, narrow)
    header = heads_px / row_px
    band_height: float = len(grid.rows) + (_GAP if grid.apart < len(grid.rows) else 0)
    starts = [header + b * (band_height + header + _GAP) for b in range(n_band)]
    placed = list(_place(grid, starts, in_band))
    size = 10 if narrow else 12

    touch = {
        "type": "scatter",
        "x": [p.x for p in placed],
        "y": [p.y for p in placed],
        "mode": "markers",
        "marker": {"symbol": "square", "size": 18 if narrow else 26, "opacity": 0},
        "customdata": [[p.row.id, p.column.id] for p in placed],
        "hovertext": ["<br>".join(wrapped(line, 60) for line in p.cell.hover) for p in placed],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "name": "cells",
        "zorder": 9,
    }
    height = starts[-1] + band_height
    layout = {
        "template": template(theme),
        "height": round(height * row_px) + 8,
        "margin": {"l": _left(grid.rows, narrow), "r": _right(grid, angle), "t": 2, "b": 6},
        "showlegend": False,
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "annotations": [*_row_names(grid, starts, narrow, tones.text), *_heads(grid, starts, in_band, angle, narrow)],
        "xaxis": {"visible": False, "fixedrange": True, "range": [-0.5, width - 0.5]},
        "yaxis": {"visible": False, "fixedrange": True, "range": [height - 0.45, -0.5]},
    }
    traces = (*_cells(placed, grid, theme), *_texts(placed, grid, theme, size), _row_marks(grid, starts), touch)
    return assemble(traces, layout)


def _row_y(grid: Grid, start: float, index: int) -> float:
    return start + index + (_GAP if index >= grid.apart else 0)


def _aside_x(grid: Grid, in_band: int) -> float:
    return in_band + _GAP if grid.columns else 0.0


def _place(grid: Grid, starts: Sequence[float], in_band: int) -> Iterator[_Placed]:
    for r, row in enumerate(grid.rows):
        for c, column in enumerate(grid.columns):
            band, x = divmod(c, in_band)
            yield _Placed(x, _row_y(grid, starts[band], r), row, column, grid.cells[r][c])
        if grid.aside_head:
            yield _Placed(_aside_x(grid, in_band), _row_y(grid, starts[0], r), row, grid.aside_head, grid.aside[r])


def _cells(placed: Sequence[_Placed], grid: Grid, theme: Theme) -> Iterator[dict[str, Any]]:
    tones = palette(theme)
    fills: dict[State, dict[str, Any]] = {
        "scored": {
            "color": [
                shade(p.cell.value or 0.0, grid.low, grid.high, theme) for p in placed if p.cell.state == "scored"
            ]
        },
        "few": _pattern(".", tones.hatch),
        "not_applicable": _pattern("/", tones.hatch),
    }
    for state, marker in fills.items():
        chosen = [p for p in placed if p.cell.state == state]
        if chosen:
            yield {
                "type": "bar",
                "x": [p.x for p in chosen],
                "y": [0.93] * len(chosen),
                "base": [p.y - 0.465 for p in chosen],
                "width": 0.95,
                "marker": {**marker, "line": {"width": 0}},
                "hoverinfo": "skip",
                "name": state,
            }
    failed = [p for p in placed if p.cell.outlined or p.cell.state == "failed"]
    if failed:
        yield _frames(failed, tones.failed, "failed", 0.435)
    chosen = [p for p in placed if (p.row.id, p.column.id) == grid.chosen]
    if chosen:  # in the gap around the cell, where it stands out from any colour
        yield _frames(chosen, tones.text, "chosen", 0.49)


def _frames(placed: Sequence[_Placed], tone: str, name: str, reach: float) -> dict[str, Any]:
    corners = ((-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach), (-reach, -reach))
    return {
        "type": "scatter",
        "x": [x for p in placed for x in (*(p.x + dx for dx, _ in corners), None)],
        "y": [y for p in placed for y in (*(p.y + dy for _, dy in corners), None)],
        "mode": "lines",
        "line": {"color": tone, "width": 2},
        "hoverinfo": "skip",
        "name": name,
    }


def _pattern(shape: str, tone: str) -> dict[str, Any]:
    ground = translucent(tone, 0.08)
    return {
        "color": ground,
        "pattern": {"shape": shape, "fgcolor": tone, "bgcolor": ground, "size": 7, "solidity": 0.14},
    }


def _texts(placed: Sequence[_Placed], grid: Grid, theme: Theme, size: int) -> Iterator[dict[str, Any]]:
    tones = palette(theme)

    def tone(cell: Cell) -> str:
        if cell.state == "scored" and cell.value is not None:
            return ink(shade(cell.value, grid.low, grid.high, theme))
        return tones.failed if cell.state == "failed" else tones.text

    for name, few in (("values", False), ("values on dots", True)):
        written = [p for p in placed if p.cell.text and (p.cell.state == "few") == few]
        # a halo in the ground's colour keeps the digits apart from the dots
        halo = {"shadow": ", ".join([f"0 0 3px {tones.ground}"] * 4)} if few else {}
        if written:
            yield {
                "type": "scatter",
                "x": [p.x for p in written],
                "y": [p.y for p in written],
                "mode": "text",
                "text": [plain(p.cell.text) for p in written],
                "textfont": {"size": size, "color": [tone(p.cell) for p in written], **halo},
                "hoverinfo": "skip",
                "name": name,
                "zorder": 5,
            }


def _row_marks(grid: Grid, starts: Sequence[float]) -> dict[str, Any]:
    marked = [(_row_y(grid, start, r), head) for start in starts for r, head in enumerate(grid.rows) if head.symbol]
    return {
        "type": "scatter",
        "x": [-0.5] * len(marked),
        "y": [y for y, _ in marked],
        "mode": "text",
        "text": [f'<span style="color:{head.colour}">{GLYPHS[head.symbol]}</span>\u2009' for _, head in marked],
        "textposition": "middle left",
        "textfont": {"size": 13},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "name": "marks",
    }


def _left(rows: Sequence[Head], narrow: bool) -> int:
    return label_width([head.short if narrow else head.name for head in rows], narrow) + _marks_px(rows)


def _marks_px(rows: Sequence[Head]) -> int:
    return 22 if any(head.symbol for head in rows) else 8


def _row_names(grid: Grid, starts: Sequence[float], narrow: bool, tone: str) -> list[dict[str, Any]]:
    return [
        {
            "x": 0, "xref": "paper", "xanchor": "right", "xshift": 2 - _marks_px(grid.rows), "align": "right",
            "y": _row_y(grid, start, r), "hovertext": wrapped(head.name, 60), "showarrow": False,
            "text": "<br>".join(plain(line) for line in row_name(head.short if narrow else head.name, narrow)),
            "font": {"size": 11 if narrow else 13, "color": tone},
        }
        for start in starts
        for r, head in enumerate(grid.rows)
    ]  # fmt: skip


def _column_name(head: Head, narrow: bool) -> str:
    return shorten(head.short if narrow else head.name, 10 if narrow else 22)


def _head_space(grid: Grid, narrow: bool) -> tuple[float, int]:
    """Return (pixels above a band, text angle): level where every name fits its column, else slanted or upright."""
    heads = [*grid.columns, *([grid.aside_head] if grid.aside_head else [])]
    longest = max((len(_column_name(head, narrow)) for head in heads), default=0)
    if narrow:
        return (20.0, 0) if len(heads) * longest < 36 else (longest * 6.0 + 12, -90)
    if longest * 7 <= 44:
        return 22.0, 0
    return longest * 7.0 * math.sin(math.radians(_ANGLE)) + 20, -_ANGLE


def _right(grid: Grid, angle: int) -> int:
    """Room for slanted names that reach beyond the last column; a column is at least 48 px where names are slanted."""
    if angle in (0, -90):
        return 4
    aside, last = grid.aside_head, grid.columns[-1:]
    reach = [ems(_column_name(aside, False)) * 12.5 * math.cos(math.radians(_ANGLE)) - 18] if aside else []
    inside = 90 if aside else 18
    reach += [ems(_column_name(head, False)) * 12 * math.cos(math.radians(_ANGLE)) - inside for head in last]
    return round(max([4, *reach]))


def _heads(grid: Grid, starts: Sequence[float], in_band: int, angle: int, narrow: bool) -> list[dict[str, Any]]:
    places: list[tuple[float, int, Head, bool]] = [
        (c % in_band, c // in_band, head, False) for c, head in enumerate(grid.columns)
    ]
    if grid.aside_head:
        places.append((_aside_x(grid, in_band), 0, grid.aside_head, True))
    slanted = angle not in (0, -90)
    return [
        {
            "x": x - (0.25 if slanted else 0), "y": starts[band] - 0.52, "showarrow": False, "textangle": angle,
            "xanchor": "left" if slanted else "center", "yanchor": "bottom",
            "text": f"<b>{plain(_column_name(head, narrow))}</b>" if bold else plain(_column_name(head, narrow)),
            "hovertext": wrapped(head.name, 60), "font": {"size": 11 if narrow else 12},
        }
        for x, band, head, bold in places
    ]  # fmt: skip
