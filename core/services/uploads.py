"""Files that came through the browser: each in a folder of its own under the home, under a name of ours."""

from __future__ import annotations

import contextlib
import gzip
import re
import secrets
import shutil
import stat
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from core.datasets.importers.trilens import DOCUMENTS_FILE, QUESTIONS_FILE
from core.datasets.importers.trilens_card import CARD_FILE
from core.errors import InputError, OptionError
from core.services.workspace import workspace
from core.store.database import store_errors

#: bytes of an upload, as .streamlit/config.toml allows them, and bytes that a packed one may unpack to
LARGEST, LARGEST_UNPACKED = 512 * 1024 * 1024, 2_000_000_000
#: members of a ZIP archive; a Trilens folder has three files
MOST_MEMBERS = 1_000
#: an upload is kept this long after its last use, so that a refresh or a changed mind loses nothing
KEPT_SECONDS = 24 * 3600
#: one with this file in it holds people's work, not a file that can be chosen again: it is kept longer
REVIEW_FILE = "nuggets.json"
REVIEW_DAYS = 30
#: endings that a reader goes by; any other is forgotten
_ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".xlsx", ".parquet", ".txt")
_FILES = (CARD_FILE, DOCUMENTS_FILE, QUESTIONS_FILE)
#: what an upload is called here: words that no sentence of a reader holds, which says what its owner calls it instead
_SOURCE, _UNPACKED = "uploaded-file", "uploaded-folder"
_BLOCK = 1 << 20
_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)
_LONGEST_NAME = 120
_ELSEWHERE = "import it with the command line, which knows no limit"


class Readable(Protocol):
    """What an upload is read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


def new_folder() -> tuple[str, Path]:
    """Make an empty folder for an upload; return its id (16 hexadecimal digits) and the folder. Old ones are removed.

    Raises:
        StoreError: it cannot be made.
    """
    root = _root()
    clean()
    identifier = secrets.token_hex(8)
    with store_errors(root / identifier):
        (root / identifier).mkdir(parents=True)
    return identifier, root / identifier


def folder_of(identifier: str) -> Path:
    """Return the folder of an upload. Raises OptionError when there is none of that id (any more)."""
    path = _root() / identifier if _ID.fullmatch(identifier) else None
    if path is None or path.is_symlink() or not path.is_dir():
        raise OptionError("This upload is no longer there: uploads are kept for a day, so choose the file again.")
    return path


def remove(identifier: str) -> None:
    """Delete an upload, if it is there."""
    with contextlib.suppress(OptionError):
        shutil.rmtree(folder_of(identifier), ignore_errors=True)


def clean(now: float | None = None) -> None:
    """Delete uploads that nobody has touched for a day, and reviews for a month."""
    now = time.time() if now is None else now
    root = _root()
    for path in root.iterdir() if root.is_dir() else ():
        if not _ID.fullmatch(path.name) or path.is_symlink():
            continue
        kept = REVIEW_DAYS * 24 * 3600 if (path / REVIEW_FILE).exists() else KEPT_SECONDS
        if path.stat().st_mtime < now - kept:
            shutil.rmtree(path, ignore_errors=True)


def reviews() -> list[str]:
    """Return the ids of those that hold a review, the one touched last first."""
    root = _root()
    found = [
        path
        for path in (root.iterdir() if root.is_dir() else ())
        if _ID.fullmatch(path.name) and not path.is_symlink() and (path / REVIEW_FILE).exists()
    ]
    return [path.name for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)]


def keep(stream: Readable, name: str, folder: Path) -> None:
    """Write an upload into ``folder``, a Trilens folder unpacked.

    ``name`` is the browser's; nothing but its endings is used.

    Raises:
        InputError: it is empty, too large, packed too large, or an archive that is no Trilens folder.
        StoreError: the disk is full.
    """
    path = folder / f"{_SOURCE}{_endings(name)}"
    size = 0
    with store_errors(path), path.open("wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > LARGEST:
                raise InputError(f"The file is larger than {LARGEST // 1024**2} MB: {_ELSEWHERE}.")
            file.write(block)
    if size == 0:
        raise InputError("The file is empty: choose another one.")
    with path.open("rb") as file:
        magic = file.read(4)
    if magic[:2] == b"\x1f\x8b":
        _check_gzip(path)
    if magic == b"PK\x03\x04" and not _is_workbook(path):
        with store_errors(path):
            _unpack(path, folder / _UNPACKED)
        path.unlink()


def source_of(identifier: str) -> Path:
    """Return what can be imported of an upload: a file or a Trilens folder. Raises OptionError when it is gone."""
    folder = folder_of(identifier)
    found = [path for path in (folder / _UNPACKED, *sorted(folder.glob(f"{_SOURCE}*"))) if path.exists()]
    if not found:
        raise OptionError("This upload is no longer there: choose the file again.")
    return found[0]


def size_of(source: Path) -> int:
    """Return the bytes of a file, or of the files right in a folder."""
    files = [source] if source.is_file() else [path for path in source.iterdir() if path.is_file()]
    return sum(path.stat().st_size for path in files)


def tidy_name(name: str) -> str:
    """Return a file's name as it can be shown and stored: no folders, printable, at most 120 characters."""
    last = PurePosixPath(name.replace("\\", "/")).name
    shown = "".join(character for character in last if character.isprintable()).strip()
    return shown[-_LONGEST_NAME:].strip() or "upload"


