"""Which document holds which nuggets of one topic: judgments, prepared once and applied to many rankings.

Conventions are those of NIST's ``ndeval`` (and pyndeval 0.0.8): a document that occurs again scores nothing and
burns its later rank, documents that nobody judged hold nothing, and the ideal ranking is greedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError

#: document id -> ids of the nuggets it holds; a document that was judged and holds none has an empty set
Judgments = Mapping[str, AbstractSet[str]]

Floats = NDArray[np.float64]

ALPHA = 0.5


def binarised(rows: Iterable[tuple[str, str, float]], level: float = 1) -> dict[str, set[str]]:
    """Return one topic's judgments from rows (nugget, document, grade): a nugget is held from grade ``level`` on."""
    judgments: dict[str, set[str]] = {}
    for nugget, document, grade in rows:
        held = judgments.get(document)
        if held is None:
            held = judgments[document] = set()
        if grade >= level:
            held.add(nugget)
    return judgments


def ranked_by_score(scores: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """Return document ids from (id, score), highest score first and equal scores by id, ascending, as pyndeval does.

    Raises OptionError for a score that is not a number, which has no place in an order.
    """
    rows = sorted(scores, key=itemgetter(0))
    rows.sort(key=itemgetter(1), reverse=True)  # stable: equal scores stay in the order of their ids
    if any(score != score for _, score in rows):
        document = next(document for document, score in rows if score != score)
        raise OptionError(f"document {document!r} has a score that is not a number: give every document a score")
    return tuple(document for document, _ in rows)


def checked_cutoff(k: int) -> int:
    """Return the cutoff. Raises OptionError unless it is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise OptionError(f"cutoff k = {k!r} is outside its range: give a whole number of at least 1")
    return int(k)


def checked_alpha(alpha: float) -> float:
    """Return alpha. Raises OptionError outside [0, 1]."""
    if not 0.0 <= alpha <= 1.0:
        raise OptionError(f"alpha {alpha!r} is outside its range: give a number from 0 to 1")
    return float(alpha)


def without_repeats(ranking: Sequence[str], k: int) -> list[str | None]:
    """Return the first ``k`` ranks with None where a document occurs again."""
    seen: set[str] = set()
    ranks: list[str | None] = []
    for document in ranking[:k]:
        ranks.append(None if document in seen else document)
        seen.add(document)
    return ranks


class JudgedTopic:
    """The judgments of one topic as a table of documents and nuggets.

    ``n_judged`` documents were judged. ``supported`` are the nuggets that at least one of them holds, sorted, and
    ``n_supported`` their number; where it is 0 nothing can be found and every measure is 0, as ``ndeval`` prints it.
    """

    def __init__(self, judgments: Judgments) -> None:
        # ties of the ideal go to the largest id: the order of code points, which is that of the UTF-8 bytes
        holding = sorted((document for document, held in judgments.items() if held), reverse=True)
        self.supported: tuple[str, ...] = tuple(sorted(set().union(*judgments.values())))
        self._judged = judgments.keys()
        self._row = {document: row for row, document in enumerate(holding)}
        column = {nugget: place for place, nugget in enumerate(self.supported)}
        self._holds = np.zeros((len(holding), len(column)), np.bool_)
        rows = np.repeat(np.arange(len(holding)), [len(judgments[document]) for document in holding])
        columns = [column[nugget] for document in holding for nugget in judgments[document]]
        self._holds[rows, columns] = True
        self._ideals: dict[tuple[int, float], Floats] = {}

    @property
    def n_judged(self) -> int:
        """Number of judged documents."""
        return len(self._judged)

    @property
    def n_supported(self) -> int:
        """Number of nuggets that some judged document holds."""
        return len(self.supported)

    def judged(self, ranking: Sequence[str], k: int) -> NDArray[np.bool_]:
        """Which of the first ``k`` ranks show a judged document for the first time: (k,), False beyond the end."""
        ranks = without_repeats(ranking, k)
        return _padded([document in self._judged for document in ranks], k)

    def held(self, ranking: Sequence[str], k: int) -> NDArray[np.bool_]:
        """Which of the ``supported`` nuggets each of the first ``k`` ranks holds: (k, n_supported).

        Rows are empty for unjudged documents, repeats and ranks beyond the end.
        """
        table = np.zeros((k, self.n_supported), np.bool_)
        for rank, document in enumerate(without_repeats(ranking, k)):
            row = self._row.get(document) if document is not None else None
            if row is not None:
                table[rank] = self._holds[row]
        return table

    def grades(self) -> NDArray[np.int64]:
        """How many nuggets each document holds, those that hold one or more, in falling order."""
        return np.sort(self._holds.sum(axis=1))[::-1]

    def ideal_gains(self, k: int, alpha: float) -> Floats:
        """Gains of the greedy ideal ranking at ranks 1 … k: (k,); Clarke et al. 2008, section 4.

        Every next document is the one with the largest gain left, ties to the largest id. Greedy is not optimal, so
        a ranking can be better than this one. Computed once per (k, alpha).
        """
        if (k, alpha) not in self._ideals:
            self._ideals[k, alpha] = self._greedy(k, alpha)
        return self._ideals[k, alpha]

    def _greedy(self, k: int, alpha: float) -> Floats:
        gains = np.zeros(k)
        # nuggets x documents: a sum over the first axis adds nugget by nugget in the order of their ids, as ndeval
        # does, so that rounding decides the same ties
        worth = np.ascontiguousarray(self._holds.T, dtype=np.float64)
        for rank in range(min(k, len(self._holds))):
            left = worth.sum(axis=0)
            best = int(left.argmax())
            if left[best] <= 0.0:  # alpha = 1: everything has been seen
                break
            gains[rank] = left[best]
            worth[self._holds[best]] *= 1.0 - alpha
            worth[:, best] = 0.0
        return gains


def _padded(flags: Sequence[bool], k: int) -> NDArray[np.bool_]:
    padded = np.zeros(k, np.bool_)
    padded[: len(flags)] = flags
    return padded
