"""Relevance measures of one ranking, blind to which nugget is which: precision, recall, AP, RR, nDCG.

As ``trec_eval`` computes them, but for one rule of ours: a document that occurs again scores nothing and burns its
later rank. ``ranking`` holds document ids, best first. A document is relevant when it holds at least one nugget
(``judgments`` as in ``diversity``). All values lie in [0, 1] and are 0 where nothing is relevant; all raise
OptionError for a cutoff below 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.metrics.gains import discounts
from core.metrics.judgments import Judgments, checked_cutoff, without_repeats


def precision(ranking: Sequence[str], judgments: Judgments, k: int) -> float:
    """Return P@k: relevant documents among the first k, over k."""
    k = checked_cutoff(k)
    return sum(_relevant(ranking, judgments, k)) / k


def recall(ranking: Sequence[str], judgments: Judgments, k: int) -> float:
    """Return R@k: relevant documents among the first k, over all relevant ones."""
    k = checked_cutoff(k)
    total = _n_relevant(judgments)
    return sum(_relevant(ranking, judgments, k)) / total if total else 0.0


def average_precision(ranking: Sequence[str], judgments: Judgments, k: int | None = None) -> float:
    """Return AP: the sum of precisions at the ranks of relevant documents, over all relevant ones (MAP's topic).

    ``k`` ends the ranking there; None takes all of it.
    """
    total = _n_relevant(judgments)
    seen, area = 0, 0.0
    for rank, relevant in enumerate(_relevant(ranking, judgments, _depth(ranking, k)), start=1):
        if relevant:
            seen += 1
            area += seen / rank
    return area / total if total else 0.0


def reciprocal_rank(ranking: Sequence[str], judgments: Judgments, k: int | None = None) -> float:
    """Return RR: one over the rank of the first relevant document, 0 where there is none (MRR's topic).

    ``k`` ends the ranking there; None takes all of it.
    """
    flags = _relevant(ranking, judgments, _depth(ranking, k))
    return next((1.0 / rank for rank, relevant in enumerate(flags, start=1) if relevant), 0.0)


def ndcg(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Return nDCG@k (Järvelin and Kekäläinen 2002): gain is the grade, discount 1 / log2(rank + 1).

    ``grades`` are by document id; the ideal sorts all of them. Documents without a grade, and grades below 0, count
    as 0.
    """
    k = checked_cutoff(k)
    weights = discounts(k)
    gains = [
        max(grades.get(document, 0.0), 0.0) if document is not None else 0.0 for document in without_repeats(ranking, k)
    ]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    best = float(weights[: len(ideal)] @ ideal) if ideal else 0.0
    return float(weights[: len(gains)] @ gains) / best if best else 0.0


def _depth(ranking: Sequence[str], k: int | None) -> int:
    return max(len(ranking), 1) if k is None else checked_cutoff(k)


def _relevant(ranking: Sequence[str], judgments: Judgments, k: int) -> list[bool]:
    return [document is not None and bool(judgments.get(document)) for document in without_repeats(ranking, k)]


def _n_relevant(judgments: Judgments) -> int:
    return sum(bool(held) for held in judgments.values())
