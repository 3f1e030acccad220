"""What a run will ask its language model, as far as that can be told before it: from what is stored already.

What a model is asked depends on what was retrieved, and what it is asked about answers depends on the answers. Where
the same was done before (by a run with extractive answers, or by this one before it was stopped), the calls are known
to the letter, and so is which of them are stored. Of a large run a part of the questions is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Generic, TypeVar

from core.answering.generated import Generated
from core.engine.answer import stored_extracts
from core.engine.calls import stored_outcomes
from core.engine.contexts import Context, NoContext, contexts_of
from core.engine.generate import Asked, asked, given_by
from core.engine.match import distinct_answers, judge_calls
from core.engine.prepare import Corpus, prepared
from core.engine.relate_prompted import answer_cases, calls_about, gold_cases
from core.engine.repeats import repeated
from core.engine.retrieve import stored_rankings
from core.engine.spec import EVIDENCE, RunSpec
from core.models.llm.calls import Call, ModelSpec, call_key
from core.nuggets.judge import BATCH, Judge
from core.nuggets.matching import statements_of
from core.relations.examples import Examples
from core.relations.prompted import Prompted
from core.retrieval.rankers import RankingFailure
from core.schema import Answer, Dataset, Question, Ranking
from core.store.database import Store

Pair = tuple[str, str]
Value = TypeVar("Value")
#: answers that are looked at; a run of more is told from so many of all over it
MOST_ANSWERS = 1_000
#: the retriever whose passages stand behind reference answers without marked evidence
_BEHIND = "knn"


@dataclass(frozen=True)
class Expected:
    """The calls of one purpose: ``calls`` will be sent, ``stored`` more were answered before.

    ``open`` counts those of which nothing is known yet: at most so many more.
    """

    calls: tuple[Call, ...] = ()
    stored: int = 0
    open: int = 0


@dataclass(frozen=True)
class Forecast:
    """What is asked about the questions that were looked at, a ``share`` of all: answers, relations, nuggets."""

    answers: Expected
    relations: Expected
    nuggets: Expected
    share: float


@dataclass(frozen=True)
class _Inquired:
    """What stage *answer* has to do: the contexts that are known and, where a model answers, what it is asked for each.

    ``keys`` maps items to the keys of their calls; ``unknown`` question ids to how many of their configurations hand
    on nobody knows what.
    """

    ranked: frozenset[str]
    contexts: Mapping[Pair, Context]
    items: Mapping[Pair, str]
    inquiries: Mapping[str, Asked]
    keys: Mapping[str, str]
    unknown: Mapping[str, int]


class _Memory(Generic[Value]):
    """The last few values by their keys, for estimates that are made again while nothing they rest on has changed."""

    _MOST = 8

    def __init__(self) -> None:
        self._values: dict[Hashable, Value] = {}

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        if key not in self._values:
            made = make()
            for old in list(self._values)[: -self._MOST + 1]:
                self._values.pop(old, None)
            self._values[key] = made
        return self._values[key]


_inquiries: _Memory[_Inquired] = _Memory()
#: call keys with their calls: about relations and about nuggets
_follow_ups: _Memory[Mapping[str, Call]] = _Memory()


def forecast(store: Store, spec: RunSpec, dataset: Dataset) -> Forecast:
    """Return what a run asks its model; nothing is ranked or encoded, and nothing stored."""
    every = _chosen(spec, dataset)
    questions = every[:: ceil(len(every) * len(spec.configurations) / MOST_ANSWERS) or 1]
    if spec.model is None or not questions:
        return Forecast(Expected(), Expected(), Expected(), 1.0)
    inquired = _inquired(store, spec, dataset, questions)
    answers, calls = _answered(store, spec, questions, inquired)
    return Forecast(
        answers=calls,
        relations=_relations(store, spec, dataset, questions, inquired, answers),
        nuggets=_nuggets(store, spec, questions, inquired, answers),
        share=len(questions) / len(every),
    )


def _chosen(spec: RunSpec, dataset: Dataset) -> list[Question]:
    wanted = frozenset(spec.questions)
    return [question for question in dataset.questions if question.id in wanted]


def _inquired(store: Store, spec: RunSpec, dataset: Dataset, questions: Sequence[Question]) -> _Inquired:
    rankings = {r.id: stored_rankings(store, spec, r, questions) for r in spec.retrievers}
    ranked = frozenset(q.id for q in questions if rankings and all(q.id in found for found in rankings.values()))

    def looked_up() -> _Inquired:
        corpus = prepared(store, spec, dataset)
        known = _contexts(spec, corpus, questions, rankings, ranked) if corpus else {}
        contexts = repeated(
            {pair: context for pair, context in known.items() if isinstance(context, Context)}, spec.repeats
        )
        items: dict[Pair, str] = {}
        inquiries: dict[str, Asked] = {}
        keys: dict[str, str] = {}
        if isinstance(spec.answerer, Generated):
            items, inquiries = asked(spec.answerer, {q.id: q for q in questions}, dataset.language_of, contexts)
            keys = {item: call_key(spec.answerer.model, one.call) for item, one in inquiries.items()}
        rankable = len(spec.retrievers) + len(spec.combinations)
        # without a corpus that is cut up, the gold evidence is not cut up either
        unknown = {
            q.id: spec.repeats * ((q.id not in ranked) * rankable + (not corpus and bool(q.evidence)))
            for q in questions
        }
        return _Inquired(ranked, contexts, items, inquiries, keys, unknown)

    # what is ranked was cut up before; of the rest nobody knows what has been since
    return _inquiries.get((store.path, spec.run_id, ranked), looked_up) if ranked else looked_up()


def _contexts(
    spec: RunSpec,
    corpus: Corpus,
    questions: Sequence[Question],
    rankings: Mapping[str, Mapping[str, Ranking | RankingFailure]],
    ranked: frozenset[str],
) -> dict[Pair, Context | NoContext]:
    """The contexts of the questions that every retriever has ranked; the gold evidence of all."""
    gold = contexts_of(replace(spec, retrievers=(), combinations=()), corpus, questions, {})
    return gold | contexts_of(spec, corpus, [q for q in questions if q.id in ranked], rankings)


def _follows(spec: RunSpec) -> bool:
    """Whether the model is asked about answers."""
    return isinstance(spec.classifier, Prompted) or isinstance(spec.matcher, Judge)


def _answered(
    store: Store, spec: RunSpec, questions: Sequence[Question], inquired: _Inquired
) -> tuple[Mapping[Pair, Answer], Expected]:
    """The answers that are stored, where the model is asked about them, and the calls for the others."""
    if not isinstance(spec.answerer, Generated):
        if not _follows(spec):
            return {}, Expected()
        by_id = {question.id: question for question in questions}
        return stored_extracts(store, spec, by_id, inquired.contexts), Expected()
    outcomes = stored_outcomes(store, spec.answerer.model, list(set(inquired.keys.values())))
    missing = {key: inquired.inquiries[item].call for item, key in inquired.keys.items() if key not in outcomes}
    known = {item: outcomes[key] for item, key in inquired.keys.items() if key in outcomes}
    expected = Expected(tuple(missing.values()), len(outcomes), sum(inquired.unknown.values()))
    if not _follows(spec):
        return {}, expected
    given, _ = given_by(spec.answerer, inquired.items, inquired.inquiries, known, inquired.contexts)
    return given, expected


def _relations(
    store: Store,
    spec: RunSpec,
    dataset: Dataset,
    questions: Sequence[Question],
    inquired: _Inquired,
    answers: Mapping[Pair, Answer],
) -> Expected:
    """Two calls a labelled question, which tell how good the model is at it, and one a distinct answer."""
    classifier = spec.classifier
    if not isinstance(classifier, Prompted) or len(classifier.relations) < 2:
        return Expected()
    by_id = {question.id: question for question in questions if question.relation}
    texts = {
        id_: context
        for id_ in by_id
        if (context := inquired.contexts.get((EVIDENCE, id_)) or inquired.contexts.get((_BEHIND, id_)))
    }
    known = {pair: answer for pair, answer in answers.items() if pair[1] in by_id}

    def made() -> Mapping[str, Call]:
        examples = Examples(dataset, classifier.seed) if classifier.mode == "llm-few" else None
        gold = gold_cases(by_id, texts)
        alone = {id_: (id_, case.alone()) for id_, (_, case) in gold.items()}
        _, said = answer_cases(by_id, inquired.contexts, known)
        calls = [
            call for cases in (gold, alone, said) for call in calls_about(classifier, cases, by_id, examples).values()
        ]
        return {call_key(classifier.model, call): call for call in calls}

    calls = _follow_ups.get(("relations", store.path, spec.run_id, inquired.ranked, len(known)), made)
    unsaid = _unsaid(spec, inquired, answers, by_id)
    return _expected(store, classifier.model, calls, 2 * (len(by_id) - len(texts)) + sum(unsaid.values()))


def _nuggets(
    store: Store,
    spec: RunSpec,
    questions: Sequence[Question],
    inquired: _Inquired,
    answers: Mapping[Pair, Answer],
) -> Expected:
    """A call for every distinct answer and every batch of its question's nuggets."""
    judge = spec.matcher
    if not isinstance(judge, Judge):
        return Expected()
    by_id = {question.id: question for question in questions if question.nuggets}
    statements = {id_: statements_of(question.nuggets) for id_, question in by_id.items()}
    known = {pair: answer for pair, answer in answers.items() if pair[1] in by_id}

    def made() -> Mapping[str, Call]:
        said = distinct_answers(by_id, known)
        calls = judge_calls(judge, statements, list(dict.fromkeys(said.values())), by_id).items
        return {call_key(judge.model, call): call for call in calls.values()}

    calls = _follow_ups.get(("nuggets", store.path, spec.run_id, inquired.ranked, len(known)), made)
    unsaid = _unsaid(spec, inquired, answers, by_id)
    batches = {id_: ceil(len(texts) / BATCH) for id_, texts in statements.items()}
    return _expected(store, judge.model, calls, sum(batches[id_] * number for id_, number in unsaid.items()))


def _unsaid(
    spec: RunSpec, inquired: _Inquired, answers: Mapping[Pair, Answer], asked_: Mapping[str, Question]
) -> dict[str, int]:
    """Question id → how many different answers are not known yet, at most; imported ones are not looked at."""
    missing: dict[str, set[str]] = {id_: set() for id_ in asked_}
    for pair, context in inquired.contexts.items():
        if pair[1] in missing and pair not in answers:
            missing[pair[1]].add(inquired.items.get(pair) or context.fingerprint)
    return {id_: len(found) + inquired.unknown[id_] + len(spec.systems) for id_, found in missing.items()}


def _expected(store: Store, model: ModelSpec, calls: Mapping[str, Call], unknown: int) -> Expected:
    stored = stored_outcomes(store, model, list(calls))
    return Expected(tuple(call for key, call in calls.items() if key not in stored), len(stored), unknown)
