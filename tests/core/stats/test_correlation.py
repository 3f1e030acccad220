"""Coefficients: scipy's values, the intervals of the literature, and what is not defined says why."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.stats.correlation import Coefficient, fisher, kendall, partial, pearson, spearman
from core.stats.correlation_rows import kendall_rows, partial_rows, pearson_rows, spearman_rows

FEW = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
TRIPLES = st.lists(st.tuples(FEW, FEW, FEW), min_size=0, max_size=12)


def _sample(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    z = generator.normal(size=n)
    return z + generator.normal(size=n), 0.5 * z + generator.normal(size=n), z


def test_ten_systems_with_r_08_say_little() -> None:
    """The example of the specification: 0.34 to 0.95."""
    coefficient = fisher(0.8, 10)
    assert (round(coefficient.low, 2), round(coefficient.high, 2)) == (0.34, 0.95)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [4, 5, 19, 300])
def test_values_and_pearsons_interval_are_scipys(n: int) -> None:
    x, y, _ = _sample(n, n)
    reference = stats.pearsonr(x, y)
    ours = pearson(x, y)
    assert ours.value == pytest.approx(reference.statistic)
    assert (ours.low, ours.high) == pytest.approx(tuple(reference.confidence_interval(0.95)))
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert kendall(x, y).value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert ours.n == n


def test_partial_is_the_correlation_of_residuals() -> None:
    x, y, z = _sample(40)
    residuals = [side - np.polyval(np.polyfit(z, side, 1), z) for side in (x, y)]
    ours = partial(x, y, z)
    assert ours.value == pytest.approx(stats.pearsonr(*residuals).statistic)
    half = stats.norm.ppf(0.975) / math.sqrt(40 - 4)
    assert ours.low == pytest.approx(math.tanh(math.atanh(ours.value) - half))  # type: ignore[arg-type]


def test_intervals_of_rank_correlations_have_their_own_error() -> None:
    x, y, _ = _sample(30)
    rho, tau = spearman(x, y), kendall(x, y)
    z = stats.norm.ppf(0.975)
    spread = z * math.sqrt((1 + rho.value**2 / 2) / 27)  # type: ignore[operator]
    assert rho.high == pytest.approx(math.tanh(math.atanh(rho.value) + spread))  # type: ignore[arg-type]
    assert tau.high == pytest.approx(math.tanh(math.atanh(tau.value) + z * math.sqrt(0.437 / 26)))  # type: ignore[arg-type]


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
def test_fisher_covers_the_truth(coefficient) -> None:  # type: ignore[no-untyped-def]
    """Normal points with r = 0.5: of 400 samples of 40 about 95 % of the intervals hold the true coefficient."""
    truth = {pearson: 0.5, spearman: 6 / math.pi * math.asin(0.25), kendall: 2 / math.pi * math.asin(0.5)}[coefficient]
    generator = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        x = generator.normal(size=40)
        c = coefficient(x, 0.5 * x + math.sqrt(0.75) * generator.normal(size=40))
        hits += c.low <= truth <= c.high
    assert 0.92 <= hits / 400 <= 0.98


def test_lost_degrees_of_freedom_widen_the_interval() -> None:
    x, y, z = _sample(30)
    for coefficient in (pearson, spearman, kendall):
        assert coefficient(x, y, 10).high > coefficient(x, y).high  # type: ignore[operator]
        assert coefficient(x, y, 10).value == coefficient(x, y).value
    assert partial(x, y, z, 10).high > partial(x, y, z).high  # type: ignore[operator]
    assert pearson(x, y, 27).reason == "too few points for an interval: 30 of 31 needed"


def test_only_complete_pairs_count() -> None:
    x, y = [1, 2, math.nan, 4, 5.5], [1, 3, 2, math.nan, 5]
    assert pearson(x, y) == pearson([1, 2, 5.5], [1, 3, 5])
    assert pearson(x, y).n == 3


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "too few points: 0 of 3 needed"),
        ([1, 2], [1, 2], "too few points: 2 of 3 needed"),
        ([1, 1, 1], [1, 2, 3], "one side does not vary"),
        ([1, 2, 3], [0.1 + 0.2, 0.3, 0.3], "one side does not vary"),
    ],
)
def test_what_is_not_defined_says_why(coefficient, x: list[float], y: list[float], reason: str) -> None:  # type: ignore[no-untyped-def]
    assert coefficient(x, y) == Coefficient(None, None, None, len(x), reason)


def test_without_an_interval_the_value_stays() -> None:
    assert pearson([1, 2, 3], [1, 3, 2]) == Coefficient(
        pytest.approx(0.5), None, None, 3, "too few points for an interval: 3 of 4 needed"
    )
    line = pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert (line.value, line.low, line.reason) == (
        pytest.approx(1.0),
        None,
        "the points lie on a line: there is no interval",
    )


def test_a_control_that_explains_all_or_nothing() -> None:
    x, y, _ = _sample(10)
    assert partial(x, y, x).reason == "the control explains one side entirely"
    flat = partial(x, y, np.ones(10))
    assert flat.reason == "the control does not vary"
    assert flat.value == pytest.approx(pearson(x, y).value)
    assert partial(x[:3], y[:3], x[:3]).reason == "too few points: 3 of 4 needed"


def test_vectors_must_match() -> None:
    with pytest.raises(ValueError, match="vectors of one length"):
        pearson([1, 2, 3], [1, 2])


@given(st.lists(TRIPLES, min_size=1, max_size=5))
def test_rows_are_the_single_coefficients(rows: list[list[tuple[float, float, float]]]) -> None:
    tables = np.full((3, len(rows), 12), np.nan)
    for place, row in enumerate(rows):
        for point, triple in enumerate(row):
            tables[:, place, point] = triple
    x, y, z = tables
    for together, single in (
        (pearson_rows(x, y), pearson),
        (spearman_rows(x, y), spearman),
        (kendall_rows(x, y), kendall),
    ):
        expected = [single(*row).value for row in zip(x, y, strict=True)]  # type: ignore[operator]
        assert together == pytest.approx([math.nan if v is None else v for v in expected], abs=1e-9, nan_ok=True)
    expected = [partial(*row).value for row in zip(x, y, z, strict=True)]
    assert partial_rows(x, y, z) == pytest.approx(
        [math.nan if v is None else v for v in expected], abs=1e-7, nan_ok=True
    )


def test_long_rows_are_counted_by_sorting() -> None:
    x, y, _ = _sample(400)
    table = kendall_rows(np.array([x, y]), np.array([y, y]))
    assert table == pytest.approx([stats.kendalltau(x, y).statistic, 1.0])
