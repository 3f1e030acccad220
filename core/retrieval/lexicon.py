"""A pool of texts as counts of terms, and questions in the terms of that pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Tokenizer = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Questions as counts of the pool's terms (Q x V).

    ``unknown_squares`` holds for each question the sum of squared counts of its terms outside the pool;
    ``no_match`` marks questions without any term of the pool.
    """

    counts: csr_matrix
    unknown_squares: NDArray[np.float64]
    no_match: NDArray[np.bool_]

    def __getitem__(self, rows: slice) -> QueryTerms:
        return QueryTerms(self.counts[rows], self.unknown_squares[rows], self.no_match[rows])


class Lexicon:
    """Term counts of texts. ``vocabulary`` maps a term to its column, in the order of first appearance."""

    def __init__(self, texts: Iterable[str], tokenize: Tokenizer) -> None:
        self.tokenize = tokenize
        self.vocabulary: dict[str, int] = {}
        vocabulary = self.vocabulary
        rows = [Counter(vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(text)) for text in texts]
        #: csr matrix of float64, texts x terms
        self.counts = _csr(rows, len(vocabulary))

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Tokens of each text, shape (n,)."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """Number of texts that hold each term, shape (V,)."""
        return np.bincount(self.counts.indices, minlength=len(self.vocabulary)).astype(np.float64)

    def query(self, questions: Sequence[str]) -> QueryTerms:
        """Return questions in the terms of this lexicon."""
        known: list[Counter[int]] = []
        unknown_squares = np.zeros(len(questions))
        for i, question in enumerate(questions):
            terms = Counter(self.tokenize(question))
            known.append(Counter({self.vocabulary[t]: count for t, count in terms.items() if t in self.vocabulary}))
            unknown_squares[i] = sum(count * count for t, count in terms.items() if t not in self.vocabulary)
        no_match = np.array([not terms for terms in known], dtype=np.bool_)
        return QueryTerms(_csr(known, len(self.vocabulary)), unknown_squares, no_match)


def _csr(rows: Sequence[Counter[int]], width: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    sizes = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    total = int(sizes.sum())
    columns = np.fromiter((term for row in rows for term in row), dtype=np.int64, count=total)
    values = np.fromiter((count for row in rows for count in row.values()), dtype=np.float64, count=total)
    matrix = csr_matrix((values, columns, np.concatenate([[0], np.cumsum(sizes)])), shape=(len(rows), width))
    matrix.sort_indices()
    return matrix
