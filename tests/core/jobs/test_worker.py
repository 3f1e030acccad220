"""Workers: started, followed and stopped by the lock they hold, never by a process id alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.cli import main
from core.errors import OptionError
from core.jobs import worker
from core.services import catalogue
from core.services.workspace import workspace
from core.settings import Home
from core.settings import home as open_home

ROOT = Path(__file__).resolve().parents[3]
_HOLD = """
import sys, time
from pathlib import Path
from core.jobs.lock import hold
with hold(Path(sys.argv[1]), "run 'x'"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_holder_is_asked_to_stop(home: Path) -> None:
    del home
    place = open_home()
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(place.lock("x"))], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    worker.stop(place, "x")
    assert process.wait(timeout=10) == -signal.SIGTERM
    with pytest.raises(OptionError, match="nothing to stop"):
        worker.stop(place, "x")


def test_a_worker_that_ends_meanwhile_is_nothing_to_stop(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del home
    place = open_home()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    place.lock("x").write_text(str(ended.pid), encoding="ascii")
    monkeypatch.setattr(worker, "is_alive", lambda *place: bool(place))
    with pytest.raises(OptionError, match="nothing to stop"):
        worker.stop(place, "x")


def _until(state: str, run_id: str) -> None:
    give_up = time.monotonic() + 120
    while catalogue.run(run_id).state != state:
        assert time.monotonic() < give_up, catalogue.run(run_id)
        time.sleep(0.1)


def test_a_detached_run_is_followed_stopped_and_resumed(
    home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    assert main(["evaluate", str(small_csv), "--detach", "--json"]) == 0
    started = json.loads(capsys.readouterr().out)
    assert started["event"] == "started"
    run_id = started["run"]
    assert catalogue.run(run_id).state == "running"
    assert main(["evaluate", str(small_csv), "--detach"]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["stop", run_id]) == 0
    _until("stopped", run_id)
    assert main(["evaluate", "--resume", run_id]) == 0
    assert catalogue.run(run_id).state == "done"
    assert main(["evaluate", str(small_csv), "--detach"]) == 0
    assert "complete already" in capsys.readouterr().out


def test_a_detached_run_goes_on_by_itself(home: Path, small_csv: Path) -> None:
    del home
    assert main(["evaluate", str(small_csv), "--detach", "--retrievers", "bm25", "--combinations", "none"]) == 0
    (run,) = catalogue.runs()
    _until("done", run.id)
    assert worker.is_alive(open_home(), run.id) is False


def test_what_a_worker_says_at_its_end_is_passed_on(
    home: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    # the worker finds a store from a newer version: it cannot even begin
    begin = worker.start

    def newer(place: Home, run_id: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        _, store = workspace()
        store.db.conn.execute("PRAGMA user_version = 999")
        return begin(place, run_id, arguments)

    monkeypatch.setattr(worker, "start", newer)
    assert main(["evaluate", str(small_csv), "--detach"]) == 2
    assert "newer Trilens" in capsys.readouterr().err
