"""The granularity lens as plain-text tables for a terminal: which tree and level, then the levels of each tree."""

from __future__ import annotations

from dataclasses import replace

from core.metrics.granularity import level_label
from core.reports.granularity_json import first_choice
from core.reports.logic_text import aligned
from core.services import granularity, trees
from core.services.catalogue import RunSummary
from core.services.granularity_captions import headline
from core.services.granularity_tables import number, p_value, told, without_power


def granularity_tables(run: RunSummary) -> str:
    """Return a row a level of every tree for the leading configuration, and the finding of each tree; "" for none."""
    if granularity.missing(run):
        return ""
    choice = first_choice(run)
    header = ("tree", "level", "K", "n", "corrected power", "noise floor", "power (paper)", "its split adds, p")
    rows, findings = [header], []
    for name in trees.dimensions(run.id):
        lens = granularity.granularity(replace(choice, dimension=name))
        findings.append(headline(lens))
        rows += [
            (
                name,
                level_label(row.level, row.name),
                str(row.k),
                f"{row.n:,}",
                told(row.corrected, without_power(row)),
                number(row.noise_floor),
                number(row.power),
                p_value(row.added.p_adjusted),
            )
            for row in lens.table.rows
        ]
    return "\n".join([aligned(rows, left=2), "", *findings])
