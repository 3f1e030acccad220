"""Imported labels as matches."""

from __future__ import annotations

from core.nuggets.labels import labelled
from core.nuggets.matching import Match, statements_of
from core.schema import Nugget, NuggetAnswer, NuggetLabel

NUGGETS = (Nugget("a", "One."), Nugget("b", "Two.", answers=(NuggetAnswer("x"), NuggetAnswer("y"))))
STATEMENTS = statements_of(NUGGETS)
OFFLINE = (Match(True, windows=((3, 3),)), Match(False), Match(True, partial=True, windows=((4, 4),)))


def _matches(*labels: NuggetLabel) -> tuple[Match, ...] | str:
    return labelled(NUGGETS, STATEMENTS, labels, OFFLINE)


def test_what_has_no_label_is_as_the_matcher_says() -> None:
    assert _matches() == OFFLINE
    assert _matches(NuggetLabel("unknown", "support")) == OFFLINE


def test_a_label_of_the_whole_answer_is_placed_by_the_matcher() -> None:
    found = _matches(NuggetLabel("a", "support"), NuggetLabel("b", "support"))
    assert found == (Match(True, windows=((3, 3),)), Match(True), Match(True, windows=((4, 4),)))


def test_labels_of_sentences_say_where() -> None:
    found = _matches(NuggetLabel("a", "support", 0), NuggetLabel("a", "not_support", 1), NuggetLabel("a", "support", 2))
    assert found[0] == Match(True, windows=((0, 0), (2, 2)))


def test_partial_support_is_not_said() -> None:
    assert _matches(NuggetLabel("a", "partial_support"))[0] == Match(False, partial=True)
    assert _matches(NuggetLabel("a", "not_support"))[0] == Match(False)
    assert _matches(NuggetLabel("a", "partial_support", 0), NuggetLabel("a", "support", 1))[0] == Match(
        True, windows=((1, 1),)
    )


def test_a_label_may_be_about_one_of_the_answers() -> None:
    found = _matches(NuggetLabel("b", "support", 1, "x"), NuggetLabel("b", "not_support", 1, "y"))
    assert found[1:] == (Match(True, windows=((1, 1),)), Match(False))


def test_an_unknown_label_fails_the_answer() -> None:
    assert _matches(NuggetLabel("a", "failed")) == "1 of 2 nuggets have a label that is none of the known ones"
