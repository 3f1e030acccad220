"""Stage *score*: one row for every (configuration, question), each measure in one of its three states."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, partial

import numpy as np

from core.engine.averaging import one_row
from core.engine.contexts import Context, NoContext
from core.engine.encode import Encodings
from core.engine.relate import Relations
from core.engine.repeats import nth
from core.engine.spec import RunSpec
from core.engine.systems import is_system
from core.metrics.similarity import cosine_rows
from core.models.embeddings import applicable
from core.schema import Answer, Question, StateName
from core.store.run_items import RunItem
from core.text.tokens import count_words

Pair = tuple[str, str]

_NO_REFERENCE = "this question has no reference answer"


def items_of(
    spec: RunSpec,
    questions: Sequence[Question],
    languages: Mapping[str, str],
    contexts: Mapping[Pair, Context | NoContext],
    answers: Mapping[Pair, Answer],
    unanswered: Mapping[Pair, str],
    relations: Relations,
    encodings: Encodings,
) -> Iterator[RunItem]:
    """Yield the run's rows, configuration by configuration; repeats of an answer are averaged within their question.

    ``languages`` are the questions' by id. ``unanswered`` says of a pair why it has no answer.
    """
    rows = partial(_rows, questions, languages, contexts, answers, unanswered, relations, encodings)
    for configuration in spec.configurations:
        repeats = 1 if is_system(configuration) else spec.repeats
        for same in zip(*(rows(nth(configuration, number)) for number in range(repeats)), strict=True):
            yield one_row(same)


def _rows(
    questions: Sequence[Question],
    languages: Mapping[str, str],
    contexts: Mapping[Pair, Context | NoContext],
    answers: Mapping[Pair, Answer],
    unanswered: Mapping[Pair, str],
    relations: Relations,
    encodings: Encodings,
    configuration: str,
) -> Iterator[RunItem]:
    """Yield the rows of one configuration, or of one repeat of it, in the order of the questions."""
    words = cache(count_words)

    @cache
    def reason(text: str, spoken: str) -> str:
        tokens, unknown = encodings.counts(text)
        return applicable(encodings.spec, tokens, unknown, spoken)

    answered = [q for q in questions if q.answer and (configuration, q.id) in answers]
    cosines = cosine_rows(
        encodings.unit([q.answer for q in answered]),
        encodings.unit([answers[configuration, q.id].text for q in answered]),
    )
    cosine = dict(zip((q.id for q in answered), np.round(cosines, 6).tolist(), strict=True))
    for question in questions:
        pair = (configuration, question.id)
        context = contexts[pair]
        if isinstance(context, NoContext):
            yield _without_answer(pair, context)
            continue
        passages = json.dumps(context.passages, ensure_ascii=False)
        n_words = sum(words(sentence.text) for sentence in context.sentences)
        if pair in unanswered:
            row = _without_answer(pair, NoContext("failed", unanswered[pair]))
            yield replace(row, passages=passages, words=n_words, sentences=len(context.sentences))
            continue
        answer = answers[pair]
        obstacle = _NO_REFERENCE
        if question.answer:
            spoken = languages[question.id]
            obstacle = reason(question.answer, spoken) or reason(answer.text, spoken)
        meaningless = (obstacle if relations.from_vectors else "") or (
            context.no_relation if relations.from_text else ""
        )
        correct, correct_state, correct_reason = _correct(question, pair, answer, relations, meaningless)
        yield RunItem(
            configuration=configuration,
            question=question.id,
            passages=passages,
            answer=json.dumps(asdict(answer), ensure_ascii=False),
            refused=int(answer.refused),
            words=n_words,
            sentences=len(context.sentences),
            similarity=None if obstacle else cosine[question.id],
            similarity_state="not_applicable" if obstacle else "scored",
            similarity_reason=obstacle,
            predicted=relations.predicted.get(pair),
            correct=correct,
            correct_state=correct_state,
            correct_reason=correct_reason,
        )


def _correct(
    question: Question, pair: Pair, answer: Answer, relations: Relations, obstacle: str
) -> tuple[int | None, StateName, str]:
    """``obstacle`` says why the classifier means nothing here: no text came with the answer, or no vector means it."""
    if relations.reason:
        return None, "not_applicable", relations.reason
    if not question.relation:
        return None, "not_applicable", "this question has no relation label"
    if obstacle:
        return None, "not_applicable", obstacle
    if question.id in relations.unpredicted:
        return None, "not_applicable", relations.unpredicted[question.id]
    if answer.refused:
        return 0, "scored", ""
    if gap := relations.gaps.get(pair):
        return None, gap.state, gap.reason
    if pair not in relations.predicted:
        return None, "not_applicable", "the classifier has no text for this question: no evidence is marked, kNN failed"
    return int(relations.predicted[pair] == question.relation), "scored", ""


def _without_answer(pair: Pair, context: NoContext) -> RunItem:
    return RunItem(
        configuration=pair[0],
        question=pair[1],
        passages="[]",
        answer="{}",
        refused=0,
        words=0,
        sentences=0,
        similarity=None,
        similarity_state=context.state,
        similarity_reason=context.reason,
        predicted=None,
        correct=None,
        correct_state=context.state,
        correct_reason=context.reason,
    )
