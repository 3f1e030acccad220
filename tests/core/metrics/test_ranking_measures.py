"""Relevance measures: worked values, repeats, ends; and the curves equal them at every cutoff."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.metrics.curves import DEPTH, ranking_curves
from core.metrics.diversity import alpha_dcg, alpha_ndcg, judged_at, ndcg_nuggets, subtopic_recall
from core.metrics.judgments import JudgedTopic, Judgments
from core.metrics.ranking import average_precision, ndcg, precision, recall, reciprocal_rank

FACTS: Judgments = {"a": {"n1", "n2"}, "b": {"n1"}, "c": {"n3"}, "d": set()}
NUGGETS = st.frozensets(st.sampled_from(["n1", "n2", "n3", "n4", "n5"]))
JUDGMENTS = st.dictionaries(st.sampled_from("abcdefgh"), NUGGETS, max_size=8)
RANKING = st.lists(st.sampled_from("abcdefghij"), max_size=12)


def test_worked_values() -> None:
    ranking = ["d", "a", "x", "c"]
    assert precision(ranking, FACTS, 4) == 0.5
    assert recall(ranking, FACTS, 4) == pytest.approx(2 / 3)
    assert recall(ranking, FACTS, 2) == pytest.approx(1 / 3)
    assert average_precision(ranking, FACTS) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert average_precision(ranking, FACTS, 3) == pytest.approx(1 / 6)
    assert reciprocal_rank(ranking, FACTS) == 0.5
    assert reciprocal_rank(ranking, FACTS, 1) == 0.0


def test_ndcg_of_grades() -> None:
    grades = {"a": 3.0, "b": 1.0, "bad": -2.0}
    best = 3 + 1 / math.log2(3)
    assert ndcg(["b", "bad", "a"], grades, 3) == pytest.approx((1 + 3 / 2) / best)
    assert ndcg(["a", "b"], grades, 1) == 1.0
    assert ndcg(["a"], {"a": 0.0}, 1) == 0.0


def test_a_repeated_document_counts_once() -> None:
    assert precision(["a", "a", "b"], FACTS, 3) == pytest.approx(2 / 3)
    assert average_precision(["a", "a", "b"], FACTS) == pytest.approx((1 + 2 / 3) / 3)
    assert recall(["a", "a"], FACTS, 2) == pytest.approx(1 / 3)


@pytest.mark.parametrize("measure", [precision, recall, average_precision, reciprocal_rank])
def test_nothing_relevant_is_zero_and_a_cutoff_is_checked(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure(["d"], {"d": set()}, 3) == 0.0
    assert measure([], FACTS, 3) == 0.0
    with pytest.raises(OptionError, match="cutoff k = 0"):
        measure(["a"], FACTS, 0)


def test_without_a_cutoff_an_empty_ranking_is_zero() -> None:
    assert average_precision([], FACTS) == 0.0
    assert reciprocal_rank([], FACTS) == 0.0


@given(RANKING, JUDGMENTS, st.integers(1, 14), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_curves_are_the_measures_at_every_cutoff(
    ranking: list[str], judgments: Judgments, depth: int, alpha: float
) -> None:
    curves = ranking_curves(JudgedTopic(judgments), ranking, depth, alpha)
    for k in range(1, depth + 1):
        at = k - 1
        assert curves.alpha_ndcg[at] == pytest.approx(alpha_ndcg(ranking, judgments, k, alpha))
        assert curves.alpha_dcg[at] == pytest.approx(alpha_dcg(ranking, judgments, k, alpha))
        assert curves.subtopic_recall[at] == pytest.approx(subtopic_recall(ranking, judgments, k))
        assert curves.ndcg_binary[at] == pytest.approx(ndcg_nuggets(ranking, judgments, k))
        assert curves.ndcg_count[at] == pytest.approx(ndcg_nuggets(ranking, judgments, k, "count"))
        assert curves.judged[at] == pytest.approx(judged_at(ranking, judgments, k))
    assert curves.average_precision == pytest.approx(average_precision(ranking, judgments, depth))
    assert curves.reciprocal_rank == pytest.approx(reciprocal_rank(ranking, judgments, depth))


def test_curves_end_at_the_stored_depth() -> None:
    curves = ranking_curves(JudgedTopic(FACTS), ["a", "c"])
    assert {len(part) for part in (curves.alpha_ndcg, curves.judged, curves.ndcg_count)} == {DEPTH}
    assert curves.subtopic_recall[-1] == 1.0
    with pytest.raises(OptionError, match="cutoff k = 0"):
        ranking_curves(JudgedTopic(FACTS), ["a"], 0)
    with pytest.raises(OptionError, match="alpha"):
        ranking_curves(JudgedTopic(FACTS), ["a"], 5, -0.1)


def test_one_topic_serves_many_rankings() -> None:
    """The engine builds a topic once: no ranking may leave a trace in it."""
    topic = JudgedTopic(FACTS)
    first = ranking_curves(topic, ["a", "b", "c"])
    ranking_curves(topic, ["c"], 3, 1.0)
    assert list(ranking_curves(topic, ["a", "b", "c"]).alpha_ndcg) == list(first.alpha_ndcg)
