"""Use cases *backup* and *restore*: a copy of the living store, and back again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError, OptionError
from core.services.at_rest import at_rest
from core.services.workspace import workspace
from core.store.copying import check_copy, copy_store, replace_content
from core.store.database import now

_NAME = re.compile(r"trilens-[0-9T.-]{10,40}(?:-before-restore)?\.db")


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy in the home's backup folder; ``size`` in bytes."""

    name: str
    made: str
    size: int


def backup(path: Path) -> None:
    """Write a copy of the store to ``path``.

    Raises:
        InputError: the path exists, or its folder does not.
        StoreError: the disk is full or the folder cannot be written.
    """
    _, store = workspace()
    if path.exists():
        raise InputError(f"{path} exists already: choose another name.")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder: make it first.")
    copy_store(store, path)


def restore(path: Path) -> Path:
    """Put a copy in the place of the store; return where the store as it was before has been kept.

    Raises:
        InputError: the copy cannot be used; nothing was changed.
        BusyError: a run is being evaluated.
    """
    home, store = workspace()
    check_copy(path)
    with at_rest("restore"):
        home.backups.mkdir(exist_ok=True)
        kept = home.backups / _new_name("-before-restore")
        copy_store(store, kept)
        replace_content(store, path)
    return kept


def make_backup() -> Backup:
    """Write a copy into the home's backup folder, under a name with the time."""
    home, store = workspace()
    home.backups.mkdir(exist_ok=True)
    path = home.backups / _new_name()
    copy_store(store, path)
    return _described(path)


def backups() -> list[Backup]:
    """Return the copies in the home's backup folder, newest first."""
    home, _ = workspace()
    found = [path for path in home.backups.glob("*.db") if _NAME.fullmatch(path.name)]
    return sorted((_described(path) for path in found), key=lambda one: one.name, reverse=True)


def backup_file(name: str) -> Path:
    """Return the path of a copy that a browser chose.

    Raises:
        OptionError: there is none of that name in the backup folder.
    """
    home, _ = workspace()
    path = home.backups / name
    if not _NAME.fullmatch(name) or not path.is_file():
        raise OptionError(f"There is no backup '{name[:80]}': choose one of those listed.")
    return path


def delete_backup(name: str) -> None:
    """Delete a copy from the home's backup folder.

    Raises:
        OptionError: there is none of that name.
    """
    backup_file(name).unlink(missing_ok=True)


def _new_name(end: str = "") -> str:
    return f"trilens-{now().replace(':', '-').removesuffix('Z')}{end}.db"


def _described(path: Path) -> Backup:
    made = path.name.removeprefix("trilens-")[:19]
    return Backup(path.name, f"{made[:10]} {made[11:].replace('-', ':')}", path.stat().st_size)
