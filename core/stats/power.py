"""How many questions it would take: sizes and widths that follow from the paired variance seen so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from core.stats.correction import ALPHA

Floats = NDArray[np.float64]

#: the difference worth finding, and the chance of finding it
WORTH_FINDING, POWER = 0.05, 0.8


def questions_needed(
    variance: ArrayLike, n: ArrayLike, family: int, worth: float = WORTH_FINDING, power: float = POWER
) -> Floats:
    """Return how many questions in all would show a difference of ``worth`` with the given power.

    ``variance`` is that of the difference's mean over ``n`` questions, documents accounted for, so that
    n x variance is the variance of one question. Two-sided at alpha / family by the normal approximation (Cohen 1988):
    N = n var ((z[1 - alpha / 2 family] + z[power]) / worth)^2, rounded up. NaN where the variance is.
    Raises ValueError for worth or power out of range.
    """
    if not worth > 0 or not 0 < power < 1 or family < 1:
        raise ValueError("worth must be above 0, power between 0 and 1, family at least 1")
    z = stats.norm.isf(ALPHA / (2 * family)) + stats.norm.ppf(power)
    one = np.asarray(n, dtype=np.float64) * np.asarray(variance, dtype=np.float64)
    return np.asarray(np.ceil(np.round(one * (z / worth) ** 2, 9)), dtype=np.float64)


def widths(low: float, high: float, times: tuple[int, ...] = (1, 2, 4)) -> tuple[float, ...]:
    """Return an interval's width at so many times the questions: it shrinks with the square root of their number."""
    return tuple(float((high - low) / np.sqrt(factor)) for factor in times)
