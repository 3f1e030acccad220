"""Opening the store and writing to it: one connection a thread, every write in one ``BEGIN IMMEDIATE``."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from core.errors import FULL_DISK, StoreError
from core.sqlite_file import BUSY_SECONDS, connect, immediate
from core.store.migrations import MIGRATIONS, SCHEMA_VERSION

#: rows a single transaction writes at most, so that no writer waits long for another
BATCH = 1_000
_NETWORK_FILE_SYSTEMS = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "fuse.sshfs",
    "afs",
    "ceph",
    "glusterfs",
    "9p",
    "lustre",
}
_FULL = ("database or disk is full", "disk I/O error")
#: what SQLite says of a file that is damaged, or whose tables are not ours
_NO_STORE = ("not a database", "malformed", "no such table", "no such column", "has no column", "already exists")


class Store:
    """The product's SQLite file. Safe to share between threads; cheap to open in every process."""

    def __init__(self, path: Path) -> None:
        """Open or make the store at ``path`` and bring its schema up to date.

        Raises:
            StoreError: it lies on a network file system, is no store of ours, was written by a newer
                version, or cannot be written.
        """
        self.path = path
        self._local = threading.local()
        _refuse_network_file_system(path)
        with store_errors(path):
            self._migrate()

    @property
    def db(self) -> Database:
        """This thread's connection."""
        db: Database | None = getattr(self._local, "db", None)
        if db is None:
            connection = connect(self.path)
            connection.execute("PRAGMA foreign_keys = ON")
            db = self._local.db = Database(connection)
        return db

    def close(self) -> None:
        """Close this thread's connection, if it has one."""
        db: Database | None = getattr(self._local, "db", None)
        if db is not None:
            db.close()
            self._local.db = None

    @contextmanager
    def write(self) -> Iterator[Database]:
        """Run a writing transaction: all of it is stored, or nothing.

        Raises:
            StoreError: the disk is full or the file cannot be written.
        """
        with store_errors(self.path):
            db = self.db
            with immediate(db.conn):
                yield db

    def rows(self, sql: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> list[dict[str, Any]]:
        """Return the rows of a SELECT as dictionaries."""
        with store_errors(self.path):
            return list(self.db.query(sql, parameters))

    def _migrate(self) -> None:
        version = self._version()
        if version == SCHEMA_VERSION:
            return
        with self.write() as db:
            # another process may have migrated while this one waited for the lock
            version = self._version()
            if version < 0 or (version == 0 and db.table_names()):
                raise StoreError(
                    f"{self.path} is no Trilens store but another database: move it away or set TRILENS_HOME to "
                    "another folder."
                )
            for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
                migration(db)
                db.conn.execute(f"PRAGMA user_version = {number}")

    def _version(self) -> int:
        version = int(self.db.conn.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer Trilens (store version {version}, this one knows "
                f"{SCHEMA_VERSION}): update Trilens or set TRILENS_HOME to another folder."
            )
        return version


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say of ``path`` into one sentence with a way out."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if any(words in text for words in _FULL):
            raise StoreError(
                f"{path} cannot be written because the disk is full ({text}): free some space and run the same "
                "command again; what was stored before is kept."
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise StoreError(
                f"{path} cannot be written ({text}): check its permissions or set TRILENS_HOME."
            ) from error
        if "locked" in text:
            raise StoreError(
                f"{path} has been kept locked by another process for {BUSY_SECONDS:.0f} seconds: "
                "run the same command again when that one is done."
            ) from error
        if any(words in text for words in _NO_STORE):
            raise StoreError(
                f"{path} is damaged or no Trilens store ({text}): move it away or set TRILENS_HOME to another folder."
            ) from error
        raise
    except OSError as error:
        if error.errno in FULL_DISK:
            raise StoreError(
                f"{path.parent} is full ({error.strerror}): free some space and run the same command again; "
                "what was stored before is kept."
            ) from error
        raise


def now() -> str:
    """Return the time as stored: UTC, ISO 8601, milliseconds."""
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def _refuse_network_file_system(path: Path) -> None:
    """SQLite's write-ahead log needs shared memory, which network file systems do not give."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return
    best, kind = "", ""
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split()
        point = fields[1].replace("\\040", " ")
        inside = point == "/" or path.is_relative_to(point)
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    if kind in _NETWORK_FILE_SYSTEMS:
        raise StoreError(
            f"{path.parent} lies on a network file system ({kind}), where SQLite can lose writes: "
            "set TRILENS_HOME to a folder on a local disk."
        )
