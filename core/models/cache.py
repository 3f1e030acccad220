"""Vectors on disk, so that a text is encoded once for all runs, whoever asks first.

One SQLite file that several processes share: write-ahead log, one connection a thread, every write in one
``BEGIN IMMEDIATE``. Rows carry a checksum; a damaged row counts as missing and is computed again.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import StoreError
from core.sqlite_file import connect, immediate

#: rows a transaction writes, or a SELECT asks for, at most
_BATCH = 500
#: the name carries the layout's version: a later layout takes a new name and leaves this table alone
_TABLE = "vectors_1"
_SCHEMA = f"""CREATE TABLE IF NOT EXISTS {_TABLE} (
    model TEXT NOT NULL, text BLOB NOT NULL, tokens INTEGER NOT NULL, unknown INTEGER NOT NULL,
    truncated INTEGER NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (model, text))"""


@dataclass(frozen=True, slots=True)
class CachedVector:
    """A pooled embedding (d,) float32 with what is known of its text.

    ``tokens`` counts the whole text's tokens without special ones, ``unknown`` those the encoder has no word piece
    for; ``truncated`` says that the vector stands for the beginning of the text only.
    """

    vector: NDArray[np.float32]
    tokens: int
    unknown: int
    truncated: bool


class VectorCache:
    """Vectors by (model key, text). Safe to share between threads and between processes."""

    def __init__(self, path: Path) -> None:
        """Remember where the file is; it is opened, and made, at the first use."""
        self.path = path
        self._local = threading.local()

    def get(self, model: str, texts: Sequence[str]) -> dict[str, CachedVector]:
        """Return those of ``texts`` that are stored undamaged, by text.

        Raises:
            StoreError: the file cannot be read or is no SQLite file.
        """
        by_hash = {_hash(text): text for text in texts}
        hashes = list(by_hash)
        found: dict[str, CachedVector] = {}
        with self._connection() as connection:
            for start in range(0, len(hashes), _BATCH):
                some = hashes[start : start + _BATCH]
                marks = ",".join("?" * len(some))
                for row in connection.execute(
                    f"SELECT text, tokens, unknown, truncated, vector, checksum FROM {_TABLE} "
                    f"WHERE model = ? AND text IN ({marks})",
                    (model, *some),
                ):
                    cached = _undamaged(*row[1:])
                    if cached is not None:
                        found[by_hash[row[0]]] = cached
        return found

    def count(self, model: str, texts: Sequence[str]) -> int:
        """Return how many of the distinct ``texts`` are stored, without reading their vectors.

        Raises:
            StoreError: the file cannot be read or is no SQLite file.
        """
        hashes = list({_hash(text) for text in texts})
        found = 0
        with self._connection() as connection:
            for start in range(0, len(hashes), _BATCH):
                some = hashes[start : start + _BATCH]
                marks = ",".join("?" * len(some))
                sql = f"SELECT count(*) FROM {_TABLE} WHERE model = ? AND text IN ({marks})"
                found += int(connection.execute(sql, (model, *some)).fetchone()[0])
        return found

    def put(self, model: str, items: Mapping[str, CachedVector]) -> None:
        """Store vectors; one stored before under the same text is replaced (it may have been damaged).

        Raises:
            StoreError: the disk is full or the file cannot be written; what was stored before is kept.
        """
        rows = [
            (model, _hash(text), item.tokens, item.unknown, int(item.truncated), blob, _checksum(item, blob))
            for text, item in items.items()
            for blob in (np.ascontiguousarray(item.vector, dtype="<f4").tobytes(),)
        ]
        with self._connection() as connection:
            for start in range(0, len(rows), _BATCH):
                with immediate(connection):
                    connection.executemany(
                        f"INSERT INTO {_TABLE} (model, text, tokens, unknown, truncated, vector, checksum) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (model, text) DO UPDATE SET "
                        "tokens = excluded.tokens, unknown = excluded.unknown, truncated = excluded.truncated, "
                        "vector = excluded.vector, checksum = excluded.checksum",
                        rows[start : start + _BATCH],
                    )

    def size(self) -> tuple[int, int]:
        """Return (stored texts, bytes on disk)."""
        with self._connection() as connection:
            rows = int(connection.execute(f"SELECT count(*) FROM {_TABLE}").fetchone()[0])
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return rows, sum(file.stat().st_size for file in files if file.exists())

    def clear(self) -> None:
        """Forget everything and give the space back."""
        with self._connection() as connection:
            with immediate(connection):
                connection.execute(f"DELETE FROM {_TABLE}")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close this thread's connection, if it has one."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._local.process == os.getpid():
            connection.close()
        self._local.connection = None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection. A forked child opens its own: SQLite files do not survive a fork."""
        with _in_words(self.path):
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None or self._local.process != os.getpid():
                connection = _open(self.path)
                self._local.connection, self._local.process = connection, os.getpid()
            yield connection


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = connect(path)
    try:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_TABLE,)).fetchone():
            with immediate(connection):
                connection.execute(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into one sentence with a way out."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        text = str(error)
        if "full" in text or "disk I/O error" in text or "No space" in text or "too large" in text:
            cause = "the disk is full or its limit is reached"
            remedy = "free some space and run the same command again; what was stored before is kept"
        elif "not a database" in text or "malformed" in text or "no such column" in text:
            cause, remedy = "it is damaged", "delete it, the vectors are computed again"
        elif "locked" in text:
            cause, remedy = "another process has been writing to it for a minute", "try again when that one is done"
        else:
            cause, remedy = "it cannot be opened or written", "check its permissions or set TRILENS_HOME"
        raise StoreError(f"The cache of text vectors {path} failed because {cause} ({text}): {remedy}.") from error


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(item: CachedVector, blob: bytes) -> int:
    return zlib.crc32(struct.pack("<qq?", item.tokens, item.unknown, item.truncated), zlib.crc32(blob))


def _undamaged(
    tokens: object, unknown: object, truncated: object, blob: object, checksum: object
) -> CachedVector | None:
    """Return the row as a vector, or None where its checksum does not hold."""
    if not (isinstance(tokens, int) and isinstance(unknown, int) and isinstance(blob, bytes)) or len(blob) % 4:
        return None
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    cached = CachedVector(vector, tokens, unknown, bool(truncated))
    return cached if _checksum(cached, blob) == checksum else None
