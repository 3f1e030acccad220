"""Retrievers that rank by embeddings: dot product, cosine, maximal marginal relevance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.retrieval.ordering import batches, best, rounded
from core.retrieval.pool import Pool, unit
from core.schema import Ranking

#: relevance against redundancy, and the candidates among which MMR chooses
LAMBDA, FETCH_K = 0.5, 20
#: questions whose candidates' vectors are held at once (20 x d doubles each)
_MMR_QUESTIONS = 256


def rank_dps(pool: Pool, vectors: NDArray[np.float32], depth: int) -> list[Ranking]:
    """Rank by the dot product of un-normalised embeddings; with unit vectors this is ``knn``."""
    return _rank_by_product(pool.raw, vectors.astype(np.float64), depth)


def rank_knn(pool: Pool, vectors: NDArray[np.float32], depth: int) -> list[Ranking]:
    """Rank by cosine (in [-1, 1]), exactly, against every passage."""
    return _rank_by_product(pool.unit, unit(vectors), depth)


def rank_mmr(pool: Pool, vectors: NDArray[np.float32], depth: int) -> list[Ranking]:
    """Rank by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) with cosine both ways.

    The 20 passages most similar to the question are reordered: each next one maximises
    0.5 cos(question, p) - 0.5 max over the chosen c of cos(c, p), which is its score; the first is the most similar.
    Beyond 20 the passages follow by similarity, scored as if wholly redundant, so that a deeper ranking begins with
    a shallower one and scores never rise.
    """
    questions = unit(vectors)
    similar = _rank_by_product(pool.unit, questions, max(depth, FETCH_K))
    rankings: list[Ranking] = []
    for start in range(0, len(similar), _MMR_QUESTIONS):
        part = similar[start : start + _MMR_QUESTIONS]
        rankings += _rerank(pool.unit, questions[start : start + _MMR_QUESTIONS], part, depth)
    return rankings


def _rank_by_product(passages: NDArray[np.float64], questions: NDArray[np.float64], depth: int) -> list[Ranking]:
    rankings: list[Ranking] = []
    for rows in batches(len(questions), len(passages)):
        rankings += best(questions[rows] @ passages.T, depth)
    return rankings


def _rerank(
    passages: NDArray[np.float64], questions: NDArray[np.float64], similar: list[Ranking], depth: int
) -> list[Ranking]:
    # Candidates stand in document order, so that the first maximum is the right one among equals.
    places = np.array([sorted(ranking.passages[:FETCH_K]) for ranking in similar], dtype=np.intp)
    candidates = passages[places]
    relevance = np.einsum("qcd,qd->qc", candidates, questions)
    similarity = candidates @ candidates.transpose(0, 2, 1)
    every = np.arange(len(similar))
    redundancy = np.zeros_like(relevance)
    chosen: list[NDArray[np.intp]] = []
    scores: list[NDArray[np.float64]] = []
    left = np.ones(relevance.shape, dtype=np.bool_)
    for step in range(min(depth, places.shape[1])):
        gain = rounded(LAMBDA * relevance - (1 - LAMBDA) * redundancy)
        pick = np.where(left, gain, -np.inf).argmax(axis=1)
        left[every, pick] = False
        scores.append(gain[every, pick])
        chosen.append(places[every, pick])
        to_pick = similarity[every, pick]
        redundancy = np.maximum(redundancy, to_pick) if step else to_pick
    order, gains = np.array(chosen).T, np.array(scores).T
    rankings = []
    for row, ranking in enumerate(similar):
        rest, rest_scores = ranking.passages[FETCH_K:depth], ranking.scores[FETCH_K:depth]
        tail = rounded(LAMBDA * np.array(rest_scores) - (1 - LAMBDA))
        rankings.append(Ranking((*order[row].tolist(), *rest), (*gains[row].tolist(), *tail.tolist())))
    return rankings
