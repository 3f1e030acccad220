"""The shapes in which scores travel: one measure with its three states, a cell, a configuration, a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: codes of the state arrays in ``LogicObservations``
SCORED, FAILED, NOT_APPLICABLE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Measure:
    """A value with its 95 % interval and how many questions stand behind it.

    ``value`` is None when nothing was scored; ``low`` and ``high`` are None where no interval exists (fewer than two
    scored questions or clusters). ``reason`` says in words why a value or interval is missing, else "".
    """

    value: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_failed: int
    n_not_applicable: int
    n_refused: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LogicCell:
    """One configuration on one relation."""

    bertsim: Measure
    lrcr: Measure
    opi: Measure
    #: a negative mean similarity was clamped to 0 before it entered OPI
    clamped: bool = False


@dataclass(frozen=True, slots=True)
class ConfigurationScores:
    """One configuration over all relations.

    ``bertsim`` and ``lrcr`` are means over relations with equal weight (over questions where the dataset has no
    relations); ``opi`` is eq. 3 (OPI of those two), ``opi_mean_of_relations`` the mean of the relations' OPIs.
    ``*_answered`` leave refusals out.
    """

    id: str
    label: str
    bertsim: Measure
    lrcr: Measure
    opi: Measure
    opi_mean_of_relations: Measure
    bertsim_answered: Measure
    lrcr_answered: Measure
    words_per_question: float | None
    sentences_per_question: float | None
    relations: Mapping[str, LogicCell]


@dataclass(frozen=True, slots=True)
class RankedConfiguration:
    """A place in the ranking, computed on the questions that every ranked configuration has scored.

    ``rank`` is competition ranking (1, 2, 2, 4) on ``value``; ``value`` is eq. 3 at the table's beta (mean BERTSim
    where the dataset has no relations). ``probability_best`` is the share of bootstrap draws in which it leads.
    ``low``/``high`` bound ``value``; ``mean_of_relations`` is the other average with its own bounds.
    """

    id: str
    rank: int
    value: float
    low: float | None
    high: float | None
    mean_of_relations: float | None
    mean_of_relations_low: float | None
    mean_of_relations_high: float | None
    mean_of_relations_rank: int | None
    probability_best: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """``measure`` is "opi" or "bertsim"; ``n_questions`` of ``n_total`` are scored by all ranked configurations."""

    measure: str
    n_questions: int
    n_total: int
    rows: tuple[RankedConfiguration, ...]
    #: configurations left out because they have no score at all, or are a reference row, with the reason
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: leader minus runner-up with its 95 % interval, None with fewer than two configurations
    lead: float | None = None
    lead_low: float | None = None
    lead_high: float | None = None


@dataclass(frozen=True)
class LogicObservations:
    """Per-question values of one run, the input of every logic aggregate.

    Shapes: C configurations x Q questions. Values are NaN wherever the state is not SCORED.
    ``clusters[q]`` is an integer that equal source documents share. ``relations[q]`` is "" where unlabelled.
    ``reference`` names configurations that are shown but never ranked (``evidence``).
    """

    configurations: tuple[str, ...]
    labels: Mapping[str, str]
    question_ids: tuple[str, ...]
    relations: tuple[str, ...]
    clusters: NDArray[np.int64]
    similarity: NDArray[np.float64]
    similarity_state: NDArray[np.int8]
    correct: NDArray[np.float64]
    correct_state: NDArray[np.int8]
    refused: NDArray[np.bool_]
    words: NDArray[np.float64]
    sentences: NDArray[np.float64]
    reference: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LogicScores:
    """Everything the Logic page and ``score --json`` show at one beta, but for the classifier's diagnostics."""

    beta: float
    convention: str
    relations: tuple[str, ...]
    configurations: tuple[ConfigurationScores, ...]
    ranking: Ranking
