"""Means of nugget measures with their intervals: macro over questions, micro over all nuggets. Arrays in, records out.

The macro interval is Student's with the variance over documents. Micro is a ratio of two sums, whose interval comes
from its linearisation (Cochran 1977, ch. 6). A mean of exactly 0 or 1 has no spread to estimate an interval from:
Wilson's, on the effective number of documents, stands in, so that six questions that all reach 1 do not look certain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.metrics.logic_ranking import number
from core.metrics.scores import FAILED, NOT_APPLICABLE, SCORED, Measure
from core.stats.clustering import ClusterDesign, Floats, Ints, StratumMeans
from core.stats.intervals import Bounds, mean_t, wilson

Mask = NDArray[np.bool_]
States = NDArray[np.int8]


def group_means(
    values: Floats, states: States, refused: Mask, design: ClusterDesign, groups: Ints
) -> list[list[Measure]]:
    """Return the mean of (C, Q) values in every group: a list a row, a measure a group.

    ``groups[q]`` counts from 0, -1 stands outside; they are the strata of ``design``.
    """
    n_groups = int(groups.max(initial=-1)) + 1
    mean, bounds = mean_and_bounds(values, states == SCORED, design)
    tallies = [
        _tally(mask, groups, n_groups)
        for mask in (
            states == SCORED, states == FAILED, states == NOT_APPLICABLE, refused & (states == SCORED)
        )
    ]  # fmt: skip
    return [
        [
            _measure(mean[row, g], bounds.low[row, g], bounds.high[row, g], *(int(tally[row, g]) for tally in tallies))
            for g in range(n_groups)
        ]
        for row in range(len(values))
    ]


def pooled(part: Floats, whole: Floats, states: States, refused: Mask, design: ClusterDesign) -> list[Measure]:
    """Return sum(part) / sum(whole) over the scored questions of every row of (C, Q) counts."""
    scored = states == SCORED
    part, whole = np.where(scored, part, 0.0), np.where(scored, whole, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = part.sum(axis=1) / whole.sum(axis=1)
        # what each question adds to the error of the ratio
        error = (part - ratio[:, None] * whole) / (whole.sum(axis=1) / scored.sum(axis=1))[:, None]
    means = design.stratum_means(np.nan_to_num(error), scored)
    span = mean_t(ratio[:, None], means.variance, means.df).clipped(0.0, 1.0)
    bounds = _at_the_ends(ratio[:, None], span, means, np.ones((len(ratio), 1), np.bool_))
    return [
        _measure(
            ratio[row], bounds.low[row, 0], bounds.high[row, 0], int(scored[row].sum()),
            int((states[row] == FAILED).sum()), int((states[row] == NOT_APPLICABLE).sum()),
            int((refused[row] & scored[row]).sum()),
        )
        for row in range(len(ratio))
    ]  # fmt: skip


def mean_and_bounds(values: Floats, scored: Mask, design: ClusterDesign) -> tuple[Floats, Bounds]:
    """Return means of the scored values in every stratum and their 95 % intervals, (C, R). Values are at least 0."""
    means = design.stratum_means(np.where(scored, values, 0.0), scored)
    span = mean_t(means.mean, means.variance, means.df)
    # only a measure that never exceeds 1 is bounded by it (alpha-nDCG may: its ideal is greedy)
    bounded = np.where(scored, values, 0.0).max(axis=1, initial=0.0)[:, None] <= 1.0
    high = np.where(bounded, np.minimum(span.high, 1.0), span.high)
    return means.mean, _at_the_ends(means.mean, Bounds(np.maximum(span.low, 0.0), high), means, bounded)


def _at_the_ends(mean: Floats, bounds: Bounds, means: StratumMeans, bounded: Mask) -> Bounds:
    end = bounded & (means.clusters >= 2) & ((mean <= 0.0) | (mean >= 1.0))
    score = wilson(np.clip(mean, 0.0, 1.0), means.kish)
    return Bounds(np.where(end, score.low, bounds.low), np.where(end, score.high, bounds.high))


def _measure(
    value: float, low: float, high: float, n_scored: int, n_failed: int, n_not_applicable: int, n_refused: int
) -> Measure:
    plain = number(value) if n_scored else None
    limits = (number(low), number(high)) if plain is not None else (None, None)
    reason = ""
    if plain is None:
        reason = f"no question is scored: {n_failed} failed, {n_not_applicable} not applicable"
    elif None in limits:
        reason = "one question has no interval" if n_scored == 1 else "all scored questions share one document"
    return Measure(plain, *limits, n_scored, n_failed, n_not_applicable, n_refused, reason)


def _tally(mask: Mask, groups: Ints, n_groups: int) -> Ints:
    return np.stack([mask[:, groups == g].sum(axis=1) for g in range(n_groups)] or [np.zeros(len(mask))], axis=1)
