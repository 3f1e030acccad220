"""Every ranking measure at every cutoff in one pass: what a run stores and the curves over k are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.metrics.gains import Floats, alpha_dcg_scale, alpha_gains, discounted, ratio
from core.metrics.judgments import ALPHA, JudgedTopic, checked_alpha, checked_cutoff

#: ranks that a run stores of every ranking
DEPTH = 20


@dataclass(frozen=True, slots=True)
class RankingCurves:
    """Measures of one ranking at k = 1 … depth, arrays (depth,) under the names of their functions in ``diversity``.

    ``average_precision`` and ``reciprocal_rank`` are over the first ``depth`` ranks.
    """

    alpha_ndcg: Floats
    alpha_dcg: Floats
    subtopic_recall: Floats
    ndcg_binary: Floats
    ndcg_count: Floats
    judged: Floats
    average_precision: float
    reciprocal_rank: float


def ranking_curves(
    topic: JudgedTopic, ranking: Sequence[str], depth: int = DEPTH, alpha: float = ALPHA
) -> RankingCurves:
    """Return all measures of ``ranking`` (document ids, best first) at every cutoff up to ``depth``.

    Equal to the functions of ``diversity`` and ``ranking`` at each k, with ``denominator="supported"``. All are 0
    where no judged document holds a nugget. Raises OptionError for a depth below 1 or alpha outside [0, 1].
    """
    depth, alpha = checked_cutoff(depth), checked_alpha(alpha)
    held = topic.held(ranking, depth)
    grades = held.sum(axis=1)
    relevant = grades > 0
    cutoffs = np.arange(1, depth + 1)
    dcg = discounted(alpha_gains(held, alpha))
    ideal_grades = np.zeros(depth)
    best = topic.grades()[:depth]
    ideal_grades[: len(best)] = best
    precision = relevant.cumsum() / cutoffs
    n_relevant = len(topic.grades())
    return RankingCurves(
        alpha_ndcg=ratio(dcg, discounted(topic.ideal_gains(depth, alpha))),
        alpha_dcg=ratio(dcg, alpha_dcg_scale(topic.n_supported, depth, alpha)),
        subtopic_recall=np.logical_or.accumulate(held, axis=0).sum(axis=1) / max(topic.n_supported, 1),
        ndcg_binary=ratio(discounted(relevant), discounted(ideal_grades > 0)),
        ndcg_count=ratio(discounted(grades), discounted(ideal_grades)),
        judged=topic.judged(ranking, depth).cumsum() / cutoffs,
        average_precision=float(precision[relevant].sum() / n_relevant) if n_relevant else 0.0,
        reciprocal_rank=float(1.0 / (1 + int(relevant.argmax()))) if relevant.any() else 0.0,
    )
