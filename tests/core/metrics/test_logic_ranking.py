"""The ranking: common questions only, ties, references, both averages, lead and probability of being best."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from core.metrics.logic_ranking import competition_ranks
from core.metrics.logic_scores import logic_scores, summarise
from core.metrics.scores import FAILED, LogicObservations, RankedConfiguration
from tests.core.metrics.worlds import world


def rows(observations: LogicObservations, beta: float = 1.0) -> dict[str, RankedConfiguration]:
    return {row.id: row for row in logic_scores(observations, beta).ranking.rows}


def test_complete_scores_rank_by_the_configurations_own_values() -> None:
    observations = world(seed=2, documents=9)
    scores = logic_scores(observations, 0.63)
    ranking = scores.ranking
    assert (ranking.measure, ranking.n_questions, ranking.n_total) == ("opi", 30, 30)
    own = {c.id: c for c in scores.configurations}
    for row in ranking.rows:
        assert row.value == pytest.approx(own[row.id].opi.value)
        assert (row.low, row.high) == pytest.approx((own[row.id].opi.low, own[row.id].opi.high))
        assert row.mean_of_relations == pytest.approx(own[row.id].opi_mean_of_relations.value)
        assert row.mean_of_relations_low == pytest.approx(own[row.id].opi_mean_of_relations.low)
    assert [row.rank for row in ranking.rows] == [1, 2, 3, 4]
    assert [row.value for row in ranking.rows] == sorted((row.value for row in ranking.rows), reverse=True)
    assert sorted(row.mean_of_relations_rank or 0 for row in ranking.rows) == [1, 2, 3, 4]
    assert sum(row.probability_best or 0 for row in ranking.rows) == pytest.approx(1)
    assert ranking.lead == pytest.approx(ranking.rows[0].value - ranking.rows[1].value)
    assert ranking.lead_low < ranking.lead < ranking.lead_high


def test_competition_ranks_share_and_skip() -> None:
    assert competition_ranks(np.array([0.2, 0.9, 0.2 + 1e-9, 0.1])).tolist() == [2, 1, 2, 4]
    # a chain of near ties does not pull the whole field together
    assert competition_ranks(np.array([0.5, 0.5 - 8e-7, 0.5 - 1.6e-6])).tolist() == [1, 1, 3]


def test_one_failure_shrinks_the_common_set_for_all_but_not_the_own_values() -> None:
    observations = world(seed=4)
    state = observations.similarity_state.copy()
    state[2, [0, 5]] = FAILED
    similarity = np.where(state == FAILED, np.nan, observations.similarity)
    holed = dataclasses.replace(observations, similarity=similarity, similarity_state=state)
    scores = logic_scores(holed)
    assert (scores.ranking.n_questions, scores.ranking.n_total) == (28, 30)
    keep = np.setdiff1d(np.arange(30), [0, 5])
    alone = dataclasses.replace(
        observations,
        question_ids=tuple(observations.question_ids[i] for i in keep),
        relations=tuple(observations.relations[i] for i in keep),
        clusters=observations.clusters[keep],
        **{
            name: getattr(observations, name)[:, keep]
            for name in (
                "similarity", "similarity_state", "correct", "correct_state", "refused", "words", "sentences",
            )
        },
    )  # fmt: skip
    assert [row.value for row in scores.ranking.rows] == pytest.approx(
        [r.value for r in logic_scores(alone).ranking.rows]
    )
    assert scores.configurations[0].opi.n_scored == 30


def test_references_and_the_scoreless_are_left_out_with_a_reason() -> None:
    observations = dataclasses.replace(world(), reference=frozenset({"c3"}))
    state = observations.similarity_state.copy()
    state[1] = FAILED
    observations = dataclasses.replace(
        observations, similarity_state=state, similarity=np.where(state == FAILED, np.nan, observations.similarity)
    )
    ranking = logic_scores(observations).ranking
    assert {row.id for row in ranking.rows} == {"c0", "c2"}
    assert ranking.n_questions == 30
    assert "reference" in ranking.left_out["c3"]
    assert ranking.left_out["c1"] == "no question has both BERTSim and LRCR"


def test_configurations_without_a_common_question_are_not_ranked() -> None:
    state = np.zeros((2, 30), np.int8)
    state[0, ::2] = FAILED
    state[1, 1::2] = FAILED
    base = world(configurations=2)
    observations = dataclasses.replace(
        base, similarity_state=state, similarity=np.where(state == FAILED, np.nan, base.similarity)
    )
    ranking = logic_scores(observations).ranking
    assert ranking.rows == ()
    assert ranking.n_questions == 0
    assert all("no question is scored by all" in reason for reason in ranking.left_out.values())
    assert ranking.lead is None


def test_without_labels_bertsim_ranks() -> None:
    observations = world(relations=0, per_relation=40)
    ranking = logic_scores(observations).ranking
    assert ranking.measure == "bertsim"
    best = int(observations.similarity.mean(axis=1).argmax())
    assert ranking.rows[0].id == f"c{best}"
    assert ranking.rows[0].value == pytest.approx(observations.similarity[best].mean())
    assert ranking.rows[0].mean_of_relations is None
    assert ranking.rows[0].mean_of_relations_rank is None
    assert ranking.rows[0].probability_best is not None
    # beta does not touch it
    assert logic_scores(observations, math.inf).ranking.rows == ranking.rows


def test_labels_without_any_lrcr_rank_by_bertsim_over_relations() -> None:
    base = world()
    observations = dataclasses.replace(
        base, correct=np.full((4, 30), np.nan), correct_state=np.full((4, 30), FAILED, np.int8)
    )
    scores = logic_scores(observations)
    assert scores.ranking.measure == "bertsim"
    own = {c.id: c.bertsim.value for c in scores.configurations}
    assert all(row.value == pytest.approx(own[row.id]) for row in scores.ranking.rows)


def test_identical_configurations_tie_exactly() -> None:
    base = world(configurations=3, seed=8)
    observations = dataclasses.replace(
        base, similarity=base.similarity[[0, 0, 1]] - [[0], [0], [0.05]], correct=base.correct[[0, 0, 1]]
    )
    ranking = logic_scores(observations).ranking
    twins = [row for row in ranking.rows if row.id in ("c0", "c1")]
    assert twins[0].rank == twins[1].rank
    assert twins[0].probability_best == twins[1].probability_best
    pair = logic_scores(
        dataclasses.replace(base, similarity=base.similarity[[0, 0, 1]], reference=frozenset({"c2"}),
                            correct=base.correct[[0, 0, 1]])
    ).ranking  # fmt: skip
    assert (pair.lead, pair.lead_low, pair.lead_high) == (0.0, 0.0, 0.0)
    assert [row.probability_best for row in pair.rows] == [0.5, 0.5]


def test_a_clear_winner_is_nearly_certain_and_pairs_narrow_the_lead() -> None:
    base = world(configurations=2, relations=3, per_relation=30, seed=9)
    similarity = base.similarity[[0, 0]] + [[0.0], [-0.1]]
    correct = base.correct[[0, 0]]
    ranking = logic_scores(dataclasses.replace(base, similarity=similarity, correct=correct)).ranking
    assert ranking.rows[0].id == "c0"
    assert ranking.rows[0].probability_best == 1.0
    assert ranking.lead_low > 0
    # the same question for both: far narrower than the two intervals side by side
    assert ranking.lead_high - ranking.lead_low < 0.5 * (ranking.rows[0].high - ranking.rows[0].low)


def test_beta_moves_the_ranking_from_answers_to_logic() -> None:
    base = world(configurations=2, relations=2, per_relation=20, seed=1)
    similarity = np.stack([np.full(40, 0.9), np.full(40, 0.5)])
    correct = np.stack([np.arange(40) % 4 == 0, np.arange(40) % 4 != 0]).astype(float)
    summary = summarise(dataclasses.replace(base, similarity=similarity, correct=correct))
    assert summary.at(0.1).ranking.rows[0].id == "c0"
    assert summary.at(10.0).ranking.rows[0].id == "c1"
    assert summary.at(10.0, "prose").ranking.rows[0].id == "c0"


def test_one_configuration_or_document_is_no_contest() -> None:
    single = logic_scores(world(configurations=1)).ranking
    assert single.rows[0].rank == 1
    assert single.lead is None
    assert single.rows[0].probability_best == 1.0
    one_document = dataclasses.replace(world(), clusters=np.zeros(30, np.int64))
    ranking = logic_scores(one_document).ranking
    assert ranking.rows[0].probability_best is None
    assert ranking.rows[0].low is None
    assert ranking.lead is not None
    assert ranking.lead_low is None


def test_the_seed_moves_the_bootstrap_and_nothing_else() -> None:
    observations = world(seed=3)
    one, two = (logic_scores(observations, seed=seed).ranking for seed in ("run 1", "run 2"))
    assert [row.probability_best for row in one.rows] != [row.probability_best for row in two.rows]
    assert [dataclasses.replace(row, probability_best=None) for row in one.rows] == [
        dataclasses.replace(row, probability_best=None) for row in two.rows
    ]
    for first, second in zip(one.rows, two.rows, strict=True):
        assert first.probability_best == pytest.approx(second.probability_best, abs=0.05)


def test_the_lead_of_a_fixed_pair_is_covered() -> None:
    """400 samples of two paired configurations over six relations of six questions on twelve documents."""
    generator = np.random.default_rng(12)
    relations, documents = np.arange(36) % 6, np.arange(36) % 12
    share = np.linspace(0.2, 0.8, 6)[relations]
    true = 2 * 0.6 * 0.5 / 1.1 - 2 * 0.55 * 0.4 / 0.95
    hits = 0
    for _ in range(400):
        common = generator.normal(0, 0.1, 12)[documents] + generator.normal(0, 0.1, 36)
        similarity = np.array([[0.6], [0.55]]) + common + generator.normal(0, 0.08, (2, 36))
        correct = (generator.random(36) < np.stack([share, share - 0.1])).astype(float)
        base = world(configurations=2, relations=6, per_relation=6)
        observations = dataclasses.replace(base, similarity=similarity, correct=correct, clusters=documents)
        ranking = summarise(observations).contest.ranking(1.0, "formula")
        sign = 1 if ranking.rows[0].id == "c0" else -1
        hits += ranking.lead_low <= sign * true <= ranking.lead_high
    assert 0.92 <= hits / 400 <= 0.985
