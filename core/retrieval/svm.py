"""The SVM retriever: a linear support vector machine with the question as its only positive example.

For every question LangChain's SVMRetriever fits ``LinearSVC(C=0.1, class_weight="balanced", max_iter=10000,
tol=1e-6)``. Its problem, with x = (vector, 1) as liblinear appends the bias to the vector,

    minimise  1/2 |w|^2 + Cp max(0, 1 - w.q)^2 + Cn sum_i max(0, 1 + w.x_i)^2
    Cp = C (n + 1) / 2,  Cn = C (n + 1) / (2 n)

is strictly convex, so it has one solution whichever way it is found. Here it is found by Newton's method: given which
passages violate their margin (are *active*), w solves a linear system; its solution says which are active next; the
set that stays the same is the optimum. All questions share the passages, and so most of the work.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.retrieval.ordering import batches, best
from core.retrieval.pool import Pool, unit
from core.schema import Ranking

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

_C = 0.1
#: up to so many passages the n x n kernel is shared, beyond them each question solves in the d dimensions of a vector
_KERNEL_LIMIT = 512
_MAX_ITERATIONS = 50
#: a margin violated by less is not: keeps rounding from flipping a passage on its margin for ever
_MARGIN = 1e-10
#: first guess at the active passages of a large pool: those nearest to the question
_FIRST_ACTIVE = 384
#: passages that may become active in one step, the worst violators first: unbounded, nearly all of a large pool would
#: for a moment (18,000 of 20,000), to leave again
_MOST_JOINING = 192
_QUESTIONS_AT_ONCE = 32


def rank_svm(pool: Pool, vectors: NDArray[np.float32], depth: int, seed: int) -> list[Ranking]:
    """Rank by the decision function, on unit vectors.

    ``seed`` serves only a question whose active set does not settle in 50 steps: that one is left to liblinear.
    """
    questions = unit(vectors)
    rankings: list[Ranking] = []
    # Many small systems: threads would wait for each other longer than they work.
    with _linear_algebra_threads().limit(limits=1, user_api="blas"):
        if len(pool) <= _KERNEL_LIMIT:
            machine = pool.index("svm", lambda p: _SharedKernel(p.unit))
            for rows in batches(len(questions), len(pool)):
                rankings += best(machine.decisions(questions[rows], seed), depth)
            return rankings
        extended = pool.index("svm", lambda p: _with_bias(p.unit))
        for start in range(0, len(questions), _QUESTIONS_AT_ONCE):
            rankings += best(_primal_decisions(extended, questions[start : start + _QUESTIONS_AT_ONCE], seed), depth)
    return rankings


@cache
def _linear_algebra_threads() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  (its library must be loaded to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _costs(n: int) -> tuple[float, float]:
    """Return Cp and Cn: the balanced weights of one positive and n negatives times C."""
    return _C * (n + 1) / 2, _C * (n + 1) / (2 * n)


def _with_bias(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hstack([vectors, np.ones((len(vectors), 1))])


class _SharedKernel:
    """The dual problem of a small pool. With all passages active, one inverse serves every question.

    In the dual w = sum_i a_i x_i + a_q q, with (K + I / 2Cn) a + k_q a_q = -1 on the active passages, a = 0 on the
    others, and k_q.a + (k_qq + 1 / 2Cp) a_q = 1. The question itself is always active: kernels of unit vectors with
    bias are not negative, so the passages alone never push its decision above 0.
    """

    def __init__(self, passages: NDArray[np.float64]) -> None:
        self.passages = passages
        n = len(passages)
        cost_positive, cost_negative = _costs(n)
        self.slack, self.question_slack = 1 / (2 * cost_negative), 1 / (2 * cost_positive)
        self.kernel = passages @ passages.T + 1.0
        self.inverse = np.linalg.inv(self.kernel + self.slack * np.eye(n))

    def decisions(self, questions: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
        """Return the decision function, questions x passages."""
        near: NDArray[np.float64] = questions @ self.passages.T + 1.0
        own = np.einsum("qd,qd->q", questions, questions) + 1.0 + self.question_slack
        ones = self.inverse.sum(axis=1)
        by_near = near @ self.inverse
        weight = (1 + near @ ones) / (own - np.einsum("qn,qn->q", near, by_near))
        passage_weights = -ones - by_near * weight[:, None]
        found: NDArray[np.float64] = passage_weights @ self.kernel + near * weight[:, None]
        for row in np.flatnonzero((found <= -1 - _MARGIN).any(axis=1)):
            settled = self._settle(near[row], own[row], ones, by_near[row], np.flatnonzero(found[row] <= -1 - _MARGIN))
            found[row] = _liblinear(self.passages, questions[row], seed) if settled is None else settled
        return found

    def _settle(
        self,
        near: NDArray[np.float64],
        own: float,
        ones: NDArray[np.float64],
        by_near: NDArray[np.float64],
        inactive: NDArray[np.intp],
    ) -> NDArray[np.float64] | None:
        """Return the decisions of one question from a first guess at its inactive passages, None if none settles."""
        for _ in range(_MAX_ITERATIONS):
            columns = self.inverse[:, inactive]
            # Forces both solutions to 0 on the inactive passages.
            both = np.stack([ones, by_near], axis=1)
            both = both - columns @ np.linalg.solve(columns[inactive], both[inactive])
            weight = (1 + near @ both[:, 0]) / (own - near @ both[:, 1])
            found = self.kernel @ (-both[:, 0] - both[:, 1] * weight) + near * weight
            held = np.zeros(len(near), dtype=np.bool_)
            held[inactive] = True
            following = np.flatnonzero(np.where(held, found <= -1 + _MARGIN, found <= -1 - _MARGIN))
            if np.array_equal(following, inactive):
                return np.asarray(found)
            inactive = following
        return None


def _primal_decisions(passages: NDArray[np.float64], questions: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the decision function of a large pool, questions x passages (``passages`` with their bias).

    Only the passages that enter or leave the active set change a question's Hessian.
    """
    from scipy.linalg import cho_factor, cho_solve

    n, width = passages.shape
    cost_positive, cost_negative = _costs(n)
    extended = _with_bias(questions)
    hessians = np.eye(width) + 2 * cost_positive * np.einsum("qi,qj->qij", extended, extended)
    right = 2 * cost_positive * extended
    found = extended @ passages.T
    active = np.zeros(found.shape, dtype=np.bool_)
    first = np.argpartition(-found, _FIRST_ACTIVE, axis=1)[:, :_FIRST_ACTIVE]
    following = np.zeros_like(active)
    np.put_along_axis(following, first, True, axis=1)
    weights = np.empty_like(extended)
    open_rows = np.arange(len(questions))
    for _ in range(_MAX_ITERATIONS):
        for row in open_rows:
            for changed, sign in ((following[row] & ~active[row], 1.0), (active[row] & ~following[row], -1.0)):
                part = passages[changed]
                hessians[row] += sign * 2 * cost_negative * (part.T @ part)
                right[row] -= sign * 2 * cost_negative * part.sum(axis=0)
            weights[row] = cho_solve(cho_factor(hessians[row], overwrite_a=False), right[row])
        active[open_rows] = following[open_rows]
        found[open_rows] = weights[open_rows] @ passages.T
        for row in open_rows:
            following[row] = _next_active(found[row], active[row])
        open_rows = open_rows[(following[open_rows] != active[open_rows]).any(axis=1)]
        if not len(open_rows):
            return found
    for row in open_rows:
        found[row] = _liblinear(passages[:, :-1], questions[row], seed)
    return found


def _next_active(decisions: NDArray[np.float64], active: NDArray[np.bool_]) -> NDArray[np.bool_]:
    following: NDArray[np.bool_] = decisions > -1 + np.where(active, -_MARGIN, _MARGIN)
    joining = np.flatnonzero(following & ~active)
    if len(joining) > _MOST_JOINING:
        following[joining[np.argsort(-decisions[joining], kind="stable")[_MOST_JOINING:]]] = False
    return following


def _liblinear(passages: NDArray[np.float64], question: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the decisions of LangChain's own fit."""
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=_C, class_weight="balanced", max_iter=10000, tol=1e-6, random_state=seed)
    labels = np.zeros(len(passages) + 1)
    labels[0] = 1
    machine.fit(np.vstack([question, passages]), labels)
    return np.asarray(machine.decision_function(passages), dtype=np.float64)
