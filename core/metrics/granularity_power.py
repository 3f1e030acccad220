"""How far a level's categories lie apart: the paper's discriminative power, the same without noise, omega squared."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.metrics.granularity_groups import Estimate, Grouped
from core.stats.clustering import Floats
from core.stats.variances import MeansVariance, drawn_variance_limits, means_variance, variance_limits


def discriminative_power(means: ArrayLike, ddof: int = 0) -> float:
    """Return the standard deviation of the category means (K,), unweighted: discriminative power in the scores' unit.

    With ``ddof`` 0 it is that of Fensore et al., arXiv 2606.12789. It grows with the number of categories by noise
    alone: see ``corrected_power``. Raises ValueError for means that are not finite, or no more than ``ddof`` of them.
    """
    values = np.asarray(means, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("means must be a vector of finite numbers")
    if values.size <= ddof:
        raise ValueError(f"{values.size} means have no standard deviation with ddof {ddof}")
    return float(values.std(ddof=ddof))


def corrected_power(groups: Sequence[ArrayLike]) -> float:
    """Return discriminative power without what noise adds, 0 or more, in the scores' unit.

    sqrt(max(0, var(means) - (K-1)/K x mean over categories of s^2/n)), variances of means by ddof 0: the categories
    of a level are all there are, no sample. ``groups`` holds the scores of each of K categories; NaN (not scored) is
    left out. Raises ValueError for fewer than two categories, or one with fewer than two scores.
    """
    samples = [_scored(group) for group in groups]
    if len(samples) < 2 or min(len(sample) for sample in samples) < 2:
        raise ValueError("corrected power needs two categories with two scores each")
    means = [float(sample.mean()) for sample in samples]
    errors = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    return math.sqrt(max(0.0, means_variance(means, np.diag(errors), [len(s) - 1 for s in samples]).corrected))


def omega_squared(groups: Sequence[ArrayLike]) -> float:
    """Return the share of the scores' variance that lies between categories, at most 1 (Hays 1963).

    (SSB - (K-1) MSW) / (SST + MSW): unbiased, so it may lie a little below 0 where categories hardly differ; 0 where
    all scores are equal. ``groups`` as in ``corrected_power``. Raises ValueError for fewer than two categories or no
    more scores than categories.
    """
    samples = [_scored(group) for group in groups]
    sizes = np.array([len(sample) for sample in samples])
    if len(samples) < 2 or not sizes.all() or sizes.sum() <= len(samples):
        raise ValueError("omega squared needs two categories, a score in each, and more scores than categories")
    pooled = np.concatenate(samples)
    within = float(sum(((sample - sample.mean()) ** 2).sum() for sample in samples))
    total = float(((pooled - pooled.mean()) ** 2).sum())
    error = within / float(sizes.sum() - len(samples))
    return (total - within - (len(samples) - 1) * error) / (total + error) if total + error > 0 else 0.0


def level_variance(grouped: Grouped) -> MeansVariance:
    """Return the variance of a level's category means, with and without noise. Raises ValueError below two."""
    covariance, df = grouped.errors
    return means_variance(grouped.means, covariance, df)


def mean_draws(grouped: Grouped, weights: Floats) -> Floats:
    """Return the category means in resamples of whole documents: (draws, K); NaN where a resample misses one.

    ``weights`` (draws, G) say how often a resample holds each document; ``grouped.clusters`` are 0 … G-1.
    """
    # one product over all documents: most of them carry most categories
    sums, counts = np.zeros((2, weights.shape[1], grouped.k))
    np.add.at(sums, (grouped.clusters, grouped.codes), grouped.scores)
    np.add.at(counts, (grouped.clusters, grouped.codes), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((weights @ sums) / (weights @ counts), dtype=np.float64)


def corrected_estimate(grouped: Grouped, drawn: Floats | None) -> Estimate:
    """Return corrected power with its interval: by noncentral F, or from the draws of ``mean_draws`` where given."""
    variance = level_variance(grouped)
    value = math.sqrt(max(0.0, variance.corrected))
    low, high = variance_limits(variance) if drawn is None else drawn_variance_limits(variance, drawn)
    if math.isnan(low):
        return Estimate(value, None, None, "no resample of the documents holds every category")
    return Estimate(value, min(math.sqrt(low), value), max(math.sqrt(high), value))


def _scored(group: ArrayLike) -> Floats:
    values = np.asarray(group, dtype=np.float64).ravel()
    return values[~np.isnan(values)]
