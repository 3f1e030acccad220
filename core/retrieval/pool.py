"""The passages that are searched, and everything that several retrievers need of them, made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from core.retrieval.lexicon import Lexicon
from core.schema import Passage
from core.text.tokens import lexical_tokens

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_Index = TypeVar("_Index")


class Pool:
    """Passages in document order with their pooled, un-normalised embeddings (n x d), or None where nobody needs them.

    Raises ValueError where there are not as many vectors as passages.
    """

    def __init__(self, passages: Sequence[Passage], vectors: NDArray[np.float32] | None) -> None:
        if vectors is not None and (vectors.ndim != 2 or len(vectors) != len(passages)):
            raise ValueError(f"vectors of shape {vectors.shape} do not fit {len(passages)} passages")
        self.passages = tuple(passages)
        self.vectors = vectors
        self._indexes: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.passages)

    @property
    def raw(self) -> NDArray[np.float64]:
        """The vectors in double precision, n x d: what is ranked at 1e-6 must not depend on the order of a sum."""
        if self.vectors is None:
            raise ValueError("this pool was made without vectors")
        return self.vectors.astype(np.float64)

    @cached_property
    def unit(self) -> NDArray[np.float64]:
        """The vectors at length 1, n x d; a zero vector stays zero."""
        return unit(self.raw)

    @cached_property
    def lexicon(self) -> Lexicon:
        """Term counts over our lexical tokens, shared by all lexical retrievers."""
        return Lexicon((passage.text for passage in self.passages), lexical_tokens)

    @property
    def counts(self) -> csr_matrix:
        """Counts of terms, passages x terms."""
        return self.lexicon.counts

    @property
    def vocabulary(self) -> dict[str, int]:
        """Term to column of ``counts``."""
        return self.lexicon.vocabulary

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Lexical tokens of each passage, shape (n,)."""
        return self.lexicon.lengths

    def index(self, name: str, build: Callable[[Pool], _Index]) -> _Index:
        """Return what ``build`` makes of this pool, made once and kept under ``name``."""
        if name not in self._indexes:
            self._indexes[name] = build(self)
        return cast(_Index, self._indexes[name])


def unit(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return rows at length 1 in double precision; a zero row stays zero."""
    exact = vectors.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1, keepdims=True)
    scaled: NDArray[np.float64] = np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0)
    return scaled
