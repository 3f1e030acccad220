"""The command line reads what other tools made, says what it read, and writes TREC files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.core.datasets.judged.written import lines, whole

QRELS = ("t1 1 d1 1", "t1 2 d2 1", "t2 1 d4 1", "t2 2 d4 0")
RUN = ("t1 Q0 d2 1 9 mine", "t1 Q0 d1 2 8 mine", "t2 Q0 d4 1 7 mine")
TEXTS = {"t1": ["It runs hourly", "It is blue"], "t2": ["It is closed", "It is old"]}


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A folder as others hand it on, with a hidden file in it."""
    del home
    path = tmp_path / "ferries"
    (path / "runs").mkdir(parents=True)
    lines(path / "nuggets.divqrels", *QRELS)
    lines(path / "runs" / "mine.run", *RUN)
    lines(path / "README", "Nothing to read here.")
    lines(path / ".hidden", "t1 Q0 d1 first 1 x")
    whole(path / "texts.json", TEXTS)
    return path


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err.strip()


def test_a_folder_is_read_and_told_file_by_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(folder), "--collection", "ferries"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ferries was imported: 2 topics, 4 nuggets, 3 judged documents.",
        "  README: left out: nothing in it tells one of the formats",
        "  nuggets.divqrels: diversity judgments: topic subtopic document judgment; rows read 4, left out 0",
        "  mine.run: TREC run: topic Q0 document rank score tag; rows read 3, left out 0",
        "  texts.json: texts of nuggets by topic; rows read 2, left out 0",
        "  system mine: topics ranked 2, answered 0, refusals among them 0, labels 0",
        "  note: nuggets that no judged document holds: 1.",
    ]


def test_machines_get_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(folder / "nuggets.divqrels"), str(folder / "runs" / "mine.run")]
    assert main(["import", *files, "--collection", "ferries", "--system", "mine.run=best", "--json"]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (printed["name"], printed["n_topics"], printed["systems"][0]["name"]) == ("ferries", 2, "best")
    assert [file["format"] for file in printed["files"]] == ["diversity-qrels", "trec-run"]


def test_a_run_is_added_to_a_stored_dataset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(folder / "nuggets.divqrels"), "--collection", "ferries"]) == 0
    assert main(["import", str(folder / "runs" / "mine.run"), "--as-system", "ferries", "--name", "best"]) == 0
    assert "system best: topics ranked 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--collection", "x", "--as-system", "y"], "--collection and --as-system exclude each other"),
        (["--collection", "x", "--format", "table"], "say the format of a file with --read FILE=FORMAT"),
        (["--collection", "x", "--read", "gone.run=trec-run"], "--read is 'gone.run=trec-run': write FILE=FORMAT"),
        (["--collection", "x", "--read", "texts.json=csv"], "There is no format 'csv' of judgments"),
        (["--collection", "x", "--system", "texts.json"], "--system is 'texts.json': write FILE=NAME"),
        (["--collection", "x", "--name", "y"], "--name has no use here"),
        (["--strip-segments"], "--read, --system, --grade and --strip-segments need --collection NAME"),
        (["--collection", "-x"], "expected one argument"),
    ],
)
def test_options_that_do_not_go_together(
    folder: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in _refused_or_parsed(capsys, "import", str(folder), *options)


def _refused_or_parsed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what is said of arguments that argparse or we refuse."""
    try:
        return _refused(capsys, *arguments)
    except SystemExit:
        return capsys.readouterr().err


def test_several_sources_without_a_collection(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = _refused(capsys, "import", str(folder / "texts.json"), str(folder / "README"))
    assert message.startswith("one SOURCE is imported at a time")


def test_an_empty_folder_and_a_missing_file(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del home
    (tmp_path / "empty").mkdir()
    assert "holds no file" in _refused(capsys, "import", str(tmp_path / "empty"), "--collection", "x")
    assert "does not exist" in _refused(capsys, "import", str(tmp_path / "gone.run"), "--collection", "x")


def test_trec_files_of_a_run(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(folder), "--collection", "ferries"]) == 0
    assert main(["evaluate", "ferries", "--json"]) == 0
    run = json.loads(capsys.readouterr().out.splitlines()[-1])["run"]
    out = tmp_path / "trec"
    assert main(["export-trec", run, "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == f"{out} was written: system-mine.run, nuggets.divqrels."
    assert (out / "system-mine.run").read_text().splitlines() == [
        "t1 Q0 d2 1 1.0 system:mine",
        "t1 Q0 d1 2 0.5 system:mine",
        "t2 Q0 d4 1 1.0 system:mine",
    ]
    assert sorted((out / "nuggets.divqrels").read_text().splitlines()) == ["t1 1 d1 1", "t1 2 d2 1", "t2 1 d4 1"]
    assert f"{out} is not empty: give another folder." in _refused(capsys, "export-trec", run, "--out", str(out))
    assert "no run" in _refused(capsys, "export-trec", "gone", "--out", str(tmp_path / "x"))
