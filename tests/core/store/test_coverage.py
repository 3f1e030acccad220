"""What became of nuggets, in the store: rows by question, arrays by configuration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.store.coverage import CoverageRow, coverage_rows, coverage_states, load_measures, save_coverage, save_measures
from core.store.database import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "trilens.sqlite")


def test_rows_come_back_by_question(store: Store) -> None:
    rows = [
        CoverageRow(name, question, "scored", "", {"nuggets": [["n1", True, [0, 1]]], "名": "渡船"})
        for name in ("knn", "bm25")
        for question in ("q1", "q2")
    ]
    save_coverage(store, "run", [*rows, CoverageRow("edi", "q1", "failed", "it broke", {})])
    save_coverage(store, "other", rows[:1])
    assert coverage_rows(store, "run", "q1", ["bm25", "edi", "none"]) == {
        "bm25": rows[2],
        "edi": CoverageRow("edi", "q1", "failed", "it broke", {}),
    }
    assert coverage_states(store, "run") == [("edi", "q1", "failed", "it broke")]
    save_coverage(store, "run", [CoverageRow("edi", "q1", "scored", "", {"nuggets": []})])
    assert coverage_states(store, "run") == []


def test_more_rows_than_a_transaction_writes(store: Store) -> None:
    save_coverage(store, "run", (CoverageRow("knn", f"q{n}", "not_applicable", "no nuggets", {}) for n in range(2_001)))
    assert len(coverage_states(store, "run")) == 2_001


def test_arrays_come_back_in_the_order_of_the_configurations(store: Store) -> None:
    array = np.array([[1.0, np.nan], [0.25, 3.0], [np.nan, np.nan]], dtype=np.float32)
    save_measures(store, "run", {"s-two": (("a", "b"), array), "knn": (("a",), array[:, :1])})
    found = load_measures(store, "run")
    assert list(found) == ["s-two", "knn"]
    names, stored = found["s-two"]
    assert names == ("a", "b")
    np.testing.assert_array_equal(stored, array)
    assert stored.dtype == np.float32
    assert found["knn"][1].shape == (3, 1)
    assert load_measures(store, "other") == {}
    save_measures(store, "run", {"knn": (("c",), array[:, 1:])})
    assert load_measures(store, "run")["knn"][0] == ("c",)
