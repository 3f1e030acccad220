from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.metrics.coverage_observations import PARTS
from core.metrics.coverage_scores import MEASURES, by_group, coverage_scores, curves, ranking
from core.metrics.scores import FAILED, NOT_APPLICABLE
from core.stats.clustering import clustered_mean
from tests.core.metrics.coverage_worlds import coverage_world


def with_numbers(world, **columns):
    changed = {name: np.array(values, np.float32) for name, values in columns.items()}
    return replace(world, numbers={**world.numbers, **changed})


def without_answer(world, row, column, state):
    """The same world where one configuration has no scored answer to one question."""
    numbers = {name: found.copy() for name, found in world.numbers.items()}
    for name, found in numbers.items():
        if not name.startswith("n_"):
            found[row, column] = np.nan
    states = world.state.copy()
    states[row, column] = state
    return replace(world, numbers=numbers, state=states)


def test_macro_is_the_mean_over_questions_and_micro_over_nuggets():
    world = coverage_world(configurations=("knn",), questions=2, documents=2)
    world = with_numbers(
        world, n_vital=[[1, 3]], n_okay=[[0, 0]], grounded_vital=[[1, 1]], grounded_okay=[[0, 0]],
    )  # fmt: skip
    found = coverage_scores(world).configurations[0]
    assert found.macro["grounded"].value == pytest.approx((1 + 1 / 3) / 2)
    assert found.micro["grounded"].value == pytest.approx(2 / 4)


def test_weighted_counts_an_okay_nugget_half():
    world = coverage_world(configurations=("knn",), questions=1)
    world = with_numbers(
        world, n_vital=[[2]], n_okay=[[2]], grounded_vital=[[1]], grounded_okay=[[2]],
    )  # fmt: skip
    assert coverage_scores(world).configurations[0].macro["weighted"].value == pytest.approx((1 + 0.5 * 2) / (2 + 1))


def test_the_interval_of_a_mean_is_students_over_documents():
    world = coverage_world(questions=60, documents=12)
    scores = coverage_scores(world)
    expected = clustered_mean(world.values("grounded")[0], world.clusters)
    found = scores.configurations[0].macro["grounded"]
    assert found.value == pytest.approx(expected.mean)
    from scipy.stats import t

    half = t.ppf(0.975, expected.df) * np.sqrt(expected.variance)
    assert (found.low, found.high) == pytest.approx((expected.mean - half, expected.mean + half))


def test_vital_only_leaves_questions_without_vital_nuggets_out():
    world = coverage_world(configurations=("knn",), questions=3, documents=3)
    world = with_numbers(
        world, n_vital=[[2, 0, 1]], n_okay=[[1, 2, 0]], grounded_vital=[[1, 0, 1]], grounded_okay=[[0, 2, 0]],
    )  # fmt: skip
    found = coverage_scores(world, "vital").configurations[0]
    assert found.macro["grounded"].value == pytest.approx((0.5 + 1) / 2)
    assert (found.macro["grounded"].n_scored, found.macro["grounded"].n_not_applicable) == (2, 1)
    assert found.losses.n == 3


@pytest.mark.parametrize(("state", "failed", "missing"), [(FAILED, 1, 0), (NOT_APPLICABLE, 0, 1)])
def test_an_answer_that_is_not_scored_is_counted_and_never_a_zero(state, failed, missing):
    world = coverage_world()
    found = coverage_scores(without_answer(world, 0, 3, state)).configurations[0]
    kept = np.delete(world.values("grounded")[0], 3)
    measure = found.macro["grounded"]
    assert measure.value == pytest.approx(kept.mean())
    assert (measure.n_scored, measure.n_failed, measure.n_not_applicable) == (29, failed, missing)
    assert found.micro["grounded"].n_failed == failed
    assert found.losses.n_failed == failed
    assert found.losses.n == int(np.delete(world.nuggets()[0], 3).sum())


def test_sets_have_no_ranking_measures():
    scores = coverage_scores(coverage_world())
    union = next(c for c in scores.configurations if c.id == "s-two")
    assert union.macro["alpha_ndcg@10"].value is None
    assert union.macro["alpha_ndcg@10"].n_not_applicable == 30
    assert union.macro["grounded"].value is not None


def test_refusals_count_as_scored_and_are_told():
    world = coverage_world()
    refused = world.refused.copy()
    refused[0, :4] = True
    assert coverage_scores(replace(world, refused=refused)).configurations[0].macro["grounded"].n_refused == 4


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_mean_at_the_end_of_the_range_is_not_certain(value):
    world = coverage_world(configurations=("knn",), questions=6, documents=6)
    n = np.full((1, 6), 2)
    world = with_numbers(world, n_vital=n, n_okay=0 * n, grounded_vital=value * n, grounded_okay=0 * n)
    found = coverage_scores(world).configurations[0]
    for measure in (found.macro["grounded"], found.micro["grounded"]):
        assert measure.value == value
        assert measure.high - measure.low > 0.3


