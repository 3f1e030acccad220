"""What the coverage lens observed of a run: its per-question numbers, and every measure of them as (C, Q) arrays.

A measure is *scored* where its number is there; without one it has failed where the answer did, and is not applicable
elsewhere (a question without nuggets, a set that has no ranking). Failed is never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.metrics.scores import FAILED, NOT_APPLICABLE, SCORED

Importance = Literal["all", "vital"]
#: shares of a question's nuggets: what its passages hold, what its answer says, and says with which proof
Stage = Literal["retrieved", "said", "cited", "grounded"]
#: what became of a nugget, a partition: the first is what one wants
Part = Literal["grounded", "said_not_grounded", "retrieved_not_said", "not_retrieved", "nowhere"]
STAGES: tuple[Stage, ...] = get_args(Stage)
PARTS: tuple[Part, ...] = get_args(Part)
#: what an answer is measured by, the stricter one first
ANSWER: tuple[Stage, ...] = ("grounded", "said")
#: ranking measures that are stored at every cutoff up to ``DEPTH``
CURVES = ("alpha_ndcg", "strec")
CUTOFFS = (5, 10, 20)
#: measures of a ranking at one of ``CUTOFFS``, and those of a whole ranking
AT_CUTOFF = (*CURVES, "ndcg_binary", "ndcg_count", "judged")
WHOLE = ("map", "mrr")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CoverageObservations:
    """Per-question numbers of one run: C configurations x Q questions, NaN where a number was not scored.

    ``numbers`` holds them by column name, (C, Q) each. ``state`` is that of the answer's part, ``SCORED``, ``FAILED``
    or ``NOT_APPLICABLE``. ``clusters[q]`` is an integer that equal source documents share. ``reference`` names
    configurations that are shown but never ranked.
    """

    configurations: tuple[str, ...]
    labels: Mapping[str, str]
    question_ids: tuple[str, ...]
    clusters: NDArray[np.int64]
    numbers: Mapping[str, NDArray[np.float32]]
    state: NDArray[np.int8]
    refused: NDArray[np.bool_]
    reference: frozenset[str] = frozenset()

    def values(self, measure: str, importance: Importance = "all") -> Floats:
        """Return one measure of every question, (C, Q), NaN where it is not scored.

        ``measure`` is a stage, "weighted", one of ``WHOLE`` or "<name>@<k>" for a name of ``AT_CUTOFF``. Importance
        concerns the stages alone: the judgments of a ranking count every nugget.

        Raises:
            OptionError: there is no such measure, or it is not stored at this cutoff.
        """
        if measure in STAGES:
            return _share(self.count(measure, importance), self.nuggets(importance))
        if measure == "weighted":
            vital, okay = self._column("n_vital"), self._column("n_okay")
            return _share(self._column("grounded_vital") + 0.5 * self._column("grounded_okay"), vital + 0.5 * okay)
        if measure not in self.numbers or not (measure in WHOLE or measure.partition("@")[0] in AT_CUTOFF):
            raise OptionError(f"measure {measure!r} is not stored with this run: choose one that is listed.")
        return self._column(measure)

    def count(self, what: Stage | Part | str, importance: Importance = "all") -> Floats:
        """Return how many of each question's nuggets reached a stage or ended in a part, (C, Q)."""
        vital = self._column(f"{what}_vital")
        return vital if importance == "vital" else vital + self._column(f"{what}_okay")

    def nuggets(self, importance: Importance = "all") -> Floats:
        """Return how many nuggets each question has, (C, Q), NaN where the configuration has no row of it."""
        vital = self._column("n_vital")
        return vital if importance == "vital" else vital + self._column("n_okay")

    def words(self) -> Floats:
        """Return the words of each answer, (C, Q), NaN where there is none."""
        return self._column("answer_words")

    def states(self, values: Floats) -> NDArray[np.int8]:
        """Return the state of every value of a measure, (C, Q)."""
        without = np.where(self.state == FAILED, FAILED, NOT_APPLICABLE)
        return np.where(np.isfinite(values), SCORED, without).astype(np.int8)

    def _column(self, name: str) -> Floats:
        return self.numbers[name].astype(np.float64)


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan), dtype=np.float64)
