from __future__ import annotations

from core.datasets.evidence_checks import nuggets_outside, overlapping, redundant
from core.schema import Card, Dataset, Document, Nugget, NuggetAnswer, Question, Span

A, B, C = Span("d", 0, 10), Span("d", 11, 20), Span("d", 30, 40)


def dataset(*groups: tuple[Span, ...], nuggets: tuple[Nugget, ...] = ()) -> Dataset:
    question = Question("q", "What?", "That.", ("d", "e"), evidence=groups, nuggets=nuggets)
    return Dataset(Card("trial"), (Document("d", "x" * 50), Document("e", "y" * 50)), (question,))


def test_spans_that_overlap() -> None:
    assert list(overlapping(dataset((A, B, C)))) == []
    assert list(overlapping(dataset((A, Span("d", 9, 12))))) == ["q"]
    assert list(overlapping(dataset((Span("d", 5, 8), A)))) == ["q"]
    assert list(overlapping(dataset((A, Span("e", 5, 8))))) == []
    inside = Nugget("n", "That", evidence=((A, Span("d", 0, 3)),))
    assert list(overlapping(dataset((A,), nuggets=(inside,)))) == ["q"]


def test_a_group_that_holds_another_is_no_alternative() -> None:
    assert list(redundant(dataset((A, B), (C,)))) == []
    assert list(redundant(dataset((A, B), (A,)))) == ["q"]
    assert list(redundant(dataset((Span("d", 2, 8),), (A, C)))) == ["q"]
    answers = (NuggetAnswer("One", ((A,), (A, B))), NuggetAnswer("Two", ((C,),)))
    assert list(redundant(dataset((A, B, C), nuggets=(Nugget("n", "Both", answers=answers),)))) == ["q"]


def test_nuggets_rest_on_their_questions_evidence() -> None:
    def nugget(*spans: Span) -> tuple[Nugget, ...]:
        return (Nugget("n", "That", evidence=(spans,)),)

    assert list(nuggets_outside(dataset((A, B), nuggets=nugget(Span("d", 2, 8))))) == []
    assert list(nuggets_outside(dataset((A, B), nuggets=nugget(Span("d", 5, 18))))) == []  # a blank lies between
    assert list(nuggets_outside(dataset((A, B), nuggets=nugget(C)))) == ["n"]
    assert list(nuggets_outside(dataset((A, B), nuggets=nugget(Span("e", 2, 8))))) == ["n"]
    assert list(nuggets_outside(dataset(nuggets=nugget(C)))) == []  # nothing is said of the whole question