def test_alpha_ndcg_above_one_is_kept():
    world = coverage_world(configurations=("knn",), questions=4, documents=4)
    world = with_numbers(world, **{"alpha_ndcg@5": [[1.02, 1.0, 1.01, 1.0]]})
    found = coverage_scores(world).configurations[0].macro["alpha_ndcg@5"]
    assert found.value == pytest.approx(1.0075)
    assert found.high > 1


def test_one_question_has_no_interval_and_says_why():
    found = coverage_scores(coverage_world(questions=1)).configurations[0].macro["said"]
    assert (found.low, found.high, found.reason) == (None, None, "one question has no interval")
    found = coverage_scores(coverage_world(questions=4, documents=1)).configurations[0].micro["said"]
    assert found.reason == "all scored questions share one document"


@given(seed=st.integers(0, 10_000), questions=st.integers(1, 25), importance=st.sampled_from(["all", "vital"]))
def test_what_always_holds(seed, questions, importance):
    world = coverage_world(questions=questions, documents=4, seed=seed)
    for found in coverage_scores(world, importance).configurations:
        assert sum(found.losses.parts[part] for part in PARTS) == found.losses.n
        for of in (found.macro, found.micro):
            assert of["said"].value >= of["cited"].value >= of["grounded"].value
        assert found.losses.share("grounded") == pytest.approx(found.micro["grounded"].value)
        for measure in (*found.macro.values(), *found.micro.values()):
            assert measure.n_scored + measure.n_failed + measure.n_not_applicable == questions
            if measure.low is not None:
                assert measure.low - 1e-12 <= measure.value <= measure.high + 1e-12


def test_groups_are_means_of_their_questions():
    world = coverage_world(questions=12)
    groups = ["a" if i % 3 else "" if i == 0 else "b" for i in range(12)]
    found = by_group(world, "said", groups)
    values = world.values("said")[1]
    assert found["bm25"]["a"].value == pytest.approx(np.mean([values[i] for i in range(12) if groups[i] == "a"]))
    assert found["bm25"]["b"].n_scored == 3
    assert list(found["bm25"]) == ["a", "b"]
    assert by_group(world, "said", [""] * 12)["knn"] == {}


def test_curves_go_over_every_k_of_those_that_have_a_ranking():
    world = coverage_world()
    found = curves(world, "strec")
    assert list(found.of) == ["knn", "bm25", "a-two"]
    assert [len(points) for points in found.of.values()] == [20] * 3
    assert found.of["knn"][4].value == pytest.approx(float(world.values("strec@5")[0].mean()))


def test_ranks_on_the_questions_that_all_have_scored():
    world = without_answer(coverage_world(questions=40), 1, 0, FAILED)
    found = ranking(world, "grounded")
    assert (found.n_questions, found.n_total) == (39, 40)
    assert found.left_out == {"evidence": "a reference, shown but never ranked"}
    values = world.values("grounded")[:, 1:]
    means = {name: values[row].mean() for row, name in enumerate(world.configurations) if name != "evidence"}
    assert [row.id for row in found.rows] == sorted(means, key=lambda name: -means[name])
    first, second = (world.configurations.index(row.id) for row in found.rows[:2])
    paired = clustered_mean(values[first] - values[second], world.clusters[1:])
    assert found.lead == pytest.approx(paired.mean)
    assert found.lead_low < found.lead < found.lead_high


def test_those_without_a_ranking_leave_the_contest_of_rankings():
    found = ranking(coverage_world(), "alpha_ndcg@10")
    assert "s-two" in found.left_out
    assert [row.id for row in found.rows] == ["knn", "bm25", "a-two"]
    assert found.n_questions == 30


def test_nothing_in_common_ranks_nobody():
    world = coverage_world(configurations=("knn", "bm25"), questions=2, documents=2)
    world = without_answer(without_answer(world, 0, 0, FAILED), 1, 1, FAILED)
    found = ranking(world, "grounded")
    assert (found.rows, found.n_questions) == ((), 0)


@pytest.mark.parametrize("measure", ["accuracy", "alpha_ndcg@7.5", "ndcg_binary@7", "n_vital", "answer_words"])
def test_an_unknown_measure_is_refused(measure):
    with pytest.raises(OptionError, match="is not stored with this run"):
        ranking(coverage_world(), measure)


def test_every_measure_is_there():
    assert set(coverage_scores(coverage_world()).configurations[0].macro) == set(MEASURES)
