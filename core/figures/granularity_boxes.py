"""Where the categories of a tree lie in a picture: an icicle or a treemap, sizes by questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import squarify

from core.metrics.granularity import NodeMean

#: pixels of a treemap's category that its own name takes above what lies in it
HEAD_PX = 22.0


@dataclass(frozen=True, slots=True)
class Box:
    """A category's rectangle in pixels; of a treemap's inner ones only ``head`` pixels above the inner boxes show."""

    node: NodeMean
    left: float
    top: float
    width: float
    height: float
    head: float = 0.0


def icicle_boxes(nodes: Sequence[NodeMean], width: float, height: float, *, sideways: bool) -> list[Box]:
    """Return the boxes of an icicle: one row a level, or one column a level where it is ``sideways``.

    Across a row sizes go by the questions at or below a category; categories without a question have no box.
    """
    below = _below(nodes)
    levels = max((node.level for node in nodes if node.n), default=0) + 1
    across, step = (height, width / levels) if sideways else (width, height / levels)
    total = sum(node.n for node in below[None])
    if not total:
        return []
    found = []
    waiting: list[tuple[str | None, float]] = [(None, 0.0)]
    while waiting:
        parent, begin = waiting.pop()
        for node in below.get(parent, ()):
            if not node.n:
                continue
            size = across * node.n / total
            box = (node.level * step, begin, step, size) if sideways else (begin, node.level * step, size, step)
            found.append(Box(node, *box))
            waiting.append((node.name, begin))
            begin += size
    return found


def treemap_boxes(nodes: Sequence[NodeMean], width: float, height: float) -> list[Box]:
    """Return the boxes of a squarified treemap, parents before the children that lie in them."""
    below = _below(nodes)
    found: list[Box] = []
    waiting: list[tuple[str | None, tuple[float, float, float, float]]] = [(None, (0.0, 0.0, width, height))]
    while waiting:
        parent, (left, top, dx, dy) = waiting.pop()
        members = sorted((node for node in below.get(parent, ()) if node.n), key=lambda node: -node.n)
        if not members or dx <= 0 or dy <= 0:
            continue
        sizes = squarify.normalize_sizes([node.n for node in members], dx, dy)
        for node, cell in zip(members, squarify.squarify(sizes, left, top, dx, dy), strict=True):
            inner = any(child.n for child in below.get(node.name, ()))
            head = min(HEAD_PX, cell["dy"] / 3) if inner else 0.0
            found.append(Box(node, cell["x"], cell["y"], cell["dx"], cell["dy"], head))
            if inner:
                waiting.append((node.name, (cell["x"], cell["y"] + head, cell["dx"], cell["dy"] - head)))
    # a parent is drawn first, so that its children lie on it
    return sorted(found, key=lambda box: box.node.level)


def _below(nodes: Sequence[NodeMean]) -> Mapping[str | None, list[NodeMean]]:
    found: dict[str | None, list[NodeMean]] = {None: []}
    for node in nodes:
        found.setdefault(node.parent, []).append(node)
    return found
