"""Which words of two texts differ: those that a rater who compares them should look at first."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher

from core.services.evidence import Piece, pieces
from core.text.tokens import words


def differing_words(reference: str, produced: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts cut into pieces, those marked that stand in one text only; joined, each is its text again.

    Words are compared in their order, casefolded and in one spelling (NFKC), so a word that moved is marked. In
    scripts without spaces every character is a word. Between two marked words what separates them is marked too.
    Punctuation and spaces alone never differ.
    """
    places = words(reference), words(produced)
    matcher = SequenceMatcher(None, _compared(reference, places[0]), _compared(produced, places[1]), autojunk=False)
    marks: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        if kind == "equal":
            continue
        for side, (start, end) in enumerate(((first, last), (other_first, other_last))):
            if end > start:
                marks[side].append((places[side][start][0], places[side][end - 1][1]))
    return pieces(reference, 0, len(reference), marks[0]), pieces(produced, 0, len(produced), marks[1])


def _compared(text: str, places: list[tuple[int, int]]) -> list[str]:
    return [unicodedata.normalize("NFKC", text[start:end].casefold()) for start, end in places]
