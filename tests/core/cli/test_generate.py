"""The command ``generate`` in processes of its own: the local model for real, a worker that is killed, bad input."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import BusyError
from core.services.generating import register
from core.services.generating_run import generation, generations, start, stop
from tests.core.generation.marlow import folder_of, prepared
from tests.core.models.test_local_llm import needs_model
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.questions import behaves
from tests.endpoints.server import MisbehavingServer

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer(answer=behaves) as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, concurrency=1)
        yield found


def _events(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.slow
@needs_model
def test_ten_attempts_of_the_local_model_add_up(home, tmp_path, capsys):
    source = str(folder_of(tmp_path))
    status = main(
        ["generate", source, "--draw", "QC:coarse", "--questions", "10", "--attempts", "1", "--pairs", "1",
         "--endpoint", "local", "--json", "--review"]
    )  # fmt: skip
    end = _events(capsys)[-1]
    assert end["event"] == "done"
    assert end["cost"]["calls"] == 10
    # each attempt gave pairs or a reason why there is none
    assert end["produced"] >= 10
    assert end["accepted"] + sum(end["rejected"].values()) == end["produced"]
    assert status == (0 if end["accepted"] == 10 else 1)


def test_a_set_is_generated_saved_written_and_imported_again(server, tmp_path, capsys):
    source, out = str(folder_of(tmp_path)), tmp_path / "out.jsonl"
    choices = [source, "--set", "QC:coarse", "--user", "user_expertise", "--per-category", "2", "--endpoint", "test"]
    assert main(["generate", *choices, "--estimate", "--json"]) == 0
    assert _events(capsys)[0]["calls"][0] == 4
    assert server.requests == []
    assert main(["generate", *choices, "--name", "mine", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "4 of 4 questions accepted" in said
    assert "Distinct n-grams" in said
    assert "Saved as dataset 'mine'" in said
    assert main(["import", str(out), "--name", "again"]) == 0
    assert main(["generate", "--list"]) == 0
    assert "saved as mine" in capsys.readouterr().out
    # the same again: nothing is sent
    asked = len(server.requests)
    assert main(["generate", *choices, "--name", "mine"]) == 0
    assert len(server.requests) == asked


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_that_was_accepted(server, home, tmp_path):
    server.latency = 0.3
    source = str(folder_of(tmp_path))
    command = [sys.executable, "-m", "core", "generate", source, "--set", "QC:medium", "--per-category", "4",
               "--endpoint", "test", "--name", "mine"]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stdout=subprocess.DEVNULL) as process:
        _wait(lambda: _accepted(home))
        process.send_signal(signal.SIGKILL)
    before = _accepted(home)
    server.latency = 0.0
    assert main(["generate", source, "--set", "QC:medium", "--per-category", "4", "--endpoint", "test"]) in (0, 1)
    after = _accepted(home)
    assert before.items() <= after.items()
    assert len(after) > len(before)
    # nothing that had come back was asked for again: one call was under way when it was killed
    (found,) = generations()
    assert len(server.requests) <= found.cost["calls"] + 1


@pytest.mark.slow
def test_a_worker_is_stopped_and_started_again(server, home, tmp_path):
    server.latency = 0.3
    identifier = register(prepared(folder_of(tmp_path), sets=("QC:medium",), per_category=4))
    start(identifier)
    with pytest.raises(BusyError, match="being generated"):
        start(identifier)
    _wait(lambda: _accepted(home))
    stop(identifier)
    _wait(lambda: generation(identifier).state == "stopped")
    before = _accepted(home)
    assert 0 < len(before) < 16
    server.latency = 0.0
    start(identifier)
    _wait(lambda: generation(identifier).state == "done")
    assert before.items() <= _accepted(home).items()


def _wait(found: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _accepted(home: Path) -> dict[str, str]:
    path = home / "trilens.db"
    if not path.exists():
        return {}
    try:
        with sqlite3.connect(path) as connection:
            return dict(connection.execute("SELECT slot, question FROM generated_pairs WHERE reason = ''"))
    except sqlite3.OperationalError:
        # the worker has not made the table yet
        return {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give one of SOURCE"),
        (["nowhere", "--set", "QC:coarse", "--endpoint", "test"], "does not exist"),
        (["EMPTY", "--set", "QC:coarse", "--endpoint", "test"], "no document to ask about"),
        (["DOCUMENTS", "--set", "QC:deep", "--endpoint", "test"], "no level"),
        (["DOCUMENTS", "--set", "QC:coarse"], "--endpoint"),
        (["DOCUMENTS", "--endpoint", "test"], "nothing says what to ask"),
        (["DOCUMENTS", "--set", "QC:coarse", "--endpoint", "other"], "the settings do not name"),
        (["--resume", "set-0000000000"], "No question set"),
        (["--stop", "set-0000000000"], "No question set"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(server, tmp_path, capsys, arguments, words):
    (tmp_path / "empty").mkdir()
    places = {"DOCUMENTS": str(folder_of(tmp_path)), "EMPTY": str(tmp_path / "empty")}
    assert main(["generate", *(places.get(one, one) for one in arguments)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert words in said[0]
