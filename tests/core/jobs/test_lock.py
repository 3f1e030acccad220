"""A run is alive while its lock is held, however the holder ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import BusyError
from core.jobs.lock import hold, holder, is_held

ROOT = Path(__file__).resolve().parents[3]
_HOLD = """
import sys, time
from pathlib import Path
from core.jobs.lock import hold
with hold(Path(sys.argv[1]), "run 'x'"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other(tmp_path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "x.lock")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_a_second_holder_is_refused_in_words(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    path = tmp_path / "x.lock"
    assert is_held(path)
    assert holder(path) == other.pid
    with (
        pytest.raises(BusyError, match=rf"run 'x' is being evaluated by another process \(id {other.pid}\)"),
        hold(path, "run 'x'"),
    ):
        pass


def test_kill_frees_the_lock(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    path = tmp_path / "x.lock"
    assert not is_held(path)
    with hold(path, "run 'x'"):
        assert is_held(path)
        assert holder(path) == os.getpid()
    assert not is_held(path)


def test_no_file_is_no_lock(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "none.lock")
    assert holder(tmp_path / "none.lock") is None
