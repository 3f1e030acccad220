"""One picture for a first visit: an evaluated run, and the three lenses that read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.figures.chart import Chart, assemble
from core.figures.theme import Theme, palette, template, translucent


@dataclass(frozen=True, slots=True)
class _Box:
    """A box of the picture; ``at`` is (left, top, right, bottom) in pixels."""

    title: str
    lines: tuple[str, ...]
    at: tuple[float, float, float, float]
    tone: str = ""


_RUN = ("One evaluated run", "question · passages each retriever found · answer made from them")
_LENSES = (
    ("Logic", "Is the answer of the right kind?", "Its closeness to the reference (BERTSim)",
     "and its logical relation (LRCR) give one", "index per retriever and relation, OPI."),
    ("Coverage", "Is every needed fact there?", "Which facts were retrieved, said, and",
     "said with a citation that holds them;", "where the others were lost."),
    ("Granularity", "At which level do they differ?", "Questions sit in trees of 2, 4 and 8",
     "categories: which splits still tell", "systems apart, and which are noise."),
)  # fmt: skip
_WIDE, _NARROW = 1000, 340


def lenses_picture(theme: Theme, *, narrow: bool = False) -> Chart:
    """Return the picture: the run above, the lenses below it, side by side or, where it is narrow, stacked."""
    tones = palette(theme)
    boxes = list(_boxes(tones.accent, narrow))
    width = _NARROW if narrow else _WIDE
    height = max(box.at[3] for box in boxes) + 6
    run = boxes[0]
    lines = [_link(run, box, tones.muted, narrow) for box in boxes[1:]]
    layout = {
        "template": template(theme),
        "height": round(height),
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "showlegend": False,
        "xaxis": {"visible": False, "fixedrange": True, "range": [0, width]},
        "yaxis": {"visible": False, "fixedrange": True, "range": [height, 0]},
        "shapes": [*lines, *(_frame(box, tones.muted) for box in boxes)],
        "annotations": [one for box in boxes for one in _words(box, tones.text, tones.muted, narrow)],
    }
    alt = "One evaluated run is read through three lenses. " + " ".join(
        f"{name}: {' '.join(words)}" for name, *words in _LENSES
    )
    # an empty trace: a figure without one draws no axes, and shapes would have nothing to stand on
    return Chart(assemble([{"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}], layout), alt)


def _boxes(accent: str, narrow: bool) -> Sequence[_Box]:
    if narrow:
        run = _Box(_RUN[0], ("question · passages found", "answer made from them"), (4, 4, 336, 78))
        return [
            run,
            *(
                _Box(name, tuple(words), (24, 100 + 122 * at, 336, 206 + 122 * at), accent)
                for at, (name, *words) in enumerate(_LENSES)
            ),
        ]
    return [
        _Box(_RUN[0], _RUN[1:], (250, 4, 750, 66)),
        *(
            _Box(name, tuple(words), (8 + 334 * at, 108, 324 + 334 * at, 222), accent)
            for at, (name, *words) in enumerate(_LENSES)
        ),
    ]


def _frame(box: _Box, line: str) -> dict[str, Any]:
    left, top, right, bottom = box.at
    return {
        "type": "rect", "x0": left, "y0": top, "x1": right, "y1": bottom, "layer": "below",
        "line": {"color": box.tone or line, "width": 2 if box.tone else 1},
        "fillcolor": translucent(box.tone or line, 0.08),
    }  # fmt: skip


def _link(run: _Box, box: _Box, line: str, narrow: bool) -> dict[str, Any]:
    if narrow:
        middle = (box.at[1] + box.at[3]) / 2
        path = f"M 12,{run.at[3]} L 12,{middle} L {box.at[0]},{middle}"
    else:
        at = (box.at[0] + box.at[2]) / 2
        above = (run.at[3] + box.at[1]) / 2
        path = f"M {(run.at[0] + run.at[2]) / 2},{run.at[3]} L {(run.at[0] + run.at[2]) / 2},{above} L {at},{above} "
        path += f"L {at},{box.at[1]}"
    return {"type": "path", "path": path, "line": {"color": line, "width": 1}, "layer": "below"}


def _words(box: _Box, tone: str, muted: str, narrow: bool) -> list[dict[str, Any]]:
    left, top, right, _ = box.at
    centred = not box.tone
    place = {
        "x": (left + right) / 2 if centred else left + 12, "xanchor": "center" if centred else "left",
        "yanchor": "top", "showarrow": False, "align": "center" if centred else "left",
    }  # fmt: skip
    first, rest = ("", box.lines) if centred else (box.lines[0], box.lines[1:])
    found = [{**place, "y": top + 6, "text": f"<b>{box.title}</b>", "font": {"size": 16, "color": tone}}]
    if first:
        found.append({**place, "y": top + 30, "text": first, "font": {"size": 13 if narrow else 14, "color": tone}})
    found.append(
        {**place, "y": top + (32 if centred else 51), "text": "<br>".join(rest), "font": {"size": 12, "color": muted}}
    )
    return found
