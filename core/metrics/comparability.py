"""Can a map of differences show anything at all with this many questions?

Differences are tested by sign flips (exact, paired). With m questions whose difference is not zero the smallest
p value such a test can reach is 2^(1 - m); a cell for which even that exceeds alpha / family can never be
significant after correction over the map (Tarone 1990) and only costs the others power.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import OptionError
from core.metrics.logic_scores import LogicSummary

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Comparability:
    """How many questions a relation has, how many the map would need.

    ``n_per_relation_min`` and ``_max`` count the questions that all ranked configurations have scored;
    ``family`` is the number of cells, (configurations - 1 baseline) x relations; ``needed`` questions a relation
    make one cell of that family decidable, were every difference to point the same way.
    """

    n_per_relation_min: int
    n_per_relation_max: int
    needed: int
    family: int
    any_cell_possible: bool


def smallest_attainable_p(n: int) -> float:
    """Return the smallest two-sided p of a sign-flip test with ``n`` non-zero differences: 2^(1 - n), at most 1."""
    return min(1.0, 2.0 ** (1 - n))


def questions_needed(family: int, alpha: float = ALPHA) -> int:
    """Return how many questions a cell needs before it could be significant in a family of that size.

    The smallest n with 2^(1 - n) <= alpha / family. Raises OptionError for a family below 1 or alpha outside (0, 1).
    """
    if family < 1:
        raise OptionError(f"family {family} is not a number of comparisons: give at least 1")
    if not 0 < alpha < 1:
        raise OptionError(f"alpha {alpha!r} is not a significance level: give a number between 0 and 1")
    n = 1
    while smallest_attainable_p(n) > alpha / family:
        n += 1
    return n


def comparable(summary: LogicSummary) -> Comparability:
    """Judge the map of a run against any one baseline. With fewer than two ranked configurations nothing compares."""
    contest = summary.contest
    per_relation = [int(n) for n in contest.questions_per_relation]
    family = max(len(contest.ranked) - 1, 0) * len(per_relation)
    most = max(per_relation, default=0)
    needed = questions_needed(family) if family else 0
    return Comparability(
        n_per_relation_min=min(per_relation, default=0),
        n_per_relation_max=most,
        needed=needed,
        family=family,
        any_cell_possible=family > 0 and most >= needed,
    )
