"""Evidence against passages: what is held, what is missing."""

from __future__ import annotations

import pytest

from core.nuggets.evidence import held_by, is_held, missing, nugget_held
from core.schema import Document, Nugget, NuggetAnswer, Passage, Span

TEXT = "One two.  Three four. Five six."
DOCUMENTS = {"d": Document("d", TEXT), "e": Document("e", TEXT)}


def _passage(start: int, end: int, document: str = "d") -> Passage:
    return Passage(document, 0, start, end, TEXT[start:end])


@pytest.mark.parametrize(
    ("passages", "held"),
    [
        ([_passage(0, 31)], True),
        ([_passage(10, 21)], True),
        ([_passage(10, 20)], False),
        ([_passage(10, 15), _passage(16, 21)], True),  # only a blank between them
        ([_passage(16, 21), _passage(10, 16)], True),  # in any order
        ([_passage(10, 14), _passage(16, 21)], False),
        ([_passage(10, 21, "e")], False),
        ([], False),
    ],
)
def test_a_span_is_held_where_passages_cover_it(passages: list[Passage], held: bool) -> None:
    assert is_held(Span("d", 10, 21), passages, DOCUMENTS) is held


def test_a_span_of_a_document_that_is_gone_is_not_held() -> None:
    assert not is_held(Span("gone", 0, 3), [_passage(0, 31)], DOCUMENTS)


def test_any_group_is_enough_and_all_its_spans_are_needed() -> None:
    one, two, three = Span("d", 0, 8), Span("d", 10, 21), Span("d", 22, 31)
    groups = ((one, two), (three,))
    assert held_by(groups, [_passage(0, 21)], DOCUMENTS) == "all"
    assert held_by(groups, [_passage(22, 31)], DOCUMENTS) == "all"
    assert held_by(groups, [_passage(0, 8)], DOCUMENTS) == "some"
    assert held_by(groups, [_passage(30, 31)], DOCUMENTS) == "some"
    assert held_by(groups, [_passage(0, 31, "e")], DOCUMENTS) == "none"
    assert missing(groups, [_passage(0, 8)], DOCUMENTS) == (two,)
    assert missing(groups, [_passage(0, 21)], DOCUMENTS) == ()
    assert missing(((one, two),), [], DOCUMENTS) == (one, two)
    assert missing((), [], DOCUMENTS) == ()


def test_nuggets_with_answers() -> None:
    first, last = ((Span("d", 0, 8),),), ((Span("d", 22, 31),),)
    answers = (NuggetAnswer("a", first), NuggetAnswer("b", last))
    either, both = Nugget("n", "t", answers=answers), Nugget("n", "t", aggregator="AND", answers=answers)
    here = [_passage(0, 8)]
    assert nugget_held(either, here, DOCUMENTS) is True
    assert nugget_held(both, here, DOCUMENTS) is False
    assert nugget_held(both, [_passage(0, 31)], DOCUMENTS) is True
    assert nugget_held(Nugget("n", "t"), here, DOCUMENTS) is None
    assert nugget_held(Nugget("n", "t", answers=(NuggetAnswer("a"),)), here, DOCUMENTS) is None
    half = (NuggetAnswer("a", first), NuggetAnswer("b"))
    assert nugget_held(Nugget("n", "t", aggregator="AND", answers=half), here, DOCUMENTS) is None
    assert nugget_held(Nugget("n", "t", answers=half), here, DOCUMENTS) is True
