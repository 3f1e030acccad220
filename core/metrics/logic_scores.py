"""Lens 1 in one call: from per-question values to cells, configurations and a ranking at one beta.

Beta is applied when reading: ``summarise`` does everything that does not depend on it, ``LogicSummary.at`` the rest,
in milliseconds. The arithmetic lives in ``logic_table`` and ``logic_ranking``; this module turns arrays into records
and decides the degenerate cases:

* A relation with no scored question has no value and says why. It is not 0 and leaves the means over relations.
* Negative mean similarity: BERTSim is reported as it is, OPI reads it as 0 per relation before averaging (``clamped``).
* In a dataset with relation labels, questions without one stand outside every relation and so outside the means over
  relations; the configuration's own measures count them as not applicable. Without any label the means go over
  questions.
* OPI counts a question as scored when BERTSim and LRCR both are; as failed when one failed; else as not applicable.
  Its B and L are those of the questions it counts: were they means over different ones (train split: BERTSim of all
  questions, LRCR of the test ones), eq. 3 could fall below the mean of the OPIs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.metrics.logic_ranking import Contest, contest, number
from core.metrics.logic_table import LogicTable, Mask, Part, tabulate
from core.metrics.opi import FORMULA
from core.metrics.scores import (
    FAILED,
    NOT_APPLICABLE,
    SCORED,
    ConfigurationScores,
    LogicCell,
    LogicObservations,
    LogicScores,
    Measure,
)
from core.stats.clustering import ClusterDesign, Floats, Ints
from core.stats.intervals import Bounds
from core.taxonomy.relations import in_order

_NO_LABELS = "the dataset has no relation labels"


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many questions stand in each state: (C, R + 1) arrays, the last column for the whole configuration."""

    scored: Ints
    failed: Ints
    not_applicable: Ints
    refused: Ints

    def measure(self, row: int, column: int, value: float, low: float, high: float, reason: str) -> Measure:
        plain = number(value) if self.scored[row, column] else None
        limits = (number(low), number(high)) if plain is not None else (None, None)
        return Measure(
            value=plain,
            low=limits[0],
            high=limits[1],
            n_scored=int(self.scored[row, column]),
            n_failed=int(self.failed[row, column]),
            n_not_applicable=int(self.not_applicable[row, column]),
            n_refused=int(self.refused[row, column]),
            reason="" if plain is not None and None not in limits else reason,
        )

    def nothing_scored(self, row: int, column: int) -> str:
        failed, missing = int(self.failed[row, column]), int(self.not_applicable[row, column])
        return f"no question is scored: {failed} failed, {missing} not applicable"


