"""Where needed facts are lost, a bar a configuration: grounded, said, retrieved, or not, as shares of all nuggets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from core.figures.chart import Chart, assemble, plain, wrapped
from core.figures.configurations import GLYPHS, symbol
from core.figures.coverage_measures import NOWHERE, PARTS, UNKNOWN, rows_of
from core.figures.labels import label_width, row_name
from core.figures.notation import count, per_cent
from core.figures.theme import Palette, Theme, blended, colour, ink, palette, template
from core.metrics.coverage_observations import Part
from core.metrics.coverage_scores import ConfigurationCoverage, CoverageScores

_ROW_PX, _LEGEND_PX = 28, 30
#: a part narrower than this share of the bar has no room for its number
_ROOM, _ROOM_NARROW = 0.045, 0.11
_PATTERNS = {"nowhere": "/", "unknown": "."}


def part_colours(theme: Theme) -> dict[Part, str]:
    """Return the parts' colours: the accent for what was said, greys for what was not, the fainter the earlier lost."""
    tones = palette(theme)
    return {
        "grounded": tones.accent,
        "said_not_grounded": blended(tones.accent, tones.ground, 0.45),
        "retrieved_not_said": blended(tones.muted, tones.ground, 0.75),
        "not_retrieved": blended(tones.muted, tones.ground, 0.4),
        "nowhere": blended(tones.muted, tones.ground, 0.12),
    }


def losses(
    scores: CoverageScores, theme: Theme, *, narrow: bool = False, chosen: tuple[str, str] | None = None
) -> Chart:
    """Return the stacked bars by mean coverage, best on top, references below a gap.

    The mean is that over questions, as elsewhere on the page; the bars count all nuggets the same.

    A click gives ``customdata`` [configuration id, part]; ``chosen`` frames that segment.

    Raises:
        ValueError: no configuration has a nugget.
    """
    rows = [row for row in rows_of(scores) if row.losses.n]
    if not rows:
        raise ValueError("no nugget is scored")
    tones = palette(theme)
    places = [i + (0.35 if row.id in scores.reference else 0.0) for i, row in enumerate(rows)]
    names = [row.label for row in rows]
    height = places[-1] + 1
    marks_px, top = 20, _LEGEND_PX * (3 if narrow else 1)
    layout: dict[str, Any] = {
        "template": template(theme),
        "height": round(height * _ROW_PX) + top + 28,
        "margin": {"l": label_width(names, narrow) + marks_px + 4, "r": 22, "t": top, "b": 24},
        "barmode": "stack",
        "hovermode": "closest",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "xaxis": {
            "fixedrange": True, "range": [0, 1], "zeroline": False, "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "ticktext": ["0", "25 %", "50 %", "75 %", "100 %"],
        },
        "yaxis": {
            "fixedrange": True, "range": [height - 0.45, -0.55], "showgrid": False, "zeroline": False,
            "tickvals": places, "tickfont": {"color": tones.text, "size": 11 if narrow else 13},
            "ticktext": [_row_label(row, theme, narrow) for row in rows],
        },
        "shapes": list(_frame(rows, places, chosen, tones)),
    }  # fmt: skip
    return Chart(assemble(list(_segments(rows, places, theme, narrow)), layout), _alt(rows, scores), _key(rows, scores))


def _row_label(row: ConfigurationCoverage, theme: Theme, narrow: bool) -> str:
    name = "<br>".join(plain(line) for line in row_name(row.label, narrow))
    return f'{name} <span style="color:{colour(row.id, theme)}">{GLYPHS[symbol(row.id)]}</span>\u2009'


