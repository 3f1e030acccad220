"""The formulas of the Granularity lens: the paper's public figures, and cases worked by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.granularity import (
    adjusted_information,
    bin_edges,
    coherence_ratio,
    corrected_power,
    discriminative_power,
    information_content,
    omega_squared,
)
from tests.core.metrics.granularity_worlds import exact


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[str, Any]:
    return dict(json.loads((shared / "hierarag" / "reference_values.json").read_text(encoding="utf-8")))


def _nodes(reference: dict[str, Any], level: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in reference["nodes"] if (node["dim"], node["level"]) == (level["dim"], level["level"])]


def test_power_is_that_of_the_public_results(reference: dict[str, Any]) -> None:
    for level in reference["levels"]:
        means = [node["cs"] for node in _nodes(reference, level)]
        assert discriminative_power(means) == pytest.approx(level["discpow_ddof0"], abs=1e-6)
        assert discriminative_power(means, ddof=1) == pytest.approx(level["discpow_ddof1"], abs=1e-6)
    published = [round(level["discpow_ddof0"], 4) for level in reference["levels"]]
    assert published == [0.0073, 0.0353, 0.0532, 0.0239, 0.0439, 0.0369]


def test_omega_squared_is_that_of_the_public_results(reference: dict[str, Any]) -> None:
    """Counts, means and the overall spread leave one spread within categories, which fixes omega squared."""
    for level in reference["levels"]:
        nodes = _nodes(reference, level)
        n, means = np.array([node["n"] for node in nodes]), np.array([node["cs"] for node in nodes])
        total = level["N"] * level["cs_sd_pop"] ** 2
        within = total - float((n * (means - (n * means).sum() / n.sum()) ** 2).sum())
        spread = math.sqrt(within / (n - 1).sum())
        groups = [exact(mean, spread, size) for mean, size in zip(means, n, strict=True)]
        assert omega_squared(groups) == pytest.approx(level["omega2"], abs=1e-6)


def test_coherence_is_that_of_the_public_results(reference: dict[str, Any]) -> None:
    ratios: dict[str, list[float]] = {}
    for split in reference["splits"]:
        made = coherence_ratio(split["parent_cs"], split["children_cs"], reference["eps"])
        assert (made.rho, made.sigma, made.delta) == pytest.approx(
            (split["rho"], split["sigma_sib"], split["delta_vert"]), abs=1e-6
        )
        if split["level"] == "medium_to_fine":
            ratios.setdefault(split["dim"], []).append(made.rho)
    assert {name: round(float(np.mean(four)), 3) for name, four in ratios.items()} == {"QC": 0.400, "AT": 1.442}


def test_power_by_hand() -> None:
    assert discriminative_power([0.2, 0.6]) == pytest.approx(0.2)
    assert discriminative_power([0.2, 0.6], ddof=1) == pytest.approx(0.2 * math.sqrt(2))
    assert discriminative_power([0.7]) == 0.0


def test_corrected_power_by_hand() -> None:
    """Means 2 and 6, errors 1/3 and 4/3: sqrt(4 - 1/2 (1/3 + 4/3) / 2)."""
    assert corrected_power([[1, 2, 3], [4, 6, 8]]) == pytest.approx(math.sqrt(4 - 5 / 12))
    assert corrected_power([[1, 2, 3], [1, 2, 3], [1.1, 2.1, 3.1]]) == 0.0
    assert corrected_power([[1, 2, 3, math.nan], [4, math.nan, 6, 8]]) == pytest.approx(math.sqrt(4 - 5 / 12))


def test_a_difference_handed_down_has_one_power_at_all_levels() -> None:
    """Why ddof 0: with ddof 1 the same coarse difference would be 1.41, 1.15, 1.07 at two, four, eight categories."""
    groups = {k: [exact(0.6 + 0.1 * (-1) ** (i < k // 2), 0.15, 5_000) for i in range(k)] for k in (2, 4, 8)}
    assert [corrected_power(groups[k]) for k in (2, 4, 8)] == pytest.approx([0.1] * 3, abs=1e-4)


def test_power_grows_by_the_mean_variance_of_siblings() -> None:
    means = np.array([0.3, 0.5, 0.9, 0.7, 0.6, 0.6, 0.1, 0.3])
    above = means.reshape(4, 2).mean(axis=1)
    gained = discriminative_power(means) ** 2 - discriminative_power(above) ** 2
    assert gained == pytest.approx(means.reshape(4, 2).var(axis=1).mean())


def test_omega_squared_by_hand() -> None:
    """SSB 24, SSW 10, MSW 2.5, SST 34: (24 - 2.5) / 36.5."""
    assert omega_squared([[1, 2, 3], [4, 6, 8]]) == pytest.approx(21.5 / 36.5)
    assert omega_squared([[1.0, 1.0], [1.0, 1.0]]) == 0.0


def test_coherence_by_hand() -> None:
    made = coherence_ratio(0.5, [0.4, 0.8])
    assert (made.sigma, made.delta) == pytest.approx((0.2, 0.1))
    assert made.rho == pytest.approx(0.2 / 0.101)
    assert coherence_ratio(0.6, [0.4, 0.8]).rho == pytest.approx(200)
    assert coherence_ratio(0.6, [0.5], epsilon=0.1).rho == 0.0


def test_information_by_hand() -> None:
    """Two of three bins tell the category, the third does not: I = 1/2 ln 2, H = ln 2."""
    labels = ["a", "a", "b", "b"]
    scores = [0.0, 0.45, 0.55, 1.0]
    assert information_content(labels, scores, edges=[0.0, 0.3, 0.7, 1.0]) == pytest.approx(0.5)
    assert information_content(labels, scores, bins=2) == pytest.approx(1.0)
    assert information_content(labels, scores, bins=1) == 0.0


def test_a_score_at_or_beyond_an_edge_has_a_bin() -> None:
    labels = ["a", "b", "b", "a"]
    assert information_content(labels, [-5.0, 0.5, 9.0, 0.4], edges=[0.0, 0.5, 1.0]) == pytest.approx(1.0)


def test_edges_are_equal_widths_over_all_scores() -> None:
    np.testing.assert_allclose(bin_edges([0.2, math.nan, 1.2]), [0.2, 0.4, 0.6, 0.8, 1.0, 1.2])
    # edges of all levels are not those of one category's scores
    labels, scores = ["a", "b", "a", "b"], [0.0, 0.1, 0.0, 0.1]
    assert information_content(labels, scores) == pytest.approx(1.0)
    assert information_content(labels, scores, edges=bin_edges([0.0, 1.0])) == 0.0


@pytest.mark.parametrize("measure", [information_content, adjusted_information])
def test_information_where_there_is_none(measure: Any) -> None:
    assert measure(["a", "a", "a"], [0.1, 0.5, 0.9]) == 0.0
    assert measure(["a", "b", "a"], [0.5, 0.5, 0.5]) == 0.0
    assert measure([], []) == 0.0
    assert measure(["a", None, "b"], [0.1, 0.5, math.nan]) == 0.0


def test_adjusted_information_is_nothing_on_average_where_information_is_not() -> None:
    generator = np.random.default_rng(0)
    labels = [f"c{i % 8}" for i in range(160)]
    drawn = [generator.uniform(size=160) for _ in range(60)]
    adjusted, plain = (
        np.mean([measure(labels, one) for one in drawn]) for measure in (adjusted_information, information_content)
    )
    assert abs(adjusted) < 0.005
    assert plain > 0.03


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: discriminative_power([]), "0 means have no standard deviation"),
        (lambda: discriminative_power([0.1], ddof=1), "1 means have no standard deviation with ddof 1"),
        (lambda: discriminative_power([0.1, math.nan]), "finite"),
        (lambda: corrected_power([[1, 2]]), "two categories"),
        (lambda: corrected_power([[1, 2], [1, math.nan]]), "two scores each"),
        (lambda: omega_squared([[1.0], [2.0]]), "more scores than categories"),
        (lambda: coherence_ratio(0.5, []), "at least one child"),
        (lambda: coherence_ratio(math.nan, [0.5]), "finite"),
        (lambda: coherence_ratio(0.5, [0.5], epsilon=0.0), "epsilon must be above 0"),
        (lambda: information_content(["a"], [0.1, 0.2]), "1 labels"),
        (lambda: information_content(["a"], [0.1], edges=[1.0, 0.0]), "edges must rise"),
        (lambda: information_content(["a"], [0.1], bins=0), "one bin"),
        (lambda: bin_edges([math.nan]), "at least one score"),
    ],
)
def test_what_has_no_answer_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


groups = st.lists(st.lists(st.floats(-1, 1), min_size=2, max_size=8), min_size=2, max_size=6)


@given(groups, st.floats(-5, 5), st.floats(0.1, 10))
def test_powers_do_not_move_with_the_scores_and_scale_with_them(
    samples: list[list[float]], shift: float, factor: float
) -> None:
    moved = [[factor * value + shift for value in sample] for sample in samples]
    assert corrected_power(moved) == pytest.approx(factor * corrected_power(samples), rel=1e-3, abs=1e-5)
    assert corrected_power(samples) <= discriminative_power([float(np.mean(sample)) for sample in samples]) + 1e-12
    assert omega_squared(samples) <= 1.0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), min_size=1, max_size=40))
def test_information_is_a_share_whatever_the_order(rows: list[tuple[str, float]]) -> None:
    labels, values = [row[0] for row in rows], [row[1] for row in rows]
    content = information_content(labels, values)
    assert 0.0 <= content <= 1.0
    renamed = [{"a": "z", "b": "y", "c": "x"}[name] for name in labels]
    assert information_content(renamed[::-1], values[::-1]) == pytest.approx(content, abs=1e-12)
    assert adjusted_information(labels, values) <= 1.0 + 1e-9
