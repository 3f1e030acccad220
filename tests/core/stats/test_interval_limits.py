"""Closed-form intervals: their algebra, their ends, and that they hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.coverage_table import SHARES, SIZES, Design, cell_coverage, overall_coverage
from core.metrics.opi import opi, opi_interval
from core.stats.intervals import (
    Bounds,
    effective_n,
    mean_t,
    mover_difference,
    mover_harmonic,
    mover_mean,
    wilson,
)

#: means of questions: multiples of something, never 1e-200
UNIT = st.floats(0.0, 1.0).map(lambda x: round(x, 7))


@st.composite
def estimates(draw: st.DrawFn) -> tuple[float, Bounds]:
    low, value, high = sorted(draw(st.tuples(UNIT, UNIT, UNIT)))
    return value, Bounds(np.asarray(low), np.asarray(high))


@given(UNIT, st.floats(0.1, 1e4))
def test_wilson_holds_its_share_and_stays_in_range(share: float, n: float) -> None:
    low, high = wilson(share, n)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    mirrored = wilson(1 - share, n)
    assert mirrored.low == pytest.approx(1 - high, abs=1e-9)


@given(UNIT, st.floats(1, 1e3))
def test_wilson_narrows_with_questions(share: float, n: float) -> None:
    few, many = wilson(share, n), wilson(share, 2 * n)
    assert many.high - many.low < few.high - few.low


def test_wilson_is_never_empty_at_the_ends() -> None:
    low, high = wilson([0.0, 1.0], 20)
    assert low.tolist()[0] == 0.0
    assert high.tolist()[1] == 1.0
    assert high[0] == pytest.approx(0.1611, abs=1e-4)
    assert np.isnan(wilson(0.5, 0).low)
    assert np.isnan(wilson(1.0, np.nan).high)


def test_half_of_twenty_is_30_to_70_percent() -> None:
    low, high = wilson(0.5, 20)
    assert (round(float(low), 2), round(float(high), 2)) == (0.30, 0.70)


def test_wilson_covers_as_the_target_asks() -> None:
    """Exact, by summing over all outcomes: no simulation error."""
    from scipy.stats import binom

    for n in SIZES:
        k = np.arange(n + 1)
        low, high = wilson(k / n, n)
        for share in SHARES:
            covered = binom.pmf(k, n, share)[(low <= share) & (share <= high)].sum()
            assert covered >= (0.93 if n == 200 else 0.92), (n, share, covered)
            assert n < 200 or covered <= 0.975, (n, share, covered)


def test_effective_n_is_n_without_clusters_and_falls_with_them() -> None:
    p, n = 0.3, 20.0
    plain = effective_n(p, n, p * (1 - p) / 19, 20.0, 19.0, 19.0)
    assert plain == pytest.approx(20)
    assert effective_n(p, n, 2 * p * (1 - p) / 19, 10.0, 19.0, 19.0) == pytest.approx(10)
    assert effective_n(p, n, p * (1 - p) / 19, 10.0, 9.0, 19.0) < 20  # few clusters
    assert effective_n(p, n, 0.1 * p * (1 - p) / 19, 10.0, 19.0, 19.0) == pytest.approx(20)  # never above n
    assert effective_n(1.0, n, 0.0, 7.0, 6.0, 19.0) == 7.0
    assert np.isnan(effective_n(p, n, np.nan, 1.0, np.nan, 19.0))


def test_mean_t_without_variance_is_missing() -> None:
    assert np.isnan(mean_t(0.5, np.nan, np.nan).low)
    assert mean_t(0.5, 0.0, 3.0) == (0.5, 0.5)
    assert np.isnan(mean_t(0.5, 0.1, 0.0).high)


@given(estimates(), estimates(), UNIT, st.floats(-1, 1))
def test_mover_stays_in_the_box_of_the_two_intervals(
    first: tuple[float, Bounds], second: tuple[float, Bounds], weight: float, correlation: float
) -> None:
    def mean(a: object, b: object) -> float:
        beta = np.inf if weight == 0 else np.sqrt(1 / weight - 1)
        return float(np.asarray(opi(a, b, float(beta))))

    (a, a_bounds), (b, b_bounds) = first, second
    low, high = mover_harmonic(a, a_bounds, b, b_bounds, weight, correlation)
    assert mean(a_bounds.low, b_bounds.low) - 1e-9 <= low
    assert high <= mean(a_bounds.high, b_bounds.high) + 1e-9
    assert low - 1e-9 <= mean(a, b) <= high + 1e-9


@given(estimates(), estimates(), st.floats(0.01, 0.99))
def test_mover_widens_with_correlation(
    first: tuple[float, Bounds], second: tuple[float, Bounds], weight: float
) -> None:
    (a, a_bounds), (b, b_bounds) = first, second
    loose = mover_harmonic(a, a_bounds, b, b_bounds, weight, 0.8)
    tight = mover_harmonic(a, a_bounds, b, b_bounds, weight, -0.8)
    assert loose.low <= tight.low + 1e-12
    assert tight.high <= loose.high + 1e-12


@given(estimates(), estimates(), st.floats(-1, 1))
def test_mover_at_the_limits_of_beta_is_the_part_that_counts(
    first: tuple[float, Bounds], second: tuple[float, Bounds], correlation: float
) -> None:
    (b, b_bounds), (l, l_bounds) = first, second  # noqa: E741
    answers = opi_interval(b, b_bounds, l, l_bounds, correlation, 0.0)
    np.testing.assert_allclose(answers, b_bounds, atol=1e-12)
    np.testing.assert_allclose(opi_interval(b, b_bounds, l, l_bounds, correlation, np.inf), l_bounds, atol=1e-12)
    np.testing.assert_allclose(opi_interval(b, b_bounds, l, l_bounds, correlation, np.inf, "prose"), answers)


def test_mover_is_continuous_where_no_question_has_the_right_relation() -> None:
    b = Bounds(np.asarray(0.55), np.asarray(0.75))
    at_zero = opi_interval(0.65, b, 0.0, Bounds(np.asarray(0.0), np.asarray(0.16)), 0.0, 1.0)
    close = opi_interval(0.65, b, 1e-9, Bounds(np.asarray(0.0), np.asarray(0.16)), 0.0, 1.0)
    np.testing.assert_allclose(at_zero, close, atol=1e-6)
    assert at_zero.low == 0
    assert at_zero.high == pytest.approx(opi(0.65, 0.16))


def test_a_missing_limit_is_missing_unless_beta_makes_it_irrelevant() -> None:
    nothing = Bounds(np.asarray(np.nan), np.asarray(np.nan))
    logic = Bounds(np.asarray(0.2), np.asarray(0.6))
    assert np.isnan(opi_interval(0.5, nothing, 0.4, logic, 0.0, 1.0).low)
    assert opi_interval(0.5, nothing, 0.4, logic, 0.0, np.inf) == pytest.approx((0.2, 0.6))


@given(st.lists(estimates(), min_size=1, max_size=6))
def test_mover_mean_adds_squares_when_independent_and_distances_when_not(rows: list[tuple[float, Bounds]]) -> None:
    centre = np.array([value for value, _ in rows])
    bounds = Bounds(np.array([b.low for _, b in rows]), np.array([b.high for _, b in rows]))
    independent = mover_mean(centre, bounds, np.eye(len(rows)))
    assert independent.low == pytest.approx(
        centre.mean() - np.sqrt(((centre - bounds.low) ** 2).sum()) / len(rows), abs=1e-9
    )
    together = mover_mean(centre, bounds, np.ones((len(rows), len(rows))))
    np.testing.assert_allclose(together, (bounds.low.mean(), bounds.high.mean()), atol=1e-9)


def test_mover_mean_leaves_out_missing_estimates_but_not_missing_limits() -> None:
    bounds = Bounds(np.array([0.1, 0.2, np.nan]), np.array([0.5, 0.6, np.nan]))
    with_gap = mover_mean(np.array([0.3, 0.4, np.nan]), bounds, np.eye(3))
    np.testing.assert_allclose(with_gap, mover_mean([0.3, 0.4], Bounds(bounds.low[:2], bounds.high[:2]), np.eye(2)))
    assert np.isnan(mover_mean(np.array([0.3, 0.4, 0.5]), bounds, np.eye(3)).low)


@given(estimates(), estimates())
def test_a_difference_narrows_with_correlation_and_turns_round(
    first: tuple[float, Bounds], second: tuple[float, Bounds]
) -> None:
    (a, a_bounds), (b, b_bounds) = first, second
    unpaired = mover_difference(a, a_bounds, b, b_bounds, 0.0)
    paired = mover_difference(a, a_bounds, b, b_bounds, 0.9)
    assert paired.high - paired.low <= unpaired.high - unpaired.low + 1e-12
    swapped = mover_difference(b, b_bounds, a, a_bounds, 0.9)
    np.testing.assert_allclose((-swapped.high, -swapped.low), paired, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_cells_cover_as_the_target_asks(n: int) -> None:
    """B ~ Beta(.65, sd .2), L over the target's grid, correlation .3: .92 at n = 20 and 50, .93 to .975 at 200."""
    samples = {20: 12_000, 50: 6_000, 200: 2_500}[n]
    noise = 2.5 * np.sqrt(0.93 * 0.07 / samples)
    for share in SHARES:
        for name, coverage in cell_coverage(n, share, samples=samples, seed=11).items():
            assert coverage.covered >= (0.93 if n == 200 else 0.92) - noise, (name, share, coverage)
            assert n < 200 or coverage.covered <= 0.975 + noise, (name, share, coverage)


