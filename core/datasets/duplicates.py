"""Near-duplicates: questions and documents that say nearly the same, by the cosine of their embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: cosine from which on two questions of one document, or any two texts, are near-duplicates
WITHIN_DOCUMENT, OVERALL = 0.90, 0.95
_BLOCK = 1_000


def near_duplicates(
    ids: Sequence[str], groups: Sequence[str], vectors: NDArray[np.float32], *, within: float = WITHIN_DOCUMENT,
    overall: float = OVERALL,
) -> list[tuple[str, str, float]]:  # fmt: skip
    """Return pairs ``(first id, second id, cosine)`` in order of the texts.

    ``vectors`` (n, d) have unit length; ``groups`` says which document each text belongs to: inside one, ``within``
    counts, else ``overall``. Memory is n times 1,000 numbers.
    """
    found: list[tuple[str, str, float]] = []
    names = np.asarray(groups)
    for start in range(0, len(ids), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        same = names[start : start + _BLOCK, None] == names[None, :]
        rows, columns = np.nonzero(cosines >= np.where(same, within, overall))
        for row, column in zip((rows + start).tolist(), columns.tolist(), strict=True):
            if row < column:
                found.append((ids[row], ids[column], float(cosines[row - start, column])))
    return found
