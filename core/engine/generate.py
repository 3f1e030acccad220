"""Stage *answer* by a language model: what it is asked for every context, and what its texts come to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace

from core.answering.generated import Generated, NumberedPassage, Unusable, numbered, shown_prompt
from core.answering.refusal import REFUSAL
from core.engine.calls import Calls
from core.engine.contexts import Context
from core.engine.repeats import repeat_of
from core.models.llm.calls import CUT, Call, Completion, Outcome
from core.schema import Answer, Question, content_hash

#: the stage as progress and costs name it
PURPOSE = "answer"

Pair = tuple[str, str]


@dataclass(frozen=True)
class Asked:
    """What is asked for one (question, context): the passages as the model sees them, and the call."""

    passages: tuple[NumberedPassage, ...]
    language: str
    call: Call


def asked(
    answerer: Generated,
    questions: Mapping[str, Question],
    languages: Mapping[str, str],
    contexts: Mapping[Pair, Context],
) -> tuple[dict[Pair, str], dict[str, Asked]]:
    """Return (configuration id, question id) → item, and item → what is asked; equal contexts in equal order are one.

    A context without a text is not among them: there is nothing to answer from. Repeats of an answer are asked for
    each by itself.
    """
    items: dict[Pair, str] = {}
    found: dict[str, Asked] = {}
    for pair, context in contexts.items():
        if not context.sentences:
            continue
        question, language = questions[pair[1]], languages[pair[1]]
        # the passages' numbers follow the order in which they were handed on
        repeat = repeat_of(pair[0])
        items[pair] = item = content_hash(question.question, language, context.passages, context.fingerprint, repeat)
        if item not in found:
            passages = numbered(context.passages, context.sentences)
            call = replace(answerer.call(question.question, passages, language), repeat=repeat)
            found[item] = Asked(passages, language, call)
    return items, found


def prompt_hashes(answerer: Generated, languages: Collection[str]) -> dict[str, str]:
    """Return language → hash of what is asked in it and of its version: equal hashes mean equal prompts."""
    return {
        language: content_hash(answerer.prompt_version, [asdict(message) for message in shown_prompt(language)])
        for language in sorted(languages)
    }


def generated(
    answerer: Generated,
    questions: Mapping[str, Question],
    languages: Mapping[str, str],
    contexts: Mapping[Pair, Context],
    calls: Calls,
) -> tuple[dict[Pair, Answer], dict[Pair, str]]:
    """Return an answer for every context, or why there is none.

    Nothing is asked where nothing was retrieved: that is answered by the refusal of extractive answers.
    """
    items, inquiries = asked(answerer, questions, languages, contexts)
    users: dict[str, list[str]] = {}
    for (configuration, _), item in items.items():
        users.setdefault(item, []).append(configuration)

    def problem(item: str, text: str) -> str:
        answer = answerer.answer(text, inquiries[item].passages, inquiries[item].language)
        return answer.reason if isinstance(answer, Unusable) else ""

    outcomes = calls.complete(
        PURPOSE, {item: one.call for item, one in inquiries.items()}, users=users, problem=problem
    )
    return given_by(answerer, items, inquiries, outcomes, contexts)


def given_by(
    answerer: Generated,
    items: Mapping[Pair, str],
    inquiries: Mapping[str, Asked],
    outcomes: Mapping[str, Outcome],
    contexts: Mapping[Pair, Context],
) -> tuple[dict[Pair, Answer], dict[Pair, str]]:
    """Return what outcomes by item come to: the answers, and why there is none; ``asked`` says which item is whose."""
    answers: dict[str, Answer] = {}
    failures: dict[str, str] = {}
    for item, outcome in outcomes.items():
        if not isinstance(outcome, Completion):
            failures[item] = outcome.reason
            continue
        answer = answerer.answer(outcome.text, inquiries[item].passages, inquiries[item].language)
        if isinstance(answer, Unusable):
            failures[item] = answer.reason
        else:
            answers[item] = replace(answer, cut=outcome.finish == CUT)
    given = {pair: answers[item] for pair, item in items.items() if item in answers}
    given |= {pair: Answer((REFUSAL,), refused=True) for pair in contexts if pair not in items}
    return given, {pair: failures[item] for pair, item in items.items() if item in failures}
