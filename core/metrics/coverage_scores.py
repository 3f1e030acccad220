"""Lens 2 in one call: from per-question numbers to configurations, groups of questions, curves and a ranking.

*Macro* is the mean over questions, *micro* counts all nuggets the same whatever their question. A ranking, and a lead,
stand on the questions that every ranked configuration has scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.metrics.coverage_means import group_means, mean_and_bounds, pooled
from core.metrics.coverage_observations import (
    AT_CUTOFF,
    CUTOFFS,
    PARTS,
    STAGES,
    WHOLE,
    CoverageObservations,
    Floats,
    Importance,
    Part,
)
from core.metrics.curves import DEPTH
from core.metrics.logic_ranking import competition_ranks, number
from core.metrics.scores import FAILED, Measure, RankedConfiguration, Ranking
from core.stats.clustering import ClusterDesign
from core.stats.intervals import mean_t

#: every measure that is averaged, in the order of tables
MEASURES = (
    *("grounded", "cited", "said", "retrieved", "weighted"),
    *(f"{name}@{k}" for name in AT_CUTOFF for k in CUTOFFS),
    *WHOLE,
)


@dataclass(frozen=True, slots=True)
class Losses:
    """How many of ``n`` nuggets ended in each part, over the questions whose answer is scored.

    ``unknown`` of them were not said, and nobody knows what was retrieved (a system that tells no passages).
    """

    n: int
    parts: Mapping[Part, int]
    n_questions: int
    n_failed: int

    def share(self, part: Part) -> float:
        """Return a part's share of the nuggets, 0 without any."""
        return self.parts[part] / self.n if self.n else 0.0

    @property
    def unknown(self) -> int:
        """The nuggets that stand in no part."""
        return self.n - sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class ConfigurationCoverage:
    """One configuration: ``macro`` of every measure, ``micro`` of the stages, its losses, and words an answer."""

    id: str
    label: str
    macro: Mapping[str, Measure]
    micro: Mapping[str, Measure]
    losses: Losses
    words: float | None


@dataclass(frozen=True, slots=True)
class CoverageScores:
    """Every configuration of a run, of all nuggets or of the vital ones alone, and the ranking by one measure."""

    importance: Importance
    configurations: tuple[ConfigurationCoverage, ...]
    ranking: Ranking
    reference: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Curves:
    """Means of one ranking measure at k = 1 … ``DEPTH`` of those configurations that have a ranking."""

    measure: str
    of: Mapping[str, tuple[Measure, ...]]


def coverage_scores(
    observations: CoverageObservations, importance: Importance = "all", ranked_by: str = "grounded"
) -> CoverageScores:
    """Return every configuration's measures and the ranking by one of ``MEASURES``. Raises OptionError for another."""
    design = ClusterDesign(observations.clusters)
    there = [name for name in MEASURES if name in STAGES or name == "weighted" or name in observations.numbers]
    macro = {name: _macro(observations, name, importance, design) for name in there}
    micro = {name: _micro(observations, name, importance, design) for name in STAGES}
    return CoverageScores(
        importance=importance,
        configurations=tuple(
            ConfigurationCoverage(
                id=identifier,
                label=observations.labels.get(identifier, identifier),
                macro={name: macro[name][row] for name in there},
                micro={name: micro[name][row] for name in STAGES},
                losses=_losses(observations, row, importance),
                words=_mean(observations.words()[row]),
            )
            for row, identifier in enumerate(observations.configurations)
        ),
        ranking=ranking(observations, ranked_by, importance),
        reference=observations.reference,
    )


def by_group(
    observations: CoverageObservations, measure: str, groups: Sequence[str], importance: Importance = "all"
) -> dict[str, dict[str, Measure]]:
    """Return the mean of one measure for each configuration id and group.

    ``groups[q]`` names the group of a question, "" for none. Raises OptionError for an unknown measure.
    """
    names = list(dict.fromkeys(name for name in groups if name))
    place = {name: i for i, name in enumerate(names)}
    strata = np.array([place.get(name, -1) for name in groups], dtype=np.int64)
    design = ClusterDesign(observations.clusters, strata)
    values = observations.values(measure, importance)
    rows = group_means(values, observations.states(values), observations.refused, design, strata)
    return {
        identifier: dict(zip(names, row, strict=True))
        for identifier, row in zip(observations.configurations, rows, strict=True)
    }


