"""Files of predicted relations: whose they are, what is left out, what is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.datasets.importers.predictions import read_predictions
from core.errors import InputError, OptionError
from core.schema import Card, Dataset, Document, Prediction, Question

DATASET = Dataset(
    Card("d"),
    (Document("a", "Text."),),
    tuple(
        Question(id_, text, "Yes.", ("a",), relation=relation)
        for id_, text, relation in (
            ("q1", "Why is it so?", "causal"),
            ("q2", "When was it?", "temporal"),
            ("q3", "Twice?", "causal"),
            ("q4", "Twice?", None),
        )
    ),
)


def _csv(tmp_path: Path, columns: Sequence[str], *rows: Sequence[object]) -> Path:
    path = tmp_path / "predicted.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def _triple(tmp_path: Path, *rows: Sequence[object]) -> Path:
    return _csv(tmp_path, ("question", "configuration", "relation"), *rows)


def test_a_question_is_known_by_its_id_or_its_text(tmp_path: Path) -> None:
    found = read_predictions(_triple(tmp_path, ("q1", "knn", "causal"), ("When  was it?", "knn", "causal")), DATASET)
    assert found.predictions == (Prediction("q1", "knn", "causal"), Prediction("q2", "knn", "causal"))
    assert (found.n_rows, found.skipped) == (2, ())


def test_json_lines_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "predicted.jsonl"
    row = {"question": "q1", "configuration": "a-two", "relation": "temporal", "answer": "Because."}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert read_predictions(path, DATASET).predictions == (Prediction("q1", "a-two", "temporal", "Because."),)


def test_relations_are_brought_to_the_dataset_s_spelling(tmp_path: Path) -> None:
    found = read_predictions(_triple(tmp_path, ("q2", "knn", " Causal "), ("q2", "bm25", "TEMPORAL")), DATASET)
    assert [one.relation for one in found.predictions] == ["causal", "temporal"]


def test_a_relation_the_dataset_does_not_have_is_kept_and_said(tmp_path: Path) -> None:
    found = read_predictions(_triple(tmp_path, ("q1", "knn", "causal"), ("q2", "knn", "magic")), DATASET)
    assert [one.relation for one in found.predictions] == ["causal", "magic"]
    assert any("count as wrong: 1 (first: line 3, 'magic')" in note for note in found.notes)


def test_predictions_that_are_the_labels_are_suspected(tmp_path: Path) -> None:
    found = read_predictions(_triple(tmp_path, ("q1", "knn", "causal"), ("q2", "knn", "temporal")), DATASET)
    assert any("every prediction is the question's own relation" in note for note in found.notes)


def test_the_prediction_s_column_comes_before_the_label_s_and_is_said(tmp_path: Path) -> None:
    columns = ("question_id", "question", "relation", "configuration", "answer", "predicted_relation")
    path = _csv(tmp_path, columns, ("q1", "Why is it so?", "causal", "knn", "'=2+2", "temporal"))
    found = read_predictions(path, DATASET)
    # the apostrophe that our own CSV puts before what a spreadsheet would run is undone
    assert found.predictions == (Prediction("q1", "knn", "temporal", "=2+2"),)
    assert any("'predicted_relation', not from 'relation'" in note for note in found.notes)


def test_a_mapping_wins(tmp_path: Path) -> None:
    path = _csv(tmp_path, ("qid", "retriever", "predicted", "mine"), ("q1", "knn", "causal", "temporal"))
    found = read_predictions(path, DATASET, {"relation": "mine"})
    assert found.predictions == (Prediction("q1", "knn", "temporal"),)
    with pytest.raises(InputError, match="no column 'other'"):
        read_predictions(path, DATASET, {"relation": "other"})
    with pytest.raises(OptionError, match=r"no field 'relations'.*did you mean 'relation'"):
        read_predictions(path, DATASET, {"relations": "mine"})


def test_rows_without_a_question_a_configuration_or_a_relation_are_left_out(tmp_path: Path) -> None:
    rows = [("q1", "knn", "causal"), ("zz", "knn", "causal"), ("Twice?", "knn", "causal"), ("q1", "", "causal")]
    found = read_predictions(_triple(tmp_path, *rows, ("q1", "bm25", ""), ("", "knn", "causal")), DATASET)
    assert len(found.predictions) == 1
    assert [(skip.line, skip.field, skip.reason) for skip in found.skipped] == [
        (3, "question", "the dataset has no question 'zz'"),
        (4, "question", "2 questions of the dataset have this text: give their ids"),
        (5, "configuration", "no configuration is given"),
        (6, "relation", "no relation is given"),
        (7, "question", "neither id nor question is given"),
    ]


def test_two_predictions_for_one_answer(tmp_path: Path) -> None:
    path = _triple(tmp_path, ("q1", "knn", "causal"), ("Why is it so?", "knn", "causal"))
    with pytest.raises(InputError, match=r"line 3, field 'configuration': 'knn' has a prediction .* on line 2 already"):
        read_predictions(path, DATASET)


def test_a_file_about_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its 1 rows predicts"):
        read_predictions(_triple(tmp_path, ("zz", "knn", "causal")), DATASET)
    with pytest.raises(InputError, match=r"no column for 'question' and 'relation'.*--as-predictions DATASET --map"):
        read_predictions(_csv(tmp_path, ("configuration", "x"), ("knn", "y")), DATASET)
    with pytest.raises(InputError, match="does not exist"):
        read_predictions(tmp_path / "nowhere.csv", DATASET)


def test_a_cell_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "predicted.jsonl"
    path.write_text('{"question": "q1", "configuration": "knn", "relation": {"a": 1}}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1, field 'relation'"):
        read_predictions(path, DATASET)
