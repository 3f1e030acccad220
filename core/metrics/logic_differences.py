"""A whole map against one baseline: differences with intervals, tested by exchanging rows, corrected over the map.

Everything stands on the questions that all ranked configurations have scored (``Contest``). The draws are made once
per run as signed sums, which are linear: any baseline, measure and beta follow from the same ones. The average column
is a family of its own, of one test a configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.metrics.logic_pairs import LogicMeasure, PairView, SwapDraws
from core.metrics.logic_ranking import Contest, number
from core.metrics.opi import FORMULA
from core.stats.clustering import Floats
from core.stats.correction import ALPHA, Correction, adjusted, screened
from core.stats.intervals import Bounds
from core.stats.power import questions_needed
from core.stats.randomisation import p_value, smallest_attainable

Verdict = Literal["higher", "lower", "undecided", "too few", "equal"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A configuration minus the baseline on ``n`` questions, effect first.

    ``low`` and ``high`` are None where no interval exists. ``p`` is None where nothing was tested ("too few": even the
    most extreme outcome could not pass the correction), 1 where the two are equal on every question. ``wins``,
    ``ties`` and ``losses`` count questions. ``more`` says about how many further questions would show a difference of
    .05 with 80 % power, None where the variance is unknown.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None
    corrected: float | None
    verdict: Verdict
    n: int
    wins: int
    ties: int
    losses: int
    more: int | None


@dataclass(frozen=True, slots=True)
class DifferenceMap:
    """``cells`` maps (configuration, relation) to its difference, ``overall`` a configuration to its average's.

    ``family`` cells were tested together, ``set_aside`` could not be; ``draws`` is the number of exchanges.
    """

    baseline: str
    measure: LogicMeasure
    correction: Correction
    cells: Mapping[tuple[str, str], Difference]
    overall: Mapping[str, Difference]
    family: int
    set_aside: int
    draws: int


def difference_map(
    contest: Contest,
    relations: tuple[str, ...],
    baseline: str,
    draws: SwapDraws,
    measure: LogicMeasure = "opi",
    beta: float = 1.0,
    convention: str = FORMULA,
    correction: Correction = "holm",
) -> DifferenceMap:
    """Return every ranked configuration's difference from ``baseline``, on each relation and on average.

    Raises:
        OptionError: the baseline is not ranked, nothing else is, or the measure does not exist on these questions.
    """
    if baseline not in contest.ranked:
        raise OptionError(f"'{baseline}' is not among the configurations that are ranked: {', '.join(contest.ranked)}.")
    if contest.table is None or len(contest.ranked) < 2:
        raise OptionError("A difference needs two configurations that are scored on the same questions.")
    if measure != "bertsim" and contest.measure != "opi":
        raise OptionError(f"{measure.upper()} is scored on no question that all configurations share.")
    base = contest.ranked.index(baseline)
    view = PairView(contest, contest.table, measure, beta, convention)
    cells = _tested(view, view.cell_values, base, view.cell_bounds(base), view.drawn(draws, base), correction, False)
    overall = _tested(
        view, view.overall_values, base, view.overall_bounds(base), view.drawn_overall(draws, base), correction, True
    )
    others = [i for i in range(len(contest.ranked)) if i != base]
    return DifferenceMap(
        baseline=baseline,
        measure=measure,
        correction=correction,
        cells={
            (contest.ranked[i], relation): cells[i][r]
            for i in others
            for r, relation in enumerate(relations or ("",))
            if not np.isnan(view.cell_values[i, r])
        },
        overall={contest.ranked[i]: overall[i][0] for i in others},
        family=sum(cells[i][r].corrected is not None for i in others for r in range(view.n_relations)),
        set_aside=sum(cells[i][r].verdict == "too few" for i in others for r in range(view.n_relations)),
        draws=draws.n,
    )


def _tested(
    view: PairView,
    values: Floats,
    base: int,
    limits: tuple[Bounds, Floats],
    drawn: list[Floats],
    correction: Correction,
    whole: bool,
) -> list[list[Difference]]:
    """Return (K, columns) differences: columns are relations, or the average alone (``whole``)."""
    bounds, variances = limits
    questions = view.per_question()
    gap = questions - questions[base]
    wins, losses, n = (_counted(view, part, whole) for part in (gap > 0, gap < 0, np.ones_like(gap, np.bool_)))
    documents = _counted(view, view.unequal(base), whole, documents=True)
    smallest = np.where(np.isnan(values) | (documents == 0), np.nan, smallest_attainable(documents))
    screening = screened(smallest)
    p = np.stack([p_value(values[:, c] - values[base, c], sample) for c, sample in enumerate(drawn)], axis=1)
    p = np.where(screening.tested, p, np.nan)
    corrected = adjusted(p, correction)
    more = np.maximum(questions_needed(variances, n, max(screening.family, 1)) - n, 0.0)

    def difference(i: int, column: int) -> Difference:
        value = float(values[i, column] - values[base, column])
        counts = {
            "n": int(n[i, column]),
            "wins": int(wins[i, column]),
            "ties": int(n[i, column] - wins[i, column] - losses[i, column]),
            "losses": int(losses[i, column]),
        }
        if documents[i, column] == 0:
            # equal on every question: no exchange of any kind could tell them apart
            return Difference(0.0, 0.0, 0.0, p=1.0, corrected=None, verdict="equal", more=None, **counts)
        verdict: Verdict = "undecided"
        if not screening.tested[i, column]:
            verdict = "too few"
        elif corrected[i, column] <= ALPHA and value:
            verdict = "higher" if value > 0 else "lower"
        return Difference(
            value,
            number(bounds.low[i, column]),
            number(bounds.high[i, column]),
            p=number(p[i, column]),
            corrected=number(corrected[i, column]),
            verdict=verdict,
            more=None if np.isnan(more[i, column]) else int(more[i, column]),
            **counts,
        )

    return [[difference(i, column) for column in range(values.shape[1])] for i in range(len(values))]


def _counted(view: PairView, questions: NDArray[np.bool_], whole: bool, documents: bool = False) -> Floats:
    """Count marked questions (K, n), or documents that hold one, by relation (K, R) or in all (K, 1)."""
    pairs = view.design.pair_sums(questions.astype(np.float64))
    if documents:
        pairs = (pairs > 0).astype(np.float64)
        if whole:
            return np.asarray((view.design.by_cluster(pairs) > 0).sum(axis=1, keepdims=True), dtype=np.float64)
    return pairs.sum(axis=1, keepdims=True) if whole else view.design.by_stratum(pairs)
