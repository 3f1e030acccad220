"""The relation classifier's confusion matrix on gold answers."""

from __future__ import annotations

from collections.abc import Sequence

from core.figures.chart import Chart
from core.figures.grid import Cell, Grid, Head, draw
from core.figures.notation import count, per_cent
from core.figures.theme import Theme
from core.taxonomy.relations import abbreviation


def confusion(labels: Sequence[str], matrix: Sequence[Sequence[float]], theme: Theme, *, narrow: bool = False) -> Chart:
    """Return the matrix: rows are true relations, columns predicted ones, cells counts, colours shares of the row.

    ``matrix[t][p]`` counts gold answers of relation ``labels[t]`` classified as ``labels[p]``; the matrix is square.
    """
    totals = [sum(line) for line in matrix]
    right = sum(line[i] for i, line in enumerate(matrix))
    heads = [Head(name, name, abbreviation(name)) for name in labels]
    grid = Grid(
        rows=heads,
        columns=heads,
        cells=[
            [_cell(labels[t], labels[p], matrix[t][p], totals[t], t == p) for p in range(len(labels))]
            for t in range(len(labels))
        ],
        aside_head=None,
        aside=(),
        apart=len(labels),
        low=0.0,
        high=1.0,
    )
    worst = max(
        ((matrix[t][p], labels[t], labels[p]) for t in range(len(labels)) for p in range(len(labels)) if t != p),
        default=(0, "", ""),
        key=lambda entry: entry[0],
    )
    mistake = f" Most often {worst[1]} is taken for {worst[2]} ({count(round(worst[0]), 'time')})." if worst[0] else ""
    alt = (
        f"Confusion matrix of the relation classifier on {count(round(sum(totals)), 'gold answer')}: "
        f"{right:.0f} right.{mistake}"
    )
    return Chart(
        draw(grid, theme, narrow=narrow),
        alt,
        ("rows: true relation", "columns: predicted relation", "colour: share of the row"),
    )


def _cell(truth: str, predicted: str, number: float, total: float, diagonal: bool) -> Cell:
    if total == 0:
        return Cell(None, "", "not_applicable", (f"{truth}: no gold answer",))
    share = number / total
    verb = "rightly recognised" if diagonal else f"taken for {predicted}"
    text = f"{number:.0f}" if number else ""
    return Cell(share, text, "scored", (truth, f"{number:.0f} of {total:.0f} {verb} ({per_cent(share)})"))
