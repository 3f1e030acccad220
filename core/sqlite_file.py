"""An SQLite file that several processes share: how it is opened and how one writes to it.

sqlite-utils' own ``atomic()``, and Python's ``with connection``, issue a plain BEGIN, under which a transaction that
reads before it writes fails with "database is locked" as soon as two processes do so; IMMEDIATE takes the write lock
first and waits for it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: how long a process waits for another one that is writing
BUSY_SECONDS = 60.0


def connect(path: Path) -> sqlite3.Connection:
    """Open or make the file: write-ahead log, synchronous NORMAL, no transactions but explicit ones."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a writing transaction: all of it is stored, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging once; SQLite does not wait by itself while another process does the same."""
    give_up = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)
