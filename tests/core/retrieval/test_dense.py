from __future__ import annotations

import numpy as np
import pytest

from core.retrieval.names import parse_retriever
from core.retrieval.pool import Pool
from core.retrieval.rankers import rank
from core.schema import Ranking
from tests.core.retrieval.pools import passages_of, random_vectors, vector_pool

DENSE = ["dps", "knn", "mmr", "svm"]


def ranked(name: str, pool: Pool, vectors: np.ndarray, depth: int = 20) -> list[Ranking]:
    outcomes = rank(parse_retriever(name), pool, ["?"] * len(vectors), vectors, depth, seed=0)
    assert all(isinstance(outcome, Ranking) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Ranking)]


def by_score(scores: np.ndarray) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-round(float(scores[i]), 6), i))


def test_dps_and_knn_by_hand() -> None:
    passages = np.array([[3, 0], [1, 1], [0, 2]], dtype=np.float32)
    pool = Pool(passages_of(["a", "b", "c"]), passages)
    question = np.array([[1, 0.5]], dtype=np.float32)
    (dps,), (knn,) = ranked("dps", pool, question), ranked("knn", pool, question)
    assert (dps.passages, dps.scores) == ((0, 1, 2), (3.0, 1.5, 1.0))
    assert (knn.passages, knn.scores) == ((1, 0, 2), (0.948683, 0.894427, 0.447214))


def test_dps_with_unit_vectors_is_knn() -> None:
    vectors = random_vectors(40)
    units = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    pool = Pool(passages_of([str(i) for i in range(40)]), units)
    questions = units[:5]
    assert [r.passages for r in ranked("dps", pool, questions)] == [r.passages for r in ranked("knn", pool, questions)]


def test_mmr_is_greedy() -> None:
    pool, questions = vector_pool(60), random_vectors(8, seed=1)
    similarity = pool.unit @ pool.unit.T
    for row, ranking in enumerate(ranked("mmr", pool, questions)):
        relevance = pool.unit @ (questions[row] / np.linalg.norm(questions[row]))
        fetched = by_score(relevance)[:20]
        assert ranking.passages[0] == fetched[0]
        assert sorted(ranking.passages) == sorted(fetched)
        chosen: list[int] = []
        for passage, score in zip(ranking.passages, ranking.scores, strict=True):
            gains = {
                i: 0.5 * relevance[i] - 0.5 * max((similarity[i, c] for c in chosen), default=0.0)
                for i in fetched
                if i not in chosen
            }
            assert gains[passage] == pytest.approx(max(gains.values()), abs=1.1e-6)
            assert score == pytest.approx(gains[passage], abs=1.1e-6)
            chosen.append(passage)


def test_mmr_differs_from_knn_where_passages_repeat_each_other() -> None:
    vectors = np.array([[1, 0, 0], [1, 0.01, 0], [0.8, 0, 0.6], [0, 1, 0]], dtype=np.float32)
    pool = Pool(passages_of(list("abcd")), vectors)
    question = np.array([[1, 0, 0.1]], dtype=np.float32)
    assert ranked("knn", pool, question)[0].passages == (0, 1, 2, 3)
    assert ranked("mmr", pool, question)[0].passages[:3] == (0, 2, 3)


def test_equal_gains_go_by_document_order_and_not_by_similarity() -> None:
    # The third passage is the question itself, so what the others gain in relevance they lose in redundancy.
    vectors = np.array([[0.2, 0.98, 0], [0.9, 0, 0.4], [1, 0, 0]], dtype=np.float32)
    (ranking,) = ranked("mmr", Pool(passages_of(list("abc")), vectors), np.array([[1, 0, 0]], dtype=np.float32))
    assert (ranking.passages, ranking.scores[:2]) == ((2, 0, 1), (0.5, 0.0))


@pytest.mark.parametrize("name", DENSE)
def test_a_deeper_ranking_begins_with_a_shallower_one(name: str) -> None:
    pool, questions = vector_pool(60), random_vectors(6, seed=1)
    deep = ranked(name, pool, questions, depth=45)
    for depth in (1, 4, 20, 21):
        for shallow, ranking in zip(ranked(name, pool, questions, depth), deep, strict=True):
            assert shallow.passages == ranking.passages[:depth]
            assert shallow.scores == ranking.scores[:depth]
    for ranking in deep:
        assert len(set(ranking.passages)) == 45
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)


@pytest.mark.parametrize("name", DENSE)
def test_equal_passages_come_in_document_order(name: str) -> None:
    vectors = np.repeat(random_vectors(3), 4, axis=0)
    pool = Pool(passages_of([str(i) for i in range(12)]), vectors)
    for ranking in ranked(name, pool, random_vectors(5, seed=2)):
        for block in (range(4), range(4, 8), range(8, 12)):
            assert [p for p in ranking.passages if p in block] == list(block)


@pytest.mark.parametrize("name", DENSE)
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_small_pools_give_all_they_have(name: str, n: int) -> None:
    for ranking in ranked(name, vector_pool(n), random_vectors(3, seed=1)):
        assert sorted(ranking.passages) == list(range(n))
        assert not ranking.no_match


@pytest.mark.parametrize("name", DENSE)
def test_rankings_do_not_depend_on_the_batch(name: str) -> None:
    pool, questions = vector_pool(50), random_vectors(10, seed=3)
    together = ranked(name, pool, questions)
    assert [ranked(name, pool, questions[i : i + 1])[0] for i in range(10)] == together


@pytest.mark.parametrize("name", DENSE)
def test_vectors_are_needed(name: str) -> None:
    with pytest.raises(ValueError, match="one vector a question"):
        rank(parse_retriever(name), vector_pool(3), ["a", "b"], None, 4, 0)
    with pytest.raises(ValueError, match="one vector a question"):
        rank(parse_retriever(name), vector_pool(3), ["a", "b"], random_vectors(1), 4, 0)
