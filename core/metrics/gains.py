"""Gain, discount and cumulative gain of ranks 1 … k: the arithmetic that all nDCG-like measures share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def discounts(k: int) -> Floats:
    """Return 1 / log2(rank + 1) of ranks 1 … k: (k,)."""
    return np.asarray(1.0 / np.log2(np.arange(2, k + 2)), dtype=np.float64)


def alpha_gains(held: NDArray[np.bool_], alpha: float) -> Floats:
    """Return the gain of each rank (k,) from the table (k, N) of the nuggets it holds.

    A nugget seen n times before is worth (1 - alpha)^n.
    """
    seen = held.cumsum(axis=0) - held
    return np.asarray(np.where(held, (1.0 - alpha) ** seen, 0.0).sum(axis=1), dtype=np.float64)


def discounted(gains: ArrayLike) -> Floats:
    """Return the discounted cumulative gain at every cutoff: (k,), Järvelin and Kekäläinen 2002."""
    each = np.asarray(gains, dtype=np.float64)
    return np.asarray((each * discounts(len(each))).cumsum(), dtype=np.float64)


def alpha_dcg_scale(n_nuggets: int, k: int, alpha: float) -> Floats:
    """Return what ``ndeval`` divides DCG by at each cutoff: (k,), the DCG if every rank held all; 1 at k = 1."""
    scale = n_nuggets * discounted((1.0 - alpha) ** np.arange(k))
    scale[0] = 1.0
    return scale


def ratio(value: Floats, ideal: Floats) -> Floats:
    """Return ``value / ideal``, 0 where nothing was gained."""
    return np.divide(value, ideal, out=np.zeros(len(value)), where=value > 0)
