"""Small pools for tests: texts with random vectors of unequal lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.pool import Pool
from core.schema import Passage

TEXTS = (
    "The ferry runs every forty minutes in summer.",
    "In winter the ferry runs twice a day because the harbour freezes.",
    "A ticket costs three crowns.",
    "The mill ground oats until the river was dammed.",
    "The keeper climbs the stairs twice a day.",
    "Fog makes the keeper sound the horn each minute of the day.",
)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    return [Passage("d", i, 0, len(text), text) for i, text in enumerate(texts)]


def random_vectors(n: int, dimension: int = 16, seed: int = 0) -> NDArray[np.float32]:
    """Vectors around a common direction, as embeddings of one subject are, with norms from 2 to 4."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(n, dimension)) + 1.0
    vectors *= generator.uniform(2, 4, size=(n, 1)) / np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


def pool_of(texts: Sequence[str] = TEXTS, vectors: NDArray[np.float32] | None = None) -> Pool:
    return Pool(passages_of(texts), vectors)


def vector_pool(n: int, dimension: int = 16, seed: int = 0) -> Pool:
    return Pool(passages_of([f"text {i}" for i in range(n)]), random_vectors(n, dimension, seed))
