"""What a dataset holds, and what about it should make its owner think twice. Nothing here is an error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.schema import Dataset, Question, Span
from core.taxonomy.relations import in_order

#: Letters and digits below which a document has next to nothing to retrieve.
FEWEST_CHARACTERS = 20
#: Questions a relation below which its scores are mostly noise: at 20, an LRCR of .5 has a 95 % interval of .30 to .70.
FEWEST_QUESTIONS = 20
_SPACELESS_SCRIPT = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth knowing: the check that found it, a sentence, and the ids it is about (all of them)."""

    check: str
    message: str
    ids: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


def warnings(dataset: Dataset) -> list[Finding]:
    """Return what an evaluation of this dataset will suffer from, in a fixed order; empty when nothing."""
    findings = [
        *_evidence_findings(dataset),
        *_document_findings(dataset),
        *_relation_findings(dataset),
        *_question_findings(dataset),
    ]
    return [finding for finding in findings if finding is not None]


def _spans(question: Question) -> Iterator[Span]:
    """Yield every span of a question, its nuggets' and their answers' included."""
    groups = [*question.evidence]
    for nugget in question.nuggets:
        groups.extend(nugget.evidence)
        for answer in nugget.answers:
            groups.extend(answer.evidence)
    for group in groups:
        yield from group


def _evidence_findings(dataset: Dataset) -> list[Finding | None]:
    length = {document.id: len(document.text) for document in dataset.documents}
    beyond, elsewhere = [], []
    for question in dataset.questions:
        spans = list(_spans(question))
        if any(span.end > length.get(span.document_id, 0) for span in spans):
            beyond.append(question.id)
        if any(span.document_id not in question.document_ids for span in spans):
            elsewhere.append(question.id)
    return [
        _about("evidence-offsets", beyond, "questions whose evidence ends beyond its document: {n}"),
        _about("evidence-document", elsewhere, "questions whose evidence lies in a document they do not name: {n}"),
    ]


def _document_findings(dataset: Dataset) -> list[Finding | None]:
    thin = [document.id for document in dataset.documents if _is_thin(document.text)]
    named = {id_ for question in dataset.questions for id_ in question.document_ids}
    unasked = [document.id for document in dataset.documents if document.id not in named]
    return [
        _about("thin-document", thin, "documents that hold next to no text: {n}"),
        _about("unasked-document", unasked, "documents without a question (they only compete in corpus scope): {n}"),
    ]


def _is_thin(text: str) -> bool:
    one_word = len(text.split()) == 1 and not _SPACELESS_SCRIPT.search(text)
    return one_word or sum(character.isalnum() for character in text[:10_000]) < FEWEST_CHARACTERS


def _relation_findings(dataset: Dataset) -> list[Finding | None]:
    counts = Counter(question.relation for question in dataset.questions if question.relation is not None)
    unlabelled = [question.id for question in dataset.questions if question.relation is None]
    if not counts:
        return [Finding("no-relations", "no question carries a relation: LRCR and OPI will not be applicable.")]
    few = [name for name in in_order(set(counts)) if counts[name] < FEWEST_QUESTIONS]
    only = next(iter(counts))
    return [
        Finding("single-relation", f"the only relation is '{only}': LRCR cannot tell retrievers apart.", (only,))
        if len(counts) == 1
        else None,
        _about(
            "few-questions", few, f"relations with fewer than {FEWEST_QUESTIONS} questions, too few to compare: {{n}}"
        ),
        _about("unlabelled", unlabelled, "questions that carry no relation: {n}"),
    ]


def _question_findings(dataset: Dataset) -> list[Finding | None]:
    seen: set[str] = set()
    repeated: list[str] = []
    for question in dataset.questions:
        if question.question in seen:
            repeated.append(question.id)
        seen.add(question.question)
    return [_about("repeated-questions", repeated, "questions that repeat the text of an earlier one: {n}")]


def _about(check: str, ids: list[str], message: str) -> Finding | None:
    return Finding(check, message.format(n=len(ids)) + ".", tuple(ids)) if ids else None


def labels(dataset: Dataset) -> dict[str, Any]:
    """Return what labels the dataset has, as JSON.

    ``documents``, ``questions``, ``with_evidence``, ``with_nuggets``, ``nuggets``, ``without_relation`` are counts;
    ``languages`` (of documents, "" unknown), ``relations`` and ``splits`` (of questions) map a name to its count;
    ``categories`` maps a dimension to such counts. Relations stand in the taxonomy's order, the rest by name.
    """
    questions = dataset.questions
    relations = Counter(question.relation for question in questions if question.relation is not None)
    categories: dict[str, Counter[str]] = {}
    for question in questions:
        for dimension, node in question.categories.items():
            categories.setdefault(dimension, Counter())[node] += 1
    return {
        "documents": len(dataset.documents),
        "questions": len(questions),
        "languages": _by_name(document.language for document in dataset.documents),
        "relations": {name: relations[name] for name in in_order(set(relations))},
        "without_relation": sum(question.relation is None for question in questions),
        "with_evidence": sum(bool(question.evidence) for question in questions),
        "with_nuggets": sum(bool(question.nuggets) for question in questions),
        "nuggets": sum(len(question.nuggets) for question in questions),
        "categories": {dimension: dict(sorted(categories[dimension].items())) for dimension in sorted(categories)},
        "splits": _by_name(question.split for question in questions if question.split is not None),
    }


def _by_name(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
