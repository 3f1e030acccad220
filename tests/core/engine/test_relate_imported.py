"""Relations that somebody else predicted: which answers they go to, what they say of the ceiling, what is missing."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.engine.spec import Request
from core.errors import OptionError
from core.reports.write import write_report
from core.services import evaluation
from core.services.importing import import_source
from core.services.lenses import logic
from core.services.prediction_importing import import_predictions, predictions, remove_predictions
from core.services.workspace import workspace
from core.store.runs import run_row

pytestmark = pytest.mark.usefixtures("home")

CHOICES = {"retrievers": "knn,bm25", "combinations": "a:knn+bm25"}
WRONG = "the imported prediction was made for another answer than this one"
NONE = "no prediction was imported for this answer"


@pytest.fixture
def report(small_csv: Path, tmp_path: Path) -> list[dict[str, str]]:
    """The rows of a run without relations, as its CSV report holds them."""
    spec, dataset = evaluation.plan(Request(str(small_csv), relations="none", **CHOICES))
    evaluation.run(spec, dataset)
    write_report(spec.run_id, "csv", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["answer"]]


def _import(tmp_path: Path, rows: Sequence[dict[str, str]], name: str = "mine") -> None:
    path = tmp_path / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    import_predictions(path, "marlow")


def _predicted(report: Sequence[dict[str, str]], relation: str = "causal") -> list[dict[str, str]]:
    return [
        {
            "question_id": row["question_id"],
            "configuration": row["configuration"],
            "relation": relation,
            "answer": row["answer"],
        }
        for row in report
    ]


def _evaluated(**choices: Any) -> str:
    spec, dataset = evaluation.plan(Request("marlow", relations="imported:mine", **CHOICES | choices))
    return evaluation.run(spec, dataset).run_id


def _items(run_id: str) -> dict[tuple[str, str], dict[str, Any]]:
    _, store = workspace()
    rows = store.rows("SELECT * FROM run_items WHERE run = ? AND configuration <> 'evidence'", (run_id,))
    return {(row["configuration"], row["question"]): row for row in rows}


def test_each_prediction_goes_to_its_answer(report: list[dict[str, str]], tmp_path: Path) -> None:
    rows = _predicted(report)
    for row in rows:
        if row["configuration"] == "bm25":
            row["relation"] = "direct matching"
    _import(tmp_path, rows)
    items = _items(_evaluated())
    assert len(items) == 18
    for (configuration, question), item in items.items():
        assert item["correct_state"] == "scored"
        expected = "direct matching" if configuration == "bm25" else "causal"
        assert item["predicted"] == expected
        assert item["correct"] == ((question in ("q1", "q3", "q5")) == (expected == "direct matching"))


def test_configurations_may_be_named_by_their_labels(report: list[dict[str, str]], tmp_path: Path) -> None:
    rows = [row for row in _predicted(report) if row["configuration"] == "knn"]
    _import(tmp_path, [row | {"configuration": "kNN"} for row in rows])
    items = _items(_evaluated())
    assert {item["predicted"] for (name, _), item in items.items() if name == "knn"} == {"causal"}


def test_without_a_prediction_an_answer_is_not_applicable(report: list[dict[str, str]], tmp_path: Path) -> None:
    _import(tmp_path, [row for row in _predicted(report) if row["configuration"] == "knn"][1:])
    items = _items(_evaluated())
    gaps = {pair: item for pair, item in items.items() if item["correct_state"] != "scored"}
    assert len(gaps) == 13
    assert {(item["correct_state"], item["correct_reason"], item["correct"]) for item in gaps.values()} == {
        ("not_applicable", NONE, None)
    }


def test_a_prediction_for_another_answer_is_not_taken(report: list[dict[str, str]], tmp_path: Path) -> None:
    rows = _predicted(report)
    rows[0]["answer"] = "Something else was said then."
    rows[1]["answer"] = f"  {rows[1]['answer'].replace(' ', '  ')} "
    rows[2]["answer"] = ""
    _import(tmp_path, rows)
    items = _items(_evaluated())
    first, second, third = (items[row["configuration"], row["question_id"]] for row in rows[:3])
    assert (first["correct_state"], first["correct_reason"]) == ("not_applicable", WRONG)
    assert (second["correct_state"], third["correct_state"]) == ("scored", "scored")


def test_predictions_that_fit_no_answer_leave_no_relations(report: list[dict[str, str]], tmp_path: Path) -> None:
    _import(tmp_path, [row | {"configuration": f"nobody-{i}"} for i, row in enumerate(_predicted(report))])
    lens = logic(_evaluated())
    assert lens.classifier is None
    assert "the predictions 'mine' fit none of this run's answers (no prediction was imported" in lens.missing


def test_the_ceiling_comes_from_predictions_for_reference_answers(report: list[dict[str, str]], tmp_path: Path) -> None:
    gold = [
        {"question_id": f"q{i}", "configuration": "gold", "relation": relation, "answer": ""}
        for i, relation in enumerate(["causal", "causal", "direct matching", "magic"], start=1)
    ]
    _import(tmp_path, [*_predicted(report), *gold])
    found = logic(_evaluated()).classifier
    assert found is not None
    # q1 and q4 are wrong
    assert (found["accuracy"], found["n"], found["mode"], found["question_only"]) == (0.5, 4, "imported", None)
    assert found["confusion"]["labels"] == ["causal", "direct matching", "magic"]
    assert found["confusion"]["matrix"] == [[1, 0, 1], [1, 1, 0], [0, 0, 0]]
    assert found["notes"] == []


def test_without_them_the_ceiling_is_unknown(report: list[dict[str, str]], tmp_path: Path) -> None:
    _import(tmp_path, _predicted(report))
    found = logic(_evaluated()).classifier
    assert found is not None
    assert found["accuracy"] is None
    assert found["notes"] == ["Nothing was predicted for the reference answers (configuration 'gold')."]
    assert found["movable"] == 0


def test_other_predictions_are_another_run(report: list[dict[str, str]], tmp_path: Path) -> None:
    _import(tmp_path, _predicted(report))
    first = _evaluated()
    remove_predictions("marlow", "mine")
    assert predictions("marlow") == []
    with pytest.raises(OptionError, match="no predictions 'mine'"):
        remove_predictions("marlow", "mine")
    with pytest.raises(OptionError, match="'mine', which were not imported for this dataset"):
        _evaluated()
    _import(tmp_path, _predicted(report, "direct matching"))
    assert _evaluated() != first
    assert run_row(workspace()[1], first)["state"] == "done"


def test_predictions_that_were_replaced_since_the_run_was_planned(report: list[dict[str, str]], tmp_path: Path) -> None:
    _import(tmp_path, _predicted(report))
    spec, dataset = evaluation.plan(Request("marlow", relations="imported:mine", **CHOICES))
    remove_predictions("marlow", "mine")
    with pytest.raises(OptionError, match="was made with the predictions 'mine', which are not there any more"):
        evaluation.run(spec, dataset)


def test_they_count_where_no_vector_means_anything(tmp_path: Path) -> None:
    path = tmp_path / "marlow.csv"
    path.write_text(
        "id,question,answer,context,relation\n"
        "q1,渡船冬天为什么停开？,因为港口结冰。,渡船冬天停开，因为港口结冰。港口在三月开放。,causal\n"
        "q2,港口什么时候开放？,在三月。,磨坊在一八七一年建成。磨坊现在是学校。,temporal\n",
        encoding="utf-8",
    )
    import_source(path)
    rows = [{"question": f"q{i}", "configuration": "bm25", "relation": "causal"} for i in (1, 2)]
    _import(tmp_path, rows)
    spec, dataset = evaluation.plan(
        Request("marlow", relations="imported:mine", retrievers="bm25", combinations="none")
    )
    evaluation.run(spec, dataset)
    items = _items(spec.run_id)
    assert {item["similarity_state"] for item in items.values()} == {"not_applicable"}
    assert [items["bm25", f"q{i}"]["correct"] for i in (1, 2)] == [1, 0]
