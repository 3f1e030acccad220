"""Workers: started with the locks of their runs, followed and stopped by their runs' ids, never by a process id."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.cli import main
from core.jobs import worker
from core.jobs.lock import Lock, holder, is_held
from core.services import catalogue
from core.services.workspace import workspace
from core.settings import Home
from core.settings import home as open_home
from tests.made_once import lend_encodings

ROOT = Path(__file__).resolve().parents[3]


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
    assert catalogue.run(run_id).state in ("queued", "running")
    assert main(["evaluate", str(small_csv), "--detach"]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["stop", run_id]) == 0
    _until("stopped", run_id)
    assert main(["evaluate", "--resume", run_id]) == 0
    assert catalogue.run(run_id).state == "done"
    assert main(["evaluate", str(small_csv), "--detach"]) == 0
    assert "complete already" in capsys.readouterr().out


def test_a_detached_run_goes_on_by_itself(home: Path, small_csv: Path, marlow_once: Path) -> None:
    lend_encodings(marlow_once, home)
    assert main(["evaluate", str(small_csv), "--detach", "--retrievers", "bm25", "--combinations", "none"]) == 0
    (run,) = catalogue.runs()
    _until("done", run.id)
    give_up = time.monotonic() + 10
    while worker.is_alive(open_home(), run.id):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_what_a_worker_says_at_its_end_is_passed_on(
    home: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del home
    # the worker finds a store from a newer version: it cannot even begin
    begin = worker.start

    def newer(place: Home, arguments: list[str], locks: dict[str, Lock]) -> subprocess.Popen[bytes]:
        _, store = workspace()
        (version,) = store.db.conn.execute("PRAGMA user_version").fetchone()
        store.db.conn.execute("PRAGMA user_version = 999")
        try:
            return begin(place, arguments, locks)
        finally:
            store.db.conn.execute(f"PRAGMA user_version = {version}")

    monkeypatch.setattr(worker, "start", newer)
    assert main(["evaluate", str(small_csv), "--detach"]) == 2
    assert "newer Trilens" in capsys.readouterr().err
    (run,) = catalogue.runs()
    assert run.state == "failed"
    assert "newer Trilens" in run.message


_WORKER = """
import os, sys, time
from core.jobs.worker import inherited_locks
from core.settings import Home
from pathlib import Path
locks = inherited_locks(Home(Path(sys.argv[1])), sys.argv[2:])
assert "TRILENS_LOCKS" not in os.environ
for lock in locks.values():
    lock.sign()
print(*locks, flush=True)
time.sleep(60)
"""


def test_locks_go_over_to_the_worker_without_a_moment_in_which_they_are_free(home: Path) -> None:
    del home
    place = open_home()
    names = ["a", "b", "c"]
    locks = {name: Lock.take(place.lock(name), name) for name in names}
    seen: list[bool] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            seen.append(all(is_held(place.lock(name)) for name in names))

    watcher = threading.Thread(target=look)
    watcher.start()
    process = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(place.path), *names],
        cwd=ROOT,
        env={**os.environ, "TRILENS_LOCKS": ",".join(str(lock.descriptor) for lock in locks.values())},
        pass_fds=[lock.descriptor for lock in locks.values()],
        stdout=subprocess.PIPE,
        text=True,
    )
    for lock in locks.values():
        lock.close()
    assert process.stdout is not None
    assert process.stdout.readline() == "a b c\n"
    ended.set()
    watcher.join()
    assert seen
    assert all(seen)
    assert {holder(place.lock(name)) for name in names} == {process.pid}
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not any(is_held(place.lock(name)) for name in names)


def test_locks_that_nobody_handed_over_are_not_believed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del home
    place = open_home()
    place.lock("a").touch()
    for claim in ("", "0", "99999", "-1", "x", "0,1,2"):
        monkeypatch.setenv("TRILENS_LOCKS", claim)
        assert worker.inherited_locks(place, ["a"]) == {}
        assert "TRILENS_LOCKS" not in os.environ
