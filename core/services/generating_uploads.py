"""Documents and config files that came through the browser: kept for a day, so that a refresh loses nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from core.datasets.source_texts import ENDINGS, read_texts
from core.errors import InputError, OptionError
from core.services import uploads
from core.services.generating import Sources
from core.store.database import store_errors

_NAMES, _CONFIG = "names.json", "config.txt"
_MOST_FILES = 500
_BLOCK = 1 << 20


def keep_documents(files: Sequence[tuple[str, uploads.Readable]]) -> str:
    """Store uploaded documents, (name, stream) each, and return their id; names are used for their endings alone.

    Raises:
        InputError: too many or too large, or of a kind that cannot be read.
        StoreError: the disk is full.
    """
    if len(files) > _MOST_FILES:
        raise InputError(f"These are {len(files):,} files: upload at most {_MOST_FILES}, or use the command line.")
    identifier, folder = uploads.new_folder()
    names: dict[str, str] = {}
    left = uploads.LARGEST
    with store_errors(folder):
        for number, (name, stream) in enumerate(files):
            shown = uploads.tidy_name(name)
            ending = PurePosixPath(shown).suffix.lower()
            if ending not in ENDINGS:
                raise InputError(f"'{shown}' cannot be read: choose files that end in {', '.join(ENDINGS)}.")
            stored = f"{number:04d}{ending}"
            left -= _copied(stream, folder / stored, left)
            names[stored] = shown
        (folder / _NAMES).write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")
    return identifier


def uploaded_sources(identifier: str) -> Sources:
    """Return uploaded documents.

    Raises:
        OptionError: there are none of that id (any more).
        InputError: none of them can be read.
    """
    folder = uploads.folder_of(identifier)
    if not (folder / _NAMES).exists():
        raise OptionError("This upload holds no documents: choose the files again.")
    names: dict[str, str] = json.loads((folder / _NAMES).read_text(encoding="utf-8"))
    called = _distinct(names)
    read = read_texts([folder / stored for stored in names], lambda path: called[path.name])
    title = PurePosixPath(next(iter(names.values()))).stem if len(names) == 1 else f"{len(names)} uploaded files"
    return Sources(title, read.documents, read.left_out)


def keep_config(name: str, stream: uploads.Readable) -> str:
    """Store an uploaded config file and return its id. Raises as ``keep_documents`` does."""
    identifier, folder = uploads.new_folder()
    with store_errors(folder):
        _copied(stream, folder / _CONFIG, 2_000_000)
        (folder / _NAMES).write_text(json.dumps({_CONFIG: uploads.tidy_name(name)}), encoding="utf-8")
    return identifier


def uploaded_config(identifier: str) -> tuple[Path, str]:
    """Return where an uploaded config file lies, and what its owner calls it. Raises OptionError when it is gone."""
    folder = uploads.folder_of(identifier)
    if not (folder / _CONFIG).exists():
        raise OptionError("This config file is no longer there: choose it again.")
    names: dict[str, str] = json.loads((folder / _NAMES).read_text(encoding="utf-8"))
    return folder / _CONFIG, names[_CONFIG]


def _copied(stream: uploads.Readable, path: Path, most: int) -> int:
    size = 0
    with path.open("wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > most:
                raise InputError(f"The files are larger than {most / 1e6:,.0f} MB together: use the command line.")
            file.write(block)
    return size


def _distinct(names: dict[str, str]) -> dict[str, str]:
    """Two files of one name are told apart by a number."""
    called: dict[str, str] = {}
    for stored, name in names.items():
        path = PurePosixPath(name)
        number = 2
        while name in called.values():
            name, number = f"{path.stem}-{number}{path.suffix}", number + 1
        called[stored] = name
    return called
