"""A run is alive while somebody holds its lock file; the system frees the lock however the holder dies.

A lock belongs to an open file, not to a process: whoever starts a worker takes the locks of its runs and hands the
open files on, so that there is no moment in which such a run is held by nobody.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from core.errors import BusyError

_TRIES = 10


class Lock:
    """A lock that is held. It is free again when the last process that has its file open has closed it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    @classmethod
    def take(cls, path: Path, what: str) -> Self:
        """Take the lock at ``path``; its holder is unknown until it is signed.

        Raises:
            BusyError: somebody holds it.
        """
        file = path.open("a+", encoding="ascii")
        try:
            _take(file, path, what)
            file.truncate(0)
        except BaseException:
            file.close()
            raise
        return cls(file)

    @classmethod
    def inherited(cls, descriptor: int, path: Path) -> Self | None:
        """Return the lock at ``path`` that the starting process left open as ``descriptor``, None if it is no such."""
        try:
            same = os.path.samestat(os.fstat(descriptor), path.stat())
        except OSError:
            return None
        if not same:
            return None
        os.set_inheritable(descriptor, False)
        return cls(os.fdopen(descriptor, "a+", encoding="ascii"))

    @property
    def descriptor(self) -> int:
        """The open file, to be handed to a worker."""
        return self._file.fileno()

    def sign(self) -> None:
        """Write this process's id into the file."""
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def close(self) -> None:
        """Free the lock, unless another process has been handed it. May be called twice."""
        self._file.close()


@contextmanager
def hold(path: Path, what: str) -> Iterator[None]:
    """Hold the lock at ``path``, with this process's id written in it.

    Raises:
        BusyError: another process holds it.
    """
    lock = Lock.take(path, what)
    try:
        lock.sign()
        yield
    finally:
        lock.close()


@contextmanager
def gate(path: Path, busy: str, *, alone: bool) -> Iterator[None]:
    """Hold the lock at ``path`` with whoever else holds it so, or ``alone``.

    Raises:
        BusyError: somebody holds it alone, or at all where it is wanted alone; ``busy`` is the message.
    """
    mode = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    with path.open("a", encoding="ascii") as file:
        for attempt in range(_TRIES):
            try:
                fcntl.flock(file, mode | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if attempt == _TRIES - 1:
                    raise BusyError(busy) from error
                time.sleep(0.02)
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
