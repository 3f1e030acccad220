"""Whatever is wrong with the input: one clear sentence on standard error, exit 2, nothing half-done."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli import main
from core.datasets.bundled import bundled_path
from core.services.workspace import workspace
from tests.made_once import lend_encodings

ROOT = Path(__file__).resolve().parents[3]
GOOD = {
    "id": "1",
    "question": "What is it?",
    "answer": "A stone.",
    "document_id": "d",
    "context": "It is a stone. It is old.",
}

pytestmark = pytest.mark.usefixtures("home")


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused and return its sentence."""
    try:
        status = main(arguments)
    except SystemExit as leave:
        status = int(leave.code or 0)
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    sentence = captured.err.rstrip("\n")
    assert sentence, "nothing was said"
    assert "\n" not in sentence, f"more than one sentence:\n{sentence}"
    assert "Traceback" not in sentence
    return sentence


def _nothing_stored() -> None:
    _, store = workspace()
    for table in ("datasets", "documents", "questions", "runs", "run_items"):
        assert store.rows(f"SELECT COUNT(*) AS n FROM {table}") == [{"n": 0}], table


def _jsonl(path: Path, *rows: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _empty(folder: Path) -> Path:
    (folder / "empty.jsonl").touch()
    return folder / "empty.jsonl"


def _binary(folder: Path) -> Path:
    (folder / "picture.csv").write_bytes(bytes(range(256)) * 50)
    return folder / "picture.csv"


def _missing_column(folder: Path) -> Path:
    (folder / "columns.csv").write_text("id,question,context\n1,What?,It is.\n", encoding="utf-8")
    return folder / "columns.csv"


def _cut(folder: Path) -> Path:
    path = _jsonl(folder / "cut.jsonl", GOOD, GOOD | {"id": "2"})
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    return path


def _duplicate_ids(folder: Path) -> Path:
    return _jsonl(folder / "twice.jsonl", GOOD, GOOD | {"question": "What else is it?"})


def _empty_answer(folder: Path) -> Path:
    return _jsonl(folder / "answer.jsonl", GOOD, GOOD | {"id": "2", "answer": "  "})


def _missing_document(folder: Path) -> Path:
    folder = folder / "trilens"
    folder.mkdir()
    (folder / "dataset.yaml").write_text("name: broken\n", encoding="utf-8")
    (folder / "documents.jsonl").write_text('{"id": "d1", "text": "A stone."}\n', encoding="utf-8")
    (folder / "questions.jsonl").write_text(
        '{"id": "q1", "question": "What?", "answer": "A stone.", "documents": ["d2"]}\n', encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_empty, "empty"),
        (_binary, "binary"),
        (_missing_column, "answer"),
        (_cut, "line 2"),
        (_duplicate_ids, "line 2"),
        (_empty_answer, "line 2"),
        (_missing_document, "d2"),
    ],
)
@pytest.mark.parametrize("command", ["import", "evaluate"])
def test_files(
    command: str, make: Callable[[Path], Path], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path)
    sentence = _refused(capsys, command, str(path))
    assert says in sentence
    assert path.name in sentence
    _nothing_stored()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--k", "0"], "--k"),
        (["--k", "1000"], "--k"),
        (["--k", "many"], "--k"),
        (["--retrievers", "colbert"], "colbert"),
        (["--retrievers", "knn,,bm25"], "retriever"),
        (["--retrievers", "no.such.module:factory"], "no.such.module"),
        (["--combinations", "a-nine"], "a-nine"),
        (["--retrievers", "knn", "--combinations", "a-two"], "dps"),
        (["--scope", "world"], "world"),
        (["--chunking", "finest"], "finest"),
        (["--chunk-words", "0"], "Chunk size 0"),
        (["--sample", "some"], "--sample"),
        (["--limit", "0"], "--limit"),
        (["--seed", "-1"], "--seed"),
        (["--answerer", "oracle"], "oracle"),
        (["--relations", "guess"], "guess"),
        (["--encoder", "no-such-encoder"], "no-such-encoder"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_options(options: list[str], says: str, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in _refused(capsys, "evaluate", str(small_csv), *options)
    _, store = workspace()
    assert store.rows("SELECT * FROM runs") == []


def test_unknown_format_names_those_that_exist(small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "datamorgana" in _refused(capsys, "import", str(small_csv), "--format", "parquetish")
    _nothing_stored()


def test_unknown_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "nowhere" in _refused(capsys, "evaluate", "nowhere")
    assert "r-1" in _refused(capsys, "score", "r-1")
    assert "r-1" in _refused(capsys, "evaluate", "--resume", "r-1")
    assert "r-1" in _refused(capsys, "stop", "r-1")
    assert "nothing-here" in _refused(capsys, "export", "nothing-here", "--out", str(tmp_path / "out"))
    assert "DATASET" in _refused(capsys, "evaluate")


def test_a_name_taken_by_other_content(small_csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(small_csv), "--name", "mine"]) == 0
    capsys.readouterr()
    other = _jsonl(tmp_path / "other.jsonl", GOOD)
    assert "'mine'" in _refused(capsys, "import", str(other), "--name", "mine")


def test_the_same_file_twice_is_one_dataset(small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(small_csv)]) == 0
    assert main(["import", str(small_csv)]) == 0
    assert "imported before" in capsys.readouterr().out
    _, store = workspace()
    assert store.rows("SELECT name FROM datasets") == [{"name": "marlow"}]


def test_an_edited_file_keeps_the_old_dataset(small_csv: Path) -> None:
    assert main(["import", str(small_csv)]) == 0
    small_csv.write_text(small_csv.read_text(encoding="utf-8").replace("three crowns", "four crowns"), encoding="utf-8")
    assert main(["import", str(small_csv)]) == 0
    _, store = workspace()
    assert {row["name"] for row in store.rows("SELECT name FROM datasets")} == {"marlow", "marlow-2"}


def test_a_newer_store(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, store = workspace()
    store.db.conn.execute("PRAGMA user_version = 999")
    store.close()
    from core.services.workspace import _opened

    _opened.cache_clear()
    assert "newer Trilens" in _refused(capsys, "evaluate", str(small_csv))


def _process(home: Path, *arguments: str, limit: int | None = None) -> subprocess.Popen[str]:
    def restrict() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=ROOT,
        env={**os.environ, "TRILENS_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restrict,
    )


@pytest.mark.slow
@pytest.mark.parametrize("limit", [100_000, 700_000, 1_200_000])
def test_a_full_disk_then_the_same_command_again(home: Path, limit: int, demo_once: Path) -> None:
    sample = (str(bundled_path("trilens-demo")), "--sample", "balanced:6")
    process = _process(home, "evaluate", *sample, limit=limit)
    _, err = process.communicate(timeout=120)
    lines = err.rstrip("\n").splitlines()
    assert process.returncode == 2
    assert "full" in lines[-1]
    assert "Traceback" not in err
    # what was encoded before the disk was full stays, and some of the rest is still to be done
    lend_encodings(demo_once, home, without=12)
    process = _process(home, "evaluate", *sample)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "kNN" in out
    _, store = workspace()
    assert store.rows("SELECT * FROM stage_results WHERE writes > 1") == []


def test_a_library_that_fills_the_disk_is_one_sentence_too(home: Path, small_csv: Path) -> None:
    # language detection unpacks its model into a temporary file
    process = _process(home, "evaluate", str(small_csv), limit=400_000)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.startswith("The disk is full")
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_two_evaluations_of_one_run_at_once(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = _process(home, "evaluate", str(small_csv), "--json")
    assert first.stdout is not None
    assert json.loads(first.stdout.readline())["event"] == "progress"
    first.send_signal(signal.SIGSTOP)
    try:
        assert "another process" in _refused(capsys, "evaluate", str(small_csv))
    finally:
        first.send_signal(signal.SIGCONT)
    first.communicate(timeout=120)
    assert first.returncode == 0


def test_one_word_and_one_relation_are_evaluated_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": "1", "question": "What is it?", "answer": "A stone.", "context": "Stone", "relation": "causal"},
        {
            "id": "2",
            "question": "Is it old?",
            "answer": "Yes, old.",
            "context": "It is old. It is a stone.",
            "relation": "causal",
        },
    ]
    path = _jsonl(tmp_path / "one.jsonl", *rows)
    assert main(["evaluate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "relation" in out
    assert "n/a" in out


def test_stop_then_resume(home: Path, small_csv: Path) -> None:
    process = _process(home, "evaluate", str(small_csv), "--json")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    last = json.loads(out.splitlines()[-1])
    assert last["event"] == "stopped"
    began = time.monotonic()
    assert main(["evaluate", "--resume", last["run"]]) == 0
    assert time.monotonic() - began < 120
