"""What takes long to make and is only read: made once for all workers of a session, copied by whoever changes it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from core.models.cache import VectorCache
from core.settings import Home
from core.sqlite_file import connect, immediate

ROOT = Path(__file__).resolve().parents[1]
_EVALUATIONS = "import json, sys\nfrom core.cli import main\nsys.exit(max(map(main, json.loads(sys.argv[1]))))"


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that whoever needs it first has filled; other workers wait meanwhile."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each worker has a folder of its own in the session's
    made = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            begun = factory.mktemp(name)
            make(begun)
            begun.rename(made)
    return made


def evaluate_all(home: Path, evaluations: Sequence[Sequence[str]]) -> None:
    """Run these ``evaluate`` commands in ``home``, all in one process of their own: its store is closed afterwards."""
    commands = json.dumps([["evaluate", *arguments] for arguments in evaluations])
    done = subprocess.run(
        [sys.executable, "-c", _EVALUATIONS, commands], cwd=ROOT, env={**os.environ, "TRILENS_HOME": str(home)},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def lend_encodings(made: Path, home: Path, *, without: int = 0) -> None:
    """Give ``home`` the encodings that the home ``made`` has and it has not.

    A run that finds them never loads an encoder (six seconds) and spends no time in it (most of a run's). Where
    encoding is what a test is about, it leaves out one in ``without`` of them: every stage has texts to encode then.
    """
    home.mkdir(exist_ok=True)
    mine = VectorCache(Home(home).encodings)
    mine.size()  # makes the file
    mine.close()
    with closing(connect(mine.path)) as connection:
        connection.execute("ATTACH ? AS lent", (str(Home(made).encodings),))
        (table,) = connection.execute("SELECT name FROM lent.sqlite_master WHERE type = 'table'").fetchone()
        some = f"WHERE rowid % {without} > 0" if without else ""
        with immediate(connection):
            connection.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM lent.{table} {some}")
