"""``import FILE --as-predictions DATASET`` and ``training-file``: what they print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main


@pytest.fixture
def marlow(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> str:
    del home
    assert main(["import", str(small_csv)]) == 0
    capsys.readouterr()
    return "marlow"


@pytest.fixture
def predicted(tmp_path: Path) -> Path:
    path = tmp_path / "tuned.csv"
    rows = ["question,configuration,relation", "q1,knn,causal", "q1,gold,direct matching", "zz,knn,causal"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err.strip()


def test_what_was_read_for_people(marlow: str, predicted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(predicted), "--as-predictions", marlow]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "The predictions tuned were imported: evaluate marlow with --relations 'imported:tuned'.",
        "  rows: 3, predictions: 2",
        "  by configuration: knn 1, gold 1",
        "  skipped line 4: question: the dataset has no question 'zz'",
        "  note: no answers stand beside the predictions, so that nobody can tell whether a later run gives the "
        "answers they were made for; `report --format csv` writes them in column 'answer'.",
    ]
    assert main(["import", str(predicted), "--as-predictions", marlow]) == 0
    assert "were imported before, just as they are" in capsys.readouterr().out


def test_what_was_read_for_machines(marlow: str, predicted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(predicted), "--as-predictions", marlow, "--name", "own", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["dataset"], found["name"], found["known"]) == ("marlow", "own", False)
    assert (found["n_rows"], found["n_predictions"], found["n_gold"]) == (3, 2, 1)
    assert found["configurations"] == {"knn": 1, "gold": 1}


def test_what_is_refused(marlow: str, predicted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("import", str(predicted), "--as-predictions", marlow)
    assert "--format has no use" in _refused(capsys, *command, "--format", "table")
    assert "import the file as one of them" in _refused(capsys, *command, "--as-system", marlow)
    assert "holds a comma" in _refused(capsys, *command, "--name", "a,b")
    assert main([*command, "--name", "taken"]) == 0
    capsys.readouterr()
    predicted.write_text("question,configuration,relation\nq2,knn,causal\n", encoding="utf-8")
    assert "choose another --name" in _refused(capsys, *command, "--name", "taken")
    plain = tmp_path / "plain.csv"
    plain.write_text("id,question,answer,context\nq1,What?,That.,Some text.\n", encoding="utf-8")
    assert "nothing to hold predictions against" in _refused(
        capsys, "import", str(predicted), "--as-predictions", str(plain)
    )


def test_a_training_file(marlow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.jsonl"
    assert main(["training-file", marlow, "--out", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{path} was written: 4 chats about 2 documents.",
        "  causal 2, direct matching 2",
        "  labelled questions held out for testing: 2",
        "  note: the dataset marks no split, so four fifths of its documents were drawn with seed 0.",
        "  note: no evidence is marked, so what BM25 finds stands in its place: 4 chats.",
    ]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 4
    assert "--seed is -1" in _refused(capsys, "training-file", marlow, "--out", str(path), "--seed", "-1")
