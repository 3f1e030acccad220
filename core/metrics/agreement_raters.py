"""One rater beside the others: what they gave, how far from the others, and how they do on gold items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.agreement_measures import NO_OVERLAP, value_counts
from core.metrics.scores import Measure
from core.stats.clustering import clustered_mean
from core.stats.intervals import mean_t, wilson

NO_GOLD = "this rater has scored no item whose score is known"
ONE_SHARED = "a single item was rated by this rater and another, so no interval exists"


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """``distribution`` counts each value of the scale (K,); ``offset`` is in points, with a t interval over items.

    ``gold`` is the share of known scores given exactly, with Wilson's interval. ``n`` counts the rater's scores.
    """

    n: int
    distribution: NDArray[np.int64]
    offset: Measure
    gold: Measure


def rater_summary(ratings: ArrayLike, rater: int, gold: ArrayLike, scale: Sequence[float]) -> RaterSummary:
    """Return the summary of row ``rater`` of ``ratings`` (raters, items); ``gold`` is (items,); NaN where missing.

    The offset of an item is the rater's score minus the mean of the others' scores.
    Raises ValueError as ``value_counts`` does, for the known scores too.
    """
    table, known = np.asarray(ratings, dtype=np.float64), np.asarray(gold, dtype=np.float64)
    value_counts(known[None], scale)
    own, others = table[rater], np.delete(table, rater, axis=0)
    rated = ~np.isnan(own)
    shared = rated & (~np.isnan(others)).any(axis=0)
    checked = rated & ~np.isnan(known)
    return RaterSummary(
        n=int(rated.sum()),
        distribution=value_counts(own[None], scale).sum(axis=0).astype(np.int64),
        offset=_offset(own[shared] - np.nanmean(others[:, shared], axis=0), int((rated & ~shared).sum())),
        gold=_gold(int((own[checked] == known[checked]).sum()), int(checked.sum()), int((rated & ~checked).sum())),
    )


def _offset(differences: NDArray[np.float64], alone: int) -> Measure:
    n = len(differences)
    if not n:
        return Measure(None, None, None, 0, 0, alone, 0, NO_OVERLAP)
    if n == 1:
        return Measure(float(differences[0]), None, None, 1, 0, alone, 0, ONE_SHARED)
    mean = clustered_mean(differences, np.arange(n))
    if mean.mean is None or mean.variance is None or mean.df is None:
        raise RuntimeError("two or more items always have a mean and a variance")
    low, high = mean_t(mean.mean, mean.variance, mean.df)
    return Measure(mean.mean, float(low), float(high), n, 0, alone, 0)


def _gold(right: int, n: int, unknown: int) -> Measure:
    if not n:
        return Measure(None, None, None, 0, 0, unknown, 0, NO_GOLD)
    low, high = wilson(right / n, n)
    return Measure(right / n, float(low), float(high), n, 0, unknown, 0)
