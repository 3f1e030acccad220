"""The coverage lens as a plain-text table for a terminal."""

from __future__ import annotations

from core.figures.coverage_measures import of, rows_of, symbol
from core.figures.notation import count
from core.reports.logic_text import aligned, cell
from core.services.coverage import CoverageLens

_MEASURES = ("grounded", "said", "retrieved", "alpha_ndcg@10", "strec@10")


def coverage_table(lens: CoverageLens) -> str:
    """Return a row a configuration, the one that covers most first, and what stands behind the numbers."""
    header = ("configuration", *(symbol(name) for name in _MEASURES), "nuggets", "n", "failed")
    rows = [
        (
            row.label,
            *(cell(of(row, name)) for name in _MEASURES),
            f"{row.losses.n:,}",
            str(row.macro["grounded"].n_scored),
            str(row.macro["grounded"].n_failed),
        )
        for row in rows_of(lens.scores)
    ]
    ranking = lens.scores.ranking
    note = (
        f"Coverage by {lens.matcher}; StRecall over {lens.denominator} nuggets; means over questions, of which "
        f"{count(ranking.n_questions, 'is', 'are')} scored for every configuration"
    )
    return "\n".join([aligned([header, *rows], left=0), "", note])
