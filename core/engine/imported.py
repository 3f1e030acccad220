"""Stage *take over*: what other systems gave for the run's questions, as the contexts and answers of configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.engine.contexts import Context, NoContext
from core.engine.prepare import Corpus
from core.engine.spec import RunSpec
from core.engine.systems import PREFIX, SystemSpec, systems_made_with
from core.nuggets.holding import Item
from core.schema import Answer, Citation, ContextSentence, Question, SystemAnswer, SystemContext
from core.store.database import Store
from core.store.systems import system_answer, system_answers, system_rows
from core.text.sentences import sentence_spans

Pair = tuple[str, str]


@dataclass(frozen=True)
class TakenOver:
    """What the systems of a run gave: contexts and answers by (configuration id, question id).

    ``given`` is all of it as it came, by configuration id and question id.
    """

    contexts: Mapping[Pair, Context | NoContext]
    answers: Mapping[Pair, Answer]
    given: Mapping[str, Mapping[str, SystemAnswer]]


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
    return {_passage(configuration, i): c for i, c in enumerate(given.contexts) if _is_something(c)}


def given_items(system: str, given: SystemAnswer) -> dict[str, Item]:
    """Return what a system was given, by passage id as in a run's rows, as what may hold nuggets."""
    return {
        name: Item(name, context.document_id, context.start, context.end, context.text)
        for i, context in enumerate(given.contexts)
        if _is_something(context) and (name := _passage(system, i))
    }


def taken_over(
    store: Store, spec: RunSpec, corpus: Corpus, questions: Sequence[Question], languages: Mapping[str, str]
) -> TakenOver:
    """Return what the systems of the run gave for its questions; ``languages`` are the questions' by id.

    Raises:
        OptionError: a system was deleted or replaced since the run was planned.
    """
    contexts: dict[Pair, Context | NoContext] = {}
    answers: dict[Pair, Answer] = {}
    everything: dict[str, Mapping[str, SystemAnswer]] = {}
    dataset = spec.request.dataset
    for system in systems_made_with(spec.run_id, spec.resolved(), system_specs(store, dataset)):
        given = everything[system.id] = system_answers(store, dataset, system.name)
        ranks_only = any(one.ranking for one in given.values()) and not any(one.sentences for one in given.values())
        for question in questions:
            pair = (system.id, question.id)
            answer = given.get(question.id)
            if answer is None:
                contexts[pair] = NoContext("not_applicable", "no answer of this system was imported for this question")
            elif not answer.sentences and (answer.ranking or ranks_only):
                contexts[pair] = NoContext("not_applicable", "a ranking without answers was imported")
            elif not answer.sentences:
                contexts[pair] = NoContext("failed", "the system gave no answer")
            else:
                contexts[pair] = _context(system.id, answer, corpus, languages[question.id])
                answers[pair] = Answer(answer.sentences, tuple(_citations(system.id, answer)), answer.refused)
    return TakenOver(contexts, answers, everything)


def _context(system: str, given: SystemAnswer, corpus: Corpus, language: str) -> Context:
    """The sentences of a system's contexts in the order given, each once, cited by the contexts that hold it."""
    passages: list[str] = []
    found: dict[tuple[object, ...], ContextSentence] = {}
    for number, context in enumerate(given.contexts):
        text, document, shift = context.text, "", 0
        if context.start is not None:
            document, shift = context.document_id, context.start
            text = corpus.documents[document].text[context.start : context.end]
        if not _is_something(context):
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
    if sentences:
        reason = ""
    else:
        reason = "its contexts came without their texts" if passages else "no contexts came with this answer"
    return Context(tuple(passages), sentences, reason)


def _is_something(context: SystemContext) -> bool:
    """Whether a context has a text, or a document of the collection whose text nobody knows here."""
    return bool(context.text.strip() or context.document_id)


def _citations(system: str, given: SystemAnswer) -> list[Citation]:
    return [
        Citation(sentence, given.contexts[number].document_id, _passage(system, number))
        for sentence, number in given.citations
    ]


def _passage(system: str, number: int) -> str:
    return f"{system}#{number + 1}"
