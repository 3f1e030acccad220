"""Means of questions that share documents: the one place where clusters enter intervals, tests and degrees of freedom.

Questions about one document are not independent, so the variance of a mean is taken over documents (clusters).
The estimator is CR2 (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018): unbiased when questions are in fact
independent, for any cluster sizes. For the design used here, a mean per stratum (logical relation), the inverse
square root of its leverage matrix is a scalar per (stratum, cluster), so everything is a handful of grouped sums.
Degrees of freedom are Satterthwaite's under the same working model. Special cases that fall out: every question its
own cluster gives s^2/n with n - 1 degrees of freedom; equal clusters give G/(G-1) times the plain sandwich, G - 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StratumMeans:
    """Means of C systems in each of R strata; every array is (C, R) but ``scores``, which is (C, P).

    ``mean`` is NaN where nothing was scored; ``variance`` (of the mean) and ``df`` are NaN with fewer than two
    clusters. ``kish`` is the effective number of clusters, (sum m)^2 / sum m^2 for m questions a cluster.
    ``scores[c, p]`` is what the p-th (stratum, cluster) pair contributes to the error of its stratum's mean:
    variances are sums of its squares, covariances of two measures sums of products.
    """

    n: Ints
    clusters: Ints
    mean: Floats
    variance: Floats
    df: Floats
    kish: Floats
    scores: Floats


@dataclass(frozen=True, slots=True)
class OverallMeans:
    """Means over strata with equal weight, one a system: (C,) arrays, ``scores`` (C, G) per cluster."""

    mean: Floats
    variance: Floats
    df: Floats
    scores: Floats


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """The mean of one sample with its cluster-robust ``variance``.

    ``variance`` and ``df`` are None, with a ``reason``, where fewer than two clusters exist. ``effective_n`` is
    the number of independent questions that would give the same precision.
    """

    mean: float | None
    variance: float | None
    df: float | None
    effective_n: float
    n: int
    n_clusters: int
    reason: str = ""


class ClusterDesign:
    """Which question belongs to which stratum and cluster, sorted once for grouped sums.

    ``clusters`` and ``strata`` are (Q,) integers; stratum -1 stands outside every mean. Strata are 0 … R-1.
    Raises ValueError when lengths differ.
    """

    def __init__(self, clusters: ArrayLike, strata: ArrayLike | None = None) -> None:
        labels = np.asarray(clusters, dtype=np.int64)
        layers = np.zeros(labels.shape, np.int64) if strata is None else np.asarray(strata, dtype=np.int64)
        if labels.ndim != 1 or labels.shape != layers.shape:
            raise ValueError(f"clusters {labels.shape} and strata {layers.shape} must be vectors of one length")
        self.questions: Ints = np.flatnonzero(layers >= 0)
        _, dense = np.unique(labels[self.questions], return_inverse=True)
        layers = layers[self.questions]
        self.n_strata = int(layers.max(initial=-1)) + 1
        self.n_clusters = int(dense.max(initial=-1)) + 1
        code = layers * max(self.n_clusters, 1) + dense
        self._order: Ints = self.questions[np.argsort(code, kind="stable")]
        pairs, self._starts = np.unique(np.sort(code), return_index=True)
        self.pair_stratum: Ints = pairs // max(self.n_clusters, 1)
        self.pair_cluster: Ints = pairs % max(self.n_clusters, 1)
        #: no cluster lies in two strata, so that strata are independent
        self._nested = len(pairs) == self.n_clusters
        self._by_cluster: Ints = np.argsort(self.pair_cluster, kind="stable")

    def pair_sums(self, values: NDArray[np.float64]) -> Floats:
        """Sum (C, Q) values within every (stratum, cluster) pair: (C, P)."""
        if not self._order.size:
            return np.zeros((values.shape[0], 0))
        return np.asarray(np.add.reduceat(values[:, self._order], self._starts, axis=1), dtype=np.float64)

    def by_stratum(self, pairs: Floats) -> Floats:
        """Sum (C, P) pair values within strata: (C, R). Strata without a pair get 0."""
        return _grouped_sum(pairs, self.pair_stratum, self.n_strata)

    def by_cluster(self, pairs: Floats) -> Floats:
        """Sum (C, P) pair values within clusters: (C, G)."""
        return _grouped_sum(pairs[:, self._by_cluster], self.pair_cluster[self._by_cluster], self.n_clusters)

    def stratum_means(self, values: NDArray[np.float64], scored: NDArray[np.bool_]) -> StratumMeans:
        """Means of the scored values in each stratum; ``values`` and ``scored`` are (C, Q)."""
        m, sums = self._counts_and_sums(values, scored)
        present = m > 0
        n = self.by_stratum(m)
        clusters = self.by_stratum(present.astype(np.float64))
        estimable = clusters >= 2
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.by_stratum(sums) / n
            residual = np.where(present, sums - m * mean[:, self.pair_stratum], 0.0)
            # square of the CR2 factor (1 - m/n)^(-1/2); no such factor exists for a lone cluster
            factor = np.where(present & estimable[:, self.pair_stratum], 1.0 / (1.0 - m / n[:, self.pair_stratum]), 0.0)
            scores = np.where(present, residual * np.sqrt(factor) / n[:, self.pair_stratum], 0.0)
            off = np.where(present, factor * m**2 / n[:, self.pair_stratum], 0.0)
            df = n**2 / (self.by_stratum(m**2) + self.by_stratum(off) ** 2 - self.by_stratum(off**2))
            kish = n**2 / self.by_stratum(m**2)
        variance = np.where(estimable, self.by_stratum(scores**2), np.nan)
        return StratumMeans(
            n=n.astype(np.int64),
            clusters=clusters.astype(np.int64),
            mean=mean,
            variance=variance,
            df=np.where(estimable, df, np.nan),
            kish=np.where(clusters > 0, kish, np.nan),
            scores=scores,
        )

    def covariances(self, first: Floats, second: Floats) -> Floats:
        """Covariance of stratum means, (C, R, R): strata are correlated where one document carries several.

        ``first`` and ``second`` are the (C, P) ``scores`` of two measures (or one measure twice).
        """
        if self._nested:
            return np.asarray(self.by_stratum(first * second)[:, :, None] * np.eye(self.n_strata), dtype=np.float64)
        result = np.empty((len(first), self.n_strata, self.n_strata))
        for i in range(len(first)):
            result[i] = self._dense(first[i]).T @ self._dense(second[i])
        return result

    def overall_means(self, values: NDArray[np.float64], scored: NDArray[np.bool_]) -> OverallMeans:
        """Equal-weight means over the strata that have a scored question; ``values`` and ``scored`` are (C, Q).

        A stratum with one cluster cannot show its own variance: its deviation from the overall mean stands in
        (``lonely.psu = "adjust"`` of R's *survey*), which errs on the wide side.
        """
        m, sums = self._counts_and_sums(values, scored)
        strata = self.stratum_means(values, scored)
        with np.errstate(divide="ignore", invalid="ignore"):
            # weight of one question: 1 / (strata present x questions in its stratum)
            weight = 1.0 / ((strata.n > 0).sum(axis=1, keepdims=True) * strata.n)
            mean = np.where(strata.n > 0, strata.mean, 0.0).sum(axis=1) / (strata.n > 0).sum(axis=1)
            pair_weight = np.where(m > 0, weight[:, self.pair_stratum], 0.0)
            pair_n = strata.n[:, self.pair_stratum]
            lone = strata.clusters[:, self.pair_stratum] < 2
            adjusted = np.where(lone, (sums - m * mean[:, None]) * pair_weight, strata.scores * pair_weight * pair_n)
            scores = self.by_cluster(np.where(m > 0, adjusted, 0.0))
            factor = np.where(lone | (m == 0), 0.0, 1.0 / np.sqrt(np.maximum(1.0 - m / pair_n, 1e-300)))
            spread = np.where(m > 0, pair_weight * factor * m / np.sqrt(pair_n), 0.0)
        df = self._overall_df(self.by_cluster(pair_weight**2 * m), spread)
        estimable = (self.by_cluster(m) > 0).sum(axis=1) >= 2
        return OverallMeans(
            mean=mean,
            variance=np.where(estimable, (scores**2).sum(axis=1), np.nan),
            df=np.where(estimable, df, np.nan),
            scores=scores,
        )

    def _counts_and_sums(self, values: NDArray[np.float64], scored: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        return self.pair_sums(scored.astype(np.float64)), self.pair_sums(np.where(scored, values, 0.0))

    def _dense(self, pairs: Floats) -> Floats:
        """Spread (P,) pair values over a (G, R) table."""
        table = np.zeros((self.n_clusters, self.n_strata))
        table[self.pair_cluster, self.pair_stratum] = pairs
        return table

    def _overall_df(self, own: Floats, spread: Floats) -> Floats:
        """Satterthwaite's df: tr(C)^2 / tr(C^2), C = covariance of the cluster scores under independence.

        C[g, g] is ``own``; C[g, h] = -sum over strata of spread[g, r] spread[h, r]. Systems that miss no question
        share their design, so equal rows are computed once.
        """
        known: dict[bytes, float] = {}
        result = np.empty(len(own))
        for i, (diagonal, d) in enumerate(zip(own, spread[:, None, :], strict=True)):
            key = diagonal.tobytes() + d.tobytes()
            if key not in known:
                shared = self.covariances(d, d)[0]
                off = (shared**2).sum() - (self.by_cluster(d**2) ** 2).sum()
                square = float((diagonal**2).sum() + off)
                known[key] = float(diagonal.sum()) ** 2 / square if square > 0 else np.nan
            result[i] = known[key]
        return result


def clustered_mean(values: ArrayLike, clusters: ArrayLike) -> ClusteredMean:
    """Mean of one sample (n,) whose questions share clusters (n,), with its CR2 variance.

    ``effective_n`` is n over the design effect where that can be estimated, else Kish's effective number of
    clusters. Raises ValueError on values that are not finite or when lengths differ.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not np.isfinite(sample).all():
        raise ValueError("values must be a vector of finite numbers: leave out what has no score")
    design = ClusterDesign(clusters)
    if design.questions.size != sample.size:
        raise ValueError(f"{sample.size} values but {design.questions.size} cluster labels")
    if not sample.size:
        return ClusteredMean(None, None, None, 0.0, 0, 0, "nothing was scored")
    means = design.stratum_means(sample[None, :], np.ones((1, sample.size), dtype=np.bool_))
    mean, n, g = float(means.mean[0, 0]), int(means.n[0, 0]), int(means.clusters[0, 0])
    if g < 2:
        reason = "one question has no spread" if n == 1 else "all questions share one document"
        return ClusteredMean(mean, None, None, 1.0, n, g, reason)
    variance, df = float(means.variance[0, 0]), float(means.df[0, 0])
    independent = float(sample.var(ddof=1)) / n
    effective = float(means.kish[0, 0]) if min(variance, independent) <= 0 else n * independent / variance
    return ClusteredMean(mean, variance, df, effective, n, g)


def _grouped_sum(values: Floats, groups: Ints, n_groups: int) -> Floats:
    """Sum columns of (C, P) values by sorted group number: (C, n_groups)."""
    total = np.zeros((values.shape[0], n_groups))
    if values.shape[1]:
        present, starts = np.unique(groups, return_index=True)
        total[:, present] = np.add.reduceat(values, starts, axis=1)
    return total
