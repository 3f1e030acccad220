"""The split table: which ratios mean something, which are noise, and to which splits the ratio does not apply."""

from __future__ import annotations

import numpy as np
import pytest

from core.metrics.granularity import SplitTable, coherence_ratio, split_table
from core.taxonomy.labels import PlacedLabels, place_labels
from core.taxonomy.trees import nested_tree
from tests.core.metrics.granularity_worlds import QC, every_level, exact, fine, scores

DRAWS = 400
#: means of every node of QC: clear differences between siblings and from the parents
MEANS = dict(zip(QC.nodes, np.linspace(0.2, 0.9, len(QC.nodes)) ** 2, strict=True))


def table(values: np.ndarray, placed: PlacedLabels, documents: list[int] | None = None) -> SplitTable:
    return split_table(values, placed, documents, seed_text="test", draws=DRAWS)


def test_the_numbers_are_those_of_the_means() -> None:
    placed = every_level(60)
    values = np.concatenate([exact(mean, 0.02, 60) for mean in MEANS.values()])
    found = table(values, placed)
    assert [row.parent for row in found.rows] == [name for name in QC.nodes if QC.children(name)]
    for row in found.rows:
        made = coherence_ratio(MEANS[row.parent], [MEANS[child] for child in QC.children(row.parent)])
        assert (row.sigma.value, row.delta.value, row.rho.value) == pytest.approx((made.sigma, made.delta, made.rho))
        assert row.state == "shown"
        assert row.independent_parent
        assert not row.rolled_up_children
        assert row.rho.low is not None
        assert row.rho.high is not None
        assert row.rho.low < made.rho < row.rho.high
    four, six = found.averages
    assert (four.label, four.n_splits, six.label, six.n_splits) == ("medium to fine", 4, "all splits", 6)
    assert four.rho.value == pytest.approx(np.mean([row.rho.value for row in found.rows if row.level == 1]))
    assert found.sentence.startswith("Of 6 splits, 6 have a coherence ratio that means something, 0 are inconclusive")


def test_noise_is_inconclusive_and_keeps_the_papers_number_without_an_interval() -> None:
    placed = every_level(50)
    values = np.random.default_rng(0).normal(0.6, 0.15, len(placed.own))
    found = table(values, placed)
    assert {row.state for row in found.rows} == {"inconclusive"}
    for row in found.rows:
        assert row.rho.value is not None
        assert row.rho.low is None
        assert "may be 0, so the ratio is noise" in row.reason
        assert (row.sigma.high or 0) > 0
    assert found.averages[0].rho.low is not None


def test_rolled_up_parents_have_no_ratio_and_it_is_said_why() -> None:
    found = table(scores(2, 1), fine())
    for row in found.rows:
        assert row.state == "not_applicable"
        assert row.reason.endswith("delta about 0 by construction")
        assert row.rho.value is None
        assert row.sigma.value is not None
    assert [row.rolled_up_children for row in found.rows] == [True, False, False, True, False, False]
    assert found.averages[0].n_splits == 0
    assert found.averages[0].rho.reason == "no split has a parent with questions of its own"


def test_children_rolled_up_under_a_parent_of_its_own_questions() -> None:
    names = [leaf for leaf in QC.leaves() for _ in range(20)] + ["simple"] * 40
    values = np.concatenate([exact(0.3, 0.02, 40), exact(0.5, 0.02, 40), exact(0.5, 0.02, 80), exact(0.6, 0.02, 40)])
    row = table(values, place_labels(QC, names)).rows[0]
    assert row.rolled_up_children
    assert row.independent_parent
    assert (row.n_children, row.n_parent) == (80, 40)
    assert (row.sigma.value, row.delta.value) == pytest.approx((0.1, 0.2))
    assert row.state == "shown"


def test_small_children_and_small_parents() -> None:
    names = ["single_fact"] * 3 + ["extractive_span"] * 20 + ["entity_extraction"] * 20 + ["multi_fact_local"] * 20
    found = {row.parent: row for row in table(np.random.default_rng(0).uniform(size=63), place_labels(QC, names)).rows}
    assert found["single_fact"].reason == "'single_fact' itself does not count: 3 questions: too few, 5 are needed"
    assert found["single_fact"].sigma.value is not None
    assert found["multi_fact_local"].reason == "none of 2 children has enough questions: two are needed"
    assert found["simple"].reason == "1 of 2 children has enough questions: two are needed"


def test_more_than_two_children() -> None:
    tree = nested_tree("D", {"a": ["x", "y", "z"]})
    placed = place_labels(tree, [name for name in tree.nodes for _ in range(40)])
    values = np.concatenate([exact(mean, 0.05, 40) for mean in (0.5, 0.2, 0.5, 0.8)])
    row = table(values, placed).rows[0]
    assert row.sigma.value == pytest.approx(np.std([0.2, 0.5, 0.8]))
    assert row.sigma.low is not None
    assert row.sigma.high is not None
    assert 0.2 < row.sigma.low < row.sigma.value < row.sigma.high < 0.3
    # the children average exactly to the parent: delta may be 0
    assert row.state == "inconclusive"
    assert row.reason == "delta may be 0, so the ratio is noise"


def test_documents_enter_the_intervals() -> None:
    placed = every_level(40)
    n = len(placed.own)
    documents = [i // 20 for i in range(n)]
    effect = np.random.default_rng(3).normal(0, 0.1, max(documents) + 1)
    values = effect[documents] + np.random.default_rng(4).normal(0.5, 0.01, n)
    alone, by_document = table(values, placed), table(values, placed, documents)
    for one, other in zip(alone.rows, by_document.rows, strict=True):
        assert (other.sigma.high or 0) > 2 * (one.sigma.high or 0) - (one.sigma.value or 0)
        assert other.state == "inconclusive"


def test_a_flat_tree_has_no_split() -> None:
    found = table(np.ones(4), place_labels(nested_tree("D", ["a", "b"]), ["a", "a", "b", "b"]))
    assert found.rows == ()
    assert found.sentence == "The tree has no split."