@dataclass(frozen=True, slots=True)
class LogicSummary:
    """One run's logic scores before beta. Built by ``summarise``; ``at`` gives the records.

    ``table`` holds BERTSim and LRCR on their own scored questions, ``joint`` on those that have both.
    """

    observations: LogicObservations
    relations: tuple[str, ...]
    table: LogicTable
    joint: LogicTable
    answered: LogicTable
    contest: Contest
    counts: tuple[_Counts, _Counts, _Counts]
    answered_counts: tuple[_Counts, _Counts]

    def at(self, beta: float = 1.0, convention: str = FORMULA) -> LogicScores:
        """Return every aggregate at one beta. Raises OptionError for beta or convention."""
        cells = self.joint.cells(beta, convention)
        overall = self.joint.overall(beta, convention)
        mean = self.joint.mean_of_relations(beta, convention)
        return LogicScores(
            beta=beta,
            convention=convention,
            relations=self.relations,
            configurations=tuple(
                self._configuration(row, cells, overall, mean) for row in range(len(self.observations.configurations))
            ),
            ranking=self.contest.ranking(beta, convention),
        )

    def _configuration(
        self,
        row: int,
        cells: tuple[Floats, Bounds],
        overall: tuple[Floats, Bounds],
        mean: tuple[Floats, Bounds],
    ) -> ConfigurationScores:
        name = self.observations.configurations[row]
        similarity, logic, index = self.counts
        bertsim = _overall(self.table.bertsim, similarity, row, "")
        lrcr = _overall(self.table.lrcr, logic, row, "" if self.relations else _NO_LABELS)
        needs = _parts_reason(bertsim, lrcr)

        def composed(result: tuple[Floats, Bounds]) -> Measure:
            value, bounds = result
            return index.measure(row, -1, value[row], bounds.low[row], bounds.high[row], needs)

        answered = self.answered_counts
        return ConfigurationScores(
            id=name,
            label=self.observations.labels.get(name, name),
            bertsim=bertsim,
            lrcr=lrcr,
            opi=composed(overall),
            opi_mean_of_relations=composed(mean),
            bertsim_answered=_overall(self.answered.bertsim, answered[0], row, ""),
            lrcr_answered=_overall(self.answered.lrcr, answered[1], row, "" if self.relations else _NO_LABELS),
            words_per_question=_mean_or_none(self.observations.words[row]),
            sentences_per_question=_mean_or_none(self.observations.sentences[row]),
            relations={relation: self._cell(row, column, cells) for column, relation in enumerate(self.relations)},
        )

    def _cell(self, row: int, column: int, cells: tuple[Floats, Bounds]) -> LogicCell:
        similarity, logic, index = self.counts
        bertsim = _cell_measure(self.table.bertsim, similarity, row, column)
        lrcr = _cell_measure(self.table.lrcr, logic, row, column)
        value, bounds = cells
        return LogicCell(
            bertsim=bertsim,
            lrcr=lrcr,
            opi=index.measure(
                row,
                column,
                value[row, column],
                bounds.low[row, column],
                bounds.high[row, column],
                _parts_reason(bertsim, lrcr),
            ),
            clamped=bool(self.joint.clamped[row, column]),
        )


def logic_scores(
    observations: LogicObservations, beta: float = 1.0, convention: str = FORMULA, seed: str = ""
) -> LogicScores:
    """Return cells, configurations and the ranking of one run at one beta.

    ``seed`` (the run's id) seeds the bootstrap. Raises OptionError for beta or convention, ValueError for
    observations whose shapes disagree or whose scored values are not finite.
    """
    return summarise(observations, seed).at(beta, convention)


def summarise(observations: LogicObservations, seed: str = "") -> LogicSummary:
    """Return what ``LogicSummary.at`` needs for any beta: means, intervals, covariances, bootstrap draws.

    Raises ValueError for observations whose shapes disagree or whose scored values are not finite.
    """
    _check(observations)
    relations = tuple(in_order({relation for relation in observations.relations if relation}))
    strata = _strata(observations.relations, relations)
    inside = strata >= 0
    states = [np.where(inside, s, NOT_APPLICABLE) for s in (observations.similarity_state, observations.correct_state)]
    both = np.where(
        (states[0] == FAILED) | (states[1] == FAILED),
        FAILED,
        np.where((states[0] == SCORED) & (states[1] == SCORED), SCORED, NOT_APPLICABLE),
    )
    design = ClusterDesign(observations.clusters, strata)
    given = ~observations.refused
    table = _table(design, observations, states[0] == SCORED, states[1] == SCORED)
    same = all(np.array_equal(state == SCORED, both == SCORED) for state in states)
    return LogicSummary(
        observations=observations,
        relations=relations,
        table=table,
        joint=table if same else _table(design, observations, both == SCORED, both == SCORED),
        answered=_table(design, observations, (states[0] == SCORED) & given, (states[1] == SCORED) & given),
        contest=contest(observations, strata, bool(relations), seed),
        counts=(
            _count(states[0], observations.refused, strata, len(relations)),
            _count(states[1], observations.refused, strata, len(relations)),
            _count(both, observations.refused, strata, len(relations)),
        ),
        answered_counts=(
            _count(states[0], observations.refused, strata, 0, given),
            _count(states[1], observations.refused, strata, 0, given),
        ),
    )


