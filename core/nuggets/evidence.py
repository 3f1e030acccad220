"""Marked evidence against passages: which passages hold it, what none of them holds. Pure.

A span is *held* where passages of its document cover all of it but blanks; a group of spans is held when every span
is; of several groups any one held group is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from core.schema import Document, EvidenceGroup, Nugget, Passage, Span

Held = Literal["all", "some", "none"]


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
