"""The level table: planted differences are found where they are, and whatever cannot be said is said to be so."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from core.metrics.granularity import (
    LevelTable,
    corrected_power,
    discriminative_power,
    information_content,
    level_table,
    node_means,
    omega_squared,
)
from core.taxonomy.bundled import BUNDLED_TREES, relation_tree
from core.taxonomy.labels import place_labels
from core.taxonomy.trees import nested_tree
from tests.core.metrics.granularity_worlds import QC, every_level, fine, planted, scores

DRAWS = 400


def table(values: object, placed: object, documents: object = None, **options: object) -> LevelTable:
    return level_table(values, placed, documents, seed_text="test", draws=DRAWS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("level", "name"), [(0, "coarse"), (1, "medium"), (2, "fine")])
def test_a_planted_difference_is_reported_at_its_level(level: int, name: str) -> None:
    found = table(scores(level, seed=1), fine())
    assert (found.recommended.level, found.recommended.name) == (level, name)
    assert found.recommended.sentence.startswith(f"Report at {name}: its split adds something (adjusted p = 0.0")
    for row in found.rows[level:]:
        assert row.corrected.value == pytest.approx(0.05, abs=0.015)
        assert row.power is not None
        assert row.noise_floor is not None
        assert row.power > row.noise_floor
        assert row.p == pytest.approx(1 / (1 + DRAWS))
    assert found.rows[level].added.p_adjusted == pytest.approx(3 / (1 + DRAWS))


def test_without_a_difference_no_level_separates_though_the_papers_rule_names_one() -> None:
    found = table(scores(None, seed=3), fine())
    assert found.recommended.level is None
    assert found.recommended.sentence.startswith("No level separates: the split into ")
    assert found.paper.name == "fine"
    assert all(row.corrected.low == 0.0 for row in found.rows)
    assert all(row.added.low is not None and row.added.low <= 0.0 for row in found.rows)


def test_the_numbers_are_those_of_the_measures() -> None:
    values, placed = scores(1, seed=4, each=20), fine(20)
    found = table(values, placed)
    for level, row in enumerate(found.rows):
        labels = placed.at_level(level)
        groups = [values[[one == name for one in labels]] for name in QC.levels[level]]
        means = [float(group.mean()) for group in groups]
        assert [one.mean.value for one in row.categories] == pytest.approx(means)
        assert row.power == pytest.approx(discriminative_power(means))
        assert row.range == pytest.approx(max(means) - min(means))
        assert row.corrected.value == pytest.approx(corrected_power(groups))
        assert row.omega_squared == pytest.approx(omega_squared(groups))
        assert row.information == pytest.approx(information_content(labels, values, edges=found.edges))
        assert (row.k, row.n) == (len(groups), 160)
    largest = max(found.rows, key=lambda row: row.power or 0.0)
    assert (found.paper.level, found.paper.power) == (largest.level, largest.power)


def test_levels_with_questions_of_their_own() -> None:
    generator = np.random.default_rng(6)
    placed = every_level()
    effect = dict(zip(QC.leaves(), planted(1), strict=True))
    shift = [float(np.mean([effect[leaf] for leaf in QC.leaves(name)])) for name in placed.own if name]
    found = table(np.array(shift) + generator.normal(0.6, 0.15, len(placed.own)), placed)
    assert found.independent
    assert [row.n for row in found.rows] == [100, 200, 400]
    assert found.recommended.name == "medium"
    assert "questions of its own" in found.notes[0]
    rolled_up = table(np.array(shift), placed, independent=False)
    assert [row.n for row in rolled_up.rows] == [700, 600, 400]


def test_documents_widen_what_they_carry() -> None:
    """One document a category of the finest level and noise of documents: what looks certain is not."""
    generator = np.random.default_rng(2)
    documents = np.repeat(np.arange(32), 12)
    values = 0.6 + generator.normal(0, 0.1, 32)[documents] + generator.normal(0, 0.03, 384)
    placed = place_labels(QC, [QC.leaves()[one // 4] for one in documents])
    alone, by_document = table(values, placed), table(values, placed, documents)
    assert alone.recommended.name == "fine"
    assert by_document.recommended.level is None
    assert by_document.clustered
    assert by_document.n_documents == 32
    for ours, plain in zip(by_document.rows, alone.rows, strict=True):
        assert (ours.noise_floor or 0) > 2 * (plain.noise_floor or 0)
        assert (ours.p or 0) > 0.05
        assert ours.corrected.low == 0.0


def test_a_difference_within_documents_is_seen_whatever_the_documents_do() -> None:
    generator = np.random.default_rng(3)
    documents = np.tile(np.arange(20), 20)
    placed = place_labels(QC, ["simple" if i < 200 else "complex" for i in range(400)])
    values = np.repeat([0.55, 0.65], 200) + generator.normal(0, 0.2, 20)[documents] + generator.normal(0, 0.1, 400)
    row = table(values, placed, documents).rows[0]
    assert row.p == pytest.approx(1 / (1 + DRAWS))
    assert row.corrected.value == pytest.approx(0.05, abs=0.015)
    assert (row.corrected.low or 0) > 0.03


def test_documents_are_known_by_any_name_and_their_order_is_nothing() -> None:
    values, placed = scores(0, 5, 10), fine(10)
    named = [f"d{i % 30}" for i in range(80)]
    assert table(values, placed, named) == table(values, placed, [i % 30 for i in range(80)])
    assert table(values, placed, [f"d{i}" for i in range(80)]) == table(values, placed)


def test_the_same_seed_gives_the_same_table_and_json_takes_it() -> None:
    values, placed = scores(1, 7, 10), fine(10)
    once = table(values, placed)
    assert once == table(values, placed)
    other = level_table(values, placed, seed_text="another", draws=DRAWS)
    assert other.rows[2].noise_floor != once.rows[2].noise_floor
    assert json.loads(json.dumps(dataclasses.asdict(once), allow_nan=False))["recommended"]


def test_a_level_with_one_category() -> None:
    tree = nested_tree("D", {"all": {"a": ["a1", "a2"], "b": ["b1", "b2"]}})
    placed = place_labels(tree, [name for name in tree.leaves() for _ in range(30)])
    values = np.repeat([0.3, 0.3, 0.7, 0.7], 30) + np.random.default_rng(0).normal(0, 0.1, 120)
    found = table(values, placed)
    assert found.rows[0].reason == "the level has one category, 'all': there is nothing to compare it with"
    assert found.rows[0].power is None
    assert found.rows[0].corrected.reason == found.rows[0].added.reason == found.rows[0].reason
    assert found.recommended.level == 1


def test_categories_of_one_question_are_set_aside_and_named() -> None:
    names = [leaf for leaf in QC.leaves()[:4] for _ in range(12)] + list(QC.leaves()[4:])
    values = np.random.default_rng(1).uniform(size=len(names))
    row = table(values, place_labels(QC, names)).rows[2]
    assert (row.k, row.n) == (4, 48)
    small = [one for one in row.categories if not one.counted]
    assert [one.reason for one in small] == ["1 question: too few, 5 are needed"] * 4
    assert all(one.mean.value is not None and one.mean.reason == "one question has no spread" for one in small)
    assert row.note.startswith(
        "4 of 8 categories have too few questions and count nowhere here: 'single_hop_inference'"
    )


def test_nothing_but_small_categories() -> None:
    found = table(np.arange(16) / 16, fine(2))
    assert found.rows[2].reason == (
        "too few: no category has 5 scored questions, and a level needs two such categories"
    )
    assert found.rows[0].power is not None
    one = table(np.arange(7) / 7, place_labels(QC, ["simple"] * 6 + ["complex"]))
    assert one.rows[0].reason.startswith("too few: only 'simple' has 5 scored questions")
    assert one.recommended.sentence == "No level can be recommended: no level has enough questions to be tested."
    assert one.paper.level is None


def test_all_scores_equal() -> None:
    found = table(np.full(80, 0.5), fine(10))
    assert {row.reason for row in found.rows} == {
        "all 80 questions have the same score, 0.5: nothing can separate them"
    }
    assert found.recommended.level is None


def test_categories_without_any_spread_that_differ() -> None:
    found = table(np.repeat([0.2, 0.8], 40), fine(10))
    row = found.rows[0]
    assert (row.power, row.corrected.value) == pytest.approx((0.3, 0.3))
    assert (row.corrected.low, row.corrected.high) == pytest.approx((0.3, 0.3))
    assert found.recommended.level == 0


def test_questions_without_a_score_are_counted_and_left_out() -> None:
    values, placed = scores(0, 9, 10), fine(10)
    values[::4] = math.nan
    found = table(values, placed)
    assert (found.n_questions, found.n_not_scored) == (60, 20)
    assert all((row.n, row.n_not_scored) == (60, 20) for row in found.rows)
    assert "20 questions without a score count nowhere." in found.notes
    kept = ~np.isnan(values)
    own = [name for name, keep in zip(placed.own, kept, strict=True) if keep]
    for row, alone in zip(found.rows, table(values[kept], place_labels(QC, own)).rows, strict=True):
        assert row.corrected == alone.corrected
        assert row.noise_floor == alone.noise_floor
    nothing = table(np.full(80, math.nan), placed)
    assert {row.reason for row in nothing.rows} == {"no question is scored at this level"}
    assert nothing.rows[0].categories[0].reason == "none of its 40 questions is scored"


def test_labels_that_stop_above_and_labels_set_aside() -> None:
    placed = place_labels(QC, (["simple"] * 9 + ["complex"] * 9 + ["Easy", None]) * 2)
    found = table(np.random.default_rng(0).uniform(size=40), placed)
    assert [row.reason for row in found.rows[1:]] == ["no question has a label here"] * 2
    assert not found.independent
    assert found.n_unlabelled == 4
    assert "'Easy' (2 questions) is no category of 'QC' and is set aside." in found.notes


def test_a_flat_tree_and_relations() -> None:
    values = np.repeat([0.2, 0.8], 20) + np.random.default_rng(0).normal(0, 0.05, 40)
    placed = place_labels(relation_tree(["causal", "temporal"]), ["causal"] * 20 + ["temporal"] * 20)
    found = table(values, placed)
    assert found.recommended.level == 0
    assert found.recommended.sentence.startswith("Report by category: the categories differ (adjusted p = 0.00")
    assert found.rows[0].name == ""
    assert found.paper.sentence.startswith("There is one level, of discriminative power 0.3")
    alike = table(np.tile(values[:20], 2), placed)
    assert alike.recommended.level is None
    assert alike.recommended.sentence == "The categories differ no more than by chance (adjusted p = 1.000)."


def test_a_leaf_above_counts_in_every_level_below() -> None:
    tree = nested_tree("D", {"a": ["a1", "a2"], "b": None})
    placed = place_labels(tree, ["a1"] * 20 + ["a2"] * 20 + ["b"] * 20)
    values = np.repeat([0.2, 0.6, 0.4], 20) + np.random.default_rng(0).normal(0, 0.05, 60)
    found = table(values, placed)
    assert [one.name for one in found.rows[1].categories] == ["a1", "a2", "b"]
    assert found.recommended.level == 1


def test_no_question_and_no_tree() -> None:
    empty = table([], place_labels(QC, []))
    assert [row.reason for row in empty.rows] == ["no question has a label here"] * 3
    assert table([0.5], place_labels(nested_tree("D", None), ["x"])).rows == ()


@pytest.mark.parametrize(
    ("values", "documents", "said"),
    [
        ([0.1, 0.2], None, "scores have the shape"),
        ([0.1, 0.2, math.inf], None, "finite"),
        ([0.1, 0.2, 0.3], ["a"], "1 documents were given for 3 questions"),
    ],
)
def test_what_does_not_fit_is_refused(values: list[float], documents: list[str] | None, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        table(values, place_labels(QC, ["simple"] * 3), documents)


def test_a_category_of_one_document_does_not_count_where_documents_are_shared() -> None:
    names = ["simple"] * 20 + ["complex"] * 20
    row = table(np.random.default_rng(0).uniform(size=40), place_labels(QC, names), [0] * 20 + list(range(20))).rows[0]
    assert row.categories[0].reason == "all 20 questions share one document"
    assert row.reason.startswith("too few: only 'complex' has 5 scored questions from two documents")


def test_node_means_hold_all_that_lies_below() -> None:
    placed = place_labels(QC, ["simple", "single_fact", "extractive_span", "extractive_span", "complex", None])
    nodes = {one.name: one for one in node_means([0.1, 0.2, 0.3, math.nan, 0.9, 0.9], placed)}
    assert list(nodes) == list(QC.nodes)
    simple = nodes["simple"]
    assert (simple.n, simple.n_own, simple.n_not_scored) == (3, 1, 1)
    assert simple.mean.value == pytest.approx(0.2)
    assert nodes["extractive_span"].mean.reason == "one question has no spread"
    assert nodes["paraphrasing_required"].mean.reason == "no question is scored"
    assert nodes["paraphrasing_required"].too_small
    assert not {one.name: one for one in node_means(np.ones(40), fine(5))}["extractive_span"].too_small


def test_node_means_by_document() -> None:
    placed = place_labels(BUNDLED_TREES["user_expertise"], ["expert"] * 6)
    node = node_means([0.1, 0.1, 0.5, 0.5, 0.9, 0.9], placed, ["a", "a", "b", "b", "c", "c"])[0]
    # three documents of two equal questions are three observations
    half = 4.302653 * 0.4 / math.sqrt(3)
    assert (node.mean.low, node.mean.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-5)
