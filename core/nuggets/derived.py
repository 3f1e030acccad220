"""The offline matcher over many texts at once: which passages of a pool say which statements.

Counting shared words and 4-grams is a product of sparse matrices; the rule itself is asked only of what can pass it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from core.nuggets.matching import Matcher
from core.text.content import content_words, four_grams

#: texts and statements in one product: at most 16 million numbers (64 MB each of two)
_TEXTS, _STATEMENTS = 4_000, 4_000


def said_by(
    matcher: Matcher, statements: Sequence[str], texts: Sequence[Sequence[str]], language: str
) -> Iterator[tuple[int, int]]:
    """Yield (statement, text) places of every text, given as its sentences, that says a statement.

    Just what ``matcher.match`` says of each pair, in a fraction of its time where pairs are many.
    """
    for first in range(0, len(statements), _STATEMENTS):
        some = statements[first : first + _STATEMENTS]
        for begin in range(0, len(texts), _TEXTS):
            block = texts[begin : begin + _TEXTS]
            for row, column in _candidates(matcher, some, block, language):
                if matcher.match(some[row], block[column], language).said:
                    yield first + row, begin + column


def _candidates(
    matcher: Matcher, statements: Sequence[str], texts: Sequence[Sequence[str]], language: str
) -> Iterator[tuple[int, int]]:
    """Pairs that pass without the number guard and with all sentences of a text as one window."""

    def words(sentences: Sequence[str]) -> set[str]:
        # a sentence of stop words alone keeps them, which it does not as a part of the whole
        return set(chain.from_iterable(content_words(text, language) for text in (*sentences, " ".join(sentences))))

    shared = _shares([set(content_words(one, language)) for one in statements], [words(text) for text in texts])
    grams = _shares(
        [four_grams(one, language) for one in statements], [four_grams(" ".join(text), language) for text in texts]
    )
    # a sum of shares may differ from the rule's own in its last bit
    slack = 1e-6
    possible = (shared >= matcher.profile.sentence - slack) | ((shared + grams) / 2 >= matcher.profile.whole - slack)
    for row, column in zip(*np.nonzero(possible), strict=True):
        yield int(row), int(column)


def _shares(statements: Sequence[AbstractSet[str]], texts: Sequence[AbstractSet[str]]) -> NDArray[np.float32]:
    """Share of each statement's parts that each text has: (statements, texts), 0 for one without parts."""
    column = {part: place for place, part in enumerate(sorted(set(chain.from_iterable(statements))))}
    wanted = _incidence([[column[part] for part in parts] for parts in statements], len(column))
    there = _incidence([[column[part] for part in parts if part in column] for parts in texts], len(column))
    shared = np.asarray((wanted @ there.T).todense(), dtype=np.float32)
    sizes = np.array([max(len(parts), 1) for parts in statements], dtype=np.float32)
    return np.asarray(shared / sizes[:, None], dtype=np.float32)


def _incidence(rows: Sequence[Sequence[int]], width: int) -> csr_matrix:
    ends = np.cumsum([0, *(len(row) for row in rows)])
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(ends[-1]))
    return csr_matrix((np.ones(len(columns), dtype=np.float32), columns, ends), shape=(len(rows), width))
