"""The speed of the Granularity lens: all levels of three trees of 2, 4 and 8 categories on 6,000 questions.

2,000 bootstrap and 2,000 permutation draws each; once with two questions a document on average (bootstrap by
document), once with every question on a document of its own (intervals in closed form).
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from benchmarks.shared_files import RESULTS
from core.metrics.granularity import dimension_table, level_table, split_table
from core.taxonomy.bundled import BUNDLED_TREES
from core.taxonomy.labels import PlacedLabels, place_labels

QUESTIONS, DOCUMENTS, DRAWS, REPEATS = 6_000, 3_000, 2_000, 3
DIMENSIONS = ("QC", "AT", "LV")


def main() -> dict[str, Any]:
    scores, placed, documents = world()
    _timed(scores[:100], {d: labels(d, 100) for d in DIMENSIONS}, documents[:100])  # imports
    result = {
        "questions": QUESTIONS,
        "documents": DOCUMENTS,
        "draws": DRAWS,
        "shared_documents_seconds": round(min(_timed(scores, placed, documents) for _ in range(REPEATS)), 2),
        "own_documents_seconds": round(min(_timed(scores, placed, None) for _ in range(REPEATS)), 2),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "granularity_speed.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def world() -> tuple[np.ndarray, dict[str, PlacedLabels], list[int]]:
    """Scores, fine labels of three trees, and documents, by seed 0."""
    generator = np.random.default_rng(0)
    documents = generator.integers(0, DOCUMENTS, QUESTIONS).tolist()
    return generator.beta(3, 2, QUESTIONS), {d: labels(d, QUESTIONS) for d in DIMENSIONS}, documents


def labels(dimension: str, n: int) -> PlacedLabels:
    tree = BUNDLED_TREES[dimension]
    leaves = tree.leaves()
    drawn = np.random.default_rng(len(dimension) + ord(dimension[0])).integers(0, len(leaves), n)
    return place_labels(tree, [leaves[one] for one in drawn])


def _timed(scores: np.ndarray, placed: dict[str, PlacedLabels], documents: list[int] | None) -> float:
    began = time.perf_counter()
    tables = {
        dimension: level_table(scores, one, documents, seed_text="speed", draws=DRAWS)
        for dimension, one in placed.items()
    }
    for one in placed.values():
        split_table(scores, one, documents, seed_text="speed", draws=DRAWS)
    dimension_table(tables)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
