"""Prompts made up of a corpus's own passages, for want of what will be retrieved: about as long as those to be sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import ceil

from core.answering.generated import Generated, numbered
from core.engine.spec import EVIDENCE, RunSpec
from core.models.llm.calls import Call
from core.nuggets.judge import Judge
from core.nuggets.matching import statements_of
from core.relations.examples import Examples
from core.relations.labelled import gold_text
from core.relations.prompted import Case, Prompted
from core.schema import ContextSentence, Dataset, Question
from core.services.corpus_part import corpus_part
from core.text.chunking import chunk

#: questions whose prompts are made up
_QUESTIONS = 6
#: what each further member adds to the passages of a union, as a share of k: measured on the bundled benchmark in
#: corpus scope (1.3, 2.4 and 3.7 times k for two, four and seven members)
_FURTHER = 0.45
#: words of an answer that nobody has seen yet, where no reference answer tells
_ANSWER_WORDS = 40


class MadeUpPrompts:
    """Calls about some of a run's questions, with as many passages as each configuration hands on."""

    def __init__(self, spec: RunSpec, dataset: Dataset) -> None:
        self._spec, self._dataset = spec, dataset
        self._documents = {document.id: document for document in dataset.documents}
        wanted = frozenset(spec.questions)
        questions = [question for question in dataset.questions if question.id in wanted]
        self._questions = questions[:: ceil(len(questions) / _QUESTIONS) or 1]

    def answers(self) -> list[Call]:
        """Return calls for answers, one a question and configuration."""
        answerer = self._spec.answerer
        if not isinstance(answerer, Generated):
            return []
        calls = []
        for question, texts in self._handed_on():
            names = tuple(str(place) for place in range(len(texts)))
            sentences = tuple(
                ContextSentence("", 0, len(text), text, (name,)) for name, text in zip(names, texts, strict=True)
            )
            passages = numbered(names, sentences)
            if passages:
                calls.append(answerer.call(question.question, passages, self._dataset.language_of[question.id]))
        return calls

    def relations(self) -> list[Call]:
        """Return calls for relations of answers as long as the reference answers, one a question and configuration."""
        classifier = self._spec.classifier
        if not isinstance(classifier, Prompted):
            return []
        examples = Examples(self._dataset, classifier.seed) if classifier.mode == "llm-few" else None
        return [
            classifier.call(
                Case(question.question, _answer(question), "\n".join(texts)),
                examples.beside(question) if examples else (),
            )
            for question, texts in self._handed_on()
        ]

    def nuggets(self) -> list[Call]:
        """Return calls about nuggets, one a question and batch, of answers as long as the reference answers."""
        return self._about_nuggets

    @property
    def judgment_tokens(self) -> float:
        """About how long a judge's reply is: half of what it may be."""
        calls = self._about_nuggets
        return sum(call.max_tokens for call in calls) / len(calls) / 2 if calls else 0.0

    @cached_property
    def _about_nuggets(self) -> list[Call]:
        judge = self._spec.matcher
        calls: list[Call] = []
        if not isinstance(judge, Judge):
            return calls
        for question in self._questions:
            statements = [statement.text for statement in statements_of(question.nuggets)]
            calls += judge.calls(question.question, statements, [_answer(question)])
        return calls

    def _handed_on(self) -> Iterator[tuple[Question, list[str]]]:
        """Yield each question with the texts that each configuration hands on."""
        spec = self._spec
        unions = {one.id: len(one.members) for one in spec.combinations if one.kind == "S"}
        for place, question in enumerate(self._questions):
            pool = self._pool(question)
            for name in spec.configurations:
                if name == EVIDENCE:
                    text = gold_text(question, self._documents)
                    yield question, [text] if text else []
                    continue
                n = ceil(spec.k * (1 + _FURTHER * (unions.get(name, 1) - 1)))
                # from another place for each question, so that short and long passages take turns
                yield question, [pool[(place * n + i) % len(pool)] for i in range(min(n, len(pool)))]

    def _pool(self, question: Question) -> tuple[str, ...]:
        """The passages among which a question's are found."""
        spec = self._spec
        if spec.scope == "corpus":
            return corpus_part(spec.request.dataset, spec.dataset_fingerprint, spec.chunking).passages
        own = [self._documents[name] for name in question.document_ids if name in self._documents]
        return tuple(passage.text for document in own for passage in chunk(document, spec.chunking))


def _answer(question: Question) -> str:
    words = max(len(question.question.split()), 1)
    return question.answer or " ".join([question.question] * ceil(_ANSWER_WORDS / words))
