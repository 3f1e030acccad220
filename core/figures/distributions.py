"""What a dataset holds, as bars: questions by relation and split, by category level by level, nuggets, lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.figures.chart import Chart, assemble, plain, shorten, wrapped
from core.figures.labels import ems
from core.figures.notation import count
from core.figures.theme import Palette, Theme, palette, template, translucent

#: rows of a bar chart at most, so that it fits a laptop; and bars of nuggets
MOST_ROWS, MOST_NUGGETS = 20, 12
_ROW_PX, _INDENT_PX = 22, 14
_SPLITS = {"train": "dense", "test": "lexical"}
#: how strong the bars of each level of a tree are, the coarsest first
_LEVELS = (1.0, 0.62, 0.38, 0.24)


@dataclass(frozen=True, slots=True)
class Node:
    """A category, how deep it stands in its tree (0 at the top), and how many questions lie at or below it."""

    name: str
    depth: int
    n: int


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long some texts are, in words.

    ``counts[i]`` texts have from ``edges[i]`` to below ``edges[i + 1]`` words (the last bin holds its end too);
    ``low`` and ``high`` are the 10th and 90th percentile.
    """

    what: str
    edges: tuple[int, ...]
    counts: tuple[int, ...]
    low: int
    median: int
    high: int


def relation_bars(
    relations: Sequence[str], splits: Mapping[str, Sequence[int]], theme: Theme, *, narrow: bool = False
) -> Chart:
    """Return a bar a relation ("" for none), stacked by split ("" for none): ``splits[name][i]`` of ``relations[i]``.

    More than 20 relations are shown as the 19 most frequent and one bar for the rest.
    """
    totals = [sum(numbers[i] for numbers in splits.values()) for i in range(len(relations))]
    names = [name or "no relation" for name in relations]
    parts = {split: list(numbers) for split, numbers in splits.items()}
    if len(names) > MOST_ROWS:
        by_size = sorted(range(len(names)), key=lambda i: -totals[i])
        kept, rest = sorted(by_size[: MOST_ROWS - 1]), by_size[MOST_ROWS - 1 :]
        names = [*(names[i] for i in kept), f"{len(rest)} others"]
        parts = {split: [*(n[i] for i in kept), sum(n[i] for i in rest)] for split, n in parts.items()}
        totals = [sum(numbers[i] for numbers in parts.values()) for i in range(len(names))]
    tones = palette(theme)
    several = len(parts) > 1
    traces = [
        _bars(numbers, _split_colour(split, several, tones), split or "no split", names, totals)
        for split, numbers in parts.items()
    ]
    figure = assemble([*traces, _totals(totals, tones)], _row_layout(names, totals, theme, narrow, legend=several))
    most, least = max(totals, default=0), min(totals, default=0)
    alt = f"Bars of {count(len(names), 'relation')}: {least:,} to {most:,} questions each"
    return Chart(figure, f"{alt}, stacked by split." if several else f"{alt}.")


def tree_bars(nodes: Sequence[Node], theme: Theme, *, narrow: bool = False) -> Chart:
    """Return a bar a category of one dimension, indented by level; ``nodes`` stand depth first.

    A tree of more than 20 nodes loses its finest levels first, then its least frequent categories.
    """
    shown = list(nodes)
    key: list[str] = []
    while len(shown) > MOST_ROWS and max(node.depth for node in shown):
        deepest = max(node.depth for node in shown)
        key.append(f"level {deepest + 1} left out: {sum(node.depth == deepest for node in nodes)} categories")
        shown = [node for node in shown if node.depth < deepest]
    if len(shown) > MOST_ROWS:
        kept = sorted(sorted(range(len(shown)), key=lambda i: -shown[i].n)[:MOST_ROWS])
        key.append(f"the {MOST_ROWS} most frequent of {len(shown)} categories")
        shown = [shown[i] for i in kept]
    tones = palette(theme)
    totals = [node.n for node in shown]
    colours = [translucent(tones.families["dense"], _LEVELS[min(node.depth, 3)]) for node in shown]
    bars = _bars(totals, colours, "questions", [node.name for node in shown], totals)
    layout = _row_layout([""] * len(shown), totals, theme, False)
    names = [shorten(node.name, 28 if narrow else 36) for node in shown]
    size = 11 if narrow else 13
    wide = max((ems(name) * size + _INDENT_PX * node.depth for name, node in zip(names, shown, strict=True)), default=0)
    layout["margin"]["l"] = round(wide) + 8
    layout["annotations"] = [
        {
            "x": 0, "xref": "paper", "xanchor": "left", "xshift": _INDENT_PX * node.depth - round(wide) - 8, "y": row,
            "showarrow": False, "text": plain(name), "hovertext": wrapped(node.name, 60),
            "font": {"size": size, "color": tones.text if node.depth == 0 else tones.muted},
        }
        for row, (name, node) in enumerate(zip(names, shown, strict=True))
    ]  # fmt: skip
    figure = assemble([bars, _totals(totals, tones)], layout)
    depth = max((node.depth for node in nodes), default=0) + 1
    alt = f"Bars of {count(len(nodes), 'category', 'categories')} on {count(depth, 'level')}"
    top = sorted((node for node in nodes if node.depth == 0), key=lambda node: -node.n)[:3]
    named = ", ".join(f"{node.name} {node.n:,}" for node in top)
    return Chart(figure, f"{alt}: {named}." if named else f"{alt}.", tuple(reversed(key)))


