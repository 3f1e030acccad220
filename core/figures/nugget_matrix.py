"""The nuggets of one question against what was retrieved, or against the sentences of one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.figures.chart import Chart, assemble, plain, shorten, wrapped
from core.figures.notation import count, listed
from core.figures.theme import Theme, blended, ink, palette, template

#: how one nugget and one passage or sentence go together, weakest first
Mark = Literal["none", "held", "held_cited", "said_part", "said", "said_cited", "grounded"]
_WORDS: dict[Mark, str] = {
    "held": "holds it",
    "held_cited": "holds it, and the answer cites it",
    "said_part": "says one or more of the answers it needs, not all with proof",
    "said": "says it",
    "said_cited": "says it with a citation that does not hold it",
    "grounded": "says it and cites what holds it",
}
_SIGNS: dict[Mark, str] = {
    "none": "", "held": "■", "held_cited": "c", "said_part": "◔", "said": "○", "said_cited": "◐", "grounded": "●",
}  # fmt: skip
_ROW_PX = 30
#: more heads than these do not fit beside each other on a narrow page
_NARROW_HEADS = 10


@dataclass(frozen=True, slots=True)
class Line:
    """A nugget: its text, what its row is called, what became of it."""

    text: str
    name: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Column:
    """A passage or sentence: its short head, and its beginning for the hover."""

    head: str
    text: str


def matrix(
    lines: Sequence[Line],
    columns: Sequence[Column],
    marks: Sequence[Sequence[Mark]],
    title: str,
    theme: Theme,
    *,
    after: int = 0,
    narrow: bool = False,
) -> Chart:
    """Return the matrix, ``marks[r][c]`` of nugget r and column c. ``title`` says what the columns are.

    ``after`` draws a line behind that many columns: only those before it were handed to the answerer.

    Raises:
        ValueError: there is no nugget or no column.
    """
    if not lines or not columns:
        raise ValueError("a matrix needs a nugget and a column")
    tones = palette(theme)
    fills: dict[Mark, str] = {
        "held": blended(tones.muted, tones.ground, 0.45),
        "held_cited": tones.accent,
        "said_part": blended(tones.muted, tones.ground, 0.25),
        "said": blended(tones.muted, tones.ground, 0.25),
        "said_cited": blended(tones.accent, tones.ground, 0.4),
        "grounded": tones.accent,
    }
    width = 16 if narrow else 46
    traces: list[dict[str, Any]] = []
    for mark, fill in fills.items():
        at = [(c, r) for r, row in enumerate(marks) for c, found in enumerate(row) if found == mark]
        if at:
            traces.append(
                {
                    "type": "bar",
                    "name": mark,
                    "x": [c for c, _ in at],
                    "y": [0.84] * len(at),
                    "base": [r - 0.42 for _, r in at],
                    "width": 0.86,
                    "marker": {"color": fill, "line": {"width": 0}},
                    "text": [_SIGNS[mark]] * len(at),
                    "textposition": "inside",
                    "insidetextanchor": "middle",
                    "textangle": 0,
                    "constraintext": "none",
                    "textfont": {"size": 11, "color": ink(fill)},
                    "hoverinfo": "skip",
                }
            )
    places = [(c, r) for r in range(len(lines)) for c in range(len(columns))]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "cells",
            "x": [c for c, _ in places],
            "y": [r for _, r in places],
            "marker": {"symbol": "square", "size": 18, "opacity": 0},
            "hovertext": [_hover(lines[r], columns[c], marks[r][c]) for c, r in places],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    )
    top, crowded = 46, narrow and len(columns) > _NARROW_HEADS
    shown = [c for c in range(len(columns)) if not crowded or c == 0 or (c + 1) % 5 == 0]
    layout = {
        "template": template(theme),
        "height": round(len(lines) * _ROW_PX) + top + 8,
        "margin": {"l": 8, "r": 8, "t": top, "b": 6},
        "showlegend": False,
        "barmode": "overlay",
        "hovermode": "closest",
        "xaxis": {
            "side": "top", "fixedrange": True, "range": [-0.5, max(len(columns), 4) - 0.5], "zeroline": False,
            "showgrid": False, "tickvals": shown, "tickangle": 0,
            "ticktext": [plain(columns[c].head) for c in shown], "title": {"text": plain(title), "standoff": 2},
        },
        "yaxis": {
            "fixedrange": True, "range": [len(lines) - 0.4, -0.6], "zeroline": False, "automargin": True,
            "tickvals": list(range(len(lines))), "tickfont": {"color": tones.text, "size": 11 if narrow else 13},
            "ticktext": [plain(shorten(f"{line.name} {line.text}", width)) for line in lines],
        },
        "shapes": [
            {"type": "line", "x0": after - 0.5, "x1": after - 0.5, "yref": "paper", "y0": 0, "y1": 1,
             "line": {"color": tones.text, "width": 1, "dash": "dash"}}
        ] if 0 < after < len(columns) else [],
    }  # fmt: skip
    return Chart(assemble(traces, layout), _alt(lines, columns, marks, title), _key(marks, after, len(columns)))


def _hover(line: Line, column: Column, mark: Mark) -> str:
    said = _WORDS.get(mark, "does not")
    parts = [f"{line.name} {line.text}", f"{column.head}: {said}", shorten(column.text, 160), f"It is {line.outcome}."]
    return "<br>".join(wrapped(part, 60) for part in parts if part)


def _key(marks: Sequence[Sequence[Mark]], after: int, columns: int) -> tuple[str, ...]:
    there = {mark for row in marks for mark in row}
    keys = [f"{_SIGNS[mark]} {words}" for mark, words in _WORDS.items() if mark in there]
    if 0 < after < columns:
        keys.append(f"left of the dashed line: the {after} that were handed to the answerer")
    return tuple(keys)


def _alt(lines: Sequence[Line], columns: Sequence[Column], marks: Sequence[Sequence[Mark]], title: str) -> str:
    hit = [line.name for line, row in zip(lines, marks, strict=True) if any(mark != "none" for mark in row)]
    missed = [line.name for line in lines if line.name not in hit]
    parts = [f"{count(len(lines), 'nugget')} by {len(columns)} {title.lower()}"]
    parts += [f"found: {listed(hit)}"] if hit else []
    parts += [f"in none: {listed(missed)}"] if missed else []
    return "; ".join(parts) + "."
