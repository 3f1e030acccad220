"""Agreement of two judges who each say yes or no of the same things, beyond what chance gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def binary_kappa(both: ArrayLike, first: ArrayLike, second: ArrayLike, neither: ArrayLike) -> Floats:
    """Return Cohen's kappa (1960) of two-by-two tables, in [-1, 1]; the arguments are counts of one shape.

    ``both`` and ``neither`` count what the two agree on, ``first`` and ``second`` what only one of them says yes to.
    NaN where chance alone would make them agree always (an empty table, both say the same of everything).
    """
    a, b, c, d = (np.asarray(counts, dtype=np.float64) for counts in (both, first, second, neither))
    n = a + b + c + d
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (a + d) / n
        expected = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
        kappa = (observed - expected) / (1.0 - expected)
    return np.asarray(np.where((n > 0) & (expected < 1.0), kappa, np.nan), dtype=np.float64)
