"""Worker processes: the browser starts the same command line a person would type."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import OptionError
from core.jobs.lock import holder, is_held
from core.settings import Home

_CHECKOUT = Path(__file__).resolve().parents[2]


def start(home: Home, run_id: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start ``python -m core evaluate …`` in a session of its own; what it prints goes to the run's log."""
    with home.log(run_id).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "core", "evaluate", *arguments],
            cwd=_CHECKOUT,
            env={**os.environ, "TRILENS_HOME": str(home.path)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def is_alive(home: Home, run_id: str) -> bool:
    """Return whether some process is evaluating the run."""
    return is_held(home.lock(run_id))


def stop(home: Home, run_id: str) -> None:
    """Ask the process that evaluates ``run_id`` to stop at the next safe point.

    Raises:
        OptionError: nobody is evaluating it.
    """
    nothing = OptionError(f"run '{run_id}' is not being evaluated, so there is nothing to stop.")
    # in this order: the process id in a lock that nobody holds may be another process's by now
    process = holder(home.lock(run_id)) if is_alive(home, run_id) else None
    if process is None:
        raise nothing
    try:
        os.kill(process, signal.SIGTERM)
    except ProcessLookupError:
        raise nothing from None
