"""Said, cited, grounded: aggregators, importance, switches, the order that must hold, micro and macro."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.metrics.coverage import (
    NuggetMatch,
    NuggetState,
    ResponseCoverage,
    check_order,
    f1,
    f1_macro,
    macro,
    micro,
    nugget_states,
    response_coverage,
    share_of_answers,
)
from core.schema import Nugget, NuggetAnswer

PLAIN = Nugget("n1", "The ferry runs twice a day.", documents=("d1", "d2"))
BOTH = Nugget(
    "n2",
    "Which colours has the flag?",
    importance="okay",
    aggregator="AND",
    answers=(NuggetAnswer("red", documents=("d1",)), NuggetAnswer("blue", documents=("d4",))),
)
EITHER = Nugget(
    "n3",
    "How many steps?",
    answers=(NuggetAnswer("188", documents=("d5",)), NuggetAnswer("many", documents=("d6",))),
)
NUGGETS = (PLAIN, BOTH, EITHER)

FLAGS = st.lists(st.booleans(), min_size=1, max_size=5)


@given(FLAGS)
def test_one_answer_is_enough_or_all_are_needed(flags: list[bool]) -> None:
    assert share_of_answers("OR", flags) == float(any(flags))
    assert share_of_answers("AND", flags) == sum(flags) / len(flags)
    assert share_of_answers("AND", flags) <= share_of_answers("OR", flags)


def test_a_nugget_has_at_least_one_flag() -> None:
    with pytest.raises(ValueError, match="at least one flag"):
        share_of_answers("AND", [])


def test_a_response_from_matches() -> None:
    matches = [
        NuggetMatch(0, "n1"),
        NuggetMatch(0, "n2", "red"),
        NuggetMatch(1, "n2", "blue"),
        NuggetMatch(2, "n3", "188"),
    ]
    states = nugget_states(NUGGETS, matches, [["d1"], ["d9"], []])
    assert states == (
        NuggetState(said=1.0, cited=1.0, grounded=1.0, vital=True),
        NuggetState(said=1.0, cited=1.0, grounded=0.5, vital=False),
        NuggetState(said=1.0, cited=0.0, grounded=0.0, vital=True),
    )
    coverage = response_coverage(states)
    assert (coverage.n, coverage.info_recall) == (3, 1.0)
    assert coverage.cited == pytest.approx(2 / 3)
    assert coverage.grounded == pytest.approx(1 / 3)
    assert coverage.soft_grounded == pytest.approx(1.5 / 3)
    assert coverage.weighted == pytest.approx(1 / (2 + 0.5))


def test_an_answer_is_grounded_by_its_own_documents() -> None:
    match = [NuggetMatch(0, "n3", "188")]
    assert nugget_states([EITHER], match, [["d6"]])[0].grounded == 0.0
    assert nugget_states([EITHER], match, [["d6"]], any_answer=True)[0].grounded == 1.0


def test_every_citation_must_hold_it_where_that_is_asked() -> None:
    match = [NuggetMatch(0, "n1")]
    assert nugget_states([PLAIN], match, [["d1", "d9"]])[0].grounded == 1.0
    assert nugget_states([PLAIN], match, [["d1", "d9"]], require_attested=True)[0].grounded == 0.0
    assert nugget_states([PLAIN], match, [["d1", "d2"]], require_attested=True)[0].grounded == 1.0
    assert nugget_states([PLAIN], match, [[]], require_attested=True)[0].grounded == 0.0


def test_a_nugget_that_is_said_again_counts_once() -> None:
    again = [NuggetMatch(0, "n1"), NuggetMatch(1, "n1")]
    coverage = response_coverage(nugget_states(NUGGETS, again, [["d9"], ["d2"]]))
    assert coverage.info_recall == coverage.cited == coverage.grounded == pytest.approx(1 / 3)


def test_without_nuggets_nothing_applies_and_without_an_answer_all_is_zero() -> None:
    assert response_coverage(()) == ResponseCoverage(0, None, None, None, None, None, None, None)
    empty = response_coverage(nugget_states(NUGGETS, [], []))
    assert (empty.n, empty.info_recall, empty.grounded, empty.weighted) == (3, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (NuggetMatch(0, "n9"), "nugget 'n9', which the question does not have"),
        (NuggetMatch(1, "n1"), "sentence 1, but the answer has 1"),
        (NuggetMatch(-1, "n1"), "sentence -1"),
        (NuggetMatch(0, "n2", "green"), "answer 'green', which nugget 'n2' does not have"),
        (NuggetMatch(0, "n2"), "answer '', which nugget 'n2' does not have"),
        (NuggetMatch(0, "n1", "red"), "answer 'red', which nugget 'n1' does not have"),
    ],
)
def test_a_match_of_nothing_is_an_error(match: NuggetMatch, message: str) -> None:
    with pytest.raises(InputError, match=message):
        nugget_states(NUGGETS, [match], [["d1"]])


ANSWERS = [("n1", ""), ("n2", "red"), ("n2", "blue"), ("n3", "188"), ("n3", "many")]
CITED = st.lists(st.lists(st.sampled_from(["d1", "d2", "d4", "d5", "d6", "d9"]), max_size=3), min_size=4, max_size=4)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(ANSWERS)), max_size=12), CITED, st.booleans(), st.booleans()
)
def test_said_is_never_less_than_cited_nor_that_less_than_grounded(
    found: list[tuple[int, tuple[str, str]]], citations: list[list[str]], any_answer: bool, attested: bool
) -> None:
    matches = [NuggetMatch(sentence, *answer) for sentence, answer in found]
    states = nugget_states(NUGGETS, matches, citations, any_answer=any_answer, require_attested=attested)
    coverage = response_coverage(states)
    assert 1 >= coverage.info_recall >= coverage.cited >= coverage.grounded >= 0  # type: ignore[operator]
    assert 1 >= coverage.soft_info_recall >= coverage.soft_cited >= coverage.soft_grounded >= 0  # type: ignore[operator]
    assert coverage.soft_grounded >= coverage.grounded  # type: ignore[operator]


@pytest.mark.parametrize(
    ("said", "cited", "grounded"), [([1, 0], [1, 1], [0, 0]), ([1, 1], [1, 0], [1, 1]), (0.5, 1.0, 0.0)]
)
def test_what_is_out_of_order_is_refused(said: object, cited: object, grounded: object) -> None:
    with pytest.raises(ValueError, match="are not in order"):
        check_order(said, cited, grounded)  # type: ignore[arg-type]
    check_order([1, 1, 0], [1, 0, 0], [0, 0, 0])


def test_a_response_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match=r"said 0, cited 1, grounded 0 at \(1,\)"):
        response_coverage([NuggetState(1.0, 1.0, 1.0), NuggetState(0.0, 1.0, 0.0)])


def test_micro_weighs_nuggets_and_macro_topics() -> None:
    covered, total = np.array([[1, 9], [2, 0]]), np.array([2, 10])
    assert micro(covered, total) == pytest.approx([10 / 12, 2 / 12])
    assert macro(covered, total) == pytest.approx([(0.5 + 0.9) / 2, 0.5])


def test_topics_without_nuggets_or_without_a_score_are_left_out() -> None:
    covered, total = [1, 0, math.nan], [2, 0, 5]
    assert micro(covered, total) == pytest.approx(0.5)
    assert macro(covered, total) == pytest.approx(0.5)
    assert math.isnan(micro([0, 0], [0, 0]))
    assert math.isnan(macro([math.nan], [3]))


def test_f1_macro_is_the_mean_of_f1() -> None:
    precision, recall = [1.0, 0.5, 0.0], [0.2, 0.5, 0.0]
    assert f1(precision, recall) == pytest.approx([1 / 3, 0.5, 0.0])
    assert f1_macro(precision, recall) == pytest.approx((1 / 3 + 0.5) / 3)
    assert f1_macro([1.0, math.nan], [0.5, 0.5]) == pytest.approx(2 / 3)
    assert math.isnan(f1_macro([math.nan], [1.0]))
