"""A tree of categories: an area a category by its questions, coloured by a mean or by the difference of two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

from core.figures.chart import Chart, assemble, plain, shorten, wrapped
from core.figures.granularity_boxes import Box, icicle_boxes, treemap_boxes
from core.figures.labels import ems
from core.figures.notation import count, decimal, estimate
from core.figures.theme import (
    PUOR,
    Theme,
    blended,
    colour_range,
    ink,
    palette,
    shade,
    template,
)
from core.metrics.granularity import FEWEST_QUESTIONS, NodeMean

Layout = Literal["icicle", "treemap"]
#: pixels the picture is laid out for; the browser stretches it
_WIDE, _NARROW = 1000.0, 350.0
_TALLEST = 520.0
#: pixels that a leaf needs so that its name can be read: across a row, and down a column
_LEAF_WIDE, _LEAF_HIGH, _LEAF_HIGH_NARROW = 92.0, 38.0, 60.0
_GAP = 1.5
#: the least difference that the ends of the diverging ramp stand for
_LEAST_REACH = 0.05


def tree_figure(
    nodes: Sequence[NodeMean],
    symbol: str,
    theme: Theme,
    *,
    layout: Layout = "icicle",
    narrow: bool = False,
    lower_is_better: bool = False,
    difference: tuple[str, str] | None = None,
    chosen: str = "",
) -> Chart:
    """Return the picture of a tree: ``nodes`` are means, or with ``difference`` what the first has above the second.

    A click gives ``customdata`` [category]; ``chosen`` is framed. Categories of fewer than five questions are hatched.

    Raises:
        ValueError: no category has a question.
    """
    leaves = finest(nodes)
    if not leaves:
        raise ValueError("no category has a scored question")
    levels = max(node.level for node in leaves) + 1
    width = _NARROW if narrow else _WIDE
    sideways = narrow or len(leaves) * _LEAF_WIDE > width
    if layout == "treemap":
        height = 440.0 if narrow else 380.0
        boxes = treemap_boxes(nodes, width, height)
    else:
        height = (
            max(len(leaves) * (_LEAF_HIGH_NARROW if narrow else _LEAF_HIGH), 150.0)
            if sideways
            else max(levels * 92.0, 120.0)
        )
        height = min(height, _TALLEST)
        boxes = icicle_boxes(nodes, width, height, sideways=sideways)
    fills = _Fills(nodes, theme, lower_is_better, diverging=difference is not None)
    tones = palette(theme)
    traces = list(_areas(boxes, fills, symbol, difference, tones.hatch, tones.ground))
    traces += list(_frames(boxes, chosen, tones.text))
    traces += list(_words(boxes, fills, tones.text, tones.ground))
    shape = {
        "template": template(theme),
        "height": round(height) + 4,
        "margin": {"l": 0, "r": 0, "t": 2, "b": 2},
        "showlegend": False,
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "xaxis": {"visible": False, "fixedrange": True, "range": [-1, width + 1]},
        "yaxis": {"visible": False, "fixedrange": True, "range": [height + 1, -1]},
    }
    return Chart(assemble(traces, shape), _alt(nodes, leaves, symbol, difference), _key(nodes, fills, difference))


def finest(nodes: Sequence[NodeMean]) -> list[NodeMean]:
    """Return the categories with a scored question below which no category has one."""
    above = {node.parent for node in nodes if node.n}
    return [node for node in nodes if node.n and node.name not in above]


@lru_cache(maxsize=4096)
def diverging(value: float, reach: float) -> str:
    """Return PuOr's colour at ``value`` between -``reach`` (orange) and ``reach`` (purple), clamped to the ends."""
    # the outermost steps are nearly black: they would say more than twice as much
    ramp = PUOR[1:-1]
    place = (min(max(value / reach, -1.0), 1.0) + 1) / 2 * (len(ramp) - 1)
    left = min(int(place), len(ramp) - 2)
    return blended(ramp[left + 1], ramp[left], place - left)


