"""Questions in categories: which categories have enough questions to count, and their means with joint errors.

Every measure of the Granularity lens starts from these groups, so that all of them mean the same questions.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.clustering import ClusterDesign, Floats, Ints
from core.stats.intervals import mean_t

#: a category of fewer scored questions is shown but counts in no measure of its level
FEWEST_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; what does not exist is None, and ``reason`` says why ("" where all exist)."""

    value: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CategoryMean:
    """The mean score of one category of a level.

    ``n`` questions are scored, ``n_not_scored`` are not; ``n_documents`` stand behind the scored ones. ``counted`` is
    False where the category enters no measure of its level, and ``reason`` says why.
    """

    name: str
    parent: str | None
    n: int
    n_not_scored: int
    n_documents: int
    mean: Estimate
    counted: bool
    reason: str = ""


@dataclass(frozen=True)
class Grouped:
    """The n scored questions of the K categories that count.

    ``questions`` are their places among all questions, ``codes`` their categories (0 … K-1), ``clusters`` their
    documents. ``clustered``: some document has several questions in this dimension.
    """

    names: tuple[str, ...]
    questions: Ints
    codes: Ints
    scores: Floats
    clusters: Ints
    clustered: bool

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.names)

    @cached_property
    def counts(self) -> Ints:
        """Questions of each category, (K,)."""
        return np.bincount(self.codes, minlength=self.k).astype(np.int64)

    @cached_property
    def means(self) -> Floats:
        """Mean score of each category, (K,)."""
        return np.asarray(np.bincount(self.codes, self.scores, self.k) / self.counts, dtype=np.float64)

    @cached_property
    def errors(self) -> tuple[Floats, Floats]:
        """The covariance of the means' errors (K, K), by document where questions share one, and their df (K,)."""
        if not self.clustered:
            squares = np.bincount(self.codes, (self.scores - self.means[self.codes]) ** 2, self.k)
            spare: Floats = self.counts.astype(np.float64) - 1.0
            return np.diag(squares / spare / self.counts), spare
        design = ClusterDesign(self.clusters, self.codes)
        means = design.stratum_means(self.scores[None, :], np.ones((1, self.scores.size), np.bool_))
        return design.covariances(means.scores, means.scores)[0], means.df[0]

    @property
    def all_equal(self) -> bool:
        """Every score is the same."""
        return bool(self.scores.size) and bool(np.ptp(self.scores) == 0)


def checked_scores(scores: ArrayLike, n: int) -> Floats:
    """Return the scores (Q,) as floats, NaN where not scored. Raises ValueError for a wrong length or an infinity."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"scores have the shape {values.shape}, but {n} questions have labels")
    if np.isinf(values).any():
        raise ValueError("scores must be finite numbers, or NaN where a question is not scored")
    return values


def document_codes(documents: Sequence[Hashable] | NDArray[np.int64] | None, n: int) -> Ints:
    """Return an integer a question that equal documents share, (Q,); None makes every question its own.

    Raises ValueError for a wrong length.
    """
    if documents is None:
        return np.arange(n, dtype=np.int64)
    if len(documents) != n:
        raise ValueError(f"{len(documents)} documents were given for {n} questions")
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(document, len(number)) for document in documents], dtype=np.int64)


def group(
    scores: Floats,
    categories: Sequence[str | None],
    declared: Sequence[tuple[str, str | None]],
    clusters: Ints,
    clustered: bool,
) -> tuple[Grouped, tuple[CategoryMean, ...]]:
    """Return the categories that count, grouped, and the means of all ``declared`` ones (name, parent), in order."""
    place = {name: number for number, (name, _) in enumerate(declared)}
    codes = np.array([-1 if name is None else place[name] for name in categories], dtype=np.int64)
    scored = ~np.isnan(scores) & (codes >= 0)
    n = np.bincount(codes[scored], minlength=len(declared))
    missing = np.bincount(codes[(codes >= 0) & ~scored], minlength=len(declared))
    documents = _distinct(codes[scored], clusters[scored], len(declared))
    reasons = [
        _too_few(int(n[i]), int(missing[i]), int(documents[i]) if clustered else None) for i in range(len(declared))
    ]
    kept = np.array([not reason for reason in reasons], dtype=np.bool_)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    chosen = np.flatnonzero(scored & kept[codes])
    grouped = Grouped(
        tuple(name for (name, _), keep in zip(declared, kept, strict=True) if keep),
        chosen,
        number[codes[chosen]].astype(np.int64),
        scores[chosen],
        clusters[chosen],
        clustered,
    )
    estimates = mean_estimates(scores[scored], codes[scored], clusters[scored], len(declared))
    return grouped, tuple(
        CategoryMean(
            name, parent, int(n[i]), int(missing[i]), int(documents[i]), estimates[i], bool(kept[i]), reasons[i]
        )
        for i, (name, parent) in enumerate(declared)
    )


def mean_estimates(scores: Floats, codes: Ints, clusters: Ints, k: int) -> list[Estimate]:
    """Return the mean of each of ``k`` groups with its interval by t, errors clustered by document."""
    if not scores.size:
        return [Estimate(None, None, None, "no question is scored") for _ in range(k)]
    means = ClusterDesign(clusters, codes).stratum_means(scores[None, :], np.ones((1, scores.size), np.bool_))
    bounds = mean_t(means.mean, means.variance, means.df)
    found = []
    for i in range(k):
        if i >= means.n.shape[1] or not means.n[0, i]:
            found.append(Estimate(None, None, None, "no question is scored"))
        elif means.clusters[0, i] < 2:
            lone = "one question has no spread" if means.n[0, i] == 1 else "all its questions share one document"
            found.append(Estimate(float(means.mean[0, i]), None, None, lone))
        else:
            found.append(Estimate(float(means.mean[0, i]), float(bounds.low[0, i]), float(bounds.high[0, i])))
    return found


def questions(n: int) -> str:
    """Return "1 question" or "12 questions"."""
    return "1 question" if n == 1 else f"{n:,} questions"


def shares_documents(clusters: Ints, used: NDArray[np.bool_]) -> bool:
    """Return whether two of the questions marked in ``used`` share a document."""
    inside = clusters[used]
    return bool(np.unique(inside).size < inside.size)


def _distinct(codes: Ints, clusters: Ints, k: int) -> Ints:
    """Return the number of documents behind each of ``k`` groups."""
    if not codes.size:
        return np.zeros(k, np.int64)
    pairs = np.unique(np.stack([codes, clusters]), axis=1)
    return np.bincount(pairs[0], minlength=k).astype(np.int64)


def _too_few(n: int, missing: int, documents: int | None) -> str:
    """Return why a category does not count, "" where it does."""
    if not n:
        return f"none of its {questions(missing)} is scored" if missing else "no question"
    if n < FEWEST_QUESTIONS:
        return f"{questions(n)}: too few, {FEWEST_QUESTIONS} are needed"
    if documents is not None and documents < 2:
        return f"all {questions(n)} share one document"
    return ""
