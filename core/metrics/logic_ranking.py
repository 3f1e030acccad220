"""The ranking of configurations, on the questions that every ranked one has scored.

Values and limits are those of ``LogicTable`` on that common set; the lead over the runner-up is a MOVER difference
with the covariance of the two; only the probability of being best needs the bootstrap. Its draws are made once, as
mean BERTSim and mean LRCR per draw and configuration, so a new beta is one evaluation of OPI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.metrics.logic_table import LogicTable, mean_over_relations, tabulate
from core.metrics.opi import opi, opi_gradient, similarity_weight
from core.metrics.scores import NOT_APPLICABLE, SCORED, LogicObservations, RankedConfiguration, Ranking
from core.stats.bootstrap import cluster_weights, probability_best, stratum_mean_draws
from core.stats.clustering import ClusterDesign, Floats, Ints
from core.stats.intervals import Bounds, mover_difference

#: values closer than this share a rank: encoders differ by as much from batch to batch
TIE = 1e-6


@dataclass(frozen=True, slots=True)
class Contest:
    """What a ranking rests on, before beta: K ranked configurations on one common set of questions.

    ``questions_per_relation`` counts the common questions of each relation (R,). ``similarity_draws`` and
    ``logic_draws`` are (draws, K) means over relations; they have no rows where one document is all there is.
    """

    measure: str
    ranked: tuple[str, ...]
    left_out: Mapping[str, str]
    n_questions: int
    n_total: int
    questions_per_relation: Ints
    table: LogicTable | None
    design: ClusterDesign
    similarity: Floats
    correct: Floats
    similarity_draws: Floats
    logic_draws: Floats

    def ranking(self, beta: float, convention: str) -> Ranking:
        """Rank at one beta. Raises OptionError for beta or convention."""
        if self.table is None:
            similarity_weight(beta, convention)
            return Ranking(self.measure, 0, self.n_total, (), dict(self.left_out))
        relations: Floats | None = None
        relations_bounds: Bounds | None = None
        if self.measure == "opi":
            value, bounds = self.table.overall(beta, convention)
            draws = np.asarray(opi(self.similarity_draws, self.logic_draws, beta, convention))
            relations, relations_bounds = self.table.mean_of_relations(beta, convention)
        else:
            similarity_weight(beta, convention)
            value, bounds, draws = self.table.bertsim.overall, self.table.bertsim.overall_bounds, self.similarity_draws
        ranks = competition_ranks(value)
        other_ranks = None if relations is None else competition_ranks(relations)
        best = probability_best(draws) if len(draws) else np.full(len(value), np.nan)
        order = sorted(range(len(value)), key=lambda i: (ranks[i], i))
        rows = tuple(
            RankedConfiguration(
                id=self.ranked[i],
                rank=int(ranks[i]),
                value=float(value[i]),
                low=number(bounds.low[i]),
                high=number(bounds.high[i]),
                mean_of_relations=None if relations is None else number(relations[i]),
                mean_of_relations_low=None if relations_bounds is None else number(relations_bounds.low[i]),
                mean_of_relations_high=None if relations_bounds is None else number(relations_bounds.high[i]),
                mean_of_relations_rank=None if other_ranks is None else int(other_ranks[i]),
                probability_best=number(best[i]),
            )
            for i in order
        )
        lead = lead_low = lead_high = None
        if len(order) > 1:
            first, second = order[0], order[1]
            lead = max(0.0, float(value[first] - value[second]))  # a tie may stand in either order
            difference = self._difference(self.table, first, second, value, bounds, beta, convention)
            lead_low, lead_high = number(difference.low), number(difference.high)
        return Ranking(
            self.measure, self.n_questions, self.n_total, rows, dict(self.left_out), lead, lead_low, lead_high
        )

    def _difference(
        self, table: LogicTable, first: int, second: int, value: Floats, bounds: Bounds, beta: float, convention: str
    ) -> Bounds:
        pair = [first, second]
        bertsim, lrcr = table.bertsim, table.lrcr
        if np.isnan(bounds.low[pair]).any():
            return Bounds(np.asarray(np.nan), np.asarray(np.nan))
        same_logic = self.measure == "bertsim" or np.array_equal(self.correct[first], self.correct[second])
        if same_logic and np.array_equal(self.similarity[first], self.similarity[second]):
            # equal on every question: no resample of any kind could tell them apart
            return Bounds(np.asarray(0.0), np.asarray(0.0))
        errors, chance = bertsim.overall_scores[pair], 0.0
        if self.measure == "opi":
            similarity = mean_over_relations(np.maximum(bertsim.mean[pair], 0.0))
            by_similarity, by_logic = opi_gradient(similarity, lrcr.overall[pair], similarity_weight(beta, convention))
            errors = by_similarity[:, None] * errors + by_logic[:, None] * lrcr.overall_scores[pair]
            # Newcombe's continuity correction of paired shares (1998, method 10): with few questions on which the
            # two disagree their correlation looks larger than it is; half a question is taken off the covariance
            chance = 0.5 * float(by_logic.prod()) / self.n_questions**2
        covariance = float(errors[0] @ errors[1])
        if covariance > 0:
            covariance = max(covariance - chance, 0.0)
        scale = float(np.sqrt((errors[0] ** 2).sum() * (errors[1] ** 2).sum()))
        correlation = covariance / scale if scale > 0 else 0.0
        one, two = (Bounds(bounds.low[i], bounds.high[i]) for i in pair)
        return mover_difference(value[first], one, value[second], two, correlation)


def contest(observations: LogicObservations, strata: Ints, labelled: bool, seed: str) -> Contest:
    """Choose what can be ranked, on which questions, and draw the bootstrap once.

    ``strata`` (Q,) is each question's relation, -1 outside all of them. The measure is OPI where relation labels
    and a scored LRCR exist, else BERTSim. References and configurations without any score are left out.
    """
    inside = strata >= 0
    similarity_scored = (observations.similarity_state == SCORED) & inside
    both = similarity_scored & (observations.correct_state == SCORED)
    names = observations.configurations
    rankable = [i for i, name in enumerate(names) if name not in observations.reference]
    measure = "opi" if labelled and both[rankable].any() else "bertsim"
    usable = both if measure == "opi" else similarity_scored
    left_out = {name: "a reference, shown but never ranked" for name in names if name in observations.reference}
    left_out |= {names[i]: _nothing(observations, i, measure) for i in rankable if not usable[i].any()}
    ranked = [i for i in rankable if usable[i].any()]
    common = usable[ranked].all(axis=0) if ranked else np.zeros(len(strata), np.bool_)
    if ranked and not common.any():
        left_out |= {names[i]: "no question is scored by all configurations that are ranked" for i in ranked}
        ranked = []
    where = np.flatnonzero(common) if ranked else np.zeros(0, np.int64)
    similarity, correct = (a[ranked][:, where] for a in (observations.similarity, observations.correct))
    similarity_draws = logic_draws = np.zeros((0, len(ranked)))
    table, design = None, ClusterDesign(observations.clusters[where], strata[where])
    if ranked:
        scored = np.ones(similarity.shape, np.bool_)
        with_logic = scored if measure == "opi" else ~scored
        table = tabulate(design, similarity, scored, correct, with_logic)
        if design.n_clusters > 1:
            weights = cluster_weights(observations.clusters[where], seed_text=f"{seed}:logic")
            # negative relation means count as 0 in OPI, in a resample as in the sample; BERTSim itself keeps its sign
            floor = 0.0 if measure == "opi" else -1.0
            similarity_draws = _mean_draws(np.maximum(stratum_mean_draws(design, similarity, scored, weights), floor))
            logic_draws = _mean_draws(stratum_mean_draws(design, correct, with_logic, weights))
    return Contest(
        measure=measure,
        ranked=tuple(names[i] for i in ranked),
        left_out=left_out,
        n_questions=len(where),
        n_total=len(strata),
        questions_per_relation=np.bincount(strata[where], minlength=int(strata.max(initial=-1)) + 1),
        table=table,
        design=design,
        similarity=similarity,
        correct=correct,
        similarity_draws=similarity_draws,
        logic_draws=logic_draws,
    )


def competition_ranks(values: NDArray[np.float64]) -> Ints:
    """Ranks 1, 2, 2, 4 of (n,) values, highest first; values within ``TIE`` of the best of a rank share it."""
    order = np.argsort(-values, kind="stable")
    ranks = np.empty(len(values), dtype=np.int64)
    head = 0
    for place, i in enumerate(order):
        if values[order[head]] - values[i] > TIE:
            head = place
        ranks[i] = head + 1
    return ranks


def number(value: float | NDArray[np.float64]) -> float | None:
    """A float, or None for NaN."""
    plain = float(value)
    return None if np.isnan(plain) else plain


def _mean_draws(draws: Floats) -> Floats:
    """(R, draws, K) to (draws, K): the mean over the relations that a resample holds."""
    return mean_over_relations(np.moveaxis(draws, 0, -1))


def _nothing(observations: LogicObservations, row: int, measure: str) -> str:
    states = observations.correct_state[row] if measure == "opi" else observations.similarity_state[row]
    scored = int((states == SCORED).sum())
    if measure == "opi" and scored:
        return "no question has both BERTSim and LRCR"
    name = "LRCR" if measure == "opi" else "BERTSim"
    missing = int((states == NOT_APPLICABLE).sum())
    return f"{name} is scored on no question: {len(states) - missing} failed, {missing} not applicable"
