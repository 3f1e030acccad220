"""Dimensions against each other, and levels across configurations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.metrics.granularity import configuration_levels, dimension_table, level_table
from core.taxonomy.bundled import BUNDLED_TREES
from core.taxonomy.labels import PlacedLabels, place_labels
from tests.core.metrics.granularity_worlds import QC, fine, planted, scores

DRAWS = 400
OTHER = BUNDLED_TREES["phrasing"]


def _phrasing(n: int) -> PlacedLabels:
    return place_labels(OTHER, [OTHER.leaves()[i % 4] for i in range(n)])


def test_the_dimension_with_the_largest_corrected_power_comes_first() -> None:
    values = scores(1, seed=1)
    tables = {
        name: level_table(values, placed, seed_text="t", draws=DRAWS)
        for name, placed in {
            "phrasing": _phrasing(400),
            "QC": fine(),
            "none": place_labels(OTHER, [None] * 400),
        }.items()
    }
    found = dimension_table(tables)
    assert [row.dimension for row in found.rows] == ["QC", "phrasing", "none"]
    best, other, empty = found.rows
    assert (best.level_name, best.recommended, best.k, best.n) == ("medium", True, 4, 400)
    assert best.corrected == tables["QC"].rows[1].corrected
    assert best.p_adjusted == pytest.approx(2 / (1 + DRAWS))
    assert (other.recommended, other.level) == (False, 0)
    assert empty.reason == empty.corrected.reason == "no level has two categories with enough questions"
    assert found.sentence.startswith("'QC' separates results most (corrected power 0.0")
    assert found.sentence.endswith("at medium).")


def test_no_dimension_separates() -> None:
    tables = {"phrasing": level_table(scores(None, 2), _phrasing(400), seed_text="t", draws=DRAWS)}
    assert dimension_table(tables).sentence == "No dimension separates results by more than chance."
    assert dimension_table({}).sentence.startswith("No dimension can be measured")


def _configurations(levels: list[int | None]) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(11)
    shared = generator.normal(0, 0.12, 400)
    return {
        f"c{i}": 0.6 + shared + np.repeat(planted(level), 50) + generator.normal(0, 0.06, 400)
        for i, level in enumerate(levels)
    }


def test_the_level_that_suits_one_configuration_may_not_suit_another() -> None:
    found = configuration_levels(_configurations([0, 0, 2]), fine(), seed_text="t", draws=DRAWS)
    assert [table.recommended.name for table in found.tables.values()] == ["coarse", "coarse", "fine"]
    assert found.tests[2].p_adjusted == pytest.approx(3 / (1 + DRAWS))
    assert found.sentence == (
        "The recommended level is coarse for 2, fine for 1 of 3 configurations; how far categories lie apart does "
        "depend on the configuration (at coarse, medium and fine)."
    )


def test_configurations_that_differ_alike_everywhere() -> None:
    found = configuration_levels(_configurations([1, 1]), fine(), seed_text="t", draws=DRAWS)
    assert all((test.p or 0) > 0.05 for test in found.tests)
    assert found.sentence == (
        "The recommended level is the same for all 2 configurations, medium; nothing shows that categories differ "
        "otherwise for one configuration than for another."
    )


def test_equal_profiles_are_rarely_told_apart_also_where_documents_are_shared() -> None:
    generator = np.random.default_rng(4)
    documents = generator.integers(0, 30, 160)
    placed, found = fine(20), 0
    for i in range(40):
        own = generator.normal(0, 0.1, (3, 30))[:, documents]
        rows = {f"c{k}": own[k] + generator.normal(0, 0.1, 160) for k in range(3)}
        made = configuration_levels(rows, placed, documents, seed_text=str(i), draws=99)
        found += any((test.p_adjusted or 1) <= 0.05 for test in made.tests)
    assert found <= 6


def test_a_flat_tree_has_no_level_to_choose() -> None:
    rows = {"even": np.tile([0.4, 0.4, 0.6, 0.6], 20), "odd": np.tile([0.3, 0.3, 0.9, 0.9], 20)}
    noise = np.random.default_rng(0).normal(0, 0.02, (2, 80))
    found = configuration_levels(
        {name: row + own for (name, row), own in zip(rows.items(), noise, strict=True)},
        _phrasing(80), seed_text="t", draws=DRAWS,
    )  # fmt: skip
    assert found.sentence == (
        "The categories differ by more than chance for 2 of 2 configurations; how far categories lie apart does "
        "depend on the configuration."
    )
    nothing = configuration_levels({"a": noise[0], "b": noise[1]}, _phrasing(80), seed_text="t", draws=DRAWS)
    assert nothing.sentence.startswith("No level is recommended for any of 2 configurations; nothing shows")


def test_only_questions_that_all_have_scored_are_compared() -> None:
    rows = _configurations([0, 0])
    rows["c1"][:100] = math.nan
    found = configuration_levels(rows, fine(), seed_text="t", draws=DRAWS)
    assert (found.n_shared, found.n_labelled) == (300, 400)
    assert {table.n_questions for table in found.tables.values()} == {300}
    assert [test.n for test in found.tests] == [300, 300, 300]


def test_one_configuration_and_none() -> None:
    one = configuration_levels({"c0": scores(0, 1)}, fine(), seed_text="t", draws=DRAWS)
    assert {test.reason for test in one.tests} == {"one configuration has nothing to differ from"}
    assert one.sentence.endswith("whether categories differ alike for all of them cannot be tested.")
    none = configuration_levels({}, fine(), seed_text="t", draws=DRAWS)
    assert none.sentence == "There is no configuration to look at."
    few = configuration_levels({"a": [0.1], "b": [0.2]}, place_labels(QC, ["simple"]), seed_text="t", draws=DRAWS)
    assert few.tests[0].reason.startswith("fewer than two categories have enough questions")
