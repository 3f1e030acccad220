"""Copying a living store: SQLite's own online backup, so that readers and writers go on meanwhile."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from core.errors import InputError, StoreError
from core.sqlite_file import BUSY_SECONDS
from core.store.database import Store, store_errors
from core.store.migrations import SCHEMA_VERSION

#: tables that a store of the oldest version holds
_TABLES = frozenset({"datasets", "documents", "questions"})


def copy_store(store: Store, path: Path) -> None:
    """Write a copy of the store to ``path``, which must not exist: all of it or nothing.

    Raises:
        StoreError: the disk is full or the folder cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with store_errors(path):
            with closing(sqlite3.connect(unfinished)) as target:
                store.db.conn.backup(target)
                # a single file that can be carried away: no log beside it
                target.execute("PRAGMA journal_mode = DELETE")
            # os.link refuses an existing target, where a rename would replace it
            os.link(unfinished, path)
    except FileExistsError:
        raise StoreError(f"{path} exists already: choose another name.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def check_copy(path: Path) -> int:
    """Return the schema version of a file that ``copy_store`` wrote.

    Raises:
        InputError: it is missing, damaged, no Trilens store, or was written by a newer version.
    """
    if not path.is_file():
        raise InputError(f"{path} is no file: name one that `backup` wrote.")
    try:
        with closing(sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)) as source:
            version = int(source.execute("PRAGMA user_version").fetchone()[0])
            tables = {row[0] for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            sound = source.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path} is damaged or no Trilens store ({error}): the store was left as it is.") from error
    if not version or not tables >= _TABLES:
        raise InputError(f"{path} is no Trilens store but another database: the store was left as it is.")
    if version > SCHEMA_VERSION:
        raise InputError(
            f"{path} was written by a newer Trilens (store version {version}, this one knows {SCHEMA_VERSION}): "
            "update Trilens first; the store was left as it is."
        )
    if sound != "ok":
        raise InputError(f"{path} is damaged ({sound}): the store was left as it is.")
    return version


def replace_content(store: Store, path: Path) -> None:
    """Put the content of the copy at ``path`` in the place of the store's, in one transaction.

    Whoever has the store open sees the new content from then on.

    Raises:
        InputError: the copy cannot be used.
        StoreError: the store cannot be written.
    """
    check_copy(path)
    with (
        store_errors(store.path),
        closing(sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(store.path, timeout=BUSY_SECONDS)) as target,
    ):
        source.backup(target)
    # an older copy is brought up to date, and the write-ahead log is switched on again
    Store(store.path).close()


def _quoted(path: Path) -> str:
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
