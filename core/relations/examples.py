"""Examples that a language model is shown before it is asked for a relation: one of each, never of the same document.

They come from the dataset's train questions where it marks a split, else from all labelled ones. A seed deals them out,
so that the same dataset and seed show the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.relations.labelled import document_groups, gold_text
from core.relations.prompted import Case, Example
from core.schema import Dataset, Document, Question, content_hash
from core.taxonomy.relations import in_order
from core.text.sentences import sentence_spans
from core.text.tokens import count_words

#: words of an example's text: thirteen examples and the text in question must fit a small model's window
LONGEST = 100


class Examples:
    """What may be shown beside the questions of a dataset."""

    def __init__(self, dataset: Dataset, seed: int) -> None:
        self._documents = {document.id: document for document in dataset.documents}
        self._group = {
            question.id: group
            for question, group in zip(dataset.questions, document_groups(dataset.questions), strict=True)
        }
        labelled = [question for question in dataset.questions if question.relation and question.answer.strip()]
        pool = [question for question in labelled if question.split == "train"] or labelled
        names = in_order({question.relation for question in labelled if question.relation})
        # models favour what they read last, so the taxonomy's order would favour its end in every dataset
        names.sort(key=lambda name: content_hash(seed, name))
        self._candidates: dict[str, list[tuple[Question, str]]] = {}
        for name in names:
            of_relation = sorted(
                (question for question in pool if question.relation == name), key=lambda q: content_hash(seed, q.id)
            )
            shown = [(question, gold_text(question, self._documents)) for question in of_relation]
            # one without a text says less, one with a long text is cut
            self._candidates[name] = sorted(shown, key=lambda one: (not one[1], count_words(one[1]) > LONGEST))
        self._short: set[str] = set()

    def beside(self, question: Question, *, alone: bool = False) -> tuple[Example, ...]:
        """Return an example of each relation that some other document has; ``alone`` shows their questions only."""
        group = self._group[question.id]
        found = {
            name: next(((q, text) for q, text in shown if self._group[q.id] != group), None)
            for name, shown in self._candidates.items()
        }
        if None in found.values():
            self._short.add(question.id)
        cases = {name: self._case(*one) for name, one in found.items() if one is not None}
        return tuple((case.alone() if alone else case, name) for name, case in cases.items())

    def notes(self) -> Iterator[str]:
        """Yield what the dataset did not allow so far."""
        if self._short:
            yield (
                f"{len(self._short)} questions were asked without an example of every relation, because no other "
                "document has one."
            )

    def _case(self, question: Question, text: str) -> Case:
        return Case(question.question, question.answer, _opening(text, self._language(question)))

    def _language(self, question: Question) -> str:
        document: Document | None = self._documents.get(next(iter(question.document_ids), ""))
        return (document.language if document else "") or "en"


def _opening(text: str, language: str) -> str:
    """Return the whole sentences from the beginning of a text that make up at most ``LONGEST`` words, at least one."""
    if count_words(text) <= LONGEST:
        return text
    ends = [end for _, end in sentence_spans(text, language)]
    fitting = [end for end in ends if count_words(text[:end]) <= LONGEST]
    return text[: fitting[-1] if fitting else ends[0]]
