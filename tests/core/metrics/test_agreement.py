"""Cohen's kappa of two-by-two tables."""

from __future__ import annotations

import numpy as np
import pytest

from core.metrics.agreement import binary_kappa


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((20, 5, 10, 15), 0.4),  # the textbook example
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((5, 5, 5, 5), 0.0),
    ],
)
def test_kappa(table: tuple[int, ...], expected: float) -> None:
    assert float(binary_kappa(*table)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("table", [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 0, 7)])
def test_kappa_is_not_defined_where_chance_alone_would_agree(table: tuple[int, ...]) -> None:
    assert np.isnan(binary_kappa(*table))


def test_many_tables_at_once() -> None:
    assert binary_kappa([20, 10], [5, 0], [10, 0], [15, 10]).tolist() == pytest.approx([0.4, 1.0])
