"""A cell's rows in SQL: order, pages, search, counts, neighbours."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.services.workspace import workspace
from core.store.run_questions import (
    CellRows,
    Order,
    cell_counts,
    cell_neighbours,
    cell_page,
    documents_of,
    folded,
    question_items,
    question_labels,
)
from tests.core.services.drilldown_samples import make_run

pytestmark = pytest.mark.usefixtures("home")
ALL = tuple(f"q{n}" for n in range(1, 7))


def _cell(**changes: object) -> CellRows:
    return replace(CellRows(make_run(), "marlow", "knn", ALL), **changes)  # type: ignore[arg-type]


def _ids(cell: CellRows, limit: int = -1, offset: int = 0) -> list[str]:
    _, store = workspace()
    return [row["question_id"] for row in cell_page(store, cell, limit, offset)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("lowest", "q4 q2 q3 q6 q1 q5"),
        ("highest", "q1 q6 q3 q2 q4 q5"),
        ("wrong", "q4 q2 q3 q1 q6 q5"),
        ("right", "q1 q3 q2 q4 q6 q5"),
        ("unscored", "q5 q6 q4 q2 q3 q1"),
        ("dataset", "q1 q2 q3 q4 q5 q6"),
    ],
)
def test_order_puts_what_is_missing_last_and_ties_in_the_datasets_order(order: Order, expected: str) -> None:
    assert _ids(_cell(order=order)) == expected.split()


def test_equal_values_keep_the_datasets_order_across_pages() -> None:
    cell = _cell(configuration="evidence", order="highest")
    assert _ids(cell, 2, 0) + _ids(cell, 2, 2) + _ids(cell, 2, 4) == list(ALL)
    assert _ids(cell, 2, 6) == []


def test_rows_carry_the_texts_and_the_scores() -> None:
    _, store = workspace()
    row = cell_page(store, _cell(ids=("q3",)), 25, 0)[0]
    assert (row["question"], row["reference"], row["relation"]) == (
        "What ended the milling?", "The damming of the river.", "causal",
    )  # fmt: skip
    assert (row["produced"], row["similarity"], row["correct"]) == ("The dam of 1902.", 0.4, 1)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("FERRY", ["q1"]),  # the question
        ("damming", ["q3"]),  # the reference
        ("dam of", ["q3"]),  # the produced answer
        ("strasse", ["q4"]),  # the other way round too: ß in the text
        ("äpfel", ["q4"]),
        ("ICH WEISS", ["q4"]),
        ("ｆｅｒｒｙ", ["q1"]),
        ("  ferry  ", ["q1"]),
        ("%", []),
        ("_", []),
        ("' OR 1=1 --", []),
        ('"sentences"', []),  # of the stored JSON
        ("onerror=", ["q5"]),
        ("", list(ALL)),
    ],
)
def test_search_is_plain_text_in_any_case(search: str, expected: list[str]) -> None:
    assert sorted(_ids(_cell(search=search))) == expected


def test_folding() -> None:
    assert folded("Straße ＡＢ") == "strasse ab"


def test_counts_of_every_state() -> None:
    _, store = workspace()
    found = cell_counts(store, _cell())
    assert found == {
        "n": 6, "scored": 5, "mean": pytest.approx((0.9 + 0.2 + 0.4 + 0.1 + 0.7) / 5), "right": 2, "wrong": 2,
        "refused": 1, "failed": 1, "not_applicable": 1,
    }  # fmt: skip
    nothing = cell_counts(store, _cell(ids=()))
    assert (nothing["n"], nothing["mean"], nothing["right"]) == (0, None, 0)
    assert cell_counts(store, _cell(search="ferry"))["n"] == 1


def test_neighbours_in_the_order_of_the_list() -> None:
    _, store = workspace()
    cell = _cell()
    assert cell_neighbours(store, cell, "q4") == {"place": 1, "total": 6, "before": None, "after": "q2"}
    assert cell_neighbours(store, cell, "q6") == {"place": 4, "total": 6, "before": "q3", "after": "q1"}
    assert cell_neighbours(store, cell, "q5") == {"place": 6, "total": 6, "before": "q1", "after": None}
    assert cell_neighbours(store, cell, "gone") is None
    assert cell_neighbours(store, replace(cell, search="ferry"), "q1") == {
        "place": 1, "total": 1, "before": None, "after": None,
    }  # fmt: skip


def test_other_configurations_and_runs_stay_out() -> None:
    assert _ids(_cell(configuration="gone")) == []
    assert _ids(_cell(run="gone")) == []
    assert _ids(_cell(ids=("gone", "q1"))) == ["q1"]


def test_labels_of_the_runs_questions_alone() -> None:
    _, store = workspace()
    run = make_run(limit=2)
    rows = question_labels(store, run)
    assert [(row["id"], row["relation"], row["split"]) for row in rows] == [
        ("q1", "temporal", "train"), ("q2", "causal", "test"),
    ]  # fmt: skip
    assert rows[0]["categories"] == {"QC": "two facts", "style": "plain"}
    assert question_labels(store, "gone") == []


def test_one_questions_rows_and_documents() -> None:
    _, store = workspace()
    run = make_run()
    rows = question_items(store, run, ["evidence", "gone", "knn"], "q1")
    assert [row["configuration"] for row in rows] == ["evidence", "knn"]
    assert rows[1]["passages"] == ["ferry#0", "ferry#1"]
    assert rows[1]["answer"]["sentences"][0] == "It runs every forty minutes."
    assert list(documents_of(store, "marlow", ["mill", "gone", "ferry"])) == ["mill", "ferry"]
