"""The labelled questions of a dataset: its relations, which questions are held out together, the text behind each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.relations.folds import grouped_folds
from core.schema import Dataset, Document, Question, Split
from core.taxonomy.relations import BUNDLED, Relation, abbreviation, in_order

#: one part of so many is the test side of a split that is drawn
_FIFTHS = 5


def relations_in(dataset: Dataset) -> tuple[Relation, ...]:
    """Return the relations that questions of the dataset have, in the taxonomy's order.

    They are defined in the words of the dataset's card, else in ours where the name is a bundled one, else by "".
    """
    ours = {relation.name: relation.definition for relation in BUNDLED}
    names = in_order({question.relation for question in dataset.questions if question.relation})
    return tuple(
        Relation(name, abbreviation(name), dataset.card.relations.get(name) or ours.get(name, "")) for name in names
    )


def document_groups(questions: Sequence[Question]) -> list[str]:
    """Name of each question's group: documents that a question joins are held out together, so that none leaks.

    A question without a document is a group of its own.
    """
    group = {document: document for question in questions for document in question.document_ids}

    def first(document: str) -> str:
        while group[document] != document:
            document = group[document]
        return document

    for question in questions:
        for document in question.document_ids[1:]:
            group[first(document)] = first(question.document_ids[0])
    # no document has an empty name, so this one is nobody else's
    return [first(q.document_ids[0]) if q.document_ids else f"\0{q.id}" for q in questions]


def splits(questions: Sequence[Question], seed: int) -> list[Split | None]:
    """Return the split that labelled questions have, or where none has any the paper's 80/20.

    That is drawn by document, relations balanced, and is the same for the same questions and ``seed``.
    """
    given = [question.split for question in questions]
    if any(given):
        return given
    relations = [question.relation or "" for question in questions]
    folds = grouped_folds(relations, document_groups(questions), _FIFTHS, seed)
    return ["test" if fold == 0 else "train" for fold in folds]


def gold_text(question: Question, documents: Mapping[str, Document]) -> str:
    """Return the passages that are marked as evidence, a line each in the order of the text; "" where none is."""
    marked = {span for group in question.evidence for span in group}
    order = [*question.document_ids, *sorted(span.document_id for span in marked)]
    spans = sorted(marked, key=lambda span: (order.index(span.document_id), span.start, -span.end))
    lines: list[str] = []
    reached = dict.fromkeys(order, 0)
    for span in spans:
        # of what stands in another piece already nothing is repeated
        start = max(span.start, reached[span.document_id])
        if piece := documents[span.document_id].text[start : span.end].strip():
            lines.append(piece)
        reached[span.document_id] = max(span.end, reached[span.document_id])
    return "\n".join(lines)
