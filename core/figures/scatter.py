"""Retrieval against coverage: a faint point a (question, configuration), a mark for the means of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.chart import Chart, assemble, plain, wrapped
from core.figures.configurations import FAMILIES, GLYPHS, family, in_order, symbol
from core.figures.coverage_measures import symbol as written
from core.figures.notation import count, decimal
from core.figures.ranking import ticks
from core.figures.theme import Theme, colour, palette, template, translucent

#: points drawn at most: more would be a blot, and slow
MOST = 800
_WOBBLE = 0.012
#: a mark closer than this to one that is named keeps its name for the hover
_WIDE, _HIGH = 0.09, 0.035


@dataclass(frozen=True)
class Cloud:
    """Pairs of values: ``x[i]`` and ``y[i]`` of question ``questions[i]`` under ``configurations[i]``."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    configurations: tuple[str, ...]
    questions: tuple[str, ...]


def scatter(
    cloud: Cloud,
    means: Mapping[str, tuple[float, float]],
    labels: Mapping[str, str],
    axes: tuple[str, str],
    theme: Theme,
    *,
    narrow: bool = False,
    sentence: str = "",
) -> Chart:
    """Return the scatter of two measures, ``axes`` their ids; ``sentence`` says the correlation in the alt text.

    Of more than ``MOST`` pairs a seeded sample is drawn. Points are moved a little, so that equal ones show. A click
    gives ``customdata`` [configuration id, question id], the latter "" on the mark of a configuration.
    """
    tones = palette(theme)
    generator = np.random.default_rng(0)
    n = len(cloud.x)
    drawn = np.sort(generator.choice(n, MOST, replace=False)) if n > MOST else np.arange(n)
    wobble = generator.uniform(-_WOBBLE, _WOBBLE, size=(2, len(drawn)))
    x, y = cloud.x[drawn] + wobble[0], cloud.y[drawn] + wobble[1]
    tones_of = np.array([colour(cloud.configurations[i], theme) for i in drawn])
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "pairs",
            # a trace a colour, numbers as arrays: plotly copies lists value by value on every rerun
            "x": x[tones_of == tone],
            "y": y[tones_of == tone],
            "marker": {"size": 5, "color": translucent(str(tone), 0.35), "opacity": 1},
            "unselected": {"marker": {"opacity": 1}},
            "customdata": [[cloud.configurations[i], cloud.questions[i]] for i in drawn[tones_of == tone]],
            "hovertext": [_hover(cloud, i, labels, axes) for i in drawn[tones_of == tone]],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
        for tone in np.unique(tones_of)
    ]
    marks = [identifier for identifier in in_order(list(means)) if identifier in means]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers" if narrow else "markers+text",
            "name": "means",
            "x": [means[i][0] for i in marks],
            "y": [means[i][1] for i in marks],
            "text": _names(marks, means, labels),
            "textposition": "middle right",
            "textfont": {"size": 11, "color": tones.text, "shadow": ", ".join([f"0 0 3px {tones.ground}"] * 4)},
            "marker": {
                "size": 13,
                "symbol": [symbol(i) for i in marks],
                "color": [colour(i, theme) for i in marks],
                "line": {"width": 1.5, "color": tones.ground},
                "opacity": 1,
            },
            "unselected": {"marker": {"opacity": 1}, "textfont": {"color": tones.text}},
            "customdata": [[i, ""] for i in marks],
            "hovertext": [
                f"{plain(labels.get(i, i))}, mean over its questions<br>"
                f"{written(axes[0])} {decimal(means[i][0])}<br>{written(axes[1])} {decimal(means[i][1])}"
                for i in marks
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "cliponaxis": False,
        }
    )  # fmt: skip
    layout = {
        "template": template(theme),
        "height": 340 if narrow else 440,
        "margin": {"l": 52, "r": 12, "t": 6, "b": 44},
        "showlegend": False,
        "hovermode": "closest",
        "xaxis": _axis(written(axes[0]), cloud.x, narrow),
        "yaxis": _axis(written(axes[1]), cloud.y, narrow),
    }
    what = f"Scatter of {written(axes[1])} against {written(axes[0])}, {count(n, 'pair')} of question and configuration"
    return Chart(assemble(traces, layout), f"{what}. {sentence}".strip(), _key(marks, n, len(drawn)))


def _names(marks: Sequence[str], means: Mapping[str, tuple[float, float]], labels: Mapping[str, str]) -> list[str]:
    """Return the names beside the marks, "" where one would lie on another."""
    named: list[tuple[float, float]] = []
    texts = []
    for identifier in marks:
        x, y = means[identifier]
        free = all(abs(x - a) > _WIDE or abs(y - b) > _HIGH for a, b in named)
        texts.append(f"  {plain(labels.get(identifier, identifier))}" if free else "")
        named += [(x, y)] if free else []
    return texts


def _hover(cloud: Cloud, i: int, labels: Mapping[str, str], axes: tuple[str, str]) -> str:
    name = labels.get(cloud.configurations[i], cloud.configurations[i])
    return "<br>".join(
        wrapped(line, 60)
        for line in (
            f"{name} · question {cloud.questions[i]}",
            f"{written(axes[0])} {decimal(float(cloud.x[i]))}",
            f"{written(axes[1])} {decimal(float(cloud.y[i]))}",
        )
    )


def _axis(title: str, values: NDArray[np.float64], narrow: bool) -> dict[str, Any]:
    low, high = min(float(values.min(initial=0.0)), 0.0), max(float(values.max(initial=1.0)), 1.0)
    tickvals, ticktext = ticks(low, high, 5 if narrow else 10)
    return {
        "title": {"text": plain(title), "standoff": 6}, "fixedrange": True, "zeroline": False,
        "range": [low - 0.04, high + 0.04], "tickvals": tickvals, "ticktext": ticktext,
    }  # fmt: skip


def _key(marks: Sequence[str], n: int, drawn: int) -> tuple[str, ...]:
    keys = [
        "large marks: means of the configurations, all names on hover",
        "small points: one question each, moved a little apart",
    ]
    if drawn < n:
        keys.append(f"{drawn:,} of {n:,} points drawn, correlations over all")
    families = dict.fromkeys(family(identifier) for identifier in marks)
    return (*keys, *(f"{GLYPHS[FAMILIES[name][1]]} {FAMILIES[name][0]}" for name in families))
