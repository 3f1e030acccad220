from __future__ import annotations

import numpy as np
import pytest

from core.datasets.duplicates import near_duplicates


def at(*degrees: float) -> np.ndarray:
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_the_limit_is_lower_inside_a_document() -> None:
    vectors = at(0, 22, 90, 112)  # cosine of 22 degrees: .927
    found = near_duplicates(["a", "b", "c", "d"], ["x", "x", "y", "z"], vectors)
    assert [(first, second) for first, second, _ in found] == [("a", "b")]
    assert found[0][2] == pytest.approx(0.927, abs=1e-3)


def test_each_pair_once_and_in_order_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.datasets.duplicates._BLOCK", 2)
    found = near_duplicates(list("abcde"), list("vwxyz"), at(0, 45, 1, 90, 2))
    assert [(first, second) for first, second, _ in found] == [("a", "c"), ("a", "e"), ("c", "e")]


def test_nothing_to_compare() -> None:
    assert near_duplicates([], [], np.zeros((0, 2), dtype=np.float32)) == []