def test_eq_3_covers_where_a_percentile_bootstrap_does_not() -> None:
    row = overall_coverage(Design(13, 6, 12, 0.2), samples=1_000, draws=200)
    assert row["eq. 3"].covered >= 0.92
    assert row["mean of OPIs"].covered >= 0.90
    assert row["eq. 3, bootstrap"].covered < row["eq. 3"].covered
    assert row["mean of OPIs, bootstrap"].covered < 0.85


@pytest.mark.slow
def test_the_published_table_meets_the_target() -> None:
    for n in SIZES:
        for share in SHARES:
            for name, coverage in cell_coverage(n, share, samples=40_000, seed=5).items():
                assert coverage.covered >= (0.93 if n == 200 else 0.92), (n, name, share, coverage)
                assert n < 200 or coverage.covered <= 0.975, (n, name, share, coverage)
    for design in (Design(13, 6), Design(13, 6, 12, 0.2), Design(13, 20), Design(13, 40, 20, 0.2), Design(5, 50)):
        row = overall_coverage(design, samples=8_000)
        assert all(row[name].covered >= 0.92 for name in ("B", "L", "eq. 3", "mean of OPIs")), (design, row)


@pytest.mark.slow
def test_clustered_cells_cover() -> None:
    """Without the clusters the same intervals would cover .6 to .8 here."""
    for design in (Design(1, 20, 5, 0.3), Design(1, 50, 10, 0.3), Design(1, 200, 20, 0.2), Design(1, 200, 50, 0.2)):
        row = overall_coverage(design, samples=8_000)
        assert all(row[name].covered >= 0.92 for name in ("B", "L", "eq. 3")), (design, row)


def test_opposite_relations_do_not_cancel_a_side_of_the_mean() -> None:
    # two relations, two documents: each document is right on one of them, an estimated correlation of -1
    estimates = np.array([0.5, 0.5])
    bounds = Bounds(np.array([0.1, 0.1]), np.array([0.9, 0.9]))
    covariance = np.array([[0.25, -0.25], [-0.25, 0.25]])
    mean = mover_mean(estimates, bounds, covariance)
    half = np.sqrt(2) * 0.4 / 2
    assert float(mean.low) == pytest.approx(0.5 - half)
    assert float(mean.high) == pytest.approx(0.5 + half)
