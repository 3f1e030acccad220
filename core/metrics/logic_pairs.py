"""Two configurations at a time on common questions: a measure's differences, their intervals, and drawn ones.

Signed sums are linear, so what an exchange of rows makes of two means is their middle plus and minus half the drawn
difference; OPI at any beta is then one evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.metrics.logic_ranking import Contest
from core.metrics.logic_table import LogicTable, mean_over_relations
from core.metrics.opi import opi, opi_gradient, similarity_weight
from core.stats.clustering import Floats, Ints
from core.stats.intervals import Bounds, mover_difference
from core.stats.randomisation import draws_for, signed_sums

LogicMeasure = Literal["opi", "bertsim", "lrcr"]


@dataclass(frozen=True, slots=True)
class SwapDraws:
    """Signed sums of K configurations, (R, draws, K) each: what every test of a run needs."""

    similarity: NDArray[np.float32]
    correct: NDArray[np.float32]

    @property
    def n(self) -> int:
        """How many draws there are."""
        return int(self.similarity.shape[1])


def swap_draws(contest: Contest, seed: str) -> SwapDraws:
    """Return the draws for the largest family that a map of this contest can have, seeded by the run."""
    relations = contest.design.n_strata
    draws = draws_for(max(len(contest.ranked) - 1, 1) * max(relations, 1))
    # in one go: a document's rows are exchanged as a whole, BERTSim and LRCR together
    both = np.concatenate([contest.similarity, np.nan_to_num(contest.correct)])
    sums = signed_sums(contest.design, both, draws, f"{seed}:swap")
    n = len(contest.ranked)
    return SwapDraws(sums[:, :, :n], sums[:, :, n:])


class PairView:
    """One measure at one beta on the common questions: values, intervals of differences, and drawn differences."""

    def __init__(
        self, contest: Contest, table: LogicTable, measure: LogicMeasure, beta: float, convention: str
    ) -> None:
        self.contest, self.table, self.measure = contest, table, measure
        self.beta, self.convention = beta, convention
        self.weight = {"bertsim": 1.0, "lrcr": 0.0}.get(measure, similarity_weight(beta, convention))
        self.design = contest.design
        self.n_relations = contest.design.n_strata
        self.n: Ints = np.asarray(contest.questions_per_relation[: self.n_relations], dtype=np.int64)
        # BERTSim alone keeps its sign; in OPI a negative mean counts as 0, relation by relation
        self.floor = 0.0 if measure == "opi" else -1.0
        self.cell_values = self._value(table.bertsim.mean, table.lrcr.mean)
        self.overall_similarity = mean_over_relations(np.maximum(table.bertsim.mean, self.floor))
        self.overall_values = self._value(self.overall_similarity, table.lrcr.overall)[:, None]

    def _value(self, similarity: Floats, correct: Floats) -> Floats:
        if self.measure == "bertsim":
            return similarity
        if self.measure == "lrcr":
            return correct
        return np.asarray(opi(similarity, correct, self.beta, self.convention), dtype=np.float64)

    def per_question(self) -> Floats:
        """(K, n): the measure of each question by itself."""
        return self._value(np.maximum(self.contest.similarity, self.floor), np.nan_to_num(self.contest.correct))

    def unequal(self, base: int) -> NDArray[np.bool_]:
        """(K, n): questions on which a configuration and the baseline differ in what the measure is made of."""
        similar = self.contest.similarity != self.contest.similarity[base]
        right = np.nan_to_num(self.contest.correct)
        differently = right != right[base]
        if self.measure == "opi":
            return np.asarray(similar | differently)
        return np.asarray(similar if self.measure == "bertsim" else differently)

    def _gradient(self, similarity: Floats, correct: Floats) -> tuple[Floats, Floats]:
        if self.measure == "opi":
            return opi_gradient(np.maximum(similarity, 0.0), correct, self.weight)
        one = np.ones_like(similarity)
        return (one, 0 * one) if self.measure == "bertsim" else (0 * one, one)

    def cell_bounds(self, base: int) -> tuple[Bounds, Floats]:
        """Limits (K, R) of every cell's difference, and the variance of each."""
        table, stratum = self.table, self.design.pair_stratum
        own = {"bertsim": table.bertsim.bounds, "lrcr": table.lrcr.bounds}.get(
            self.measure, table.cells(self.beta, self.convention)[1]
        )
        by_similarity, by_logic = self._gradient(table.bertsim.mean, table.lrcr.mean)
        # a gradient without a value (no LRCR at all) is met by an error that is 0
        errors = (
            np.nan_to_num(by_similarity)[:, stratum] * table.bertsim.scores
            + np.nan_to_num(by_logic)[:, stratum] * table.lrcr.scores
        )
        return self._difference(
            self.cell_values, own, base, self.design.by_stratum(errors * errors[base]),
            self.design.by_stratum(errors**2), self.design.by_stratum((errors - errors[base]) ** 2), by_logic, self.n,
        )  # fmt: skip

    def overall_bounds(self, base: int) -> tuple[Bounds, Floats]:
        """Limits (K, 1) of the average's difference, and its variance."""
        table = self.table
        own = {"bertsim": table.bertsim.overall_bounds, "lrcr": table.lrcr.overall_bounds}.get(
            self.measure, table.overall(self.beta, self.convention)[1]
        )
        by_similarity, by_logic = self._gradient(self.overall_similarity, table.lrcr.overall)
        errors = (
            np.nan_to_num(by_similarity)[:, None] * table.bertsim.overall_scores
            + np.nan_to_num(by_logic)[:, None] * table.lrcr.overall_scores
        )
        return self._difference(
            self.overall_values, Bounds(own.low[:, None], own.high[:, None]), base,
            (errors * errors[base]).sum(axis=1, keepdims=True), (errors**2).sum(axis=1, keepdims=True),
            ((errors - errors[base]) ** 2).sum(axis=1, keepdims=True), by_logic[:, None], self.n.sum(keepdims=True),
        )  # fmt: skip

    @staticmethod
    def _difference(
        value: Floats, own: Bounds, base: int, covariance: Floats, variances: Floats, spread: Floats, logic: Floats,
        n: Ints,
    ) -> tuple[Bounds, Floats]:  # fmt: skip
        # Newcombe's continuity correction of paired shares, as in the ranking's lead
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = 0.5 * np.nan_to_num(logic * logic[base]) / np.maximum(n, 1) ** 2
            covariance = np.where(covariance > 0, np.maximum(covariance - chance, 0.0), covariance)
            scale = np.sqrt(variances * variances[base])
            correlation = np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0)
        one, two = Bounds(own.low, own.high), Bounds(own.low[base], own.high[base])
        bounds = mover_difference(value, one, value[base], two, correlation)
        return bounds, np.where(np.isnan(bounds.low), np.nan, spread)

    def drawn(self, draws: SwapDraws, base: int) -> list[Floats]:
        """The measure's difference in every draw, relation by relation: R arrays (draws, K)."""
        return [self._statistic(*self._halves(draws, base, r), r, base) for r in range(self.n_relations)]

    def drawn_overall(self, draws: SwapDraws, base: int) -> list[Floats]:
        """The average's difference in every draw: one array (draws, K)."""
        present = [r for r in range(self.n_relations) if self.n[r]]
        shape = (draws.n, len(self.contest.ranked))
        similarity, against, logic, logic_against = (np.zeros(shape) for _ in range(4))
        for r in present:
            by_similarity, by_logic = self._halves(draws, base, r)
            (middle, right), half = self._middles(r, base), 0.5
            similarity += np.maximum(middle + half * by_similarity, self.floor) / len(present)
            against += np.maximum(middle - half * by_similarity, self.floor) / len(present)
            logic += (right + half * by_logic) / len(present)
            logic_against += (right - half * by_logic) / len(present)
        return [self._value(similarity, logic) - self._value(against, logic_against)]

    def _halves(self, draws: SwapDraws, base: int, r: int) -> tuple[Floats, Floats]:
        """The drawn differences of the two means on one relation."""
        n = max(int(self.n[r]), 1)
        similarity, correct = draws.similarity[r], draws.correct[r]
        return (
            (similarity - similarity[:, [base]]).astype(np.float64) / n,
            (correct - correct[:, [base]]).astype(np.float64) / n,
        )

    def _middles(self, r: int, base: int) -> tuple[Floats, Floats]:
        """What an exchange leaves alone: the mean of the two configurations' means."""
        similarity, correct = self.table.bertsim.mean[:, r], np.nan_to_num(self.table.lrcr.mean[:, r])
        return (similarity + similarity[base]) / 2, (correct + correct[base]) / 2

    def _statistic(self, by_similarity: Floats, by_logic: Floats, r: int, base: int) -> Floats:
        if self.measure == "bertsim":
            return by_similarity
        if self.measure == "lrcr":
            return by_logic
        middle, right = self._middles(r, base)
        one = self._value(np.maximum(middle + by_similarity / 2, 0.0), np.clip(right + by_logic / 2, 0.0, 1.0))
        two = self._value(np.maximum(middle - by_similarity / 2, 0.0), np.clip(right - by_logic / 2, 0.0, 1.0))
        return one - two
