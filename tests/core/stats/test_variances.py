"""What is left of the variance of means: unbiased, with limits that hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.stats.variances import (
    corrected_draws,
    drawn_variance_limits,
    folded_limits,
    means_variance,
    normal_draws,
    variance_limits,
)


def test_the_noise_of_independent_means_is_their_mean_error_times_k_minus_1_over_k() -> None:
    errors = np.array([0.01, 0.02, 0.06])
    variance = means_variance([1.0, 2.0, 6.0], np.diag(errors), [9, 9, 9])
    assert variance.observed == pytest.approx(14 / 3)
    assert variance.noise == pytest.approx(2 / 3 * 0.03)
    assert variance.corrected == pytest.approx(14 / 3 - 0.02)


def test_errors_that_all_means_share_are_no_noise() -> None:
    shared = means_variance([1.0, 2.0, 6.0], np.full((3, 3), 0.5) + np.eye(3) * 0.01, [9, 9, 9])
    assert shared.noise == pytest.approx(2 / 3 * 0.01)


def test_equal_errors_give_the_classical_degrees_of_freedom() -> None:
    variance = means_variance(np.arange(5.0), np.eye(5) * 0.1, np.full(5, 11))
    assert variance.df == pytest.approx((4, 55))


def test_one_mean_has_no_variance() -> None:
    with pytest.raises(ValueError, match="at least two"):
        means_variance([1.0], [[0.1]], [3])


def test_limits_are_where_the_observed_value_lies_in_the_tails_of_noncentral_f() -> None:
    k, n, s2 = 4, 30, 0.02
    means = np.array([0.5, 0.6, 0.55, 0.7])
    low, high = variance_limits(means_variance(means, np.eye(k) * s2 / n, np.full(k, n - 1)))
    f = n * means.var(ddof=1) / s2
    for limit, tail in ((low, 0.975), (high, 0.025)):
        shift = limit * n * k / s2
        assert stats.ncf.cdf(f, k - 1, k * (n - 1), shift) == pytest.approx(tail, abs=1e-6)


def test_without_noise_the_limits_are_the_value() -> None:
    variance = means_variance([0.1, 0.3], np.zeros((2, 2)), [4, 4])
    assert variance_limits(variance) == (variance.observed, variance.observed)


def test_an_unusually_small_variance_does_not_close_the_interval() -> None:
    low, high = variance_limits(means_variance([0.5, 0.5], np.eye(2) * 0.01, [9, 9]))
    assert low == 0.0
    assert high > 0.005
    many = np.full(30, 0.5)
    draws = normal_draws(many, np.eye(30) * 0.01, 500, "small")
    assert drawn_variance_limits(means_variance(many, np.eye(30) * 0.01, np.full(30, 9)), draws)[1] > 0.0


@pytest.mark.parametrize(("power", "k"), [(0.0, 2), (0.0, 8), (0.03, 4), (0.1, 2), (0.1, 8)])
def test_noncentral_f_limits_hold_95_times_in_100(power: float, k: int) -> None:
    generator = np.random.default_rng(k)
    true = power * np.where(np.arange(k) % 2, 1.0, -1.0)
    n, sd, held = 50, 0.15, 0
    for _ in range(400):
        samples = true[:, None] + generator.normal(0, sd, (k, n))
        errors = np.diag(samples.var(axis=1, ddof=1) / n)
        low, high = variance_limits(means_variance(samples.mean(axis=1), errors, np.full(k, n - 1)))
        held += low <= power**2 <= high
    assert held / 400 >= 0.92


def test_subtracted_twice_the_draws_are_centred_on_the_truth() -> None:
    generator = np.random.default_rng(3)
    k, error, true = 8, 0.02, 0.05
    centre = true * np.where(np.arange(k) % 2, 1.0, -1.0)
    covariance = np.eye(k) * error**2
    means = []
    for i in range(300):
        seen = centre + generator.normal(0, error, k)
        noise = means_variance(seen, covariance, np.full(k, 1e6)).noise
        means.append(corrected_draws(normal_draws(seen, covariance, 200, str(i)), noise).mean())
    assert np.mean(means) == pytest.approx(true**2, abs=4 * np.std(means) / math.sqrt(300))


def test_normal_draws_have_the_covariance_asked_for_also_where_it_is_singular() -> None:
    covariance = np.array([[4.0, 4.0, 0.0], [4.0, 4.0, 0.0], [0.0, 0.0, 1.0]])
    drawn = normal_draws([1.0, 2.0, 3.0], covariance, 20_000, "cov")
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.15)
    np.testing.assert_allclose(drawn.mean(axis=0), [1, 2, 3], atol=0.06)


def test_far_from_zero_folding_changes_nothing() -> None:
    low, high = folded_limits(10.0, 1.0)
    assert (low, high) == pytest.approx((10 - 1.959964, 10 + 1.959964), abs=1e-6)
    low, high = folded_limits(100.0, 1.0, df=4)
    assert (low, high) == pytest.approx((100 - 2.776445, 100 + 2.776445), abs=1e-3)


def test_folded_limits_are_where_the_observed_distance_lies_in_the_tails() -> None:
    low, high = folded_limits(2.5, 1.0)
    assert stats.foldnorm.sf(2.5, low) == pytest.approx(0.025, abs=1e-6)
    assert stats.foldnorm.cdf(2.5, high) == pytest.approx(0.025, abs=1e-6)
    assert folded_limits(2.2, 1.0)[0] == 0.0
    assert folded_limits(0.3, 0.0) == (0.3, 0.3)


@given(st.floats(0, 50), st.floats(1e-4, 10), st.floats(2, 1e6))
def test_folded_limits_are_ordered_and_scale(value: float, error: float, df: float) -> None:
    low, high = folded_limits(value, error, df)
    assert 0.0 <= low <= high
    assert low <= value + 1e-9
    doubled = folded_limits(2 * value, 2 * error, df)
    assert doubled == pytest.approx((2 * low, 2 * high), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.5, 4.0])
def test_folded_limits_hold_95_times_in_100(shift: float) -> None:
    seen = np.abs(shift + np.random.default_rng(8).standard_normal(600))
    held = [low <= shift <= high for low, high in (folded_limits(float(one), 1.0) for one in seen)]
    assert np.mean(held) >= 0.93
