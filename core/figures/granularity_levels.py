"""How far the categories of each level lie apart, against what noise alone would do."""

from __future__ import annotations

from typing import Any

from core.figures.chart import Chart, assemble, plain, wrapped
from core.figures.labels import label_width
from core.figures.notation import count, decimal, estimate
from core.figures.theme import Theme, palette, template, translucent
from core.metrics.granularity import LevelTable, level_label

_ROW_PX = 44


def levels_figure(table: LevelTable, theme: Theme, *, narrow: bool = False) -> Chart:
    """Return one row a level: corrected power with its interval, the paper's power, and a band up to the noise floor.

    Raises:
        ValueError: no level is measured.
    """
    rows = [(place, row) for place, row in enumerate(table.rows) if row.power is not None]
    if not rows:
        raise ValueError("no level is measured")
    tones = palette(theme)
    names = [level_label(row.level, row.name) for row in table.rows]
    ends = [x for _, row in rows for x in (row.corrected.value, row.corrected.high, row.power, row.noise_floor) if x]
    far = max(ends, default=0.01) * 1.08
    step = next((s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if far / s <= (5 if narrow else 9)), 1.0)
    ticks = [round(i * step, 3) for i in range(int(far / step) + 1)]
    traces: list[dict[str, Any]] = [
        {
            "type": "bar", "orientation": "h", "name": "noise", "hoverinfo": "skip",
            "x": [row.noise_floor for _, row in rows], "y": [place for place, _ in rows], "width": 0.62,
            "marker": {
                "color": translucent(tones.muted, 0.14),
                "pattern": {"shape": "/", "fgcolor": tones.hatch, "size": 7, "solidity": 0.12},
            },
        },
        {
            "type": "scatter", "mode": "markers", "name": "power (paper)", "hoverinfo": "skip",
            "x": [row.power for _, row in rows], "y": [place for place, _ in rows],
            "marker": {"symbol": "diamond-open", "size": 11, "color": tones.muted, "line": {"width": 2}},
        },
        {
            "type": "scatter", "mode": "markers", "name": "corrected power",
            "x": [row.corrected.value for _, row in rows], "y": [place for place, _ in rows],
            "marker": {"symbol": "circle", "size": 11, "color": tones.accent},
            "error_x": {
                "type": "data", "symmetric": False, "thickness": 7, "width": 0, "color": translucent(tones.accent, 0.3),
                "array": [(row.corrected.high or 0.0) - (row.corrected.value or 0.0) if row.corrected.high is not None
                          else 0.0 for _, row in rows],
                "arrayminus": [(row.corrected.value or 0.0) - row.corrected.low if row.corrected.low is not None
                               else 0.0 for _, row in rows],
            },
            "hovertext": [_hover(table, place) for place, _ in rows],
            "hovertemplate": "%{hovertext}<extra></extra>",
        },
    ]  # fmt: skip
    layout = {
        "template": template(theme),
        "height": len(names) * _ROW_PX + 44,
        "margin": {"l": label_width(names, False) + 12, "r": 8, "t": 2, "b": 40},
        "showlegend": False,
        "barmode": "overlay",
        "hovermode": "closest",
        "xaxis": {
            "fixedrange": True, "range": [-0.01 * far, far], "tickvals": ticks, "zeroline": False,
            "ticktext": [decimal(tick, 3 if step < 0.01 else 2) for tick in ticks],
            "title": {"text": "how far category means lie apart", "standoff": 6},
        },
        "yaxis": {
            "fixedrange": True, "range": [len(names) - 0.5, -0.5], "showgrid": False, "zeroline": False,
            "tickvals": list(range(len(names))), "ticktext": [plain(name) for name in names],
            "tickfont": {"color": tones.text, "size": 13},
        },
    }  # fmt: skip
    return Chart(assemble(traces, layout), _alt(table), _key(table))


def _hover(table: LevelTable, place: int) -> str:
    row = table.rows[place]
    corrected = estimate(row.corrected.value or 0.0, row.corrected.low, row.corrected.high)
    lines = (
        f"{level_label(row.level, row.name)}: {count(row.k, 'category', 'categories')}, {count(row.n, 'question')}",
        f"corrected power {corrected}",
        f"power (paper) {decimal(row.power or 0.0)}, noise floor {decimal(row.noise_floor or 0.0)}",
    )
    return "<br>".join(wrapped(line, 60) for line in lines)


def _alt(table: LevelTable) -> str:
    told = [
        f"{level_label(row.level, row.name)} "
        f"{estimate(row.corrected.value or 0.0, row.corrected.low, row.corrected.high)}, "
        f"noise floor {decimal(row.noise_floor or 0.0)}"
        for row in table.rows
        if row.power is not None
    ]
    return f"Corrected power by level with 95 % intervals: {'; '.join(told)}. {table.recommended.sentence}"


def _key(table: LevelTable) -> tuple[str, ...]:
    keys = ["● corrected power, band: 95 % interval", "◇ power as the paper has it", "hatched: as far as noise reaches"]
    if without := [level_label(row.level, row.name) for row in table.rows if row.power is None]:
        keys.append(f"not measured: {', '.join(without)}")
    return tuple(keys)
