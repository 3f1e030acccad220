"""Made-up questions whose relation shows in the answer's vector, so that a classifier can learn something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.relations.features import N_CUES


@dataclass(frozen=True)
class Made:
    """Arguments of ``fit`` for n questions."""

    question: np.ndarray
    answer: np.ndarray
    text: np.ndarray
    cues: np.ndarray
    labels: list[str]
    documents: list[str]

    def arguments(self, **changes: Any) -> dict[str, Any]:
        return {**vars(self), **changes}


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def made(labels: list[str], documents: list[str], *, dimension: int = 16, signal: float = 2.0, seed: int = 0) -> Made:
    """Answers of one relation share a direction; questions, texts and cues say nothing."""
    generator = np.random.default_rng(seed)
    n = len(labels)
    names = sorted(set(labels))
    directions = generator.normal(size=(len(names), dimension))
    own = directions[[names.index(label) for label in labels]]
    return Made(
        question=unit(generator.normal(size=(n, dimension))),
        answer=unit(generator.normal(size=(n, dimension)) + signal * own),
        text=unit(generator.normal(size=(n, dimension))),
        cues=(generator.random((n, N_CUES)) / 10).astype(np.float32),
        labels=labels,
        documents=documents,
    )
