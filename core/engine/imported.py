"""Stage *take over*: what other systems gave for the run's questions, as the contexts and answers of configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.engine.contexts import Context, NoContext
from core.engine.prepare import Corpus
from core.engine.spec import RunSpec
from core.engine.systems import PREFIX, SystemSpec, systems_made_with
from core.schema import Answer, Citation, ContextSentence, Question, SystemAnswer, SystemContext
from core.store.database import Store
from core.store.systems import system_answer, system_answers, system_rows
from core.text.sentences import sentence_spans

Pair = tuple[str, str]


def system_specs(store: Store, dataset: str) -> list[SystemSpec]:
    """Return the systems that were imported for a dataset, by name."""
    return [SystemSpec(row["name"], row["fingerprint"]) for row in system_rows(store, dataset)]


def handed_on(store: Store, dataset: str, configuration: str, question: str) -> dict[str, SystemContext]:
    """Return what a system was given to answer a question from, by passage id as in a run's rows.

    Empty where the configuration is no system, or is gone, or got nothing.
    """
    given = system_answer(store, dataset, configuration.removeprefix(PREFIX), question)
    if given is None or not configuration.startswith(PREFIX):
        return {}
    return {_passage(configuration, i): c for i, c in enumerate(given.contexts) if c.text.strip()}


def taken_over(
    store: Store, spec: RunSpec, corpus: Corpus, questions: Sequence[Question]
) -> tuple[dict[Pair, Context | NoContext], dict[Pair, Answer]]:
    """Return (configuration id, question id) → context for every system of the run, and the answers there are.

    Raises:
        OptionError: a system was deleted or replaced since the run was planned.
    """
    contexts: dict[Pair, Context | NoContext] = {}
    answers: dict[Pair, Answer] = {}
    dataset = spec.request.dataset
    for system in systems_made_with(spec.run_id, spec.resolved(), system_specs(store, dataset)):
        given = system_answers(store, dataset, system.name)
        for question in questions:
            pair = (system.id, question.id)
            answer = given.get(question.id)
            if answer is None:
                contexts[pair] = NoContext("not_applicable", "no answer of this system was imported for this question")
            elif not answer.sentences:
                contexts[pair] = NoContext("failed", "the system gave no answer")
            else:
                language = corpus.documents[question.document_ids[0]].language
                contexts[pair] = _context(system.id, answer, corpus, language)
                answers[pair] = Answer(answer.sentences, tuple(_citations(system.id, answer)), answer.refused)
    return contexts, answers


def _context(system: str, given: SystemAnswer, corpus: Corpus, language: str) -> Context:
    """The sentences of a system's contexts in the order given, each once, cited by the contexts that hold it."""
    passages: list[str] = []
    found: dict[tuple[object, ...], ContextSentence] = {}
    for number, context in enumerate(given.contexts):
        text, document, shift = context.text, "", 0
        if context.start is not None:
            document, shift = context.document_id, context.start
            text = corpus.documents[document].text[context.start : context.end]
        if not text.strip():
            continue
        passages.append(passage := _passage(system, number))
        for start, end in sentence_spans(text, language or "en"):
            sentence = ContextSentence(document, shift + start, shift + end, text[start:end], (passage,))
            # what stands in no document of ours has no place of its own: its text tells it apart
            key = (document, sentence.start, sentence.end) if document else (sentence.text,)
            first = found.setdefault(key, sentence)
            if passage not in first.passage_ids:
                found[key] = replace(first, passage_ids=(*first.passage_ids, passage))
    sentences = tuple(found.values())
    return Context(tuple(passages), sentences, "" if sentences else "no contexts came with this answer")


def _citations(system: str, given: SystemAnswer) -> list[Citation]:
    return [
        Citation(sentence, given.contexts[number].document_id, _passage(system, number))
        for sentence, number in given.citations
    ]


def _passage(system: str, number: int) -> str:
    return f"{system}#{number + 1}"
