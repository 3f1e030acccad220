"""A small run with nuggets made by hand in a real store: every part of a bar, every state, a set without ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.engine.cover import COLUMNS
from core.metrics.coverage_observations import AT_CUTOFF, CURVES, CUTOFFS, PARTS, WHOLE, Part
from core.metrics.curves import DEPTH
from core.nuggets.outcomes import NuggetOutcome
from core.schema import Dataset, Nugget, StateName
from core.services.workspace import workspace
from core.store.coverage import CoverageRow, save_coverage, save_measures
from tests.core.services.drilldown_samples import dataset, make_run

#: (configuration, question) -> what became of each nugget, in order; a string says why the answer is not scored
OUTCOMES: dict[tuple[str, str], tuple[Part, ...] | str] = {
    ("knn", "q1"): ("grounded", "nowhere", "said_not_grounded", "retrieved_not_said", "not_retrieved"),
    ("knn", "q2"): ("grounded",),
    ("knn", "q3"): "the endpoint timed out",
    ("bm25", "q1"): ("grounded", "not_retrieved", "not_retrieved", "not_retrieved", "retrieved_not_said"),
    ("bm25", "q2"): ("not_retrieved",),
    ("bm25", "q3"): ("grounded", "said_not_grounded"),
    ("evidence", "q1"): ("retrieved_not_said",) * 5,
    ("evidence", "q2"): ("grounded",),
    ("evidence", "q3"): ("grounded", "grounded"),
}
RANKINGS = {
    ("knn", "q1"): (["ferry#0", "ferry#1", "mill#0"], {"ferry#0": [0, 2], "ferry#1": [3]}),
    ("bm25", "q1"): (["mill#0", "ferry#2", "ferry#0"], {"ferry#2": [4], "ferry#0": [0, 2]}),
}
_LEVEL = {"knn": 0.5, "bm25": 0.3}


def with_nuggets() -> Dataset:
    """The hand-made dataset, three of its questions with nuggets."""
    made = dataset()
    q1, q2, q3, *others = made.questions
    q2 = replace(q2, nuggets=(Nugget("n1", "The harbour freezes in winter."),))
    q3 = replace(q3, nuggets=(Nugget("n1", "The river was dammed."), Nugget("n2", "It was in 1902.", "okay")))
    return replace(made, questions=(q1, q2, q3, *others))


def covered_run(*, answered: bool = True, **choices: Any) -> str:
    """Store the run with its coverage, or where it is not ``answered`` that of its rankings, and return its id."""
    made = with_nuggets()
    run = make_run(made=made, **choices)
    _, store = workspace()
    asked = [question.id for question in made.questions]
    rows, numbers = [], {}
    for configuration in ("knn", "bm25", "evidence"):
        array = np.full((len(asked), len(COLUMNS)), np.nan, dtype=np.float32)
        for place, question in enumerate(made.questions):
            pair = (configuration, question.id)
            if pair not in OUTCOMES:
                rows.append(CoverageRow(*pair, "not_applicable", "this question has no nuggets", {}))
                continue
            outcomes = OUTCOMES[pair] if answered else "only a ranking is there"
            rows.append(_row(pair, outcomes, question.nuggets, "failed" if answered else "not_applicable"))
            array[place] = _numbers(configuration, outcomes, question.nuggets)
        numbers[configuration] = (COLUMNS, array)
    save_coverage(store, run, rows)
    save_measures(store, run, numbers)
    return run


def _row(
    pair: tuple[str, str], parts: tuple[Part, ...] | str, nuggets: tuple[Nugget, ...], otherwise: StateName
) -> CoverageRow:
    ranking, held = RANKINGS.get(pair, ([], {}))
    outcomes = [
        _outcome(nugget.id, None if isinstance(parts, str) else parts[place]) for place, nugget in enumerate(nuggets)
    ]
    record = {
        "ranking": ranking,
        "no_ranking": "" if ranking else "a set has no ranking",
        "nuggets": [outcome.as_record() for outcome in outcomes],
        "held": held,
        "refused": False,
    }
    if isinstance(parts, str):
        return CoverageRow(*pair, otherwise, parts, record)
    return CoverageRow(*pair, "scored", "", record)


def _outcome(nugget: str, part: Part | None) -> NuggetOutcome:
    said = part in ("grounded", "said_not_grounded")
    return NuggetOutcome(
        nugget=nugget, said=said, cited=said, grounded=part == "grounded", partial=False,
        retrieved=part in ("grounded", "said_not_grounded", "retrieved_not_said"), supported=part != "nowhere",
        reachable=part != "nowhere", share_of_answers=float(said), sentences=(0,) if said else (), derived=False,
    )  # fmt: skip


def _numbers(
    configuration: str, parts: tuple[Part, ...] | str, nuggets: tuple[Nugget, ...]
) -> np.ndarray[Any, np.dtype[np.float32]]:
    found = dict.fromkeys(COLUMNS, np.nan)
    for importance in ("vital", "okay"):
        mine = [place for place, nugget in enumerate(nuggets) if nugget.importance == importance]
        found[f"n_{importance}"] = len(mine)
        if not isinstance(parts, str):
            for part in PARTS:
                found[f"{part}_{importance}"] = sum(parts[place] == part for place in mine)
            said = found[f"grounded_{importance}"] + found[f"said_not_grounded_{importance}"]
            found[f"said_{importance}"] = found[f"cited_{importance}"] = said
            found[f"retrieved_{importance}"] = said + found[f"retrieved_not_said_{importance}"]
    if not isinstance(parts, str):
        found["answer_words"] = 8.0 + len(nuggets)
    if configuration in _LEVEL:
        level = _LEVEL[configuration] + 0.1 * len(nuggets)
        for name in AT_CUTOFF:
            for k in range(1, DEPTH + 1) if name in CURVES else CUTOFFS:
                found[f"{name}@{k}"] = min(1.0, level + 0.01 * k)
        found |= dict.fromkeys(WHOLE, level)
    return np.array([found[name] for name in COLUMNS], dtype=np.float32)
