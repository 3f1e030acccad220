"""Worker processes: the browser starts the same command line a person would type."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import TrilensError
from core.jobs.lock import Lock, holder, is_held
from core.settings import Home

_CHECKOUT = Path(__file__).resolve().parents[2]
#: where a worker finds the open lock files of its runs, in the order of its runs
_LOCKS = "TRILENS_LOCKS"


def start(
    home: Home, arguments: Sequence[str], locks: Mapping[str, Lock], *, command: str = "evaluate"
) -> subprocess.Popen[bytes]:
    """Start ``python -m core evaluate …`` (or another ``command``) in a session of its own; hand it its runs' locks.

    What it prints goes to the first run's log. Return it when it has taken the locks over.

    Raises:
        TrilensError: it ended before; the message is the last it said.
    """
    first = next(iter(locks))
    with home.log(first).open("ab") as log:
        before = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-m", "core", command, *arguments],
            cwd=_CHECKOUT,
            env={
                **os.environ,
                "TRILENS_HOME": str(home.path),
                _LOCKS: ",".join(str(lock.descriptor) for lock in locks.values()),
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=[lock.descriptor for lock in locks.values()],
        )
    while holder(home.lock(first)) is None:
        if process.poll() is not None:
            said = home.log(first).read_bytes()[before:].decode("utf-8", "replace").splitlines()
            raise TrilensError(said[-1] if said else f"the worker of run '{first}' ended without a word.")
        time.sleep(0.05)
    return process


def inherited_locks(home: Home, run_ids: Sequence[str]) -> dict[str, Lock]:
    """Return the locks that whoever started this process has handed to it, by run; {} when nobody did."""
    descriptors = os.environ.pop(_LOCKS, "").split(",")
    found: dict[str, Lock] = {}
    for run_id, descriptor in zip(run_ids, descriptors, strict=False):
        lock = Lock.inherited(int(descriptor), home.lock(run_id)) if descriptor.isdigit() else None
        if lock:
            found[run_id] = lock
    return found


def is_alive(home: Home, run_id: str) -> bool:
    """Return whether some process is evaluating the run or keeps it in its queue."""
    return is_held(home.lock(run_id))
