"""Do the children of a category belong together? The coherence ratio of a split, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.metrics.granularity_groups import Estimate
from core.stats.bootstrap import percentile_interval
from core.stats.clustering import Floats
from core.stats.variances import folded_limits, means_variance, normal_draws, variance_limits

#: what is added to delta so that the ratio exists where it is 0
EPSILON = 0.001


@dataclass(frozen=True, slots=True)
class Coherence:
    """The coherence ratio ``rho`` of a split, its ``sigma`` between siblings and its ``delta`` to the parent."""

    rho: float
    sigma: float
    delta: float


@dataclass(frozen=True)
class CoherenceEstimates:
    """sigma, delta and rho with their intervals; ``rho_draws`` (draws,) are those of its interval."""

    sigma: Estimate
    delta: Estimate
    rho: Estimate
    rho_draws: Floats

    @property
    def conclusive(self) -> bool:
        """Both sigma and delta differ from 0, so that their ratio means something."""
        return bool(self.sigma.low and self.delta.low)


def coherence_ratio(parent: float, children: ArrayLike, epsilon: float = EPSILON) -> Coherence:
    """Return the coherence ratio of a split from the mean of the parent and those of its children (m,).

    sigma = standard deviation (ddof 0) of the children's means, delta = |mean of the children's means - parent's mean|,
    rho = sigma / (delta + epsilon) (Fensore et al., arXiv 2606.12789). The parent's mean must come from questions of
    its own: rolled up from the children it makes delta about 0 by construction.
    Raises ValueError for no children, or numbers that are not finite, or an epsilon not above 0.
    """
    means = np.asarray(children, dtype=np.float64)
    if means.ndim != 1 or not means.size or not np.isfinite(means).all() or not np.isfinite(parent):
        raise ValueError("the means of the parent and of at least one child must be finite numbers")
    if not epsilon > 0:
        raise ValueError(f"epsilon must be above 0, not {epsilon}")
    sigma, delta = float(means.std()), float(abs(means.mean() - parent))
    return Coherence(sigma / (delta + epsilon), sigma, delta)


def sibling_spread(means: Floats, covariance: Floats, df: Floats) -> Estimate:
    """Return sigma of m children's means with its interval: folded normal for two, noncentral F for more."""
    sigma = float(means.std())
    if len(means) == 2:
        # half the difference of two means, its sign dropped
        low, high = folded_limits(sigma, *_error(np.array([0.5, -0.5]), covariance, df))
    else:
        low, high = (float(np.sqrt(limit)) for limit in variance_limits(means_variance(means, covariance, df)))
    return Estimate(sigma, min(low, sigma), max(high, sigma))


def coherence_estimates(
    means: Floats, covariance: Floats, df: Floats, draws: int, seed_text: str, epsilon: float = EPSILON
) -> CoherenceEstimates:
    """Return sigma, delta and rho from m children's means and, last, the parent's: (m + 1,) with their joint errors.

    delta has a folded-normal interval, rho a bootstrap interval from draws of all means.
    """
    children = len(means) - 1
    ratio = coherence_ratio(float(means[-1]), means[:-1], epsilon)
    against = np.append(np.full(children, 1.0 / children), -1.0)
    low, high = folded_limits(ratio.delta, *_error(against, covariance, df))
    drawn = normal_draws(means, covariance, draws, seed_text)
    rho = drawn[:, :-1].std(axis=1) / (np.abs(drawn @ against) + epsilon)
    return CoherenceEstimates(
        sibling_spread(means[:-1], covariance[:-1, :-1], df[:-1]),
        Estimate(ratio.delta, min(low, ratio.delta), max(high, ratio.delta)),
        Estimate(ratio.rho, *percentile_interval(rho)),
        rho,
    )


def _error(weights: Floats, covariance: Floats, df: Floats) -> tuple[float, float]:
    """Return the standard error of a weighted sum of means, and Satterthwaite's degrees of freedom."""
    variance = max(float(weights @ covariance @ weights), 0.0)
    own = weights**2 * np.diagonal(covariance)
    below = float((own**2 / df).sum())
    return float(np.sqrt(variance)), float(own.sum()) ** 2 / below if below > 0 else float("inf")
