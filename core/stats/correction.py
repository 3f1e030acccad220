"""Many tests at once: which cells can be tested at all, and p values corrected for their number. Pure functions.

The family is the whole map that is shown. Cells in which even the most extreme outcome could not be significant
leave it first (Tarone 1990): they would only raise the bar for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Correction = Literal["holm", "bh"]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Screening:
    """``tested`` marks the cells that form the family, in the shape they came in; ``family`` counts them."""

    tested: NDArray[np.bool_]
    family: int


def screened(smallest_p: ArrayLike, alpha: float = ALPHA) -> Screening:
    """Return which cells may be tested: Tarone's family (Biometrics 46, 1990, 515-522).

    ``smallest_p`` holds each cell's smallest attainable p value, in any shape, NaN where there is nothing to test.
    The family is the largest one of which every cell could still pass alpha / family: the smallest K such that at
    most K cells attain alpha / K.
    """
    smallest = np.asarray(smallest_p, dtype=np.float64)
    testable = ~np.isnan(smallest)
    for family in range(1, int(testable.sum()) + 1):
        tested = testable & (np.nan_to_num(smallest, nan=np.inf) <= alpha / family)
        if int(tested.sum()) <= family:
            return Screening(tested, int(tested.sum()))
    return Screening(np.zeros(smallest.shape, np.bool_), 0)


def adjusted(p: ArrayLike, correction: Correction = "holm") -> Floats:
    """Return adjusted p values in the shape of ``p``; NaN stays NaN and is no member of the family.

    "holm" bounds the chance of one false finding (Holm 1979), "bh" the expected share of false ones among the
    findings (Benjamini and Hochberg 1995). Raises ValueError for another name or for p outside [0, 1].
    """
    values = np.asarray(p, dtype=np.float64)
    member = ~np.isnan(values)
    inside = values[member]
    if ((inside < 0) | (inside > 1)).any():
        raise ValueError("p values lie between 0 and 1")
    order = np.argsort(inside, kind="stable")
    n, ranked = inside.size, inside[order]
    if correction == "holm":
        stepped = np.maximum.accumulate(ranked * np.arange(n, 0, -1))
    elif correction == "bh":
        stepped = np.minimum.accumulate((ranked * n / np.arange(1, n + 1))[::-1])[::-1]
    else:
        raise ValueError(f"correction {correction!r} is unknown: use 'holm' or 'bh'")
    result = np.full(values.shape, np.nan)
    corrected = np.empty(n)
    corrected[order] = np.minimum(stepped, 1.0)
    result[member] = corrected
    return result