class _Fills:
    """The colour of every category."""

    def __init__(self, nodes: Sequence[NodeMean], theme: Theme, lower_is_better: bool, *, diverging: bool) -> None:
        known = [node.mean.value for node in nodes if node.mean.value is not None and not node.too_small]
        self._theme, self._turned, self.diverging = theme, lower_is_better, diverging
        self.low, self.high = colour_range(known)
        self.reach = max([_LEAST_REACH, *(abs(value) for value in known)])

    def of(self, node: NodeMean) -> str:
        """Return "#RRGGBB"; what is too small has the ground's colour."""
        value = node.mean.value
        if value is None or node.too_small:
            return palette(self._theme).ground
        if self.diverging:
            return diverging(-value if self._turned else value, self.reach)
        if self._turned:
            return shade(self.low + self.high - value, self.low, self.high, self._theme)
        return shade(value, self.low, self.high, self._theme)


def _areas(
    boxes: Sequence[Box], fills: _Fills, symbol: str, difference: tuple[str, str] | None, hatch: str, ground: str
) -> Iterator[dict[str, Any]]:
    """Draw the areas level by level, so that children lie on their parents; the too small ones are hatched."""
    # opaque: in a treemap it lies on its parent's colour
    ground = blended(hatch, ground, 0.08)
    hatched = {
        "color": ground,
        "line": {"width": 1, "color": hatch},
        "pattern": {"shape": "/", "fgcolor": hatch, "bgcolor": ground, "size": 7, "solidity": 0.14},
    }
    for level, small in sorted({(box.node.level, box.node.too_small) for box in boxes}):
        chosen = [box for box in boxes if (box.node.level, box.node.too_small) == (level, small)]
        coloured = {"color": [fills.of(box.node) for box in chosen], "line": {"width": 0}}
        yield {
            "type": "bar",
            "name": f"{'too few' if small else 'scored'}, level {level + 1}",
            "x": [box.left + box.width / 2 for box in chosen],
            "width": [max(box.width - _GAP, 0.5) for box in chosen],
            "base": [box.top + _GAP / 2 for box in chosen],
            "y": [max(box.height - _GAP, 0.5) for box in chosen],
            "marker": hatched if small else coloured,
            "unselected": {"marker": {"opacity": 1}},
            "customdata": [[box.node.name] for box in chosen],
            "hovertext": [
                "<br>".join(wrapped(line, 60) for line in _hover(box.node, symbol, difference)) for box in chosen
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "textposition": "none",
        }


def _frames(boxes: Sequence[Box], chosen: str, tone: str) -> Iterator[dict[str, Any]]:
    for box in boxes:
        if box.node.name == chosen:
            left, right, top, bottom = box.left + 1, box.left + box.width - 1, box.top + 1, box.top + box.height - 1
            yield {
                "type": "scatter", "mode": "lines", "name": "chosen", "hoverinfo": "skip",
                "x": [left, right, right, left, left], "y": [top, top, bottom, bottom, top],
                "line": {"color": tone, "width": 3},
            }  # fmt: skip


def _words(boxes: Sequence[Box], fills: _Fills, text: str, ground: str) -> Iterator[dict[str, Any]]:
    """Write name, value and n where there is room; a halo keeps them apart from a hatch."""
    for small in (False, True):
        written = [
            (box, words) for box in boxes if box.node.too_small == small and (words := _fitting(box, fills.diverging))
        ]
        if not written:
            continue
        inks = [text if small else ink(fills.of(box.node)) for box, _ in written]
        halo = {"shadow": ", ".join([f"0 0 3px {ground}"] * 4)} if small else {}
        yield {
            "type": "scatter",
            "mode": "text",
            "name": "names of the hatched" if small else "names",
            "x": [box.left + box.width / 2 for box, _ in written],
            "y": [box.top + (box.head or box.height) / 2 for box, _ in written],
            "text": [words for _, words in written],
            "textfont": {"size": 12, "color": inks, **halo},
            "hoverinfo": "skip",
        }  # fmt: skip


def _fitting(box: Box, signed: bool) -> str:
    """Return what can be written into a box: the name in lines, the value and n; the less, the smaller it is."""
    node = box.node
    value = "" if node.mean.value is None else decimal(node.mean.value)
    value = f"+{value}" if signed and (node.mean.value or 0.0) > 0 else value
    numbers = [part for part in (value, f"n = {node.n}") if part]
    room, lines = box.width - 6, int((box.head or box.height) // 15)
    if lines < 1:
        return ""
    name = _broken(node.name, room)
    one_line = "  ".join((node.name, *numbers))
    if _px(one_line) <= room and (lines < len(name) + len(numbers) or box.head):
        return plain(node.name) + "  " + _strong(numbers)
    if name and len(name) + 2 <= lines:
        return "<br>".join([*map(plain, name), *([f"<b>{value}</b>"] if value else []), numbers[-1]])
    both = _px("  ".join(numbers)) <= room
    if name and len(name) < lines and both:
        return "<br>".join([*map(plain, name), _strong(numbers)])
    if both:
        cut = shorten(node.name, max(int((room - _px("  ".join(numbers))) / 7), 0)) if lines == 1 else ""
        return f"{plain(cut)}  {_strong(numbers)}" if len(cut) > 5 else _strong(numbers)
    return f"<b>{value}</b>" if value and _px(value) <= room else ""


def _strong(numbers: Sequence[str]) -> str:
    return "  ".join([f"<b>{numbers[0]}</b>", *numbers[1:]])


def _broken(name: str, room: float) -> list[str]:
    """Return a name in lines that fit, broken after blanks, hyphens and underscores; [] where a part does not fit."""
    lines = [""]
    for part in re.findall(r"[^\s_\-]+[\s_\-]*|[\s_\-]+", name):
        if _px(part.rstrip()) > room:
            return []
        if _px((lines[-1] + part).rstrip()) <= room:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.strip() for line in lines if line.strip()]


def _px(text: str) -> float:
    # most categories are small letters, which are narrower than ``ems`` takes them for
    return ems(text) * 10.6


def _hover(node: NodeMean, symbol: str, difference: tuple[str, str] | None) -> list[str]:
    what = f"{symbol}, {difference[0]} minus {difference[1]}" if difference else symbol
    value = node.mean.reason if node.mean.value is None else estimate(node.mean.value, node.mean.low, node.mean.high)
    lines = [node.name, f"{what}: {value}"]
    if node.mean.value is not None and node.mean.reason:
        lines.append(f"no interval: {node.mean.reason}")
    own = "" if node.n_own in (0, node.n) else f", {node.n_own:,} of them labelled with it itself"
    lines.append(f"{count(node.n, 'scored question')}{own}")
    if node.n_not_scored:
        lines.append(f"{node.n_not_scored:,} not scored")
    if node.too_small:
        lines.append(f"too few: {FEWEST_QUESTIONS} are needed")
    return lines


def _alt(nodes: Sequence[NodeMean], leaves: Sequence[NodeMean], symbol: str, difference: tuple[str, str] | None) -> str:
    what = f"{symbol}, {difference[0]} minus {difference[1]}" if difference else symbol
    levels = count(max(node.level for node in nodes) + 1, "level")
    start = f"Tree of {count(len(nodes), 'category', 'categories')} in {levels}, coloured by {what}"
    enough = [node for node in leaves if not node.too_small and node.mean.value is not None]
    if not enough:
        return f"{start}. Every finest category has too few questions."
    enough.sort(key=lambda node: node.mean.value or 0.0)
    low, high = enough[0], enough[-1]
    return (
        f"{start}; highest {high.name}, {decimal(high.mean.value or 0.0)}, lowest {low.name}, "
        f"{decimal(low.mean.value or 0.0)}."
    )


def _key(nodes: Sequence[NodeMean], fills: _Fills, difference: tuple[str, str] | None) -> tuple[str, ...]:
    keys = ["areas by questions"]
    if difference:
        keys.append(f"purple: {difference[0]} is better, orange: {difference[1]} is, ends at ±{decimal(fills.reach)}")
    else:
        keys.append("the stronger the colour, the better")
    if any(node.too_small and node.n for node in nodes):
        keys.append(f"hatched: fewer than {FEWEST_QUESTIONS} questions")
    if empty := sum(not node.n for node in nodes):
        keys.append(f"{count(empty, 'category', 'categories')} without a scored question: no area")
    return tuple(keys)
