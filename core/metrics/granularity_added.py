"""What a level's split adds to the level above: a test of the variance within parents, and the gain with its interval.

The test exchanges scores within parents only (nested analysis of variance by permutation), on the questions of the
finer level. The gain is the difference of corrected variances: on rolled-up labels of the same questions, else of the
two levels' own sets.
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

_UNSPLIT = "no category above is split into two that have enough questions"


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
    if _unsplit(parents):
        return nothing_added(_UNSPLIT)
    weights = _parent_weights(grouped, parents)
    covariance, df = grouped.errors
    fine = means_variance(grouped.means, covariance, df)
    value, drawn = fine.corrected, normal_draws(grouped.means, covariance, draws, seed_text)
    gains = corrected_draws(drawn, fine.noise)
    if len(weights) > 1:
        above = weights @ covariance @ weights.T
        coarse = means_variance(weights @ grouped.means, above, np.full(len(weights), np.inf))
        value -= coarse.corrected
        gains = gains - corrected_draws(drawn @ weights.T, coarse.noise)
    low, high = percentile_interval(gains)
    return Added(value, low, high, _split_p(grouped, parents, seed_text, draws), None)


def added_by_other_set(coarse: Grouped, fine: Grouped, parents: Ints, seed_text: str, draws: int = DRAWS) -> Added:
    """Return how much more variance the categories of ``fine`` have than those of ``coarse``, two sets of questions.

    ``parents`` (K,) are the numbers of the categories above those of ``fine``. The gain compares the two sets, each
    drawn on its own. The test looks at the finer set alone, within parents: its labels say where its questions
    stand above, and it finds what the difference of two variances is too unsure to show.
    """
    if _unsplit(parents):
        return nothing_added(_UNSPLIT)
    gains = _level_draws(fine, f"{seed_text}|fine", draws) - _level_draws(coarse, f"{seed_text}|coarse", draws)
    low, high = percentile_interval(gains)
    value = level_variance(fine).corrected - level_variance(coarse).corrected
    return Added(value, low, high, _split_p(fine, parents, seed_text, draws), None)


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


def _unsplit(parents: Ints) -> bool:
    return bool((np.bincount(parents) < 2).all())


def _parent_weights(grouped: Grouped, parents: Ints) -> Floats:
    """Return the weight of each category in its parent's mean, by questions: (parents, K)."""
    belongs = (parents == np.arange(parents.max() + 1)[:, None]).astype(np.float64)
    return np.asarray(belongs * grouped.counts / (belongs @ grouped.counts)[:, None], dtype=np.float64)


def _split_p(grouped: Grouped, parents: Ints, seed_text: str, draws: int) -> float:
    """Return the p value of no difference within parents: scores exchanged, or signs turned, within them alone."""
    within, seed = parents[grouped.codes], f"{seed_text}|within"
    if not grouped.clustered:
        by_chance = permuted_means(grouped.scores, grouped.codes, draws, seed, within)
        return _nested_p(grouped, parents, by_chance)
    deviations = grouped.scores - (_parent_weights(grouped, parents) @ grouped.means)[within]
    (flipped,) = flipped_means(deviations[None], grouped.codes, grouped.clusters, draws, seed)
    return _nested_p(grouped, parents, np.asarray(flipped, dtype=np.float64))


def _nested_p(grouped: Grouped, parents: Ints, by_chance: Floats) -> float:
    """Return how often chance gives the questions as much variance between the categories of one parent."""
    weights = _parent_weights(grouped, parents)

    def spread(means: Floats) -> Floats:
        deviations = means - (means @ weights.T)[:, parents]
        return np.asarray(np.sqrt(deviations**2 @ grouped.counts / grouped.counts.sum()), dtype=np.float64)

    return upper_p(float(spread(grouped.means[None])[0]), spread(by_chance))
