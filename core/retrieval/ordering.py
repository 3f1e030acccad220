"""From scores to rankings: higher score first, then document order, at a resolution of 1e-6."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.schema import Ranking

#: decimals of a score; what differs by less is a tie
DECIMALS = 6
#: numbers in one matrix of scores (64 MB), so that a large pool is searched in several batches of questions
_SCORES_AT_ONCE = 8_000_000


def batches(n_questions: int, n_passages: int) -> list[slice]:
    """Return slices of the questions, each of which may be scored against all passages at once."""
    step = max(1, _SCORES_AT_ONCE // max(1, n_passages))
    return [slice(start, min(start + step, n_questions)) for start in range(0, n_questions, step)]


def rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores at the resolution at which rankings are decided, without negative zeros."""
    return np.round(scores, DECIMALS) + 0.0


def best(scores: NDArray[np.float64], depth: int, no_match: NDArray[np.bool_] | None = None) -> list[Ranking]:
    """Return the first ``depth`` passages of each row of scores (questions x passages), or all where there are fewer.

    Rows marked in ``no_match`` give the passages in document order with score 0.
    """
    n = scores.shape[1]
    depth = min(depth, n)
    ordered = rounded(scores)
    rankings = []
    for row, values in enumerate(ordered):
        if no_match is not None and no_match[row]:
            rankings.append(Ranking(tuple(range(depth)), (0.0,) * depth, no_match=True))
            continue
        places = _first(values, depth)
        rankings.append(Ranking(tuple(places.tolist()), tuple(values[places].tolist())))
    return rankings


def _first(values: NDArray[np.float64], depth: int) -> NDArray[np.intp]:
    """Return the places of the ``depth`` highest values, equal ones by place, without sorting all of a long row."""
    if depth < len(values) // 8:
        threshold = np.partition(values, -depth)[-depth]
        candidates = np.flatnonzero(values >= threshold)
        return candidates[np.argsort(-values[candidates], kind="stable")[:depth]]
    return np.argsort(-values, kind="stable")[:depth]
