"""Checks of evidence: spans of a group apart from each other, groups that are real alternatives, nuggets inside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.datasets.nugget_checks import statements
from core.schema import Dataset, EvidenceGroup, Question, Span


def overlapping(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of questions with a group of evidence two of whose spans share text."""
    for question in dataset.questions:
        if any(_overlap(group) for group in _groups(question)):
            yield question.id


def redundant(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of questions with a group of evidence that holds another one: it is no alternative to it."""
    for question in dataset.questions:
        lists = [question.evidence, *(groups for nugget in question.nuggets for _, groups in statements(nugget))]
        if any(_one_holds_another(groups) for groups in lists):
            yield question.id


def nuggets_outside(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of nuggets whose evidence is no part of their question's (where the question has some)."""
    for question in dataset.questions:
        if not question.evidence:
            continue
        whole = sorted((s for group in question.evidence for s in group), key=lambda s: (s.document_id, s.start))
        for nugget in question.nuggets:
            spans = [span for _, groups in statements(nugget) for group in groups for span in group]
            if not all(_covered(span, whole) for span in spans):
                yield nugget.id


def _groups(question: Question) -> Iterator[EvidenceGroup]:
    yield from question.evidence
    for nugget in question.nuggets:
        for _, groups in statements(nugget):
            yield from groups


def _overlap(group: EvidenceGroup) -> bool:
    spans = sorted(group, key=lambda span: (span.document_id, span.start))
    return any(a.document_id == b.document_id and b.start < a.end for a, b in pairwise(spans))


def _one_holds_another(groups: Sequence[EvidenceGroup]) -> bool:
    return any(
        all(any(_inside(span, other) for other in larger) for span in smaller)
        for i, smaller in enumerate(groups)
        for j, larger in enumerate(groups)
        if i != j
    )


def _inside(span: Span, other: Span) -> bool:
    return span.document_id == other.document_id and other.start <= span.start and span.end <= other.end


def _covered(span: Span, whole: Sequence[Span]) -> bool:
    """Whether spans that may adjoin (a blank apart) together hold ``span``."""
    reached = span.start
    for other in whole:
        if other.document_id == span.document_id and other.start <= reached + 1 and other.end > reached:
            reached = other.end
    return reached >= span.end
