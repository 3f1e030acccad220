"""The variance of means that are each measured with error: what is left of it, and how sure that is.

The observed variance of K means holds the variance of their errors too. Let m ~ N(mu, S): then
E var(m) = var(mu) + tr(C S) / K, with var by ddof 0 and C = I - 1/K. Under equal mu, var(m) over that noise is, by Box
(1954), close to F with fractional degrees of freedom; with unequal mu it is noncentral, and a noncentrality lambda
stands for var(mu) = lambda / df times the noise. Limits of lambda are those at which the observed value lies in the
2.5 % tails (Venables 1975; Steiger 2004).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.bootstrap import percentile_interval, seed_from
from core.stats.intervals import CONFIDENCE

Floats = NDArray[np.float64]

_TAIL = (1 - CONFIDENCE) / 2
#: halvings of a bracket: limits are exact to 1e-13 of it
_HALVINGS = 45
#: degrees of freedom that count as infinite
_MANY = 1e7
#: noise that is this share of a variance is rounding
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class MeansVariance:
    """The variance (ddof 0) of K means: ``observed``, its ``noise`` part, and their difference ``corrected``.

    ``corrected`` may be negative: it is unbiased. ``df`` are the degrees of freedom of numerator and noise.
    """

    observed: float
    noise: float
    df: tuple[float, float]

    @property
    def corrected(self) -> float:
        """The observed variance without its noise."""
        return self.observed - self.noise


def means_variance(means: ArrayLike, covariance: ArrayLike, df: ArrayLike) -> MeansVariance:
    """Return the variance of K means (K,) with error ``covariance`` (K, K) and error degrees of freedom ``df`` (K,).

    Raises ValueError for fewer than two means.
    """
    centre, joint = np.asarray(means, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    k = centre.size
    if k < 2:
        raise ValueError("the variance of means needs at least two of them")
    centring = np.eye(k) - 1.0 / k
    spread = centring @ joint
    noise = float(np.trace(spread)) / k
    square = float((spread * spread.T).sum())
    numerator = (noise * k) ** 2 / square if square > 0 else float(k - 1)
    own = np.diagonal(joint)
    below = float((own**2 / np.asarray(df, dtype=np.float64)).sum())
    denominator = float(own.sum()) ** 2 / below if below > 0 else np.inf
    return MeansVariance(float(centre.var()), noise, (numerator, denominator))


def variance_limits(variance: MeansVariance) -> tuple[float, float]:
    """Return the 95 % limits of the variance without noise; both are the observed value where noise is mere rounding.

    The upper limit is never below what a typical sample without any difference would give: an unusually small
    observed variance is no evidence beyond that (power-constrained limits, Cowan et al., arXiv 1105.3166).
    """
    if variance.noise <= _ROUNDING * variance.observed or variance.noise <= 0:
        return variance.observed, variance.observed
    df1, df2 = variance.df
    ratio = variance.observed / variance.noise
    scale = variance.noise / df1
    low = _noncentrality(ratio, df1, df2, 1 - _TAIL)
    high = _noncentrality(max(ratio, _central_median(df1, df2)), df1, df2, _TAIL)
    return low * scale, high * scale


def drawn_variance_limits(variance: MeansVariance, drawn: Floats) -> tuple[float, float]:
    """Return the 95 % limits of the variance without noise from bootstrap draws (draws, K) of the means.

    Those draws that miss a mean are left out. The upper limit is kept up as in ``variance_limits``. Both limits are
    NaN where no draw is left.
    """
    low, high = percentile_interval(corrected_draws(drawn, variance.noise))
    return max(low, 0.0), max(high + max(variance.noise - variance.observed, 0.0), 0.0)


def corrected_draws(drawn: Floats, noise: float) -> Floats:
    """Return the corrected variance of every bootstrap draw (draws, K) of means: (draws,).

    A draw adds its own noise to that of the observed means, so the noise is subtracted twice. Subtracted once, many
    means would look more varied than few without any difference.
    """
    return np.asarray(drawn.var(axis=1) - 2.0 * noise, dtype=np.float64)


def normal_draws(means: ArrayLike, covariance: ArrayLike, draws: int, seed_text: str) -> Floats:
    """Return draws (draws, K) of K means about those observed, with their joint error."""
    centre, joint = np.asarray(means, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    generator = np.random.default_rng(seed_from(seed_text))
    # an eigenvalue root, as fewer documents than means make the matrix singular
    values, vectors = np.linalg.eigh(joint)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(centre + generator.standard_normal((draws, centre.size)) @ root.T, dtype=np.float64)


def folded_limits(value: float, error: float, df: float = np.inf) -> tuple[float, float]:
    """Return the 95 % limits of |delta| from the observed |d|, where d ~ delta + ``error`` x t(df) (folded normal).

    The lower limit is 0 unless |d| is too large for chance (beyond 2.24 errors of a normal). As in
    ``variance_limits``, the upper limit is never below what a typical |d| without any difference gives.
    """
    from scipy.special import stdtr, stdtrit

    if error <= 0:
        return value, value
    degrees = min(df, _MANY)
    seen = value / error

    def at_most(distance: float, shift: float) -> float:
        """P(|shift + t| <= distance)."""
        return float(stdtr(degrees, distance - shift) - stdtr(degrees, -distance - shift))

    typical = float(stdtrit(degrees, 0.75))
    low = _falling(lambda shift: at_most(seen, shift), 1 - _TAIL, seen)
    high = _falling(lambda shift: at_most(max(seen, typical), shift), _TAIL, max(seen, typical))
    return low * error, high * error


def _falling(function: Callable[[float], float], target: float, start: float) -> float:
    """Return the x >= 0 at which a falling function meets ``target``, 0 where it starts below."""
    if function(0.0) <= target:
        return 0.0
    low, high = 0.0, max(start, 1.0)
    while function(high) > target:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if function(middle) > target else (low, middle)
    return (low + high) / 2.0


def _noncentrality(ratio: float, df1: float, df2: float, probability: float) -> float:
    """Return the noncentrality at which F lies below ``ratio`` with ``probability``; 0 where none is so small."""
    from scipy.special import ncfdtr

    below = min(df2, _MANY)
    return _falling(lambda shift: float(ncfdtr(df1, below, shift, ratio)), probability, df1 * ratio)


def _central_median(df1: float, df2: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(df1, min(df2, _MANY), 0.5))
