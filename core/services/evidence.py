"""Marked evidence against retrieved passages: where it stands in a text, which passages hold it, what none holds. Pure.

A span is *held* where passages of its document cover all of it but blanks; a group of spans is held when every span
is; of several groups any one held group is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.schema import Document, EvidenceGroup, Nugget, Passage, Question, Span

Held = Literal["all", "some", "none"]


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


def is_held(span: Span, passages: Iterable[Passage], documents: Mapping[str, Document]) -> bool:
    """Return whether passages together cover a span but for blanks; False where its document is not at hand."""
    if span.document_id not in documents:
        return False
    text, at = documents[span.document_id].text, span.start
    for passage in sorted((p for p in passages if p.document_id == span.document_id), key=lambda p: p.start):
        if text[at : min(max(passage.start, at), span.end)].strip():
            return False
        at = max(at, passage.end)
        if at >= span.end:
            return True
    return not text[at : span.end].strip()


def held_by(groups: Sequence[EvidenceGroup], passages: Sequence[Passage], documents: Mapping[str, Document]) -> Held:
    """Return "all" where some group is held, "some" where a passage touches any span, else "none"."""
    if any(all(is_held(span, passages, documents) for span in group) for group in groups):
        return "all"
    touched = any(
        span.document_id == p.document_id and span.start < p.end and p.start < span.end
        for group in groups
        for span in group
        for p in passages
    )
    return "some" if touched else "none"


def missing(
    groups: Sequence[EvidenceGroup], passages: Sequence[Passage], documents: Mapping[str, Document]
) -> tuple[Span, ...]:
    """Return the spans that no passage holds, of the group that lacks least; () where a group is held."""
    lacking = [tuple(s for s in group if not is_held(s, passages, documents)) for group in groups]
    return min(lacking, key=len, default=())


def nugget_held(nugget: Nugget, passages: Sequence[Passage], documents: Mapping[str, Document]) -> bool | None:
    """Return whether passages hold a nugget's evidence; None where none is marked.

    With several answers any one's evidence is enough (OR), or every one's is needed (AND).
    """
    if not nugget.answers:
        return None if not nugget.evidence else held_by(nugget.evidence, passages, documents) == "all"
    marked = [answer.evidence for answer in nugget.answers if answer.evidence]
    if not marked or (nugget.aggregator == "AND" and len(marked) < len(nugget.answers)):
        return None
    held = [held_by(groups, passages, documents) == "all" for groups in marked]
    return any(held) if nugget.aggregator == "OR" else all(held)


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
