"""What the commands print and write for people and machines."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.services.spreadsheet import neutral

MEASURE = {"value", "low", "high", "n_scored", "n_failed", "n_not_applicable", "n_refused"}


@pytest.fixture
def run_id(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> str:
    del home
    assert main(["evaluate", str(small_csv), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["event"] for event in events} == {"progress", "done"}
    stages = [event["stage"] for event in events if event["event"] == "progress"]
    assert stages[0] == "chunk"
    assert stages[-1] == "score"
    name: str = events[-1]["run"]
    return name


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_runs_and_datasets_as_json(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    runs = _printed(capsys, "runs", "--json")
    assert [(run["id"], run["dataset"], run["state"]) for run in runs] == [(run_id, "marlow", "done")]
    datasets = _printed(capsys, "datasets", "--json")
    assert datasets[0]["labels"]["relations"] == {"causal": 3, "direct matching": 3}


def test_newest_run_first(run_id: str, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(small_csv), "--retrievers", "knn", "--combinations", "none"]) == 0
    capsys.readouterr()
    runs = _printed(capsys, "runs", "--json")
    assert len(runs) == 2
    assert runs[1]["id"] == run_id
    assert runs[0]["started"] >= runs[1]["started"]


def test_score_object(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    scores = _printed(capsys, "score", run_id, "--json", "--beta", "2")
    assert set(scores) == {"run", "dataset", "spec", "logic", "coverage", "granularity"}
    assert "No question of this run has nuggets" in scores["coverage"]["missing"]
    assert (scores["run"], scores["dataset"]) == (run_id, "marlow")
    logic = scores["logic"]
    assert (logic["beta"], logic["convention"]) == (2.0, "formula")
    ids = [configuration["id"] for configuration in logic["configurations"]]
    assert set(ids) >= {"knn", "dps", "bm25", "svm", "tfidf", "mmr", "edi", "a-seven", "s-two", "evidence"}
    for configuration in logic["configurations"]:
        for name in ("bertsim", "lrcr", "opi", "opi_mean_of_relations"):
            measure = configuration[name]
            assert set(measure) - {"reason"} == MEASURE
            assert (measure["value"] is None) == ("reason" in measure)
        assert set(configuration["relations"]) <= {"causal", "direct matching"}
    knn = next(configuration for configuration in logic["configurations"] if configuration["id"] == "knn")
    for cell in knn["relations"].values():
        b, l = cell["bertsim"]["value"], cell["lrcr"]["value"]  # noqa: E741 - the field's own letters
        assert cell["opi"]["value"] == pytest.approx(5 * b * l / (4 * b + l) if b + l else 0.0, abs=1e-9)
    assert [row["rank"] for row in logic["ranking"]] == sorted(row["rank"] for row in logic["ranking"])
    classifier = logic["classifier"]
    matrix = classifier["confusion"]["matrix"]
    assert sum(map(sum, matrix)) == classifier["n"] == 6
    assert classifier["accuracy"] == pytest.approx(sum(matrix[i][i] for i in range(len(matrix))) / 6)
    assert 0 <= classifier["movable"] <= 1


def test_text_measures_on_demand(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    scores = _printed(capsys, "score", run_id, "--json", "--text-measures")
    found = scores["text_measures"]["knn"]
    assert set(found) == {"rouge1", "rouge_l", "bleu", "token_f1"}
    for measure in found.values():
        assert 0 <= measure["low"] <= measure["value"] <= measure["high"] <= 1
        assert measure["n_scored"] == 6
    assert found["rouge1"]["value"] >= found["rouge_l"]["value"] > 0
    assert scores["text_measures"]["evidence"]["bleu"]["value"] is None
    assert main(["score", run_id, "--text-measures"]) == 0
    assert "token F1" in capsys.readouterr().out


def test_infinite_beta_is_json(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    scores = _printed(capsys, "score", run_id, "--json", "--beta", "inf")
    assert scores["logic"]["beta"] == "inf"
    for configuration in scores["logic"]["configurations"]:
        if configuration["id"] != "evidence":
            assert configuration["opi"]["value"] == pytest.approx(configuration["lrcr"]["value"], abs=1e-9)


@pytest.mark.parametrize("beta", ["-1", "nan", "much"])
def test_a_bad_beta(run_id: str, beta: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(["score", run_id, f"--beta={beta}"])
    assert leave.value.code == 2
    assert "--beta" in capsys.readouterr().err


def test_csv_report_has_a_row_an_answer_with_states(run_id: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    assert main(["report", run_id, "--format", "csv", "--out", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 14 * 6
    knn = [row for row in rows if row["configuration"] == "knn"]
    assert {row["bertsim_state"] for row in knn} == {"scored"}
    assert all(-1 <= float(row["bertsim"]) <= 1 for row in knn)
    evidence = [row for row in rows if row["configuration"] == "evidence"]
    assert {(row["bertsim"], row["bertsim_state"]) for row in evidence} == {("", "not_applicable")}


def test_json_report_is_the_score_object(run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.json"
    assert main(["report", run_id, "--format", "json", "--out", str(path)]) == 0
    capsys.readouterr()
    assert json.loads(path.read_text(encoding="utf-8")) == _printed(capsys, "score", run_id, "--json")


def test_a_report_into_no_folder_is_refused(run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", run_id, "--format", "csv", "--out", str(tmp_path / "none" / "x.csv")]) == 2
    assert "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_formulas_are_neutralised(cell: str) -> None:
    assert neutral(cell) == "'" + cell
    assert neutral(-1.5) == -1.5
    assert neutral("a=b") == "a=b"


def test_export_and_import_again(run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del run_id
    assert main(["export", "marlow", "--out", str(tmp_path / "out")]) == 0
    assert main(["import", str(tmp_path / "out"), "--name", "again"]) == 0
    capsys.readouterr()
    datasets = {d["name"]: d for d in _printed(capsys, "datasets", "--json")}
    assert datasets["again"]["labels"] == datasets["marlow"]["labels"]


def test_empty_store_says_what_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del home
    assert main(["runs"]) == 0
    assert main(["datasets"]) == 0
    assert capsys.readouterr().out.count(".venv/bin/python -m core demo") == 2
    assert _printed(capsys, "runs", "--json") == []


def test_doctor_is_content(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del home
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "as expected" in out
    assert "BAD" not in out


def test_a_report_onto_a_folder_is_refused(run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder").mkdir()
    assert main(["report", run_id, "--format", "csv", "--out", str(tmp_path / "folder")]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert list((tmp_path / "folder").iterdir()) == []


def test_resume_takes_no_other_choices(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--resume", run_id, "--k", "8", "--chunk-words", "50"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "leave out --k, --chunk-words" in captured.err
    assert main(["evaluate", "--resume", run_id]) == 0


def test_doctor_says_that_the_encoder_is_broken(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    from core.models.encoders import EncoderSpec
    from core.services import doctor

    (tmp_path / "modules.json").write_text('[{"path": ""}]', encoding="utf-8")
    monkeypatch.setattr(doctor, "encoder_spec", lambda name: EncoderSpec(name, str(tmp_path), "x"))
    assert main(["doctor"]) == 1
    assert "cannot be read" in capsys.readouterr().out
