"""A run's tables for a terminal, what it is about first."""

from __future__ import annotations

from core.reports.coverage_text import coverage_table
from core.reports.granularity_text import granularity_tables
from core.reports.logic_text import logic_table
from core.services.costs import cost_sentence
from core.services.coverage import coverage, missing
from core.services.lenses import LogicLens


def run_tables(lens: LogicLens) -> str:
    """Return Logic and, where a run has any, Coverage and Granularity; of a collection Coverage comes first.

    There Logic is left out unless answers were compared with references. What a language model took ends it.
    """
    covered = [] if missing(lens.run) else [coverage_table(coverage(lens.run.id))]
    levels = [found] if (found := granularity_tables(lens.run)) else []
    cost = cost_sentence(lens)
    costs = [f"Cost: {cost}"] if cost else []
    if not lens.run.is_collection:
        return "\n\n".join([logic_table(lens), *covered, *levels, *costs])
    compared = any(row.bertsim.value is not None for row in lens.scores.configurations)
    return "\n\n".join([*covered, *([logic_table(lens)] if compared or not covered else []), *levels, *costs])
