"""What a language model wrote, cut into sentences with the passages each one cites."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

from core.models.llm.thinking import spoken
from core.text.citations import without_markers
from core.text.sentences import sentence_spans

#: "[1], [2]" is one list of numbers
_BETWEEN_MARKERS = re.compile(r"(?<=\d[\]】］])[^\S\n]*[,;、，،][^\S\n]*(?=[\[【［]\d)")


@dataclass(frozen=True, slots=True)
class Cited:
    """The sentences of an answer without markers, and (sentence from 0, number as written) of each, none twice."""

    sentences: tuple[str, ...]
    citations: tuple[tuple[int, int], ...]


def cited_sentences(text: str, language: str = "en") -> Cited:
    """Return the sentences of an answer and what they cite.

    A marker belongs to the sentence in or behind which it stands, also on a line of its own. In a line that begins with
    a marker and does not end with one, markers stand before what they belong to. No sentence goes over a line break,
    which a model writes between the items of a list. What has no word is no sentence; markers before the first one
    belong to nothing. What the model thought first is not part of the answer.
    """
    sentences: list[str] = []
    cited: dict[tuple[int, int], None] = {}
    for line in _BETWEEN_MARKERS.sub("", spoken(text)).splitlines():
        plain, markers = without_markers(" ".join(line.split()))
        first = len(sentences)
        spans = sentence_spans(plain, language)
        cuts = [0, *(start for start, _ in spans[1:]), len(plain)] if spans else []
        sentences += (plain[start:end].strip() for start, end in pairwise(cuts))
        leading = bool(spans) and _leads(plain, [place for place, _ in markers], spans)
        for place, number in markers:
            sentence = first + _sentence(place, cuts, leading=leading) if spans else first - 1
            if sentence >= 0:
                cited[sentence, number] = None
    return Cited(tuple(sentences), tuple(cited))


def _leads(plain: str, places: list[int], spans: list[tuple[int, int]]) -> bool:
    """Whether a line's markers stand before their sentences: one before the first word, none behind the last."""
    return bool(places) and not plain[: places[0]].strip() and places[-1] <= spans[-1][0]


def _sentence(place: int, cuts: list[int], *, leading: bool) -> int:
    """Return which stretch between cuts a marker at ``place`` belongs to."""
    if leading:
        # the blank before a sentence is part of the one before
        return sum(start <= place + 1 for start in cuts[1:-1])
    return max(0, bisect_left(cuts, place) - 1)
