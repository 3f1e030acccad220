"""Stopping a worker: by the lock it holds, never by a process id alone."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import OptionError
from core.jobs import worker
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
