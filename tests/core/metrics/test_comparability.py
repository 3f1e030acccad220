"""Too few questions to compare: said before anybody reads a map of noise."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import OptionError
from core.metrics.comparability import comparable, questions_needed, smallest_attainable_p
from core.metrics.logic_scores import summarise
from tests.core.metrics.worlds import world


def test_smallest_p_is_that_of_all_signs_equal() -> None:
    """Two-sided: of the 2^m sign patterns, all plus and all minus are as extreme."""
    for m in range(1, 10):
        differences = np.ones(m)
        signs = np.array(np.meshgrid(*[[-1, 1]] * m)).reshape(m, -1)
        extreme = np.abs(differences @ signs) >= abs(differences.sum())
        assert smallest_attainable_p(m) == extreme.mean()
    assert smallest_attainable_p(0) == 1.0


@pytest.mark.parametrize(("family", "needed"), [(1, 6), (2, 7), (156, 13), (169, 13), (400, 14)])
def test_questions_needed(family: int, needed: int) -> None:
    assert questions_needed(family) == needed
    assert smallest_attainable_p(needed) <= 0.05 / family < smallest_attainable_p(needed - 1)


@pytest.mark.parametrize(("family", "alpha"), [(0, 0.05), (-1, 0.05), (5, 0.0), (5, 1.0)])
def test_questions_needed_refuses(family: int, alpha: float) -> None:
    with pytest.raises(OptionError):
        questions_needed(family, alpha)


def test_six_questions_a_relation_cannot_decide_a_cell() -> None:
    result = comparable(summarise(world(configurations=13, relations=13, per_relation=6)))
    assert (result.n_per_relation_min, result.n_per_relation_max) == (6, 6)
    assert result.family == 12 * 13
    assert result.needed == 13
    assert not result.any_cell_possible


def test_twenty_can() -> None:
    assert comparable(summarise(world(configurations=13, relations=13, per_relation=20))).any_cell_possible


def test_without_labels_there_is_one_column() -> None:
    result = comparable(summarise(world(configurations=3, relations=0, per_relation=8)))
    assert (result.family, result.needed, result.any_cell_possible) == (2, 7, True)


def test_one_configuration_compares_with_nothing() -> None:
    result = comparable(summarise(world(configurations=1, relations=2, per_relation=50)))
    assert (result.family, result.needed, result.any_cell_possible) == (0, 0, False)
