"""A run is alive while somebody holds its lock file; the system frees the lock however the holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.errors import BusyError

_TRIES = 10


@contextmanager
def hold(path: Path, what: str) -> Iterator[None]:
    """Hold the lock at ``path``, with this process's id written in it.

    Raises:
        BusyError: another process holds it.
    """
    with path.open("a+", encoding="ascii") as file:
        _take(file, path, what)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def _take(file: IO[str], path: Path, what: str) -> None:
    """Take the lock; ``is_held`` takes it too for a moment, so a busy lock is tried again before it counts."""
    for attempt in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if attempt == _TRIES - 1:
                raise BusyError(
                    f"{what} is being evaluated by another process (id {holder(path) or 'unknown'}): "
                    "wait for it, or stop it with `.venv/bin/python -m core stop`."
                ) from error
            time.sleep(0.02)


def is_held(path: Path) -> bool:
    """Return whether a living process holds the lock."""
    if not path.exists():
        return False
    with path.open("r", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def holder(path: Path) -> int | None:
    """Return the process id written by the last holder."""
    text = path.read_bytes() if path.exists() else b""
    return int(text) if text.isdigit() else None
