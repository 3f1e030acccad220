"""Each check finds its fault in a dataset that has just that one, and nothing in one without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.datasets import nugget_checks
from core.schema import Card, Dataset, Document, Nugget, NuggetAnswer, Question, Span

TEXT = (
    "The Marlow ferry runs every forty minutes in summer. In winter it runs twice a day because the harbour freezes. "
    "A ticket costs 3 crowns. Anna Rusk built the oat mill in 1871."
)


def span(piece: str) -> Span:
    return Span("d", TEXT.index(piece), TEXT.index(piece) + len(piece))


def stated(text: str, *evidence: str, **changes: object) -> Nugget:
    return Nugget("n", text, evidence=(tuple(span(piece) for piece in evidence),), **changes)  # type: ignore[arg-type]


def dataset(*nuggets: Nugget, answer: str = "Because the harbour freezes in winter.", language: str = "en") -> Dataset:
    question = Question(
        "q", "Why does the Marlow ferry run less in winter?", answer, ("d",), nuggets=nuggets
    )  # fmt: skip
    return Dataset(Card("trial"), (Document("d", TEXT, language=language),), (question,))


GOOD = stated("The harbour freezes in winter", "because the harbour freezes")
CHECKS = (
    nugget_checks.beyond_the_answer, nugget_checks.not_covered, nugget_checks.not_found,
    nugget_checks.found_without_evidence,
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_a_sound_dataset_passes(check) -> None:
    assert list(check(dataset(GOOD))) == []


@pytest.mark.parametrize("check", CHECKS)
def test_questions_without_nuggets_have_none_to_fault(check) -> None:
    assert list(check(dataset())) == []


def test_a_nugget_beyond_the_answer() -> None:
    assert list(nugget_checks.beyond_the_answer(dataset(stated("Anna Rusk built the mill", "Anna Rusk")))) == ["n"]


def test_an_answer_that_its_nuggets_do_not_cover() -> None:
    told = dataset(GOOD, answer="Because the harbour freezes, and Anna Rusk's mill ground oats until the dam.")
    assert list(nugget_checks.not_covered(told)) == ["q"]


def test_a_stated_nugget_that_the_text_does_not_state() -> None:
    assert list(nugget_checks.not_found(dataset(stated("A ticket costs 30 crowns", "A ticket costs")))) == ["n"]
    inferred = replace(stated("A ticket costs 30 crowns", "A ticket costs"), stated=False)
    assert list(nugget_checks.not_found(dataset(inferred))) == []


def test_evidence_that_lies_elsewhere() -> None:
    wrong = stated("A ticket costs 3 crowns", "Anna Rusk built")
    assert list(nugget_checks.found_without_evidence(dataset(wrong))) == ["n"]


def test_every_listed_answer_counts_for_itself() -> None:
    answers = (
        NuggetAnswer("The harbour freezes in winter", ((span("because the harbour freezes"),),)),
        NuggetAnswer("A ticket costs 30 crowns", ((span("A ticket costs 3 crowns"),),)),
    )
    both = Nugget("n", "The harbour freezes in winter", aggregator="AND", answers=answers)
    assert list(nugget_checks.beyond_the_answer(dataset(both))) == ["n"]
    assert list(nugget_checks.not_found(dataset(both))) == ["n"]
    either = replace(both, aggregator="OR")
    assert list(nugget_checks.beyond_the_answer(dataset(either))) == []


def test_a_language_nobody_knows_is_compared_as_it_stands() -> None:
    for check in CHECKS:
        assert list(check(dataset(GOOD, language="xx"))) == []
