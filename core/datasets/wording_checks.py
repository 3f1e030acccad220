"""Checks of wordings: answers that copy the text, and questions whose label of linguistic variation is not measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.schema import Dataset
from core.text.overlap import SIMILAR, lexical_overlap
from core.text.sentences import sentence_spans
from core.text.tokens import lexical_tokens

#: the dimension of linguistic variation, its coarse nodes, and measured bands of the categories named after overlap
LV = "LV"
SIMILAR_NODE, DISTANT_NODE = "similar_to_document", "distant_from_document"
BANDS: Mapping[str, tuple[float, float]] = {
    "high_lexical_overlap": (0.70, 1.01),
    "moderate_lexical_overlap": (0.50, 0.70),
    "moderate_low_lexical_overlap": (0.30, 0.50),
    "low_lexical_overlap": (0.0, 0.30),
}
#: the relation whose answer may be a sentence of the text; and the words from which on a sentence is no mere name
_COPIED_RELATION = "direct matching"
_LONG = 5


@dataclass(frozen=True, slots=True)
class Variation:
    """A question's coarse label of linguistic variation beside its measured overlap in [0, 1].

    ``in_band`` is None for a category that is not named after an overlap.
    """

    question: str
    category: str
    overlap: float
    labelled_similar: bool
    in_band: bool | None

    @property
    def agrees(self) -> bool:
        """Whether label and measurement lie on the same side."""
        return self.labelled_similar == (self.overlap >= SIMILAR)


def copied_answers(dataset: Dataset) -> Iterator[str]:
    """Yield the ids of questions whose answer repeats a whole sentence of the text, unless they ask for one."""
    sentences = {
        document.id: {
            " ".join(lexical_tokens(document.text[a:b]))
            for a, b in sentence_spans(document.text, document.language or "en")
        }
        for document in dataset.documents
    }
    for question in dataset.questions:
        if question.relation == _COPIED_RELATION:
            continue
        for start, end in sentence_spans(question.answer):
            tokens = lexical_tokens(question.answer[start:end])
            copied = any(" ".join(tokens) in sentences[name] for name in question.document_ids)
            if copied and len(tokens) >= _LONG:
                yield question.id
                break


def variations(dataset: Dataset) -> list[Variation]:
    """Return the questions with a label of linguistic variation whose overlap can be measured, in dataset order.

    Empty where the card's tree has no such dimension with the two coarse nodes.
    """
    tree = dataset.card.trees.get(LV)
    coarse = {}
    for node in (SIMILAR_NODE, DISTANT_NODE):
        coarse.update(dict.fromkeys(_names(tree[node]) if isinstance(tree, Mapping) and node in tree else (), node))
        coarse[node] = node
    texts = {document.id: document for document in dataset.documents}
    found = []
    for question in dataset.questions:
        category = question.categories.get(LV)
        if category not in coarse or not isinstance(tree, Mapping):
            continue
        documents = [texts[name] for name in question.document_ids]
        overlap = lexical_overlap(
            question.question, "\n".join(one.text for one in documents), documents[0].language or "en"
        )
        if overlap is None:
            continue
        low, high = BANDS.get(category, (0.0, 1.01))
        in_band = low <= overlap < high if category in BANDS else None
        found.append(Variation(question.id, category, overlap, coarse[category] == SIMILAR_NODE, in_band))
    return found


def _names(tree: object) -> Iterator[str]:
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            yield name
            yield from _names(below)
    elif isinstance(tree, list | tuple):
        for one in tree:
            yield from (one,) if isinstance(one, str) else _names(one)
