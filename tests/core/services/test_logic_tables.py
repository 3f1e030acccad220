"""Tables of the logic lens, as frames and as CSV."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from core.metrics.logic_scores import logic_scores
from core.metrics.scores import LogicObservations
from core.services.logic_tables import as_csv, cell_table, ranking_table


@pytest.fixture
def observations() -> LogicObservations:
    similarity = np.array([[0.5, 0.7, 0.9, 0.3], [0.4, 0.6, np.nan, 0.2]])
    state = np.where(np.isnan(similarity), 1, 0).astype(np.int8)
    correct = np.where(np.isnan(similarity), np.nan, [[1, 0, 1, 1], [0, 0, 1, 1]])
    return LogicObservations(
        configurations=("knn", "bm25"),
        labels={"knn": "kNN", "bm25": "BM25"},
        question_ids=("1", "2", "3", "4"),
        relations=("=cmd()", "=cmd()", "causal", "causal"),
        clusters=np.arange(4),
        similarity=similarity,
        similarity_state=state,
        correct=correct,
        correct_state=state,
        refused=np.zeros((2, 4), dtype=bool),
        words=np.full((2, 4), 100.0),
        sentences=np.full((2, 4), 5.0),
    )


def test_a_row_a_configuration_with_its_counts(observations: LogicObservations) -> None:
    frame = ranking_table(logic_scores(observations)).set_index("configuration")
    assert list(frame.index) == ["kNN", "BM25"]
    assert list(frame["n scored"]) == [4, 3]
    assert list(frame["n failed"]) == [0, 1]
    assert frame.loc["kNN", "BERTSim"] == pytest.approx(0.6)


def test_a_row_a_cell(observations: LogicObservations) -> None:
    frame = cell_table(logic_scores(observations))
    assert len(frame) == 4
    cell = frame[(frame["configuration"] == "BM25") & (frame["relation"] == "causal")].iloc[0]
    assert cell["BERTSim"] == pytest.approx(0.2)
    assert cell["n failed"] == 1


def test_csv_runs_no_formula_and_keeps_numbers(observations: LogicObservations) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(cell_table(logic_scores(observations))))))
    assert {row["relation"] for row in rows} == {"'=cmd()", "causal"}
    assert float(rows[0]["BERTSim"]) == pytest.approx(0.6)
