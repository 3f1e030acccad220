"""Stage *match*: what every produced answer says of its question's nuggets, each distinct answer once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.engine.calls import Calls
from core.engine.fill import Workbench
from core.models.llm.calls import Call, Completion
from core.models.llm.structured import Unparsable
from core.nuggets.judge import BATCH, Judge
from core.nuggets.labels import labelled
from core.nuggets.matching import Match, Matcher, Statement, statements_of
from core.schema import Answer, NuggetLabel, Question, SystemAnswer, content_hash

Pair = tuple[str, str]
#: what is said to a question: its id, and the sentences of an answer
Said = tuple[str, tuple[str, ...]]
#: one match a statement, in order, or why there are none
Matches = tuple[Match, ...] | str
#: questions between two reports of progress
_BATCH = 50


@dataclass(frozen=True)
class _Asked:
    """One distinct answer to a question."""

    question: Question
    sentences: tuple[str, ...]


def matches_of(
    matcher: Matcher | Judge,
    questions: Mapping[str, Question],
    languages: Mapping[str, str],
    answers: Mapping[Pair, Answer],
    given: Mapping[str, Mapping[str, SystemAnswer]],
    bench: Workbench,
    calls: Calls | None,
) -> dict[Pair, Matches]:
    """Return (configuration id, question id) → matches of every answer to a question with nuggets, or why none.

    ``given`` are the systems' answers by configuration id: their labels come before the matcher. Refusals say nothing.

    Raises:
        Stopped: the run was asked to stop.
        EndpointUnreachable, EndpointRefused, SpendingLimitReached: as ``Calls.complete`` raises them.
    """
    statements = {id_: statements_of(question.nuggets) for id_, question in questions.items() if question.nuggets}
    said = {pair: answer for pair, answer in answers.items() if pair[1] in statements}
    keys = distinct_answers(questions, said)
    asked = {key: _Asked(questions[key[0]], key[1]) for key in keys.values()}
    if isinstance(matcher, Judge):
        assert calls is not None
        users: dict[Said, set[str]] = {}
        for pair, key in keys.items():
            users.setdefault(key, set()).add(pair[0])
        found = _judged(matcher, statements, list(asked), questions, users, calls)
    else:
        found = _offline(matcher, statements, languages, asked, bench)
    matches: dict[Pair, Matches] = {}
    for pair, answer in answers.items():
        if pair[1] not in statements:
            continue
        matches[pair] = tuple(Match(said=False) for _ in statements[pair[1]]) if answer.refused else found[keys[pair]]
        labels = _labels(given, pair)
        if labels and not answer.refused:
            matches[pair] = _by_labels(questions[pair[1]], statements[pair[1]], labels, matches[pair])
    return matches


def distinct_answers(questions: Collection[str], answers: Mapping[Pair, Answer]) -> dict[Pair, Said]:
    """Return (configuration id, question id) → what is said, of the answers to ``questions`` that are no refusals."""
    return {
        pair: (pair[1], answer.sentences)
        for pair, answer in answers.items()
        if pair[1] in questions and not answer.refused
    }


@dataclass(frozen=True)
class JudgeCalls:
    """What a judge is asked: ``items`` are the calls, ``of`` maps what is said to its items in order.

    ``sizes`` maps an item to its numbers of statements and of sentences.
    """

    items: Mapping[str, Call]
    of: Mapping[Said, Sequence[str]]
    sizes: Mapping[str, tuple[int, int]]


def judge_calls(
    judge: Judge,
    statements: Mapping[str, tuple[Statement, ...]],
    said: Sequence[Said],
    questions: Mapping[str, Question],
) -> JudgeCalls:
    """Return what a judge is asked about distinct answers; ``statements`` are those of their questions by id."""
    items: dict[str, Call] = {}
    sizes: dict[str, tuple[int, int]] = {}
    batches: dict[Said, list[str]] = {}
    for key in said:
        question, sentences = questions[key[0]], key[1]
        texts = [statement.text for statement in statements[question.id]]
        name = content_hash(question.id, sentences)
        for number, call in enumerate(judge.calls(question.question, texts, sentences)):
            item = f"{name}:{number}"
            items[item] = call
            sizes[item] = (min(BATCH, len(texts) - number * BATCH), len(sentences))
            batches.setdefault(key, []).append(item)
    return JudgeCalls(items, batches, sizes)


def _labels(given: Mapping[str, Mapping[str, SystemAnswer]], pair: Pair) -> tuple[NuggetLabel, ...]:
    return given[pair[0]][pair[1]].labels if pair[0] in given else ()


def _by_labels(
    question: Question, statements: tuple[Statement, ...], labels: tuple[NuggetLabel, ...], found: Matches
) -> Matches:
    """Where the matcher could not tell either, the labels alone decide what is said."""
    fallback = tuple(Match(said=False) for _ in statements) if isinstance(found, str) else found
    return labelled(question.nuggets, statements, labels, fallback)


def _offline(
    matcher: Matcher,
    statements: Mapping[str, tuple[Statement, ...]],
    languages: Mapping[str, str],
    asked: Mapping[tuple[str, tuple[str, ...]], _Asked],
    bench: Workbench,
) -> dict[tuple[str, tuple[str, ...]], Matches]:
    """Nothing is stored: the rule takes no longer than reading what it said."""
    bench.progress.begin("match", len(asked))
    found: dict[tuple[str, tuple[str, ...]], Matches] = {}
    # answers to one question stand together, so that its statements are taken apart once
    for done, key in enumerate(sorted(asked, key=lambda key: key[0]), start=1):
        language = languages[key[0]] or "en"
        found[key] = tuple(matcher.match(statement.text, key[1], language) for statement in statements[key[0]])
        if done % _BATCH == 0:
            bench.progress.advance(done)
    bench.progress.advance(len(asked))
    return found


def _judged(
    judge: Judge,
    statements: Mapping[str, tuple[Statement, ...]],
    said: Sequence[Said],
    questions: Mapping[str, Question],
    users: Mapping[Said, Collection[str]],
    calls: Calls,
) -> dict[Said, Matches]:
    """One failed batch is a failure of the answer: nuggets that nobody judged are no nuggets that were not said."""
    asked = judge_calls(judge, statements, said, questions)
    of_item = {item: users[key] for key, items in asked.of.items() for item in items}

    def problem(item: str, text: str) -> str:
        matches = judge.matches(text, *asked.sizes[item])
        return matches.reason if isinstance(matches, Unparsable) else ""

    outcomes = calls.complete("match", asked.items, users=of_item, problem=problem)
    found: dict[Said, Matches] = {}
    for key, names in asked.of.items():
        matches: list[Match] = []
        reason = ""
        for item in names:
            outcome = outcomes[item]
            judged = judge.matches(outcome.text, *asked.sizes[item]) if isinstance(outcome, Completion) else outcome
            if isinstance(judged, tuple):
                matches += judged
            else:
                reason = reason or f"the judge failed: {judged.reason}"
        found[key] = reason or tuple(matches)
    return found
