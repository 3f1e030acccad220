"""Sizes and widths that more questions would give."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.power import NormalIndPower

from core.stats.power import questions_needed, widths


@pytest.mark.parametrize("family", [1, 100])
def test_the_number_of_questions_is_that_of_the_z_test(family: int) -> None:
    deviation, n = 0.3, 40
    needed = float(questions_needed(deviation**2 / n, n, family))
    # a one-sample z test: statsmodels counts it as a group compared with a constant
    theirs = NormalIndPower(ddof=0).solve_power(0.05 / deviation, alpha=0.05 / family, power=0.8, ratio=0)
    assert needed == np.ceil(theirs)


def test_so_many_questions_do_find_it() -> None:
    n = int(questions_needed(0.2**2 / 10, 10, 1))
    generator = np.random.default_rng(5)
    means = generator.normal(0.05, 0.2 / np.sqrt(n), 4_000)
    found = np.abs(means) / (0.2 / np.sqrt(n)) > 1.959964
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_an_unknown_variance_gives_no_number() -> None:
    assert np.isnan(questions_needed([np.nan, 0.01], 10, 1)).tolist() == [True, False]


@pytest.mark.parametrize("wrong", [{"worth": 0.0}, {"power": 1.0}, {"family": 0}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        questions_needed(0.1, 10, **{"family": 1, **wrong})


def test_four_times_the_questions_halve_the_width() -> None:
    assert widths(0.1, 0.3) == pytest.approx((0.2, 0.2 / np.sqrt(2), 0.1))
