"""Evidence as a page shows it: marks in a text, and which spans are marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.schema import Nugget, NuggetAnswer, Question, Span
from core.services.evidence import Piece, marked_spans, pieces

TEXT = "One two.  Three four. Five six."


def test_pieces_cut_where_marks_begin_and_end() -> None:
    assert pieces(TEXT, 0, 10, [(4, 7)]) == (Piece("One "), Piece("two", True), Piece(".  "))
    assert pieces(TEXT, 4, 10, [(0, 6)]) == (Piece("tw", True), Piece("o.  "))
    assert pieces(TEXT, 0, 3, []) == (Piece("One"),)
    assert pieces(TEXT, 0, 3, [(3, 9), (20, 30)]) == (Piece("One"),)
    assert pieces(TEXT, 0, 8, [(0, 3), (2, 6), (6, 8)]) == (Piece("One two.", True),)
    assert pieces(TEXT, 3, 3, [(0, 9)]) == ()


_place = st.integers(0, 40)


@given(st.text(max_size=40), _place, _place, st.lists(st.tuples(_place, _place), max_size=5))
def test_pieces_joined_are_the_text_and_marks_are_the_spans(
    text: str, one: int, other: int, spans: list[tuple[int, int]]
) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    found = pieces(text, start, end, spans)
    assert "".join(piece.text for piece in found) == text[start:end]
    assert all(piece.text for piece in found)
    flags = [piece.marked for piece in found for _ in piece.text]
    assert flags == [any(a <= place < b for a, b in spans) for place in range(start, end)]


def test_nuggets_evidence_is_marked_where_the_question_has_none() -> None:
    span = Span("d", 0, 8)
    nuggets = (
        Nugget("n", "t", evidence=((span,), (span,))),
        Nugget("m", "t", answers=(NuggetAnswer("a", ((span,),)),)),
    )
    question = Question("q", "q?", "a", ("d",), nuggets=nuggets)
    assert marked_spans(question) == (span,)
    own = Question("q", "q?", "a", ("d",), nuggets=nuggets, evidence=((Span("d", 9, 10),),))
    assert marked_spans(own) == (Span("d", 9, 10),)
