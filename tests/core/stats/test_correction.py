"""Corrected p values and who belongs to the family."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from core.stats.correction import adjusted, screened

P = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@settings(max_examples=30, deadline=None)
@given(P)
def test_both_corrections_are_statsmodels(p: list[float]) -> None:
    for ours, theirs in (("holm", "holm"), ("bh", "fdr_bh")):
        np.testing.assert_allclose(adjusted(p, ours), multipletests(p, method=theirs)[1], atol=1e-12)


def test_what_was_not_tested_is_no_member() -> None:
    found = adjusted([[0.01, np.nan], [0.04, 0.03]])
    np.testing.assert_allclose(found, [[0.03, np.nan], [0.06, 0.06]])


def test_shape_is_kept_and_nothing_is_no_error() -> None:
    assert adjusted(np.empty((0, 3))).shape == (0, 3)
    assert np.isnan(adjusted([np.nan])).all()


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjusted([1.2])
    with pytest.raises(ValueError, match="bonferroni"):
        adjusted([0.2], "bonferroni")  # type: ignore[arg-type]


def test_tarone_sets_aside_what_cannot_pass() -> None:
    # three cells of 4, 6 and 20 unequal documents: 2^-3, 2^-5, 2^-19
    found = screened([[2**-3, 2**-5], [2**-19, np.nan]])
    # with a family of 1 two attain .05; with 2 only one attains .025
    assert found.family == 1
    assert found.tested.tolist() == [[False, False], [True, False]]


def test_tarone_keeps_all_that_can_pass_together() -> None:
    assert screened([1e-9] * 5).family == 5
    assert screened([0.5] * 5).family == 0
    assert screened([]).family == 0


@given(st.lists(st.one_of(st.floats(1e-12, 1), st.just(float("nan"))), max_size=30))
def test_every_member_can_pass_the_familys_bar(smallest: list[float]) -> None:
    found = screened(smallest)
    assert found.family == int(found.tested.sum())
    if found.family:
        assert max(np.asarray(smallest)[found.tested]) <= 0.05 / found.family
