"""One rater beside the others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.metrics.agreement_measures import NO_OVERLAP
from core.metrics.agreement_raters import NO_GOLD, rater_summary

NAN = np.nan
RATINGS = np.array([[0, 3, 7, 7, NAN], [0, 0, 7, NAN, 3], [3, NAN, 3, NAN, 3]])


def test_offset_leaves_out_what_nobody_else_rated() -> None:
    found = rater_summary(RATINGS, 0, [0, 0, NAN, NAN, 3], (0, 3, 7))
    differences = np.array([-1.5, 3.0, 2.0])
    assert (found.n, found.distribution.tolist()) == (4, [1, 1, 2])
    assert (found.offset.n_scored, found.offset.n_not_applicable) == (3, 1)
    assert found.offset.value == pytest.approx(differences.mean())
    expected = stats.t.interval(0.95, 2, loc=differences.mean(), scale=stats.sem(differences))
    assert (found.offset.low, found.offset.high) == pytest.approx(expected)
    assert (found.gold.value, found.gold.n_scored) == (0.5, 2)


def test_a_rater_alone_has_reasons() -> None:
    found = rater_summary([[7, 7]], 0, [NAN, NAN], (0, 3, 7))
    assert (found.offset.reason, found.gold.reason) == (NO_OVERLAP, NO_GOLD)