def _segments(
    rows: Sequence[ConfigurationCoverage], places: Sequence[float], theme: Theme, narrow: bool
) -> Iterator[dict[str, Any]]:
    tones, room = palette(theme), _ROOM_NARROW if narrow else _ROOM
    colours: dict[str, str] = {str(part): tone for part, tone in part_colours(theme).items()}
    for part, tone in (colours | {"unknown": tones.ground}).items():
        shares = [_number(row, part) / row.losses.n for row in rows]
        if not any(shares):
            continue
        yield {
            "type": "bar",
            "orientation": "h",
            "name": _name(part),
            "x": shares,
            "y": list(places),
            "width": 0.78,
            # colour alone tells nobody: what no passage holds is hatched, segments are set apart by the ground
            "marker": {
                "color": tone,
                "line": {"width": 1, "color": tones.ground},
                "pattern": {
                    "shape": _PATTERNS.get(part, ""), "fgcolor": tones.hatch, "size": 6, "solidity": 0.2,
                },
            },
            "unselected": {"marker": {"opacity": 1}},
            "customdata": [[row.id, part] for row in rows],
            "text": [per_cent(share) if share >= room else "" for share in shares],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "constraintext": "none",
            "textfont": {"size": 10 if narrow else 12, "color": ink(tone)},
            "hovertext": [_hover(row, part) for row in rows],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }  # fmt: skip


def _name(part: str) -> str:
    return UNKNOWN if part == "unknown" else PARTS[cast(Part, part)]


def _number(row: ConfigurationCoverage, part: str) -> int:
    return row.losses.unknown if part == "unknown" else row.losses.parts[cast(Part, part)]


def _hover(row: ConfigurationCoverage, part: str) -> str:
    lost, n = row.losses, _number(row, part)
    lines = [
        f"{row.label} · {_name(part)}",
        f"{count(n, 'nugget')} of {lost.n:,}, {per_cent(n / lost.n)}",
        f"on {count(lost.n_questions, 'question')}" + (f", {lost.n_failed:,} failed" if lost.n_failed else ""),
    ]
    return "<br>".join(wrapped(line, 60) for line in lines)


def _frame(
    rows: Sequence[ConfigurationCoverage], places: Sequence[float], chosen: tuple[str, str] | None, tones: Palette
) -> Iterator[dict[str, Any]]:
    for row, place in zip(rows, places, strict=True):
        if chosen is None or row.id != chosen[0]:
            continue
        left = 0.0
        for part in (*PARTS, "unknown"):
            right = left + _number(row, part) / row.losses.n
            if part == chosen[1] and right > left:
                line = {"width": 2, "color": tones.text}
                yield {
                    "type": "rect", "x0": left, "x1": right, "y0": place - 0.44, "y1": place + 0.44, "line": line,
                }  # fmt: skip
            left = right


def _key(rows: Sequence[ConfigurationCoverage], scores: CoverageScores) -> tuple[str, ...]:
    sizes = {row.losses.n for row in rows}
    of = f"{min(sizes):,}" if len(sizes) == 1 else f"{min(sizes):,} to {max(sizes):,}"
    kind = "vital nuggets" if scores.importance == "vital" else "nuggets"
    keys = [f"{of} {kind} a configuration, all questions together", "in the order of mean coverage over questions"]
    if any(row.losses.parts["nowhere"] for row in rows):
        keys.append(NOWHERE)
    failed = {row.label: row.losses.n_failed for row in rows if row.losses.n_failed}
    keys += [f"{label}: {count(n, 'answer')} failed and left out" for label, n in failed.items()]
    return tuple(keys)


def _alt(rows: Sequence[ConfigurationCoverage], scores: CoverageScores) -> str:
    def told(row: ConfigurationCoverage) -> str:
        parts = ", ".join(f"{per_cent(row.losses.share(part))} {name}" for part, name in PARTS.items())
        return f"{row.label}: {parts}"

    ranked = [row for row in rows if row.id not in scores.reference] or list(rows)
    shown = ranked if len(ranked) < 3 else [ranked[0], ranked[-1]]
    return f"Stacked bars of what became of the nuggets of {count(len(rows), 'configuration')}. " + "; ".join(
        told(row) for row in shown
    )
