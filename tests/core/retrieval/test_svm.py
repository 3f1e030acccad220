"""Our solver against scikit-learn's LinearSVC with LangChain's settings: small, middling and large pools."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from core.retrieval import svm
from core.retrieval.names import parse_retriever
from core.retrieval.pool import Pool, unit
from core.retrieval.rankers import rank
from core.schema import Ranking
from tests.core.retrieval.pools import passages_of, random_vectors, vector_pool


def fitted(pool: Pool, question: np.ndarray) -> np.ndarray:
    machine = LinearSVC(C=0.1, class_weight="balanced", max_iter=10000, tol=1e-6, random_state=0)
    labels = np.zeros(len(pool) + 1)
    labels[0] = 1
    machine.fit(np.vstack([unit(question[None]), pool.unit]), labels)
    return machine.decision_function(pool.unit)


@pytest.mark.parametrize(
    ("n", "dimension"), [(1, 8), (2, 8), (30, 8), (120, 64), (400, 32), (svm._KERNEL_LIMIT, 24), (900, 48), (3_000, 64)]
)
def test_decisions_are_those_of_linear_svc(n: int, dimension: int) -> None:
    pool, questions = vector_pool(n, dimension), random_vectors(12, dimension, seed=5)
    outcomes = rank(parse_retriever("svm"), pool, ["?"] * 12, questions, n, 0)
    for question, ranking in zip(questions, outcomes, strict=True):
        assert isinstance(ranking, Ranking)
        expected = fitted(pool, question)
        # liblinear stops at a tolerance of 1e-6; its own solutions for two seeds differ by as much.
        assert np.array(ranking.scores) == pytest.approx(expected[list(ranking.passages)], abs=5e-6)


def test_a_question_equal_to_a_passage() -> None:
    pool = vector_pool(40)
    assert pool.vectors is not None
    (ranking,) = rank(parse_retriever("svm"), pool, ["?"], pool.vectors[7:8], 40, 0)
    assert isinstance(ranking, Ranking)
    assert ranking.passages[0] == 7
    assert np.array(ranking.scores) == pytest.approx(fitted(pool, pool.vectors[7])[list(ranking.passages)], abs=5e-6)


@pytest.mark.parametrize("n", [40, 900])
def test_what_does_not_settle_is_left_to_liblinear(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(passages_of([str(i) for i in range(n)]), random_vectors(n, 4))
    questions = random_vectors(6, 4, seed=9)
    expected = rank(parse_retriever("svm"), pool, ["?"] * 6, questions, 20, 0)
    asked = []
    original = svm._liblinear
    monkeypatch.setattr(svm, "_liblinear", lambda *a: asked.append(1) or original(*a))
    monkeypatch.setattr(svm, "_MAX_ITERATIONS", 1)
    found = rank(parse_retriever("svm"), pool, ["?"] * 6, questions, 20, 0)
    assert asked
    for left, right in zip(expected, found, strict=True):
        assert isinstance(left, Ranking)
        assert isinstance(right, Ranking)
        assert left.scores == pytest.approx(right.scores, abs=5e-6)
