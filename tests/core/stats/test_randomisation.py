"""Exchanges: the exact distribution where it can be listed, seeds, chunks, and rates of false findings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.stats.clustering import ClusterDesign
from core.stats.randomisation import (
    FEWEST_DRAWS,
    draws_for,
    p_value,
    sign_blocks,
    sign_flip,
    signed_sums,
    smallest_attainable,
)


def exact(differences: np.ndarray) -> float:
    """The share of all 2^n sign patterns whose mean is at least as far from 0."""
    means = [abs(np.dot(signs, differences)) for signs in itertools.product((1, -1), repeat=len(differences))]
    return float(np.mean(np.asarray(means) >= abs(differences.sum()) - 1e-9))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_exact_test_within_its_draws(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.3, 1, 10)
    found = sign_flip(differences, np.arange(10), seed_text=str(seed))
    expected = exact(differences)
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / FEWEST_DRAWS) + 1e-4)


def test_it_is_scipys_permutation_test() -> None:
    generator = np.random.default_rng(3)
    one, two = generator.normal(0.1, 1, 60), generator.normal(0, 1, 60)
    theirs = stats.permutation_test(
        (one, two), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=20_000, rng=1
    ).pvalue
    assert sign_flip(one - two, np.arange(60), draws=20_000) == pytest.approx(theirs, abs=0.012)


def test_a_document_is_exchanged_as_a_whole() -> None:
    # fifty equal questions on two documents: two coins decide, and half of their four outcomes are as extreme
    found = sign_flip(np.ones(50), np.repeat([0, 1], 25))
    assert found == pytest.approx(0.5, abs=0.03)
    assert sign_flip(np.ones(50), np.arange(50)) == pytest.approx(1 / (1 + FEWEST_DRAWS))


def test_a_document_has_one_sign_in_all_strata() -> None:
    design = ClusterDesign([0, 1, 0, 1], [0, 0, 1, 1])
    sums = signed_sums(design, np.array([[1.0, 2.0, 10.0, 20.0]]), 64, "s")[:, :, 0]
    np.testing.assert_allclose(sums[1], 10 * sums[0])


@given(st.integers(1, 200), st.integers(1, 300), st.integers(1, 70))
@settings(max_examples=25, deadline=None)
def test_signs_depend_on_the_seed_and_not_on_the_chunks(units: int, draws: int, block: int) -> None:
    def signs(size: int, seed: str) -> np.ndarray:
        return np.concatenate([part for _, part in sign_blocks(units, draws, seed, size)])

    np.testing.assert_array_equal(signs(block, "a"), signs(draws, "a"))
    assert set(np.unique(signs(block, "a"))) <= {-1.0, 1.0}


def test_signs_are_fair_and_unlike_between_seeds() -> None:
    one, two = (next(sign_blocks(1_000, 200, seed, 200))[1] for seed in "ab")
    assert abs(one.mean()) < 0.01
    assert abs((one * two).mean()) < 0.01


def test_p_is_never_0_and_1_for_no_difference() -> None:
    assert p_value(5.0, np.zeros(999)) == pytest.approx(0.001)
    assert p_value(0.0, np.linspace(-1, 1, 100)) == 1.0


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip([], [])
    with pytest.raises(ValueError, match="finite"):
        sign_flip([float("nan")], [0])


def test_draws_grow_with_the_family() -> None:
    assert [draws_for(n) for n in (1, 50, 380, 5_000)] == [10_000, 10_000, 76_000, 200_000]
    # so many draws can decide the strictest step of the family
    assert all(1 / (1 + draws_for(n)) < 0.05 / n for n in (1, 50, 380, 5_000))


def test_smallest_attainable() -> None:
    np.testing.assert_allclose(smallest_attainable([0, 1, 2, 6]), [1, 1, 0.5, 2**-5])


def test_false_findings_stay_at_their_rate() -> None:
    generator = np.random.default_rng(11)
    p = np.array([sign_flip(generator.normal(0, 1, 30), np.arange(30), 1_000, str(i)) for i in range(400)])
    # 400 sets: .05 plus three standard errors
    assert (p <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
