"""How α-nDCG and StRecall grow over the first k passages, a line a configuration that has a ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.figures.chart import Chart, assemble, plain, shorten
from core.figures.configurations import in_order, symbol
from core.figures.coverage_measures import NAMES
from core.figures.labels import ems
from core.figures.notation import decimal, measured
from core.figures.ranking import ticks
from core.figures.theme import Palette, Theme, colour, palette, template, translucent
from core.metrics.coverage_scores import Curves
from core.metrics.scores import Measure

_PANEL_PX, _NAME_PX = 300, 15


def curves(
    panels: Sequence[Curves],
    labels: Mapping[str, str],
    theme: Theme,
    *,
    shown: str,
    k: int,
    handed_on: int = 0,
    narrow: bool = False,
) -> Chart:
    """Return a panel a measure, beside each other or, where it is narrow, below each other.

    The configuration ``shown`` is drawn strong with its interval as a band, the others thin. ``k`` is where numbers on
    the page are read, ``handed_on`` how many passages the answerer was given (0: unknown). A click gives
    ``customdata`` [configuration id].
    """
    tones = palette(theme)
    names = {identifier: shorten(label, 14) for identifier, label in labels.items()}
    room = max((ems(names.get(i, i)) for panel in panels for i in panel.of), default=0) * (11 if narrow else 12)
    layout: dict[str, Any] = {
        "template": template(theme),
        "height": _PANEL_PX * (len(panels) if narrow else 1) + 20,
        "margin": {"l": 34, "r": round(room) + 10, "t": 26, "b": 40},
        "showlegend": False,
        "hovermode": "closest",
        "annotations": [],
        "shapes": [],
    }
    traces: list[dict[str, Any]] = []
    gap = 0.14 if narrow else (room + 60) / 1000
    size = (1 - gap * (len(panels) - 1)) / max(len(panels), 1)
    for place, panel in enumerate(panels):
        axis = "" if place == 0 else str(place + 1)
        start = place * (size + gap)
        across, down = ([0.0, 1.0], [1 - start - size, 1 - start]) if narrow else ([start, start + size], [0.0, 1.0])
        depth = max((len(found) for found in panel.of.values()), default=1)
        low, high = _range(panel, shown)
        tickvals, ticktext = ticks(low, high, 6)
        layout[f"xaxis{axis}"] = {
            "domain": across, "anchor": f"y{axis}", "fixedrange": True, "zeroline": False, "range": [0.6, depth + 0.4],
            "tickvals": [1, 5, 10, 15, 20], "title": {"text": "first k passages", "standoff": 4},
        }  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "domain": [max(down[0], 0.0), down[1]], "anchor": f"x{axis}", "fixedrange": True, "zeroline": False,
            "range": [low, high], "tickvals": tickvals, "ticktext": ticktext,
        }  # fmt: skip
        layout["annotations"].append(
            {
                "x": across[0], "xref": "paper", "xanchor": "left", "y": down[1], "yref": "paper", "yanchor": "bottom",
                "showarrow": False, "text": f"<b>{plain(NAMES[panel.measure][1])}@k</b>", "font": {"size": 13},
            }
        )  # fmt: skip
        traces += _lines(panel, labels, theme, shown, axis)
        layout["annotations"] += _names(panel, names, theme, (low, high), axis, depth, shown, narrow)
        layout["shapes"] += _marks(k, handed_on, depth, axis, tones)
    key = [f"dotted: k = {k}"]
    key += [f"dashed: {handed_on} passages are handed to the answerer"] if handed_on else []
    drawn = any(shown in panel.of for panel in panels)
    key += [f"band: 95 % interval of {labels.get(shown, shown)}"] if drawn else []
    return Chart(assemble(traces, layout), _alt(panels, labels, k), tuple(key))


def _range(panel: Curves, shown: str) -> tuple[float, float]:
    ends = [p.value for found in panel.of.values() for p in found if p.value is not None]
    ends += [x for p in panel.of.get(shown, ()) for x in (p.low, p.high) if x is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = max(0.04 * (high - low), 0.01)
    return low - room, high + room


def _lines(panel: Curves, labels: Mapping[str, str], theme: Theme, shown: str, axis: str) -> Iterator[dict[str, Any]]:
    # the strong one last, on top of the others
    for identifier in sorted(in_order(list(panel.of)), key=lambda i: i == shown):
        found, tone = panel.of[identifier], colour(identifier, theme)
        at = list(range(1, len(found) + 1))
        strong = identifier == shown
        if strong:
            yield from _band(found, tone, axis)
        yield {
            "type": "scatter",
            "mode": "lines+markers",
            "name": identifier,
            "xaxis": f"x{axis}",
            "yaxis": f"y{axis}",
            "x": at,
            "y": [p.value for p in found],
            "line": {"color": tone, "width": 3 if strong else 1.2},
            "marker": {"color": tone, "size": 7 if strong else 4, "symbol": symbol(identifier), "opacity": 1},
            "unselected": {"marker": {"opacity": 1}},
            "customdata": [[identifier]] * len(at),
            "hovertext": [
                f"{plain(labels.get(identifier, identifier))}<br>{NAMES[panel.measure][1]}@{k} {plain(measured(p))}"
                for k, p in zip(at, found, strict=True)
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }


def _band(found: Sequence[Measure], tone: str, axis: str) -> Iterator[dict[str, Any]]:
    known = [(k, p) for k, p in enumerate(found, start=1) if p.low is not None and p.high is not None]
    if known:
        yield {
            "type": "scatter",
            "mode": "lines",
            "xaxis": f"x{axis}",
            "yaxis": f"y{axis}",
            "x": [k for k, _ in known] + [k for k, _ in reversed(known)],
            "y": [p.high for _, p in known] + [p.low for _, p in reversed(known)],
            "fill": "toself",
            "fillcolor": translucent(tone, 0.3),
            "line": {"width": 0},
            "hoverinfo": "skip",
            "name": "band",
        }


def _names(
    panel: Curves,
    names: Mapping[str, str],
    theme: Theme,
    ends: tuple[float, float],
    axis: str,
    depth: int,
    shown: str,
    narrow: bool,
) -> Iterator[dict[str, Any]]:
    """Name the lines at their right ends, moved apart so that no two names overlap."""
    last = {i: value for i, found in panel.of.items() if (value := found[-1].value) is not None}
    step = (ends[1] - ends[0]) * _NAME_PX / (_PANEL_PX - 66)
    for identifier, y in spread(last, step, ends).items():
        size = 11 if narrow else 12
        text = plain(names.get(identifier, identifier))
        yield {
            "x": depth + 0.4, "xref": f"x{axis}", "xanchor": "left", "y": y, "yref": f"y{axis}", "showarrow": False,
            "text": f"<b>{text}</b>" if identifier == shown else text,
            "font": {"size": size, "color": palette(theme).text},
        }  # fmt: skip


def spread(wanted: Mapping[str, float], step: float, ends: tuple[float, float]) -> dict[str, float]:
    """Return places at least ``step`` apart, near the wanted ones, in their order, inside ``ends`` while they fit."""
    order = sorted(wanted, key=lambda name: wanted[name])
    places: list[float] = []
    for name in order:
        places.append(max(wanted[name], places[-1] + step if places else ends[0]))
    ceiling = ends[1]
    for i in reversed(range(len(places))):
        places[i] = min(places[i], ceiling)
        ceiling = places[i] - step
    return dict(zip(order, places, strict=True))


def _marks(k: int, handed_on: int, depth: int, axis: str, tones: Palette) -> Iterator[dict[str, Any]]:
    for at, dash in ((k, "dot"), (handed_on, "dash")):
        if 1 <= at <= depth:
            yield {
                "type": "line", "xref": f"x{axis}", "yref": f"y{axis} domain", "x0": at, "x1": at, "y0": 0, "y1": 1,
                "line": {"color": tones.muted, "width": 1, "dash": dash},
            }  # fmt: skip


def _alt(panels: Sequence[Curves], labels: Mapping[str, str], k: int) -> str:
    parts = []
    for panel in panels:
        known = [
            (i, p.value) for i, found in panel.of.items() if k <= len(found) and (p := found[k - 1]).value is not None
        ]
        if known:
            best = max(known, key=lambda pair: pair[1] or 0.0)
            name = labels.get(best[0], best[0])
            parts.append(f"{NAMES[panel.measure][1]}@{k} is highest for {name}, {decimal(best[1] or 0.0)}")
    return f"Curves over the first k passages. {'; '.join(parts)}." if parts else "Curves without a scored question."
