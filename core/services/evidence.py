"""Marked evidence as a page shows it: where it stands in a text, and the text around it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.schema import EvidenceGroup, Nugget, Question, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, marked or not."""

    text: str
    marked: bool = False


def pieces(text: str, start: int, end: int, spans: Iterable[tuple[int, int]]) -> tuple[Piece, ...]:
    """Return ``text[start:end]`` cut where marks begin and end; joined, the pieces are that text again.

    ``spans`` are half-open places in ``text``; they may overlap, touch and reach beyond ``[start, end)``.
    """
    inside = [(max(first, start), min(last, end)) for first, last in spans if first < end and last > start]
    cuts = sorted({start, end, *(edge for span in inside for edge in span)})
    found: list[Piece] = []
    for first, last in pairwise(cuts):
        marked = any(left <= first and last <= right for left, right in inside)
        if found and found[-1].marked == marked:
            found[-1] = Piece(found[-1].text + text[first:last], marked)
        else:
            found.append(Piece(text[first:last], marked))
    return tuple(found)


def marked_spans(question: Question) -> tuple[Span, ...]:
    """Return the spans to mark for a question, each once: its own evidence, else that of its nuggets."""
    groups = question.evidence or tuple(group for nugget in question.nuggets for group in _groups_of(nugget))
    return tuple(dict.fromkeys(span for group in groups for span in group))


def _groups_of(nugget: Nugget) -> tuple[EvidenceGroup, ...]:
    return nugget.evidence + tuple(group for answer in nugget.answers for group in answer.evidence)


def shortened(whole: Sequence[Piece], most: int) -> tuple[tuple[Piece, ...], int]:
    """Return the pieces of a text longer than about ``most`` characters cut down to what is marked and what is near it.

    Without a mark its beginning stays. Also returns how many characters were left out.
    """
    total = sum(len(piece.text) for piece in whole)
    if total <= most:
        return tuple(whole), 0
    if not any(piece.marked for piece in whole):
        return (Piece("".join(piece.text for piece in whole)[:most]),), total - most
    near = most // (2 * len(whole))
    kept, left_out = [], 0
    for place, piece in enumerate(whole):
        after = piece.text[:near] if place > 0 else ""
        before = piece.text[-near:] if place < len(whole) - 1 else ""
        text = piece.text[:most]
        if not piece.marked and len(after) + len(before) < len(piece.text):
            text = f"{after} […] {before}"
            left_out += len(piece.text) - len(after) - len(before)
        else:
            left_out += len(piece.text) - len(text)
        kept.append(Piece(text, piece.marked))
    return tuple(kept), left_out
