"""Features of (question, answer, text): their unit vectors, products and differences, and lexical cues."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.relations.cues import N_CUES, PER_TEXT, cues

__all__ = ["N_CUES", "cues", "features", "n_features", "question_features"]

Vectors = NDArray[np.floating[Any]]

# Fixed scales instead of standardised columns: nothing is learnt from rows that a fold must not see, and C means
# the same in every fold and dataset. Chosen on the bundled benchmark and on two two-way labels of 1,000 public
# questions, among ratios of 1 to 60: a cue must weigh about as much as a whole block of a vector, or 384
# coordinates drown it (accuracy on the benchmark's 78 questions, mean of several seeds: .28 at equal scales, .47 here).
_VECTOR = 2.0
_CUE = 3.0


def features(question: Vectors, answer: Vectors, text: Vectors, cues: Vectors) -> NDArray[np.float32]:
    """Return (n, 9 d + N_CUES): three vectors, their three products and three absolute differences, the cues.

    Args:
        question: unit vectors, (n, d).
        answer: unit vectors, (n, d).
        text: mean unit vector of the text's sentences, (n, d); 0 where there is no text.
        cues: ``cues(question_text, answer_text)`` of every row, (n, N_CUES).
    """
    pairs = ((question, answer), (question, text), (answer, text))
    # a product of two coordinates of size 1/sqrt(d) is as small as 1/d
    even = np.sqrt(question.shape[1])
    blocks = [
        *(vectors * _VECTOR for vectors in (question, answer, text)),
        *(left * right * (even * _VECTOR) for left, right in pairs),
        *(np.abs(left - right) * _VECTOR for left, right in pairs),
        cues * _CUE,
    ]
    return np.concatenate(blocks, axis=1).astype(np.float32, copy=False)


def question_features(question: Vectors, cues: Vectors) -> NDArray[np.float32]:
    """Return (n, d + PER_TEXT): what the ablation that sees the question alone gets."""
    return np.concatenate((question * _VECTOR, cues[:, :PER_TEXT] * _CUE), axis=1).astype(np.float32, copy=False)


def n_features(dimension: int) -> int:
    """Return the number of columns of ``features`` for vectors of this dimension."""
    return 9 * dimension + N_CUES