def curves(observations: CoverageObservations, measure: str) -> Curves:
    """Return the means of "alpha_ndcg" or "strec" at every k; configurations without a ranking are left out."""
    design = ClusterDesign(observations.clusters)
    steps = [_macro(observations, f"{measure}@{k}", "all", design) for k in range(1, DEPTH + 1)]
    found = {
        identifier: tuple(step[row] for step in steps) for row, identifier in enumerate(observations.configurations)
    }
    return Curves(measure, {i: points for i, points in found.items() if any(p.value is not None for p in points)})


def ranking(observations: CoverageObservations, measure: str, importance: Importance = "all") -> Ranking:
    """Rank configurations by the mean of one measure on the questions that all of them have scored.

    The lead over the runner-up is a paired difference, its interval Student's over documents.
    """
    values = observations.values(measure, importance)
    scored = np.isfinite(values)
    names = observations.configurations
    left_out = {name: "a reference, shown but never ranked" for name in names if name in observations.reference}
    for row, name in enumerate(names):
        if name not in left_out and not scored[row].any():
            left_out[name] = "none of its questions is scored"
    rows = [row for row, name in enumerate(names) if name not in left_out]
    common = scored[rows].all(axis=0) if rows else np.zeros(len(observations.question_ids), np.bool_)
    # questions that nobody can have scored (no nuggets) are no part of the total
    total = int(scored.any(axis=0).sum())
    if not common.any():
        return Ranking(measure, 0, total, (), left_out)
    shared = values[rows][:, common]
    design = ClusterDesign(observations.clusters[common])
    mean, bounds = mean_and_bounds(shared, np.ones(shared.shape, np.bool_), design)
    places = competition_ranks(mean[:, 0])
    order = sorted(range(len(rows)), key=lambda i: (places[i], i))
    lead = lead_low = lead_high = None
    if len(order) > 1:
        difference = (shared[order[0]] - shared[order[1]])[None, :]
        means = design.stratum_means(difference, np.ones(difference.shape, np.bool_))
        span = mean_t(means.mean, means.variance, means.df)
        lead, lead_low, lead_high = float(means.mean[0, 0]), number(span.low[0, 0]), number(span.high[0, 0])
    return Ranking(
        measure=measure,
        n_questions=int(common.sum()),
        n_total=total,
        rows=tuple(
            RankedConfiguration(
                id=observations.configurations[rows[i]],
                rank=int(places[i]),
                value=float(mean[i, 0]),
                low=number(bounds.low[i, 0]),
                high=number(bounds.high[i, 0]),
                mean_of_relations=None,
                mean_of_relations_low=None,
                mean_of_relations_high=None,
                mean_of_relations_rank=None,
                probability_best=None,
            )
            for i in order
        ),
        left_out=left_out,
        lead=lead,
        lead_low=lead_low,
        lead_high=lead_high,
    )


def _macro(
    observations: CoverageObservations, measure: str, importance: Importance, design: ClusterDesign
) -> list[Measure]:
    values = observations.values(measure, importance)
    everywhere = np.zeros(values.shape[1], np.int64)
    return [
        row[0] for row in group_means(values, observations.states(values), observations.refused, design, everywhere)
    ]


def _micro(
    observations: CoverageObservations, stage: str, importance: Importance, design: ClusterDesign
) -> list[Measure]:
    part, whole = observations.count(stage, importance), observations.nuggets(importance)
    states = observations.states(np.where(whole > 0, part, np.nan))
    return pooled(part, whole, states, observations.refused, design)


def _losses(observations: CoverageObservations, row: int, importance: Importance) -> Losses:
    counts = {part: observations.count(part, importance)[row] for part in PARTS}
    whole = observations.nuggets(importance)[row]
    scored = np.isfinite(counts["grounded"]) & (whole > 0)
    return Losses(
        n=int(whole[scored].sum()),
        parts={part: int(np.nansum(found[scored])) for part, found in counts.items()},
        n_questions=int(scored.sum()),
        n_failed=int((~scored & (observations.state[row] == FAILED)).sum()),
    )


def _mean(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None
