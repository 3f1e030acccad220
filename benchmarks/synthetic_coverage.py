"""The coverage of the synthetic run: what became of three nuggets of every question in every configuration."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.engine.cover import COLUMNS
from core.engine.spec import RunSpec
from core.metrics.coverage_observations import AT_CUTOFF, CURVES, CUTOFFS, PARTS, WHOLE
from core.metrics.curves import DEPTH
from core.nuggets.outcomes import NuggetOutcome
from core.schema import Dataset
from core.store.coverage import CoverageRow, Numbers, save_coverage, save_measures
from core.store.database import Store

NUGGETS, _VITAL = 3, 2
_SHARES = (0.35, 0.1, 0.25, 0.25, 0.05)

Parts = np.ndarray[Any, np.dtype[np.int64]]


def save_synthetic_coverage(store: Store, spec: RunSpec, dataset: Dataset, generator: np.random.Generator) -> None:
    """Write made-up rows and arrays; configurations whose id begins with "s" or is "evidence" have no ranking."""
    numbers: dict[str, Numbers] = {}
    for configuration in spec.configurations:
        parts = generator.choice(len(PARTS), size=(len(dataset.questions), NUGGETS), p=_SHARES)
        ranked = not configuration.startswith(("s-", "s:")) and configuration != "evidence"
        numbers[configuration] = (COLUMNS, _numbers(parts, ranked, generator))
        save_coverage(
            store,
            spec.run_id,
            [
                CoverageRow(configuration, question.id, "scored", "", _record(question.id, place, parts[place], ranked))
                for place, question in enumerate(dataset.questions)
            ],
        )
    save_measures(store, spec.run_id, numbers)


def _numbers(parts: Parts, ranked: bool, generator: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float32]]:
    n = len(parts)
    found = {name: np.full(n, np.nan) for name in COLUMNS}
    for importance, mine in (("vital", parts[:, :_VITAL]), ("okay", parts[:, _VITAL:])):
        counts = {part: (mine == place).sum(axis=1) for place, part in enumerate(PARTS)}
        said = counts["grounded"] + counts["said_not_grounded"]
        counts |= {"n": np.full(n, mine.shape[1]), "said": said, "cited": said}
        counts["retrieved"] = said + counts["retrieved_not_said"]
        found |= {f"{name}_{importance}": values for name, values in counts.items()}
    found["answer_words"] = generator.integers(20, 80, size=n)
    if ranked:
        level = generator.beta(4, 4, size=n)
        for name in AT_CUTOFF:
            for k in range(1, DEPTH + 1) if name in CURVES else CUTOFFS:
                found[f"{name}@{k}"] = np.clip(level + 0.02 * k, 0, 1)
        found |= dict.fromkeys(WHOLE, level)
    return np.column_stack([found[name] for name in COLUMNS]).astype(np.float32)


def _record(question: str, place: int, parts: Parts, ranked: bool) -> dict[str, Any]:
    ranking = [f"d{(place + rank) % 500}#{rank % 4}" for rank in range(DEPTH)] if ranked else []
    outcomes = []
    for number, part in enumerate(PARTS[place] for place in parts.tolist()):
        said = part in ("grounded", "said_not_grounded")
        outcomes.append(
            NuggetOutcome(
                nugget=f"{question}-n{number + 1}", said=said, cited=said, grounded=part == "grounded", partial=False,
                retrieved=said or part == "retrieved_not_said", supported=True, reachable=part != "nowhere",
                share_of_answers=float(said), sentences=(0,) if said else (), derived=False,
            ).as_record()
        )  # fmt: skip
    held = {name: [rank % NUGGETS] for rank, name in enumerate(ranking) if rank % 5 == 0}
    return {
        "ranking": ranking, "no_ranking": "" if ranked else "a set has no ranking", "nuggets": outcomes, "held": held,
        "refused": False,
    }  # fmt: skip
