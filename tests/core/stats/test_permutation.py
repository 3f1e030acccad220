"""Means by chance: what permuting and turning signs must keep, and that their spread is the one theory gives."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats.permutation import flipped_means, permuted_means, permuted_tables, upper_p


def test_permuted_means_are_the_means_of_permutations() -> None:
    values, groups = np.array([0.0, 1.0, 3.0, 7.0]), np.array([0, 0, 0, 1])
    drawn = permuted_means(values, groups, 600, "four")
    possible = {tuple(np.round([p[:3].mean(), p[3]], 6)) for p in map(np.array, permutations(values))}
    assert {tuple(row) for row in np.round(drawn, 6)} == possible
    # each of the four values is the lone one equally often
    assert np.bincount(drawn[:, 1].round().astype(int), minlength=8)[[0, 1, 3, 7]] == pytest.approx([150] * 4, abs=40)


@settings(max_examples=40)
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 99))
def test_within_strata_the_sum_of_each_stratum_stays(n: int, strata: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    values, within = generator.normal(size=n), generator.integers(0, strata, n)
    groups = np.unique(within * 2 + generator.integers(0, 2, n), return_inverse=True)[1]
    drawn = permuted_means(values, groups, 7, str(seed), within)
    counts = np.bincount(groups)
    for stratum in np.unique(within):
        inside = np.unique(groups[within == stratum])
        expected = values[within == stratum].sum()
        np.testing.assert_allclose(drawn[:, inside] @ counts[inside], expected, atol=1e-5 * n)


def test_the_spread_of_permuted_means_is_that_of_sampling_without_replacement() -> None:
    values = np.random.default_rng(1).beta(3, 2, 200)
    groups = np.repeat([0, 1], [50, 150])
    drawn = permuted_means(values, groups, 4_000, "spread")
    expected = values.var(ddof=1) / 50 * (1 - 50 / 200)
    assert drawn[:, 0].var() == pytest.approx(expected, rel=0.07)


def test_the_same_seed_gives_the_same_draws_and_another_one_others() -> None:
    values, groups = np.arange(30.0), np.arange(30) % 3
    once = permuted_means(values, groups, 50, "a")
    np.testing.assert_array_equal(once, permuted_means(values, groups, 50, "a"))
    assert not np.array_equal(once, permuted_means(values, groups, 50, "b"))


def test_flipped_means_keep_documents_together() -> None:
    deviations = np.array([[1.0, 2.0, -4.0, 3.0]])
    drawn = flipped_means(deviations, np.array([0, 1, 0, 1]), np.array([5, 5, 9, 9]), 64, "docs")[0]
    kept = {tuple(row) for row in drawn}
    assert kept == {(s * 0.5 + t * -2.0, s * 1.0 + t * 1.5) for s in (1, -1) for t in (1, -1)}


def test_flipped_means_have_the_variance_of_document_sums() -> None:
    generator = np.random.default_rng(2)
    clusters, deviations = generator.integers(0, 40, 300), generator.normal(size=(2, 300))
    drawn = flipped_means(deviations, np.zeros(300, np.int64), clusters, 6_000, "var")
    sums = np.stack([np.bincount(clusters, row) for row in deviations])
    assert drawn.var(axis=1)[:, 0] == pytest.approx((sums**2).sum(axis=1) / 300**2, rel=0.06)


def test_tables_keep_their_margins() -> None:
    rows, columns = np.array([7, 0, 3]), np.array([4, 6])
    drawn = permuted_tables(rows, columns, 500, "tables")
    np.testing.assert_array_equal(drawn.sum(axis=2), np.tile(rows, (500, 1)))
    np.testing.assert_array_equal(drawn.sum(axis=1), np.tile(columns, (500, 1)))
    assert drawn[:, 0, 0].mean() == pytest.approx(7 * 4 / 10, abs=0.15)


def test_p_counts_the_observed_one_and_what_equals_it() -> None:
    drawn = np.array([0.1, 0.2, 0.3, 0.3 - 1e-9])
    assert upper_p(0.3, drawn) == 3 / 5
    assert upper_p(9.0, drawn) == 1 / 5


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="must be alike"):
        permuted_means([1.0, 2.0], [0], 5)
    with pytest.raises(ValueError, match="draws must be at least 1, not 0"):
        permuted_means([1.0, 2.0], [0, 1], 0)
