"""95 % intervals in closed form: t for means, Wilson for shares, MOVER for what is composed of them.

All functions take and return arrays (they broadcast) and write NaN where no interval exists. Coverage on the
project's target distribution is published by ``benchmarks/coverage_table.py``.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Bounds(NamedTuple):
    """Lower and upper end of an interval, arrays of one shape; NaN where there is none."""

    low: Floats
    high: Floats

    def clipped(self, low: float, high: float) -> Bounds:
        """The part within the range of the measure."""
        return Bounds(np.clip(self.low, low, high), np.clip(self.high, low, high))


def t_quantile(df: ArrayLike) -> Floats:
    """The 97.5 % quantile of Student's t, fractional ``df`` allowed; NaN for df that are NaN or not positive."""
    from scipy.special import stdtrit

    degrees = np.asarray(df, dtype=np.float64)
    return np.asarray(stdtrit(np.where(degrees > 0, degrees, np.nan), 0.5 + CONFIDENCE / 2), dtype=np.float64)


def mean_t(mean: ArrayLike, variance: ArrayLike, df: ArrayLike) -> Bounds:
    """Student's interval of a mean whose *own* variance (not the sample's) is ``variance``."""
    centre = np.asarray(mean, dtype=np.float64)
    half = t_quantile(df) * np.sqrt(np.asarray(variance, dtype=np.float64))
    return Bounds(centre - half, centre + half)


def wilson(share: ArrayLike, n: ArrayLike) -> Bounds:
    """Wilson's score interval (JASA 1927) of a share from ``n`` independent questions; n need not be whole.

    Always within [0, 1] and never empty at 0 or 1. NaN where n is NaN or not positive.
    """
    p = np.asarray(share, dtype=np.float64)
    size = np.asarray(n, dtype=np.float64)
    size = np.where(size > 0, size, np.nan)
    shrink = 1.0 + Z**2 / size
    centre = (p + Z**2 / (2.0 * size)) / shrink
    half = Z / shrink * np.sqrt(p * (1.0 - p) / size + Z**2 / (4.0 * size**2))
    # exact at the ends, where rounding would leave the estimate 1e-17 outside
    low = np.where(p <= 0, 0.0 * size, np.maximum(centre - half, 0.0))
    high = np.where(p >= 1, 1.0 + 0.0 * size, np.minimum(centre + half, 1.0))
    return Bounds(low, high)


def effective_n(
    share: ArrayLike, n: ArrayLike, variance: ArrayLike, kish: ArrayLike, df: ArrayLike, df_independent: ArrayLike
) -> Floats:
    """Independent questions that carry as much about a share as ``n`` clustered ones (Korn and Graubard 1998).

    n over the design effect ``variance`` / (p (1-p) / (n-1)), times (t[df_independent] / t[df])^2 for having
    estimated that effect from few clusters. Never above n: a negative correlation within documents is taken for
    chance. At p = 0 or 1 no design effect can be estimated and ``kish``, the effective number of clusters, stands
    in. With every question its own cluster the result is n exactly. NaN where the variance is (under two clusters).
    """
    p, size, own = (np.asarray(a, dtype=np.float64) for a in (share, n, variance))
    with np.errstate(divide="ignore", invalid="ignore"):
        design_effect = np.maximum(own / (p * (1.0 - p) / (size - 1.0)), 1.0)
        few = np.minimum(t_quantile(df_independent) / t_quantile(df), 1.0) ** 2
        effective = np.where((p <= 0) | (p >= 1), np.asarray(kish, dtype=np.float64), size / design_effect * few)
    return np.where(np.isnan(own), np.nan, effective)


