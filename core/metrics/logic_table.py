"""BERTSim, LRCR and OPI of C configurations in R relations, as arrays: means, intervals and what OPI needs of them.

Everything here that does not depend on beta is computed once; the methods of ``LogicTable`` apply beta to (C, R)
arrays and cost next to nothing. NaN stands for "none"; ``logic_scores`` turns it into None with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.metrics.opi import opi, opi_gradient, opi_interval, similarity_weight
from core.stats.clustering import ClusterDesign, Floats, Ints, OverallMeans, StratumMeans
from core.stats.intervals import Bounds, effective_n, mean_t, mover_mean, wilson

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """BERTSim or LRCR: (C, R) in relations, (C,) over relations with equal weight.

    ``bounds`` are a cell's own 95 % limits. ``joint_bounds`` are the same limits as they enter a mean over
    relations: there the degrees of freedom are those of the mean, not of six questions.
    """

    mean: Floats
    bounds: Bounds
    joint_bounds: Bounds
    clusters: Ints
    scores: Floats
    overall: Floats
    overall_bounds: Bounds
    overall_scores: Floats


@dataclass(frozen=True, slots=True)
class LogicTable:
    """The two parts on one set of questions, and how their errors go together.

    ``correlation`` (C, R) and ``overall_correlation`` (C,) are those of BERTSim and LRCR; ``covariances`` hold the
    (C, R, R) covariances of relation means: BERTSim with itself, BERTSim with LRCR, LRCR with itself.
    """

    bertsim: Part
    lrcr: Part
    correlation: Floats
    overall_correlation: Floats
    covariances: tuple[Floats, Floats, Floats]

    @property
    def clamped(self) -> Mask:
        """Cells (C, R) whose mean similarity is negative and enters OPI as 0."""
        return np.asarray(self.bertsim.mean < 0)

    def cells(self, beta: float, convention: str) -> tuple[Floats, Bounds]:
        """OPI of every configuration on every relation, (C, R), with its limits."""
        return self._cells(beta, convention, self.bertsim.bounds, self.lrcr.bounds)

    def overall(self, beta: float, convention: str) -> tuple[Floats, Bounds]:
        """OPI of the mean BERTSim and the mean LRCR (eq. 3), (C,): negative relations count as 0 in the mean."""
        similarity = mean_over_relations(np.maximum(self.bertsim.mean, 0.0))
        shift = similarity - self.bertsim.overall
        bounds = Bounds(self.bertsim.overall_bounds.low + shift, self.bertsim.overall_bounds.high + shift)
        value = np.asarray(opi(similarity, self.lrcr.overall, beta, convention))
        correlation = self.overall_correlation
        return value, opi_interval(
            similarity,
            bounds.clipped(0.0, 1.0),
            self.lrcr.overall,
            self.lrcr.overall_bounds,
            correlation,
            beta,
            convention,
        )

    def mean_of_relations(self, beta: float, convention: str) -> tuple[Floats, Bounds]:
        """Mean over relations of their OPIs, (C,), with MOVER limits from the relations' own."""
        value, bounds = self._cells(beta, convention, self.bertsim.joint_bounds, self.lrcr.joint_bounds)
        by_similarity, by_logic = opi_gradient(
            np.maximum(self.bertsim.mean, 0.0), self.lrcr.mean, similarity_weight(beta, convention)
        )
        similarity, mixed, logic = self.covariances
        b, l = np.nan_to_num(by_similarity), np.nan_to_num(by_logic)  # noqa: E741
        covariance = (
            b[:, :, None] * b[:, None, :] * similarity
            + b[:, :, None] * l[:, None, :] * mixed
            + l[:, :, None] * b[:, None, :] * mixed.swapaxes(1, 2)
            + l[:, :, None] * l[:, None, :] * logic
        )
        return mean_over_relations(value), mover_mean(value, bounds, covariance)

    def _cells(self, beta: float, convention: str, bertsim: Bounds, lrcr: Bounds) -> tuple[Floats, Bounds]:
        value = np.asarray(opi(self.bertsim.mean, self.lrcr.mean, beta, convention))
        return value, opi_interval(self.bertsim.mean, bertsim, self.lrcr.mean, lrcr, self.correlation, beta, convention)


