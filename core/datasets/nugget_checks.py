"""Checks of nuggets: told by the reference answer and nothing beyond it, held by their evidence and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from core.schema import Dataset, Document, EvidenceGroup, Nugget, Question
from core.text.content import content_words
from core.text.sentences import sentence_spans
from core.text.support import DEFAULT, STRICT, sentence_support

#: share of a nugget's content words that answer and question must hold, and of an answer's that its nuggets must
WITHIN, COVERED = 0.60, 0.70


def statements(nugget: Nugget) -> tuple[tuple[str, tuple[EvidenceGroup, ...]], ...]:
    """Return a nugget's facts with their evidence: its answers' where it has any, else its own."""
    if nugget.answers:
        return tuple((answer.text, answer.evidence) for answer in nugget.answers)
    return ((nugget.text, nugget.evidence),)


def beyond_the_answer(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of nuggets that say what neither answer nor question says (lexically: it is a hint, no proof).

    Of alternative answers (OR) the reference answer may name any, so there the nugget's own text counts.
    """
    for question, language in _questions(dataset):
        told = {*content_words(question.answer, language), *content_words(question.question, language)}
        for nugget in question.nuggets:
            listed = nugget.answers and nugget.aggregator == "AND"
            texts = [text for text, _ in statements(nugget)] if listed else [nugget.text]
            if any(_share(set(content_words(text, language)), told) < WITHIN for text in texts):
                yield nugget.id


def not_covered(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of questions whose nuggets leave out much of what the reference answer says."""
    for question, language in _questions(dataset):
        if not question.nuggets:
            continue
        told = set(content_words(question.question, language))
        for nugget in question.nuggets:
            for text in (nugget.text, *(answer.text for answer in nugget.answers)):
                told.update(content_words(text, language))
        if _share(set(content_words(question.answer, language)), told) < COVERED:
            yield question.id


def not_found(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of stated nuggets that the offline matcher does not find in their documents."""
    for nugget, text, language, sentences, _ in _stated(dataset):
        if not _holds(text, [sentence for _, _, _, sentence in sentences], language, DEFAULT.sentence):
            yield nugget.id


def found_without_evidence(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of stated nuggets that are still supported when the sentences of their evidence are dropped.

    Then evidence is missing, or the nugget says what another sentence says too. Supported means the strict profile:
    between the two lies partial support, which sentences about the same matter always give.
    """
    for nugget, text, language, sentences, evidence in _stated(dataset):
        spans = [span for group in evidence for span in group]
        left = [
            sentence
            for document, start, end, sentence in sentences
            if not any(s.document_id == document and start < s.end and s.start < end for s in spans)
        ]
        if evidence and _holds(text, left, language, STRICT.sentence):
            yield nugget.id


def _stated(
    dataset: Dataset,
) -> Iterator[tuple[Nugget, str, str, list[tuple[str, int, int, str]], tuple[EvidenceGroup, ...]]]:
    documents = {document.id: document for document in dataset.documents}
    for question, language in _questions(dataset):
        sentences = [one for name in question.document_ids for one in _sentences(documents[name])]
        for nugget in question.nuggets:
            if nugget.stated:
                for text, evidence in statements(nugget):
                    yield nugget, text, language, sentences, evidence


def _questions(dataset: Dataset) -> Iterator[tuple[Question, str]]:
    """Yield the questions that have documents, with their languages: of a judged topic there is no text to look at."""
    for question in dataset.questions:
        if question.document_ids:
            yield question, dataset.language_of[question.id] or "en"


def _holds(statement: str, sentences: list[str], language: str, enough: float) -> bool:
    return any(share >= enough for _, _, share in sentence_support(statement, sentences, language))


@lru_cache(maxsize=256)
def _cut(text: str, language: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text, language))


def _sentences(document: Document) -> list[tuple[str, int, int, str]]:
    spans = _cut(document.text, document.language or "en")
    return [(document.id, start, end, document.text[start:end]) for start, end in spans]


def _share(wanted: set[str], found: set[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 1.0