def _table(design: ClusterDesign, observations: LogicObservations, similarity: Mask, correct: Mask) -> LogicTable:
    return tabulate(design, observations.similarity, similarity, observations.correct, correct)


def _strata(labels: tuple[str, ...], relations: tuple[str, ...]) -> Ints:
    """Number of each question's relation, -1 for none; all 0 where the dataset has no labels at all."""
    if not relations:
        return np.zeros(len(labels), dtype=np.int64)
    place = {relation: i for i, relation in enumerate(relations)}
    return np.array([place.get(label, -1) for label in labels], dtype=np.int64)


def _count(
    states: NDArray[np.int8], refused: Mask, strata: Ints, n_relations: int, among: Mask | None = None
) -> _Counts:
    """Count states per relation and in all; ``among`` restricts the states, refusals are always counted over all."""
    considered = np.ones(states.shape, np.bool_) if among is None else among

    def tally(mask: Mask) -> Ints:
        columns = [mask[:, strata == r].sum(axis=1) for r in range(n_relations)]
        return np.stack([*columns, mask.sum(axis=1)], axis=1).astype(np.int64)

    return _Counts(
        scored=tally((states == SCORED) & considered),
        failed=tally((states == FAILED) & considered),
        not_applicable=tally((states == NOT_APPLICABLE) & considered),
        refused=tally(refused),
    )


def _overall(part: Part, counts: _Counts, row: int, why_missing: str) -> Measure:
    bounds = part.overall_bounds
    reason = _interval_reason(int(counts.scored[row, -1]))
    if np.isnan(part.overall[row]):
        reason = why_missing or counts.nothing_scored(row, -1)
    return counts.measure(row, -1, part.overall[row], bounds.low[row], bounds.high[row], reason)


def _cell_measure(part: Part, counts: _Counts, row: int, column: int) -> Measure:
    value = part.mean[row, column]
    reason = (
        counts.nothing_scored(row, column) if np.isnan(value) else _interval_reason(int(counts.scored[row, column]))
    )
    return counts.measure(row, column, value, part.bounds.low[row, column], part.bounds.high[row, column], reason)


def _interval_reason(n_scored: int) -> str:
    return "one question has no interval" if n_scored == 1 else "all scored questions share one document"


def _parts_reason(bertsim: Measure, lrcr: Measure) -> str:
    """Why OPI or its interval is missing: the first reason among the parts, else their relations do not overlap."""
    if bertsim.reason:
        return f"BERTSim: {bertsim.reason}"
    if lrcr.reason:
        return f"LRCR: {lrcr.reason}"
    return "no relation has both BERTSim and LRCR, each from at least two documents"


def _mean_or_none(values: NDArray[np.float64]) -> float | None:
    finite = values[~np.isnan(values)]
    return float(finite.mean()) if finite.size else None


def _check(observations: LogicObservations) -> None:
    shape = (len(observations.configurations), len(observations.question_ids))
    for name in ("similarity", "similarity_state", "correct", "correct_state", "refused", "words", "sentences"):
        if getattr(observations, name).shape != shape:
            raise ValueError(f"{name} is {getattr(observations, name).shape}, not configurations x questions {shape}")
    if len(observations.relations) != shape[1] or observations.clusters.shape != (shape[1],):
        raise ValueError(f"relations and clusters must name each of the {shape[1]} questions")
    for name in ("similarity", "correct"):
        values, states = getattr(observations, name), getattr(observations, f"{name}_state")
        if not np.isfinite(values[states == SCORED]).all():
            raise ValueError(f"{name} holds values that are not finite where its state is scored")
        if not np.isin(states, (SCORED, FAILED, NOT_APPLICABLE)).all():
            raise ValueError(f"{name}_state holds codes other than scored, failed and not applicable")
