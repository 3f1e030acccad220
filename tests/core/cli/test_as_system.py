"""``import FILE --as-system DATASET``: what it prints, what it refuses, and where the system shows up afterwards."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main

ROWS = [
    ("q1", "Every forty minutes [1].", ["The Marlow ferry runs every forty minutes in summer."]),
    ("q2", "Because of ice [3].", ["A page from elsewhere."]),
    ("q3", "", []),
    ("q4", "I do not know.", ["The Marlow mill was built in 1871 by Anna Rusk."]),
    ("zz", "Nobody asked.", []),
]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "my rag.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "response", "retrieved_contexts"])
        writer.writerows([id_, answer, json.dumps(contexts)] for id_, answer, contexts in ROWS)
    return path


@pytest.fixture
def marlow(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> str:
    del home
    assert main(["import", str(small_csv)]) == 0
    capsys.readouterr()
    return "marlow"


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err.strip()


def test_what_was_read_for_people(marlow: str, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(answers), "--as-system", marlow]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "my rag was imported: a system of marlow, and a configuration of its next runs.",
        "  rows: 5, matched to one of 6 questions: 4",
        "  answers: 3, refusals among them: 1",
        "  contexts: 3, found in a document: 2",
        "  skipped line 6: question_id: the dataset has no question 'zz'",
        "  note: contexts that are in no document of the dataset word for word, so that their text is kept without a "
        "place in a document: 1 (first: line 3).",
        "  note: citations of a context that is not there, which were left out: 1 (first: line 3, number 3 of 1 "
        "contexts).",
        "  note: empty answers, which count as failed because the system gave no answer: 1 of 4.",
        "  note: answers without contexts, whose relation cannot be told, so that LRCR is not applicable to them: 1 "
        "of 4.",
        "  note: questions without an answer, not scored for this system: 2 of 6; a ranking that includes it goes over "
        "the others only.",
    ]
    assert main(["import", str(answers), "--as-system", marlow]) == 0
    assert "my rag was imported before with the same answers" in capsys.readouterr().out


def test_what_was_read_for_machines(marlow: str, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _printed(capsys, "import", str(answers), "--as-system", marlow, "--name", "own", "--json")
    assert (found["dataset"], found["name"], found["known"]) == ("marlow", "own", False)
    assert (found["n_rows"], found["n_matched"], found["n_questions"]) == (5, 4, 6)
    assert (found["n_answers"], found["n_refused"], found["n_contexts"], found["n_located"]) == (3, 1, 3, 2)
    assert found["skipped"] == [{"line": 6, "field": "question_id", "reason": "the dataset has no question 'zz'"}]
    assert len(found["notes"]) == 5


def test_the_system_is_in_every_table_and_report(
    marlow: str, answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(answers), "--as-system", marlow, "--name", "own"]) == 0
    capsys.readouterr()
    assert main(["evaluate", marlow, "--retrievers", "knn,bm25", "--combinations", "none", "--json"]) == 0
    run_id = json.loads(capsys.readouterr().out.splitlines()[-1])["run"]
    (run,) = _printed(capsys, "runs", "--json")
    assert (run["n_configurations"], run["options"]) == (
        4, "--retrievers knn,bm25 --combinations none --systems own",
    )  # fmt: skip
    scores = _printed(capsys, "score", run_id, "--json", "--text-measures")
    own = next(c for c in scores["logic"]["configurations"] if c["id"] == "system:own")
    assert (own["label"], own["bertsim"]["n_scored"], own["bertsim"]["n_failed"]) == ("own", 3, 1)
    assert scores["text_measures"]["system:own"]["rouge1"]["n_scored"] == 3
    assert scores["logic"]["ranked_on"]["n_questions"] == 3
    assert scores["spec"]["resolved"]["systems"][0]["name"] == "own"
    assert main(["score", run_id]) == 0
    assert "ranked on the 3 questions that all configurations have scored" in capsys.readouterr().out
    path = tmp_path / "rows.csv"
    assert main(["report", run_id, "--format", "csv", "--out", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["question_id"]: row for row in csv.DictReader(file) if row["configuration"] == "system:own"}
    assert rows["q1"]["answer"] == "Every forty minutes."
    assert rows["q1"]["passages"] == "system:own#1"
    assert rows["q3"]["bertsim_reason"] == "the system gave no answer"
    assert rows["q5"]["bertsim_state"] == "not_applicable"


def test_systems_can_be_left_out(marlow: str, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(answers), "--as-system", marlow]) == 0
    choices = ["--retrievers", "bm25", "--combinations", "none", "--relations", "none"]
    assert main(["evaluate", marlow, *choices, "--systems", "none"]) == 0
    assert main(["evaluate", marlow, *choices, "--systems", "my rag"]) == 0
    capsys.readouterr()
    runs = _printed(capsys, "runs", "--json")
    assert [run["n_configurations"] for run in runs] == [3, 2]
    assert "names 'other', which was not imported" in _refused(capsys, "evaluate", marlow, "--systems", "other")


def test_columns_can_be_named(marlow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({"frage": "Who built the Marlow mill?", "said": "Anna Rusk."}) + "\n", encoding="utf-8")
    wanted = ["import", str(path), "--as-system", marlow]
    assert "no column for 'answer' and 'question' among 'frage', 'said'" in _refused(capsys, *wanted)
    found = _printed(capsys, *wanted, "--map", "question=frage", "--map", "answer=said", "--json")
    assert (found["name"], found["n_answers"]) == ("odd", 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--as-system", "nothing-here"], "nothing-here does not exist"),
        (["--as-system", "marlow", "--format", "table"], "--format has no use with --as-system"),
        (["--as-system", "marlow", "--name", "a,b"], "the system's name 'a,b' holds a comma"),
        (["--as-system", "marlow", "--name", "None"], "means no system: give another with --name"),
        (["--as-system", "marlow", "--name", ""], "is empty"),
        (["--as-system", "marlow", "--name", "x" * 61], "is longer than 60 characters"),
        (["--as-system", "marlow", "--map", "answer="], "--map is 'answer='"),
    ],
)
def test_bad_choices(
    marlow: str, answers: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    del marlow
    assert says in _refused(capsys, "import", str(answers), *options)


def test_other_answers_need_another_name(marlow: str, answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(answers), "--as-system", marlow]) == 0
    capsys.readouterr()
    answers.write_text(answers.read_text(encoding="utf-8").replace("of ice", "of frost"), encoding="utf-8")
    message = _refused(capsys, "import", str(answers), "--as-system", marlow)
    assert message == (
        "a system named 'my rag' with other answers is stored for 'marlow' already: choose another --name."
    )
    assert main(["import", str(answers), "--as-system", marlow, "--name", "my rag 2"]) == 0


def test_a_dataset_that_is_not_imported_yet_is_imported_first(
    home: Path, small_csv: Path, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    found = _printed(capsys, "import", str(answers), "--as-system", str(small_csv), "--json")
    assert (found["dataset"], found["n_answers"]) == ("marlow", 3)
    assert [dataset["name"] for dataset in _printed(capsys, "datasets", "--json")] == ["marlow"]
