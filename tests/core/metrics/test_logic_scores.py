"""Cells and configurations: values by hand, states and counts, degenerate cases."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from core.errors import OptionError
from core.metrics.logic_scores import logic_scores
from core.metrics.opi import opi
from core.metrics.scores import FAILED, NOT_APPLICABLE, LogicObservations
from core.stats.intervals import wilson
from tests.core.metrics.worlds import measures, world


def hand(**changes: Any) -> LogicObservations:
    """Two configurations, two relations of three and two questions, one question without a label."""
    shape = (2, 6)
    fields: dict[str, Any] = {
        "configurations": ("knn", "edi"),
        "labels": {"knn": "kNN"},
        "question_ids": tuple("abcdef"),
        "relations": ("causal", "causal", "causal", "fuzzy", "fuzzy", ""),
        "clusters": np.arange(6),
        "similarity": np.array([[0.9, 0.6, 0.3, 0.8, 0.4, 0.1], [0.5, 0.5, 0.2, 0.7, 0.1, 0.1]]),
        "similarity_state": np.zeros(shape, np.int8),
        "correct": np.array([[1, 1, 0, 1, 0, np.nan], [1, 0, 0, 0, 0, np.nan]], float),
        "correct_state": np.array([[0] * 5 + [NOT_APPLICABLE]] * 2, np.int8),
        "refused": np.zeros(shape, np.bool_),
        "words": np.array([[10, 20, 30, 40, 50, 60], [1, 2, 3, 4, 5, np.nan]], float),
        "sentences": np.full(shape, 2.0),
    }
    return LogicObservations(**(fields | changes))


def test_values_by_hand() -> None:
    knn = logic_scores(hand()).configurations[0]
    assert (knn.id, knn.label) == ("knn", "kNN")
    causal, fuzzy = knn.relations["causal"], knn.relations["fuzzy"]
    assert causal.bertsim.value == pytest.approx(0.6)
    assert causal.lrcr.value == pytest.approx(2 / 3)
    assert causal.opi.value == pytest.approx(opi(0.6, 2 / 3))
    assert fuzzy.bertsim.value == pytest.approx(0.6)
    assert fuzzy.lrcr.value == pytest.approx(0.5)
    # equal weight per relation, not per question; the unlabelled question stands outside
    assert knn.bertsim.value == pytest.approx(0.6)
    assert knn.lrcr.value == pytest.approx((2 / 3 + 0.5) / 2)
    assert knn.opi.value == pytest.approx(opi(0.6, (2 / 3 + 0.5) / 2))
    assert knn.opi_mean_of_relations.value == pytest.approx((opi(0.6, 2 / 3) + opi(0.6, 0.5)) / 2)
    assert knn.words_per_question == pytest.approx(35)
    assert logic_scores(hand()).configurations[1].words_per_question == pytest.approx(3)


def test_cell_limits_are_t_and_wilson() -> None:
    causal = logic_scores(hand()).configurations[0].relations["causal"]
    half = 4.302652729911275 * np.std([0.9, 0.6, 0.3], ddof=1) / math.sqrt(3)
    assert causal.bertsim.low == pytest.approx(0.6 - half)
    assert causal.bertsim.high == pytest.approx(min(1.0, 0.6 + half))
    assert (causal.lrcr.low, causal.lrcr.high) == pytest.approx(tuple(map(float, wilson(2 / 3, 3))))
    assert causal.opi.low < causal.opi.value < causal.opi.high


def test_the_unlabelled_question_is_not_applicable_to_means_over_relations() -> None:
    knn = logic_scores(hand()).configurations[0]
    for measure in (knn.bertsim, knn.lrcr, knn.opi, knn.opi_mean_of_relations):
        assert (measure.n_scored, measure.n_failed, measure.n_not_applicable) == (5, 0, 1)
    assert knn.relations["causal"].bertsim.n_scored == 3
    assert set(knn.relations) == {"causal", "fuzzy"}


def test_failed_questions_are_counted_and_neither_zero_nor_skipped() -> None:
    state = np.zeros((2, 6), np.int8)
    state[0, 0] = FAILED
    similarity = hand().similarity.copy()
    similarity[0, 0] = np.nan
    causal = logic_scores(hand(similarity=similarity, similarity_state=state)).configurations[0].relations["causal"]
    assert causal.bertsim.value == pytest.approx(0.45)
    assert (causal.bertsim.n_scored, causal.bertsim.n_failed) == (2, 1)
    assert (causal.lrcr.n_scored, causal.lrcr.n_failed) == (3, 0)
    assert (causal.opi.n_scored, causal.opi.n_failed) == (2, 1)


def test_an_empty_relation_is_not_applicable_and_leaves_the_mean() -> None:
    state = np.zeros((2, 6), np.int8)
    state[0, 3], state[0, 4] = FAILED, NOT_APPLICABLE
    knn = logic_scores(hand(similarity_state=state)).configurations[0]
    fuzzy = knn.relations["fuzzy"]
    assert fuzzy.bertsim.value is None
    assert fuzzy.bertsim.low is None
    assert fuzzy.bertsim.reason == "no question is scored: 1 failed, 1 not applicable"
    assert fuzzy.opi.value is None
    assert fuzzy.opi.reason.startswith("BERTSim: no question is scored")
    assert knn.bertsim.value == pytest.approx(0.6)
    assert knn.opi_mean_of_relations.value == pytest.approx(opi(0.6, 2 / 3))


def test_opi_is_over_the_questions_it_counts() -> None:
    # as in train split mode: BERTSim of every question, LRCR of some, here of no fuzzy one
    state = np.zeros((2, 6), np.int8)
    state[:, [0, 3, 4, 5]] = NOT_APPLICABLE
    knn = logic_scores(hand(correct_state=state)).configurations[0]
    assert knn.bertsim.n_scored == 5
    causal = knn.relations["causal"]
    assert (causal.bertsim.n_scored, causal.opi.n_scored) == (3, 2)
    assert causal.bertsim.value == pytest.approx(0.6)
    assert causal.opi.value == pytest.approx(opi(0.45, 0.5))
    assert knn.opi.value == pytest.approx(opi(0.45, 0.5))
    assert knn.opi.value >= knn.opi_mean_of_relations.value - 1e-12


def test_a_refusal_is_scored_counted_and_shown_without() -> None:
    refused = np.zeros((2, 6), np.bool_)
    refused[0, [2, 4]] = True
    knn = logic_scores(hand(refused=refused)).configurations[0]
    assert knn.bertsim.value == pytest.approx(0.6)
    assert knn.bertsim.n_refused == 2
    assert knn.relations["causal"].opi.n_refused == 1
    assert knn.bertsim_answered.value == pytest.approx((0.75 + 0.8) / 2)
    assert knn.lrcr_answered.value == pytest.approx(1.0)
    assert (knn.lrcr_answered.n_scored, knn.lrcr_answered.n_refused) == (3, 2)


def test_negative_similarity_is_reported_clamped_for_opi_before_averaging_and_flagged() -> None:
    similarity = hand().similarity.copy()
    similarity[0, :3] = [-0.2, -0.4, -0.3]
    knn = logic_scores(hand(similarity=similarity)).configurations[0]
    assert knn.relations["causal"].bertsim.value == pytest.approx(-0.3)
    assert knn.relations["causal"].clamped
    assert not knn.relations["fuzzy"].clamped
    assert knn.relations["causal"].opi.value == 0.0
    assert knn.bertsim.value == pytest.approx(0.15)
    # clamped per relation, then averaged: (0 + .6) / 2, not max(0, (-.3 + .6) / 2)
    assert knn.opi.value == pytest.approx(opi(0.3, (2 / 3 + 0.5) / 2))
    assert knn.opi.low <= knn.opi.value <= knn.opi.high


def test_without_labels_means_go_over_questions_and_logic_is_missing_in_words() -> None:
    scores = logic_scores(world(relations=0, per_relation=30))
    assert scores.relations == ()
    first = scores.configurations[0]
    assert first.relations == {}
    assert first.bertsim.value == pytest.approx(world(relations=0, per_relation=30).similarity[0].mean())
    assert first.bertsim.low < first.bertsim.value < first.bertsim.high
    assert first.lrcr.value is None
    assert first.lrcr.reason == "the dataset has no relation labels"
    assert first.opi.value is None
    assert "no relation labels" in first.opi.reason


def test_one_question_has_no_interval_and_says_so() -> None:
    scores = logic_scores(world(configurations=2, relations=1, per_relation=1))
    cell = scores.configurations[0].relations["relation 0"]
    assert cell.bertsim.value is not None
    assert (cell.bertsim.low, cell.lrcr.low, cell.opi.low) == (None, None, None)
    assert cell.bertsim.reason == cell.lrcr.reason == "one question has no interval"
    assert scores.configurations[0].bertsim.low is None


def test_one_document_has_no_interval_and_says_so() -> None:
    observations = dataclasses.replace(world(relations=2, per_relation=6), clusters=np.zeros(12, np.int64))
    first = logic_scores(observations).configurations[0]
    for measure in (first.bertsim, first.lrcr, first.opi, first.opi_mean_of_relations):
        assert measure.value is not None
        assert (measure.low, measure.high) == (None, None)
        assert "share one document" in measure.reason


def test_a_relation_on_one_document_borrows_spread_for_the_means_only() -> None:
    clusters = np.array([0, 1, 2, 3, 3, 5])
    knn = logic_scores(hand(clusters=clusters)).configurations[0]
    assert knn.relations["fuzzy"].bertsim.low is None
    assert knn.relations["fuzzy"].opi.low is None
    assert "share one document" in knn.relations["fuzzy"].opi.reason
    for measure in (knn.bertsim, knn.lrcr, knn.opi, knn.opi_mean_of_relations):
        assert measure.low < measure.value < measure.high


def test_sharing_documents_widens() -> None:
    generator = np.random.default_rng(3)
    base = world(configurations=1, relations=1, per_relation=60, seed=3)
    documents = np.arange(60) // 6
    correlated = np.clip(base.similarity + generator.normal(0, 0.3, 10)[documents], -1, 1)
    observations = dataclasses.replace(base, similarity=correlated)
    alone = logic_scores(observations).configurations[0].bertsim
    shared = logic_scores(dataclasses.replace(observations, clusters=documents)).configurations[0].bertsim
    assert shared.value == alone.value
    assert shared.high - shared.low > 1.3 * (alone.high - alone.low)


def test_all_right_and_all_wrong_still_have_an_interval() -> None:
    right = dataclasses.replace(world(relations=2), correct=np.ones((4, 20)))
    cell = logic_scores(right).configurations[0].relations["relation 0"].lrcr
    assert cell.value == cell.high == 1.0
    assert cell.low == pytest.approx(float(wilson(1.0, 10).low))
    wrong = logic_scores(dataclasses.replace(right, correct=np.zeros((4, 20)))).configurations[0]
    assert wrong.opi.value == wrong.opi.low == 0.0
    assert wrong.opi.high > 0.1
    assert wrong.lrcr.high > 0.05


def test_everything_failed_is_words_not_numbers() -> None:
    shape = (4, 30)
    observations = dataclasses.replace(
        world(),
        similarity=np.full(shape, np.nan),
        correct=np.full(shape, np.nan),
        similarity_state=np.full(shape, FAILED, np.int8),
        correct_state=np.full(shape, FAILED, np.int8),
        words=np.full(shape, np.nan),
    )
    scores = logic_scores(observations)
    for measure in measures(scores):
        assert measure.value is None
        assert measure.low is None
        assert "failed" in measure.reason
        assert measure.n_scored == 0
    assert scores.configurations[0].words_per_question is None
    assert scores.ranking.rows == ()
    assert set(scores.ranking.left_out) == {"c0", "c1", "c2", "c3"}


def test_no_questions_at_all() -> None:
    empty = world(per_relation=0)
    scores = logic_scores(empty)
    assert scores.configurations[0].bertsim.value is None
    assert scores.ranking.n_total == 0


@pytest.mark.parametrize(("beta", "convention"), [(-1.0, "formula"), (math.nan, "formula"), (1.0, "text")])
def test_refuses_a_beta_or_convention_that_does_not_exist(beta: float, convention: str) -> None:
    with pytest.raises(OptionError):
        logic_scores(world(), beta, convention)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"correct": np.zeros((2, 5))}, "correct is"),
        ({"clusters": np.arange(5)}, "each of the 6 questions"),
        ({"similarity": np.full((2, 6), np.nan)}, "similarity holds values that are not finite"),
        ({"correct_state": np.full((2, 6), 7, np.int8)}, "codes other than"),
    ],
)
def test_refuses_observations_that_contradict_themselves(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        logic_scores(hand(**changes))


def test_relations_come_in_the_taxonomys_order() -> None:
    assert logic_scores(hand(relations=("zeta", "fuzzy", "causal", "zeta", "fuzzy", "causal"))).relations == (
        "causal",
        "fuzzy",
        "zeta",
    )
