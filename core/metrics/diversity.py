"""How much of what is needed a ranking shows, and how early: novelty-aware measures over nuggets.

Clarke et al., *Novelty and Diversity in Information Retrieval Evaluation*, SIGIR 2008, as NIST's ``ndeval``
computes it; subtopic recall by Zhai, Cohen and Lafferty, SIGIR 2003.

In every function ``ranking`` holds document ids, best first, and ``judgments`` maps a document id to the set of
nuggets it holds (an empty set where it was judged and holds none). Documents that nobody judged hold nothing; one
that occurs again scores nothing and burns its later rank; ranks beyond the end are empty. A ranking of nothing, and
judgments without a nugget, give 0. All raise OptionError for a cutoff below 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.errors import OptionError
from core.metrics.gains import alpha_dcg_scale, alpha_gains, discounted, discounts, ratio
from core.metrics.judgments import (
    ALPHA,
    JudgedTopic,
    Judgments,
    checked_alpha,
    checked_cutoff,
    without_repeats,
)
from core.metrics.ranking import ndcg

Denominator = Literal["supported", "all"]
Gain = Literal["binary", "count"]


def alpha_ndcg(ranking: Sequence[str], judgments: Judgments, k: int, alpha: float = ALPHA) -> float:
    """Return alpha-nDCG@k: DCG of novel nuggets over that of the greedy ideal of all judged documents.

    A nugget seen n times before is worth (1 - alpha)^n. From 0 to e / (e - 1) = 1.58: the greedy ideal is not always
    the best ranking, so values above 1 occur and are kept. Raises OptionError for alpha outside [0, 1].
    """
    k, alpha = checked_cutoff(k), checked_alpha(alpha)
    topic = JudgedTopic(judgments)
    dcg = discounted(alpha_gains(topic.held(ranking, k), alpha))
    return float(ratio(dcg, discounted(topic.ideal_gains(k, alpha)))[-1])


def alpha_dcg(ranking: Sequence[str], judgments: Judgments, k: int, alpha: float = ALPHA) -> float:
    """Return alpha-DCG@k as ``ndeval`` prints it.

    DCG over sum_{i<=k} |N| (1 - alpha)^(i-1) / log2(i + 1), N the nuggets with support: in [0, 1]; at k = 1 the raw
    gain, from 0 to |N|. Raises OptionError for alpha outside [0, 1].
    """
    k, alpha = checked_cutoff(k), checked_alpha(alpha)
    topic = JudgedTopic(judgments)
    dcg = discounted(alpha_gains(topic.held(ranking, k), alpha))
    return float(ratio(dcg, alpha_dcg_scale(topic.n_supported, k, alpha))[-1])


def subtopic_recall(
    ranking: Sequence[str],
    judgments: Judgments,
    k: int,
    denominator: Denominator = "supported",
    n_nuggets: int | None = None,
) -> float:
    """Return StRecall@k: the share of nuggets that the first k documents hold together, in [0, 1].

    "supported" divides by the nuggets that at least one judged document holds (``ndeval``); "all" by ``n_nuggets``,
    every nugget of the topic (arXiv 2603.08819). Raises OptionError where "all" lacks that number, where it is
    smaller than what the judgments hold, and for another denominator.
    """
    k = checked_cutoff(k)
    supported = set().union(*judgments.values())
    total = _denominator(denominator, len(supported), n_nuggets)
    found = set().union(*(judgments.get(document, ()) for document in ranking[:k]))
    return len(found) / total if total else 0.0


def ndcg_nuggets(ranking: Sequence[str], judgments: Judgments, k: int, gain: Gain = "binary") -> float:
    """Return nDCG@k with the nuggets of a document as its grade, in [0, 1].

    "binary": grade 1 for one nugget or more; "count": their number. Nothing is said of novelty, and the two differ
    much: name the one used. Raises OptionError for another gain.
    """
    if gain not in ("binary", "count"):
        raise OptionError(f"gain {gain!r} is unknown: use 'binary' (one nugget or more) or 'count' (how many)")
    grades = {
        document: float(min(len(held), 1) if gain == "binary" else len(held)) for document, held in judgments.items()
    }
    return ndcg(ranking, grades, k)


def judged_at(ranking: Sequence[str], judgments: Judgments, k: int) -> float:
    """Return judged@k: the share of the first k ranks that show a judged document, in [0, 1]; each counts once."""
    k = checked_cutoff(k)
    return sum(document in judgments for document in without_repeats(ranking, k)) / k


def recipe_alpha_ndcg(ranking: Sequence[str], judgments: Judgments, k: int) -> float:
    """Return what a recipe in circulation calls alpha-nDCG@k; for comparison alone, it is not that measure.

    DCG with alpha = 1 (a nugget counts once), over |N| / log2(k + 1): all nuggets at the *last* rank's discount
    instead of an ideal ranking. Not bounded by 1, and it rises with k for any ranking.
    """
    k = checked_cutoff(k)
    topic = JudgedTopic(judgments)
    if not topic.n_supported:
        return 0.0
    dcg = discounted(alpha_gains(topic.held(ranking, k), 1.0))[-1]
    return float(dcg / (topic.n_supported * discounts(k)[-1]))


def _denominator(name: str, supported: int, n_nuggets: int | None) -> int:
    if name == "supported":
        return supported
    if name != "all":
        raise OptionError(f"denominator {name!r} is unknown: use 'supported' (held by a judged document) or 'all'")
    if n_nuggets is None:
        raise OptionError("denominator 'all' needs n_nuggets: give the number of nuggets of the topic")
    if n_nuggets < supported:
        raise OptionError(
            f"n_nuggets is {n_nuggets}, but the judgments hold {supported}: count every nugget of the topic"
        )
    return n_nuggets
