"""Measures over nuggets: worked values, the edges of a ranking, and what must hold for any ranking."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.metrics.diversity import (
    alpha_dcg,
    alpha_ndcg,
    judged_at,
    ndcg_nuggets,
    recipe_alpha_ndcg,
    subtopic_recall,
)
from core.metrics.judgments import JudgedTopic, Judgments, binarised, ranked_by_score

#: a holds two facts, b and c one of them each, d was judged and holds none
FACTS: Judgments = {"a": {"n1", "n2"}, "b": {"n1"}, "c": {"n3"}, "d": set()}
LOG3 = math.log2(3)

NUGGETS = st.frozensets(st.sampled_from(["n1", "n2", "n3", "n4", "n5"]))
JUDGMENTS = st.dictionaries(st.sampled_from("abcdefgh"), NUGGETS, max_size=8)
RANKING = st.lists(st.sampled_from("abcdefghij"), max_size=12)
CUTOFF = st.integers(1, 15)
MEASURES = [alpha_ndcg, alpha_dcg, subtopic_recall, ndcg_nuggets, judged_at, recipe_alpha_ndcg]


def test_a_seen_nugget_is_worth_half() -> None:
    # b repeats n1 at rank 2; the ideal is a (2), c (1), b (1/2)
    ideal = 2 + 1 / LOG3 + 0.5 / 2
    assert alpha_ndcg(["a", "b", "c"], FACTS, 3) == pytest.approx((2 + 0.5 / LOG3 + 1 / 2) / ideal)
    assert alpha_ndcg(["a", "c", "b"], FACTS, 3) == pytest.approx(1.0)


@pytest.mark.parametrize(("alpha", "repeat"), [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)])
def test_alpha_is_what_a_repeat_loses(alpha: float, repeat: float) -> None:
    assert alpha_ndcg(["a", "b"], FACTS, 2, alpha) == pytest.approx((2 + repeat / LOG3) / (2 + 1 / LOG3))


def test_alpha_dcg_is_over_an_ideal_where_every_document_holds_all() -> None:
    assert alpha_dcg(["a", "b"], FACTS, 2) == pytest.approx((2 + 0.5 / LOG3) / (3 + 1.5 / LOG3))
    assert alpha_dcg(["a", "b"], FACTS, 1) == 2.0


def test_the_greedy_ideal_can_be_beaten() -> None:
    """Greedy takes the large document first and then cannot complete the set with one more."""
    judgments = {
        "x": {"1", "2", "3", "4"},
        "left": {"1", "2", "5"},
        "right": {"3", "4", "6"},
        "z": {"1", "2", "3", "4"},
    }
    best = max(alpha_ndcg(order, judgments, 4) for order in permutations(judgments))
    assert best > 1.0


@pytest.mark.parametrize(("smaller", "larger"), [("b", "c"), ("z", "é"), ("10", "9")])
def test_equal_gains_go_to_the_largest_id(smaller: str, larger: str) -> None:
    """All three hold two facts; only after the one with n3 do the others keep theirs. "é" follows "z" in bytes."""
    n3_last = {smaller: {"n1", "n2"}, larger: {"n2", "n3"}, "!": {"n1", "n4"}}
    n3_first = {larger: {"n1", "n2"}, smaller: {"n2", "n3"}, "!": {"n1", "n4"}}
    assert list(JudgedTopic(n3_last).ideal_gains(3, 0.5)) == [2, 2, 1]
    assert list(JudgedTopic(n3_first).ideal_gains(3, 0.5)) == [2, 1.5, 1.5]


def test_denominators_of_subtopic_recall() -> None:
    assert subtopic_recall(["a", "b"], FACTS, 2) == pytest.approx(2 / 3)
    assert subtopic_recall(["a", "b"], FACTS, 2, "all", 5) == pytest.approx(2 / 5)
    assert subtopic_recall(["a", "b"], FACTS, 1, "all", 3) == subtopic_recall(["a", "b"], FACTS, 1)
    assert subtopic_recall([], {}, 3, "all", 0) == 0.0


def test_binary_and_count_gains_differ() -> None:
    ranking = ["b", "a", "c"]
    assert ndcg_nuggets(ranking, FACTS, 3) == pytest.approx(1.0)
    assert ndcg_nuggets(ranking, FACTS, 3, "count") == pytest.approx((1 + 2 / LOG3 + 1 / 2) / (2 + 1 / LOG3 + 1 / 2))


def test_judged_counts_each_judged_document_once() -> None:
    assert judged_at(["d", "x", "a", "a"], FACTS, 4) == 0.5
    assert judged_at(["d"], FACTS, 4) == 0.25


def test_a_repeated_document_scores_once_and_burns_its_rank() -> None:
    assert alpha_ndcg(["a", "a", "c"], FACTS, 3) == alpha_ndcg(["a", "unknown", "c"], FACTS, 3)
    assert ndcg_nuggets(["a", "a", "c"], FACTS, 3) == ndcg_nuggets(["a", "unknown", "c"], FACTS, 3)


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_found_is_zero(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure([], FACTS, 5) == 0.0
    assert measure(["x", "y"], FACTS, 5) == 0.0
    assert measure([], {}, 5) == 0.0


@pytest.mark.parametrize("measure", [alpha_ndcg, alpha_dcg, subtopic_recall, ndcg_nuggets, recipe_alpha_ndcg])
def test_judgments_without_a_nugget_give_zero(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure(["d", "e"], {"d": set(), "e": set()}, 5) == 0.0


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("k", [0, -3, 2.5, True, "5"])
def test_refuses_a_cutoff_that_is_none(measure, k: object) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=r"cutoff k = .* whole number of at least 1"):
        measure(["a"], FACTS, k)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alpha_ndcg(["a"], FACTS, 3, 1.5), "alpha 1.5 is outside"),
        (lambda: alpha_dcg(["a"], FACTS, 3, math.nan), "alpha nan is outside"),
        (lambda: ndcg_nuggets(["a"], FACTS, 3, "grade"), "gain 'grade' is unknown"),
        (lambda: subtopic_recall(["a"], FACTS, 3, "judged"), "denominator 'judged' is unknown"),
        (lambda: subtopic_recall(["a"], FACTS, 3, "all"), "needs n_nuggets"),
        (lambda: subtopic_recall(["a"], FACTS, 3, "all", 2), "n_nuggets is 2, but the judgments hold 3"),
    ],
)
def test_refuses_what_is_out_of_range(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=message):
        call()


def test_the_recipe_exceeds_one_and_rises_with_k() -> None:
    values = [recipe_alpha_ndcg(["a", "c", "x", "y"], FACTS, k) for k in range(1, 21)]
    assert values == sorted(values)
    assert values[0] < 1 < values[-1]
    assert values[3] == pytest.approx((2 + 1 / LOG3) / (3 / math.log2(5)))


@given(RANKING, JUDGMENTS, CUTOFF, st.floats(0, 1))
def test_values_stay_in_their_range(ranking: list[str], judgments: Judgments, k: int, alpha: float) -> None:
    assert 0 <= alpha_ndcg(ranking, judgments, k, alpha) <= math.e / (math.e - 1) + 1e-9
    if k > 1:
        assert 0 <= alpha_dcg(ranking, judgments, k, alpha) <= 1 + 1e-9
    for measure in (subtopic_recall, ndcg_nuggets, judged_at):
        assert 0 <= measure(ranking, judgments, k) <= 1 + 1e-9
    assert 0 <= ndcg_nuggets(ranking, judgments, k, "count") <= 1 + 1e-9


@given(RANKING, JUDGMENTS, CUTOFF)
def test_unjudged_documents_and_empty_judgments_change_nothing(
    ranking: list[str], judgments: Judgments, k: int
) -> None:
    more = {**judgments, "i": frozenset[str](), "j": frozenset[str]()}
    for measure in (alpha_ndcg, alpha_dcg, subtopic_recall, ndcg_nuggets):
        assert measure(ranking, more, k) == measure(ranking, judgments, k)


@given(RANKING, JUDGMENTS, CUTOFF)
def test_recall_never_falls_with_depth(ranking: list[str], judgments: Judgments, k: int) -> None:
    assert subtopic_recall(ranking, judgments, k) <= subtopic_recall(ranking, judgments, k + 1)


@given(JUDGMENTS, CUTOFF, st.floats(0, 1))
def test_the_ideal_is_greedy_by_hand(judgments: Judgments, k: int, alpha: float) -> None:
    """On sets, without a table; beyond the first rank only where rounding cannot decide a tie."""
    left, seen, gains = dict(judgments), dict.fromkeys(["n1", "n2", "n3", "n4", "n5"], 0), []
    while left:
        worth = {d: math.fsum((1 - alpha) ** seen[n] for n in held) for d, held in left.items()}
        best = max(worth, key=lambda d: (round(worth[d], 9), d))
        gains.append(worth[best])
        for nugget in left.pop(best):
            seen[nugget] += 1
    wanted = (gains + [0.0] * k)[:k]
    assert JudgedTopic(judgments).ideal_gains(k, alpha)[0] == pytest.approx(wanted[0])
    if alpha in (0.0, 0.5, 1.0):
        assert list(JudgedTopic(judgments).ideal_gains(k, alpha)) == pytest.approx(wanted)


def test_rows_become_judgments_at_a_level() -> None:
    rows = [("n1", "a", 2), ("n2", "a", 1), ("n1", "b", 0), ("n1", "a", 0)]
    assert binarised(rows) == {"a": {"n1", "n2"}, "b": set()}
    assert binarised(rows, level=2) == {"a": {"n1"}, "b": set()}


def test_scores_give_an_order_with_ties_by_id() -> None:
    assert ranked_by_score([("c", 1.0), ("x", 0.5), ("a", 1.0), ("b", 2.0)]) == ("b", "a", "c", "x")
    assert ranked_by_score([]) == ()
    with pytest.raises(OptionError, match="'b' has a score that is not a number"):
        ranked_by_score([("a", 1.0), ("b", math.nan)])


def test_a_topic_counts_what_was_judged() -> None:
    topic = JudgedTopic(FACTS)
    assert (topic.n_judged, topic.n_supported, topic.supported) == (4, 3, ("n1", "n2", "n3"))
    assert JudgedTopic({}).supported == ()
