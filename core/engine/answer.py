"""Stage *answer*: one answer for every distinct (question, context); configurations that agree share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.answering.extractive import Extractive
from core.engine.calls import Calls
from core.engine.contexts import Context
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.generate import generated
from core.engine.spec import VERSIONS, RunSpec
from core.schema import Answer, Citation, Question, content_hash
from core.store.database import Store
from core.store.stage_results import StageKey, StageResult, get_results

_BATCH = 500

Pair = tuple[str, str]


@dataclass(frozen=True)
class Answers:
    """``given`` maps (configuration id, question id) to answers, ``failed`` to why there is none."""

    given: Mapping[Pair, Answer]
    failed: Mapping[Pair, str] = field(default_factory=dict)


def answers_of(
    spec: RunSpec,
    questions: Mapping[str, Question],
    languages: Mapping[str, str],
    contexts: Mapping[Pair, Context],
    encodings: Encodings,
    bench: Workbench,
    calls: Calls | None,
) -> Answers:
    """Return an answer, or why there is none, for every given context; ``languages`` are those of the questions."""
    if isinstance(spec.answerer, Extractive):
        return _extracted(spec.answerer, spec, questions, contexts, encodings, bench)
    assert calls is not None, "an answerer that asks a model needs one to ask"
    return Answers(*generated(spec.answerer, questions, languages, contexts, calls))


def _extracted(
    answerer: Extractive,
    spec: RunSpec,
    questions: Mapping[str, Question],
    contexts: Mapping[Pair, Context],
    encodings: Encodings,
    bench: Workbench,
) -> Answers:
    key = _key(answerer, spec)
    items = {pair: _item(questions[pair[1]], context) for pair, context in contexts.items()}
    inputs = {items[pair]: (questions[pair[1]], context) for pair, context in contexts.items()}
    bench.progress.begin("answer", len(inputs))

    def compute(batch: Sequence[tuple[str, tuple[Question, Context]]]) -> list[StageResult]:
        results = []
        for item, (question, context) in batch:
            units = encodings.unit([sentence.text for sentence in context.sentences])
            answer = answerer.answer(encodings.unit([question.question])[0], context.sentences, units)
            results.append(StageResult(item, asdict(answer)))
        return results

    results = bench.fill(key, inputs, compute, batch=_BATCH)
    answers = {item: _answer(result.value) for item, result in results.items()}
    return Answers({pair: answers[item] for pair, item in items.items()})


def stored_extracts(
    store: Store, spec: RunSpec, questions: Mapping[str, Question], contexts: Mapping[Pair, Context]
) -> dict[Pair, Answer]:
    """Return those of a run's extractive answers to contexts that are stored already, {} where it has others."""
    if not isinstance(spec.answerer, Extractive):
        return {}
    items = {pair: _item(questions[pair[1]], context) for pair, context in contexts.items()}
    results = get_results(store, _key(spec.answerer, spec), list(set(items.values())))
    return {pair: _answer(results[item].value) for pair, item in items.items() if item in results}


def _key(answerer: Extractive, spec: RunSpec) -> StageKey:
    return StageKey("answer", content_hash(VERSIONS["answer"], answerer.as_spec(), spec.retrieval_encoder.as_spec()))


def _item(question: Question, context: Context) -> str:
    return content_hash(question.question, context.fingerprint)


def _answer(value: Mapping[str, Any]) -> Answer:
    return Answer(
        sentences=tuple(value["sentences"]),
        citations=tuple(Citation(**citation) for citation in value["citations"]),
        refused=value["refused"],
    )
