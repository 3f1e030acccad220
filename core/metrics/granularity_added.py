"""What a level's split adds to the level above: a test of the variance within parents, and the gain with its interval.

On rolled-up labels all levels hold the same questions, so the test exchanges scores within parents only (nested
analysis of variance by permutation). Where every level has questions of its own, the corrected variances of the two
sets are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.metrics.granularity_groups import Grouped
from core.metrics.granularity_power import level_variance
from core.stats.bootstrap import DRAWS, percentile_interval
from core.stats.clustering import Floats, Ints
from core.stats.correction import adjusted
from core.stats.permutation import flipped_means, permuted_means, upper_p
from core.stats.variances import corrected_draws, means_variance, normal_draws


@dataclass(frozen=True, slots=True)
class Added:
    """What the split into a level adds to the level above it; into the coarsest, to no split at all.

    ``value`` is the gain in corrected variance of the category means (score squared, may be negative) with its 95 %
    interval, ``p`` the test that nothing is added, ``p_adjusted`` by Holm over the levels of the tree. Whatever is
    missing is None, and ``reason`` says why.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    reason: str = ""


def nothing_added(reason: str) -> Added:
    """Return what stands where no split can be tested."""
    return Added(None, None, None, None, None, reason)


def added_to_nothing(grouped: Grouped, by_chance: Floats, seed_text: str, draws: int = DRAWS) -> Added:
    """Return what the split into the first level adds; ``by_chance`` (draws, K) are its means without a difference."""
    within = np.zeros(grouped.k, np.int64)
    low, high = percentile_interval(_level_draws(grouped, seed_text, draws))
    value = level_variance(grouped).corrected
    return Added(value, low, high, _nested_p(grouped, within, by_chance), None)


def added_by_split(grouped: Grouped, parents: Ints, seed_text: str, draws: int = DRAWS) -> Added:
    """Return what splitting ``parents`` (K,), numbers from 0, into the categories of ``grouped`` adds.

    The gain is var(categories) - var(parents), each without its noise; a parent's mean is that of its questions.
    """
    sizes = np.bincount(parents)
    if (sizes < 2).all():
        return nothing_added("no category above is split into two that have enough questions")
    belongs = parents == np.arange(len(sizes))[:, None]
    weights = belongs * grouped.counts / (belongs @ grouped.counts)[:, None]
    covariance, df = grouped.errors
    fine = means_variance(grouped.means, covariance, df)
    value, drawn = fine.corrected, normal_draws(grouped.means, covariance, draws, seed_text)
    gains = corrected_draws(drawn, fine.noise)
    if len(sizes) > 1:
        above = weights @ covariance @ weights.T
        coarse = means_variance(weights @ grouped.means, above, np.full(len(sizes), np.inf))
        value -= coarse.corrected
        gains = gains - corrected_draws(drawn @ weights.T, coarse.noise)
    within = parents[grouped.codes]
    seed = f"{seed_text}|within"
    if grouped.clustered:
        deviations = grouped.scores - (weights @ grouped.means)[within]
        by_chance = flipped_means(deviations[None], grouped.codes, grouped.clusters, draws, seed)[0]
    else:
        by_chance = permuted_means(grouped.scores, grouped.codes, draws, seed, within)
    low, high = percentile_interval(gains)
    return Added(value, low, high, _nested_p(grouped, parents, by_chance), None)


def added_by_other_set(coarse: Grouped, fine: Grouped, seed_text: str, draws: int = DRAWS) -> Added:
    """Return how much more variance the categories of ``fine`` have than those of ``coarse``, two sets of questions.

    Both corrected variances are drawn independently; ``p`` is two-sided, from the share of draws beyond 0.
    """
    gains = _level_draws(fine, f"{seed_text}|fine", draws) - _level_draws(coarse, f"{seed_text}|coarse", draws)
    low, high = percentile_interval(gains)
    beyond = min(int((gains <= 0).sum()), int((gains >= 0).sum()))
    value = level_variance(fine).corrected - level_variance(coarse).corrected
    return Added(value, low, high, min(1.0, 2 * (1 + beyond) / (1 + draws)), None)


def holm_over_levels(found: list[Added]) -> list[Added]:
    """Return the same with ``p_adjusted``: those without a p are no members of the family."""
    p = adjusted([np.nan if one.p is None else one.p for one in found])
    return [
        replace(one, p_adjusted=None if np.isnan(each) else float(each)) for one, each in zip(found, p, strict=True)
    ]


def _level_draws(grouped: Grouped, seed_text: str, draws: int) -> Floats:
    covariance, _ = grouped.errors
    drawn = normal_draws(grouped.means, covariance, draws, seed_text)
    return corrected_draws(drawn, level_variance(grouped).noise)


def _nested_p(grouped: Grouped, parents: Ints, by_chance: Floats) -> float:
    """Return the p value of the questions' variance between categories of one parent, as large by chance."""
    drawn = _within_parents(by_chance, grouped.counts, parents)
    return upper_p(float(_within_parents(grouped.means[None], grouped.counts, parents)[0]), drawn)


def _within_parents(means: Floats, counts: Ints, parents: Ints) -> Floats:
    """Return sqrt(sum n (mean - parent's mean)^2 / sum n) of each row of means (D, K): (D,)."""
    belongs = (parents == np.arange(parents.max() + 1)[:, None]).astype(np.float64)
    weights = belongs * counts / (belongs @ counts)[:, None]
    deviations = means - (means @ weights.T)[:, parents]
    return np.asarray(np.sqrt(deviations**2 @ counts / counts.sum()), dtype=np.float64)
