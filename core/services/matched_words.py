"""Which words of a sentence are those of a nugget, as the offline matcher compares them: stemmed, no stop words."""

from __future__ import annotations

import regex

from core.services.evidence import Piece, pieces
from core.text.content import content_words

_WORD = regex.compile(r"[\p{L}\p{M}\p{Nd}]+(?:['’.,][\p{L}\p{M}\p{Nd}]+)*")


def matched_words(sentence: str, statements: list[str], language: str) -> tuple[Piece, ...]:
    """Return a sentence cut where words of any of the statements begin and end, those marked.

    In scripts without spaces what is compared, and marked, are pairs of characters.
    """
    wanted = {word for statement in statements for word in content_words(statement, language)}
    spans = []
    for match in _WORD.finditer(sentence):
        units = content_words(match[0], language)
        if len(units) < 2:
            spans += [match.span()] if wanted.intersection(units) else []
        else:
            spans += [
                (at, at + len(unit))
                for unit in wanted.intersection(units)
                for at in _places(sentence, unit, *match.span())
            ]
    return pieces(sentence, 0, len(sentence), spans)


def _places(text: str, unit: str, start: int, end: int) -> list[int]:
    found, at = [], text.find(unit, start, end)
    while at >= 0:
        found.append(at)
        at = text.find(unit, at + 1, end)
    return found