def mover_mean(estimates: ArrayLike, bounds: Bounds, covariance: ArrayLike) -> Bounds:
    """Interval of the mean over the last axis of R estimates, from their own intervals (Zou and Donner 2008).

    The variance of each estimate is recovered from its own, possibly lopsided, interval; only the correlations are
    taken from ``covariance`` (…, R, R). An estimate of variance 0 there (all questions equal) counts as
    independent of the others. The mean is never surer than independence would make it: negative correlations are
    estimated from as few documents as there are, and would else cancel a whole side of the interval. Estimates that
    are NaN are left out; a NaN bound of one that is not makes the result NaN.
    """
    centre, joint = np.asarray(estimates, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    present = ~np.isnan(centre)
    deviation = np.sqrt(np.diagonal(joint, axis1=-2, axis2=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = deviation[..., :, None] * deviation[..., None, :]
        correlation = np.where(scale > 0, joint / scale, np.eye(centre.shape[-1]))
        count = present.sum(axis=-1)
        mean = np.where(present, centre, 0.0).sum(axis=-1) / count

        def recovered(distance: Floats) -> Floats:
            reach = np.where(present, distance, 0.0)
            total = np.einsum("...r,...rs,...s->...", reach, correlation, reach)
            independent = np.einsum("...r,...r->...", reach, reach)
            return np.asarray(np.sqrt(np.maximum(total, independent)) / count, dtype=np.float64)

        return Bounds(mean - recovered(centre - bounds.low), mean + recovered(bounds.high - centre))


def mover_difference(
    first: ArrayLike, first_bounds: Bounds, second: ArrayLike, second_bounds: Bounds, correlation: ArrayLike
) -> Bounds:
    """Interval of ``first - second`` from their own intervals and correlation (Zou and Donner 2008, eq. 1).

    Paired estimates on the same questions have a high correlation and so a narrow difference. NaN where a limit is.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    r = np.clip(np.asarray(correlation, dtype=np.float64), -1.0, 1.0)
    down = _square_and_add(one - first_bounds.low, second_bounds.high - two, -r)
    up = _square_and_add(first_bounds.high - one, two - second_bounds.low, -r)
    return Bounds(one - two - down, one - two + up)


def mover_harmonic(
    first: ArrayLike,
    first_bounds: Bounds,
    second: ArrayLike,
    second_bounds: Bounds,
    weight: float,
    correlation: ArrayLike,
) -> Bounds:
    """Interval of the weighted harmonic mean 1 / (w / a + (1 - w) / b) of two non-negative estimates a, b.

    Its reciprocal is a sum, so the sum's MOVER limits (Zou and Donner 2008, with the covariance term) are taken
    there and turned back. ``weight`` is w in [0, 1], ``correlation`` that of the two estimates. The result lies
    within the harmonic means of the two lower and of the two upper limits. Where one estimate is 0 the reciprocal
    is infinite; the limit towards 0 is returned: from 0 to the harmonic mean of that upper limit and the other
    estimate.
    """
    r = np.clip(np.asarray(correlation, dtype=np.float64), -1.0, 1.0)
    u, u_low, u_high = _reciprocals(weight, first, first_bounds)
    v, v_low, v_high = _reciprocals(1.0 - weight, second, second_bounds)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        high = 1.0 / (u + v - _square_and_add(u - u_low, v - v_low, r))
        low = 1.0 / (u + v + _square_and_add(u_high - u, v_high - v, r))
        high = np.where(np.isinf(v), 1.0 / (u + v_low), high)
        high = np.where(np.isinf(u), 1.0 / (u_low + np.where(np.isinf(v), v_low, v)), high)
        # mathematically inside already; this removes what rounding adds where a reciprocal is large
        high = np.minimum(high, 1.0 / (u_low + v_low))
        low = np.maximum(low, 1.0 / (u_high + v_high))
    low = np.where(np.isinf(u_high) | np.isinf(v_high), 0.0, low)
    missing = np.isnan(u_low) | np.isnan(u_high) | np.isnan(v_low) | np.isnan(v_high) | np.isnan(u) | np.isnan(v)
    return Bounds(np.where(missing, np.nan, low), np.where(missing, np.nan, high))


def _reciprocals(weight: float, estimate: ArrayLike, bounds: Bounds) -> tuple[Floats, Floats, Floats]:
    """weight / (estimate, upper limit, lower limit): the estimate and its limits, turned round, in rising order."""

    def turned(value: ArrayLike) -> Floats:
        x = np.asarray(value, dtype=np.float64)
        # below 1e-9 the sum of reciprocals would lose the other part to rounding: that is 0 for a mean of questions
        x = np.where(x < 1e-9, 0.0, x)
        with np.errstate(divide="ignore"):
            # a part of weight 0 contributes nothing, whatever its value (not 0/0)
            return np.asarray(weight / x if weight > 0 else np.zeros_like(x), dtype=np.float64)

    return turned(estimate), turned(bounds.high), turned(bounds.low)


def _square_and_add(first: Floats, second: Floats, correlation: Floats) -> Floats:
    total = first**2 + second**2 + 2.0 * correlation * first * second
    return np.asarray(np.sqrt(np.maximum(total, 0.0)), dtype=np.float64)
