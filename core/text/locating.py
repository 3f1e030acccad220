"""Where a text that somebody quotes stands in the documents: word for word, white space aside."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.schema import Span

_WORD = re.compile(r"\w+")
_RUN = re.compile(r"\S+")
#: rare words of a quotation that a document must hold before it is searched: few documents hold three such
_WITNESSES = 3


@dataclass(frozen=True, slots=True)
class _Tidy:
    """A text with single spaces, and where each of its runs of other characters begins, here and in the original."""

    text: str
    here: Sequence[int]
    there: Sequence[int]

    def original(self, place: int) -> int:
        run = bisect_right(self.here, place) - 1
        return self.there[run] + place - self.here[run]


class Locator:
    """Finds quotations in many documents: the words of a quotation say which documents can hold it at all."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """``texts`` maps ids of documents, in their order, to their texts."""
        self._ids = tuple(texts)
        self._number = {id_: number for number, id_ in enumerate(self._ids)}
        self._texts = texts
        self._tidy: dict[int, _Tidy] = {}
        self._holders: dict[str, set[int]] = {}
        for number, text in enumerate(texts.values()):
            for word in set(_WORD.findall(text)):
                self._holders.setdefault(word, set()).add(number)

    def find(self, quotation: str, first: Sequence[str] = ()) -> Span | None:
        """Return the first place that holds a quotation, or None.

        Documents are searched in their order, those of ``first`` before the others; ids that are unknown are passed
        over. An empty quotation stands nowhere.
        """
        wanted = " ".join(quotation.split())
        if not wanted:
            return None
        for number in self._in_turn(self._candidates(wanted), first):
            tidy = self._tidied(number)
            place = tidy.text.find(wanted)
            if place >= 0:
                end = tidy.original(place + len(wanted) - 1) + 1
                return Span(self._ids[number], tidy.original(place), end)
        return None

    def _candidates(self, quotation: str) -> Iterable[int]:
        # the outermost words may be cut
        holders = [self._holders.get(word, set()) for word in set(_WORD.findall(quotation)[1:-1])]
        if not holders:
            return range(len(self._ids))
        return set.intersection(*sorted(holders, key=len)[:_WITNESSES])

    def _in_turn(self, candidates: Iterable[int], first: Sequence[str]) -> Iterator[int]:
        left = sorted(candidates)
        preferred = [number for id_ in first if (number := self._number.get(id_)) is not None and number in left]
        yield from dict.fromkeys([*preferred, *left])

    def _tidied(self, number: int) -> _Tidy:
        if number not in self._tidy:
            runs = list(_RUN.finditer(self._texts[self._ids[number]]))
            here, place = [], 0
            for run in runs:
                here.append(place)
                place += len(run.group()) + 1
            self._tidy[number] = _Tidy(" ".join(run.group() for run in runs), here, [run.start() for run in runs])
        return self._tidy[number]