def _root() -> Path:
    home, _ = workspace()
    return home.path / "uploads"


def _endings(name: str) -> str:
    """Return ".csv" or ".csv.gz", the endings by which a reader tells a kind of file; "" for any others."""
    endings = [ending.lower() for ending in PurePosixPath(name.replace("\\", "/")).suffixes]
    packed = ".gz" if endings[-1:] == [".gz"] else ""
    kind = (endings[:-1] if packed else endings)[-1:]
    return (kind[0] if kind and kind[0] in _ENDINGS else "") + packed


def _check_gzip(path: Path) -> None:
    size = 0
    try:
        with gzip.open(path) as unpacked:
            while block := unpacked.read(_BLOCK):
                size += len(block)
                if size > LARGEST_UNPACKED:
                    raise _too_large()
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"The gzip file is damaged or cut short ({error}): get the whole file again.") from None


@contextlib.contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise InputError(f"The ZIP archive cannot be read ({error}): make it again, without a password.") from None


def _is_workbook(path: Path) -> bool:
    with _archive(path) as archive:
        return "[Content_Types].xml" in archive.namelist()


def _unpack(path: Path, folder: Path) -> None:
    """Write the files of a Trilens folder into ``folder``; whatever else the archive holds is not unpacked."""
    with _archive(path) as archive:
        chosen = _members(archive.infolist())
        if sum(member.file_size for member in chosen.values()) > LARGEST_UNPACKED:
            raise _too_large()
        folder.mkdir()
        left = LARGEST_UNPACKED
        for name, member in chosen.items():
            with archive.open(member) as packed, (folder / name).open("wb") as file:
                left -= _copy(packed, file, left)


def _copy(packed: IO[bytes], file: IO[bytes], most: int) -> int:
    """Copy what a member really holds, whatever its header says, and return how many bytes that are."""
    size = 0
    while block := packed.read(_BLOCK):
        size += len(block)
        if size > most:
            raise _too_large()
        file.write(block)
    return size


def _too_large() -> InputError:
    return InputError(f"The file unpacks to more than {LARGEST_UNPACKED:,} bytes: {_ELSEWHERE}.")


def _members(members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the three files of the one folder that holds a questions.jsonl, by name.

    Raises ``InputError`` for an archive with too many members or with any that would not stay below its folder.
    """
    if len(members) > MOST_MEMBERS:
        raise InputError(f"The archive holds {len(members):,} files: a Trilens folder has three, pack those alone.")
    folders: dict[PurePosixPath, dict[str, zipfile.ZipInfo]] = {}
    for member in members:
        path = PurePosixPath(member.filename)
        mode = member.external_attr >> 16
        unusual = stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in member.filename or unusual:
            raise InputError("The archive holds a link or a path that leads out of it: pack the three files alone.")
        if path.name in _FILES and not member.is_dir():
            if path.name in folders.setdefault(path.parent, {}):
                raise InputError(f"The archive holds {path.name} twice: pack the three files alone.")
            folders[path.parent][path.name] = member
    found = [files for files in folders.values() if QUESTIONS_FILE in files]
    if len(found) != 1:
        what = "no" if not found else "more than one"
        raise InputError(
            f"The archive holds {what} {QUESTIONS_FILE}: pack one Trilens folder ({', '.join(_FILES)}), as export does."
        )
    return found[0]
