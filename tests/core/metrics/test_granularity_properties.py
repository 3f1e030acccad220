"""What holds for any questions: no NaN leaks, what is missing has a reason, calls repeat, order is nothing; speed."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.granularity import (
    Estimate,
    configuration_levels,
    dimension_table,
    interaction,
    level_table,
    node_means,
    split_table,
)
from core.taxonomy.labels import PlacedLabels, place_labels
from core.taxonomy.trees import nested_tree
from tests.core.metrics.granularity_worlds import QC

DRAWS = 19
TREES = (
    QC,
    nested_tree("flat", ["a", "b", "c"]),
    nested_tree("uneven", {"a": {"b": ["c", "d"]}, "e": None, "f": ["g"]}),
)
Questions = tuple[np.ndarray, PlacedLabels, list[int] | None]


@st.composite
def questions(draw: st.DrawFn) -> Questions:
    """Any labels at any level, scores with holes and ties, documents shared or not."""
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    tree = draw(st.sampled_from(TREES))
    n = draw(st.integers(0, 60))
    among: Sequence[str] = tree.leaves() if draw(st.booleans()) else tree.nodes
    labels: list[Any] = [among[i] for i in generator.integers(0, draw(st.integers(1, len(among))), n)]
    labels = [None if hole else name for hole, name in zip(generator.random(n) < 0.1, labels, strict=True)]
    scores = draw(
        st.sampled_from([generator.random(n), generator.integers(0, 2, n).astype(float), np.full(n, 0.25), np.zeros(n)])
    )
    scores = np.where(generator.random(n) < draw(st.sampled_from([0.0, 0.2, 1.0])), np.nan, scores)
    documents = draw(st.sampled_from([None, 1, 2, 7, 40]))
    return (
        scores,
        place_labels(tree, labels),
        None if documents is None else generator.integers(0, documents, n).tolist(),
    )


def _numbers(value: object) -> Iterator[object]:
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _numbers(getattr(value, field.name))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _numbers(one)
    else:
        yield value


def _estimates(value: object) -> Iterator[Estimate]:
    if isinstance(value, Estimate):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _estimates(getattr(value, field.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _estimates(one)


@settings(max_examples=60)
@given(questions(), st.sampled_from([None, True, False]))
def test_whatever_is_missing_has_a_reason_and_nothing_is_nan(made: Questions, independent: bool | None) -> None:
    values, placed, documents = made
    table = level_table(values, placed, documents, seed_text="p", draws=DRAWS, independent=independent)
    splits = split_table(values, placed, documents, seed_text="p", draws=DRAWS)
    nodes = node_means(values, placed, documents)
    dimensions = dimension_table({placed.tree.dimension: table})
    for result in (table, splits, nodes, dimensions):
        assert all(math.isfinite(one) for one in _numbers(result) if isinstance(one, float))
        for one in _estimates(result):
            assert bool(one.reason) == (None in (one.value, one.low, one.high))
            if one.value is not None and one.low is not None and one.high is not None:
                assert one.low - 1e-9 <= one.high
    for row in table.rows:
        assert bool(row.reason) == (row.power is None) == (row.p is None) == (row.omega_squared is None)
        assert bool(row.added.reason) == (row.added.p is None) == (row.added.p_adjusted is None)
        assert row.k == sum(one.counted for one in row.categories)
        assert row.n == sum(one.n for one in row.categories if one.counted)
        assert all(bool(one.reason) != one.counted for one in row.categories)
    for split in splits.rows:
        assert bool(split.reason) == (split.state != "shown")
    assert table.n_questions + table.n_not_scored + table.n_unlabelled == len(values)
    assert table.recommended.sentence.endswith(".")


@settings(max_examples=25)
@given(questions())
def test_calls_repeat_and_configurations_keep_their_reasons(made: Questions) -> None:
    values, placed, documents = made
    rows = {"one": values, "two": 1.0 - values}
    found = configuration_levels(rows, placed, documents, seed_text="p", draws=DRAWS)
    assert found == configuration_levels(rows, placed, documents, seed_text="p", draws=DRAWS)
    for test in found.tests:
        assert bool(test.reason) == (test.p is None) == (test.p_adjusted is None)
    assert list(found.tables) == ["one", "two"]


@settings(max_examples=25)
@given(questions(), st.integers(0, 99))
def test_interactions_of_anything(made: Questions, seed: int) -> None:
    values, placed, documents = made
    second = [("x", "y")[i] for i in np.random.default_rng(seed).integers(0, 2, len(values))]
    pair = placed.tree.levels[0][:2]
    found = interaction(
        values, placed.at_level(0), second, documents,
        first_pair=(pair[0], pair[1]), second_pair=("x", "y"), seed_text="p", draws=DRAWS,
    )  # fmt: skip
    assert all(math.isfinite(one) for one in _numbers(found) if isinstance(one, float))
    for effect in (found.first_effect, found.second_effect, found.contrast):
        assert (effect.p_wild is not None) or effect.reason
        assert (effect.value is None) == bool(found.reason)


@settings(max_examples=20)
@given(st.integers(0, 999))
def test_the_order_of_questions_is_irrelevant_to_what_is_not_drawn(seed: int) -> None:
    generator = np.random.default_rng(seed)
    labels = [QC.leaves()[i] for i in generator.integers(0, 8, 80)]
    values, documents = generator.random(80), generator.integers(0, 25, 80).tolist()
    order = generator.permutation(80)
    once = level_table(values, place_labels(QC, labels), documents, seed_text="p", draws=DRAWS)
    again = level_table(
        values[order], place_labels(QC, [labels[i] for i in order]), [documents[i] for i in order],
        seed_text="p", draws=DRAWS,
    )  # fmt: skip
    for one, other in zip(once.rows, again.rows, strict=True):
        assert abs((other.power or 0) - (one.power or 0)) < 1e-12
        assert abs((other.corrected.value or 0) - (one.corrected.value or 0)) < 1e-9
        assert abs((other.ami or 0) - (one.ami or 0)) < 1e-9


@pytest.mark.slow
def test_three_trees_of_6000_questions_with_2000_draws_take_a_few_seconds() -> None:
    """1.2 s on two free cores (benchmarks/granularity_speed.py); the bound leaves room for cores that are not."""
    generator = np.random.default_rng(0)
    documents = generator.integers(0, 3_000, 6_000)
    values = generator.beta(3, 2, 6_000)
    placed = [place_labels(QC, [QC.leaves()[i] for i in generator.integers(0, 8, 6_000)]) for _ in range(3)]
    level_table(values[:80], place_labels(QC, placed[0].own[:80]), documents[:80], seed_text="warm", draws=9)
    began = time.perf_counter()
    for one in placed:
        level_table(values, one, documents, seed_text="speed", draws=2_000)
    assert time.perf_counter() - began < 8.0