def tabulate(
    design: ClusterDesign, similarity: Floats, similarity_scored: Mask, correct: Floats, correct_scored: Mask
) -> LogicTable:
    """Return the table of (C, Q) similarities and 0/1 (or averaged) correctness on the questions marked scored."""
    bertsim = _similarity(design, similarity, similarity_scored)
    lrcr = _logic(design, correct, correct_scored)
    mixed = design.by_stratum(bertsim.scores * lrcr.scores)
    return LogicTable(
        bertsim=bertsim,
        lrcr=lrcr,
        correlation=_correlation(mixed, design.by_stratum(bertsim.scores**2), design.by_stratum(lrcr.scores**2)),
        overall_correlation=_correlation(
            (bertsim.overall_scores * lrcr.overall_scores).sum(axis=1),
            (bertsim.overall_scores**2).sum(axis=1),
            (lrcr.overall_scores**2).sum(axis=1),
        ),
        covariances=(
            design.covariances(bertsim.scores, bertsim.scores),
            design.covariances(bertsim.scores, lrcr.scores),
            design.covariances(lrcr.scores, lrcr.scores),
        ),
    )


def mean_over_relations(values: Floats) -> Floats:
    """Mean over the last axis of those that are not NaN; NaN where all are."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(present, values, 0.0).sum(axis=-1) / present.sum(axis=-1), dtype=np.float64)


def _similarity(design: ClusterDesign, values: Floats, scored: Mask) -> Part:
    cells, overall = design.stratum_means(values, scored), design.overall_means(values, scored)
    variance = np.where(np.isnan(cells.variance), _borrowed_variance(cells), cells.variance)
    return _part(
        cells,
        overall,
        bounds=mean_t(cells.mean, cells.variance, cells.df).clipped(-1.0, 1.0),
        joint_bounds=mean_t(cells.mean, variance, overall.df[:, None]).clipped(-1.0, 1.0),
        overall_bounds=mean_t(overall.mean, overall.variance, overall.df).clipped(-1.0, 1.0),
    )


def _logic(design: ClusterDesign, values: Floats, scored: Mask) -> Part:
    cells, overall = design.stratum_means(values, scored), design.overall_means(values, scored)
    n = cells.n.astype(np.float64)
    own = effective_n(cells.mean, n, cells.variance, cells.kish, cells.df, n - 1.0)
    # a mean over relations: its degrees of freedom are the overall ones, and one lone document is one observation
    independent = (cells.n.sum(axis=1) - (cells.n > 0).sum(axis=1)).astype(np.float64)
    joint = effective_n(cells.mean, n, cells.variance, cells.kish, overall.df[:, None], independent[:, None])
    joint_bounds = wilson(cells.mean, np.where(cells.clusters == 1, 1.0, joint))
    covariance = design.covariances(cells.scores, cells.scores)
    overall_bounds = mover_mean(cells.mean, joint_bounds, covariance)
    missing = np.isnan(overall.variance)
    return _part(
        cells,
        overall,
        bounds=wilson(cells.mean, own),
        joint_bounds=joint_bounds,
        overall_bounds=Bounds(
            np.where(missing, np.nan, overall_bounds.low), np.where(missing, np.nan, overall_bounds.high)
        ).clipped(0.0, 1.0),
    )


def _part(
    cells: StratumMeans, overall: OverallMeans, bounds: Bounds, joint_bounds: Bounds, overall_bounds: Bounds
) -> Part:
    return Part(
        mean=cells.mean,
        bounds=bounds,
        joint_bounds=joint_bounds,
        clusters=cells.clusters,
        scores=cells.scores,
        overall=overall.mean,
        overall_bounds=overall_bounds,
        overall_scores=overall.scores,
    )


def _borrowed_variance(cells: StratumMeans) -> Floats:
    """Variance (C, 1) that a mean from one lone document gets: the average variance between documents elsewhere."""
    return mean_over_relations(cells.variance * cells.clusters)[:, None]


def _correlation(covariance: Floats, first: Floats, second: Floats) -> Floats:
    """Correlation from a covariance and two variances; 0 where one of them does not vary."""
    scale = np.sqrt(first * second)
    return np.asarray(np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0), dtype=np.float64)