def name_bars(numbers: Mapping[str, int], noun: str, theme: Theme, *, narrow: bool = False) -> Chart:
    """Return a bar a name (languages), in the order given; ``noun`` says what is counted ("document")."""
    names = [name or "unknown" for name in numbers][:MOST_ROWS]
    totals = list(numbers.values())[:MOST_ROWS]
    tones = palette(theme)
    bars = _bars(totals, tones.families["dense"], f"{noun}s", names, totals)
    figure = assemble([bars, _totals(totals, tones)], _row_layout(names, totals, theme, narrow))
    listed = ", ".join(f"{name} {n:,}" for name, n in list(zip(names, totals, strict=True))[:5])
    return Chart(figure, f"Bars of {noun}s: {listed}.")


def nugget_bars(numbers: Mapping[int, int], theme: Theme) -> Chart:
    """Return how many questions have 0, 1, 2 … nuggets; 12 and more share a bar."""
    most = min(max(numbers, default=0), MOST_NUGGETS)
    totals = [numbers.get(k, 0) for k in range(most)]
    totals.append(sum(n for k, n in numbers.items() if k >= most))
    beyond = max(numbers, default=0) > MOST_NUGGETS
    names = [*map(str, range(most)), f"{most}+" if beyond else str(most)]
    tones = palette(theme)
    bars = {
        "type": "bar",
        "x": names,
        "y": totals,
        "marker": {"color": tones.families["dense"]},
        "text": [f"{n:,}" if n else "" for n in totals],
        "textposition": "outside",
        "textfont": {"size": 11, "color": tones.text},
        "cliponaxis": False,
        "hovertext": [
            f"{count(n, 'question')} with {count(k, 'nugget')}{' or more' if beyond and k == most else ''}"
            for k, n in enumerate(totals)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    layout = {
        "template": template(theme),
        "height": 240,
        "margin": {"l": 4, "r": 4, "t": 18, "b": 42},
        "showlegend": False,
        "bargap": 0.25,
        "xaxis": {"fixedrange": True, "type": "category", "title": {"text": "nuggets a question", "standoff": 6}},
        "yaxis": {"visible": False, "fixedrange": True, "range": [0, max([*totals, 1]) * 1.08]},
    }
    usual = max(range(len(totals)), key=totals.__getitem__)
    return Chart(assemble([bars], layout), f"Bars of nuggets a question: most often {names[usual]}.")


def length_bars(lengths: Sequence[Lengths], theme: Theme, *, narrow: bool = False) -> Chart:
    """Return a histogram of lengths for each kind of text: side by side, or below each other when narrow."""
    tones = palette(theme)
    traces, annotations, shapes = [], [], []
    layout: dict[str, Any] = {
        "template": template(theme),
        "height": 150 * len(lengths) + 10 if narrow else 210,
        "margin": {"l": 6, "r": 10, "t": 4, "b": 36},
        "showlegend": False,
        "bargap": 0.06,
    }
    for place, one in enumerate(lengths):
        axis = "" if place == 0 else str(place + 1)
        across, down = _domains(place, len(lengths), narrow)
        middles = [(a + b) / 2 for a, b in zip(one.edges, one.edges[1:], strict=False)]
        traces.append(
            {
                "type": "bar",
                "x": middles,
                "y": list(one.counts),
                "width": [b - a for a, b in zip(one.edges, one.edges[1:], strict=False)],
                "xaxis": f"x{axis}",
                "yaxis": f"y{axis}",
                "marker": {"color": translucent(tones.families["dense"], 0.75)},
                "hovertext": [
                    f"{n:,} of {one.what} with {a:,} to {b:,} words"
                    for a, b, n in zip(one.edges, one.edges[1:], one.counts, strict=False)
                ],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )
        room = max([*one.counts, 1])
        layout[f"xaxis{axis}"] = {
            "domain": across, "anchor": f"y{axis}", "fixedrange": True, "showgrid": False, "nticks": 5,
            "zeroline": False,
        }  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "domain": down, "anchor": f"x{axis}", "visible": False, "fixedrange": True, "range": [0, room * 1.45],
        }  # fmt: skip
        shapes.append(
            {
                "type": "line", "xref": f"x{axis}", "yref": f"y{axis}", "x0": one.median, "x1": one.median, "y0": 0,
                "y1": room * 1.08, "line": {"color": tones.text, "width": 1.5, "dash": "dot"},
            }
        )  # fmt: skip
        annotations.append(
            {
                "x": across[0], "xref": "paper", "xanchor": "left", "y": down[1], "yref": "paper", "yanchor": "top",
                "showarrow": False, "align": "left", "font": {"size": 12, "color": tones.text},
                "text": f"<b>{plain(one.what)}</b>, median {one.median:,} words",
            }
        )  # fmt: skip
    layout["annotations"], layout["shapes"] = annotations, shapes
    alt = "; ".join(
        f"{one.what}: median {one.median:,} words, 80 % between {one.low:,} and {one.high:,}" for one in lengths
    )
    return Chart(assemble(traces, layout), f"Histograms of lengths. {alt}.", ("dotted line: median",))


def _domains(place: int, n: int, narrow: bool) -> tuple[list[float], list[float]]:
    """Return the horizontal and vertical share of the figure that one of ``n`` histograms takes."""
    gap = 0.05 if not narrow else 0.14
    size = (1 - gap * (n - 1)) / n
    if narrow:
        top = 1 - place * (size + gap)
        return [0, 1], [max(top - size, 0.0), top]
    start = place * (size + gap)
    return [start, min(start + size, 1.0)], [0, 1]


def _split_colour(split: str, several: bool, tones: Palette) -> str:
    if not several:
        return tones.families["dense"]
    return tones.families[_SPLITS[split]] if split in _SPLITS else translucent(tones.muted, 0.45)


def _bars(
    numbers: Sequence[int], colour: str | Sequence[str], what: str, names: Sequence[str], totals: Sequence[int]
) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": plain(what),
        "x": list(numbers),
        "y": list(range(len(numbers))),
        "width": 0.72,
        "marker": {"color": colour if isinstance(colour, str) else list(colour)},
        "hovertext": [
            wrapped(f"{name}: {n:,}" + (f" {what} of {total:,}" if n != total else ""), 60)
            for name, n, total in zip(names, numbers, totals, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _totals(totals: Sequence[int], tones: Palette) -> dict[str, Any]:
    """Return the numbers at the bars' ends."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": list(totals),
        "y": list(range(len(totals))),
        "text": [f"\u2009{n:,}" for n in totals],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": tones.text},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _row_layout(
    names: Sequence[str], totals: Sequence[int], theme: Theme, narrow: bool, *, legend: bool = False
) -> dict[str, Any]:
    tones = palette(theme)
    size = 11 if narrow else 13
    lines = [shorten(name, 24) for name in names]
    wide = max((ems(line) for line in lines), default=0) * size
    top = 26 if legend else 4
    return {
        "template": template(theme),
        "height": len(names) * _ROW_PX + top + 8,
        "margin": {"l": round(wide) + 10, "r": 44, "t": top, "b": 4},
        "barmode": "stack",
        "showlegend": legend,
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "xaxis": {"visible": False, "fixedrange": True, "range": [0, max([*totals, 1])]},
        "yaxis": {
            "fixedrange": True, "range": [len(names) - 0.4, -0.6], "showgrid": False, "zeroline": False,
            "tickvals": list(range(len(names))), "ticktext": [f"{plain(line)}\u2009" for line in lines],
            "tickfont": {"color": tones.text, "size": size},
        },
    }  # fmt: skip
