"""What every import on its way shares: its file, its choices kept as JSON beside it, sentences that name neither."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from core.errors import OptionError, TrilensError
from core.services import uploads
from core.services.roots import root_file
from core.store.database import store_errors

#: skipped rows listed in a report at most
MOST_SKIPPED = 100

Made = TypeVar("Made")


class OnItsWay(Protocol):
    """An import: ``called`` is its file's name as its owner knows it; an upload has neither ``root`` nor ``path``."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def called(self) -> str: ...  # noqa: D102
    @property
    def root(self) -> str: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102


def save_json(identifier: str, name: str, values: Mapping[str, Any]) -> None:
    """Write values beside an upload, whole or not at all.

    Raises:
        OptionError: its folder is no longer there.
        StoreError: the disk is full.
    """
    folder = uploads.folder_of(identifier)
    with store_errors(folder / name):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, suffix=".json", delete=False) as file:
            json.dump(values, file, ensure_ascii=False)
        Path(file.name).replace(folder / name)
        os.utime(folder)  # its last use: it is kept for a day from now


def load_json(identifier: str, name: str, made: Callable[[dict[str, Any]], Made]) -> Made:
    """Return what ``made`` makes of the values beside an upload.

    Raises:
        OptionError: there are none of that id (any more), or none that ``made`` can use.
    """
    path = uploads.folder_of(identifier) / name
    try:
        return made(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError):
        raise OptionError("This upload cannot be continued: choose the file again.") from None


@contextlib.contextmanager
def kept(identifier: str) -> Iterator[None]:
    """Delete the upload unless all goes well."""
    try:
        yield
    except BaseException:
        uploads.remove(identifier)
        raise


def source_of(found: OnItsWay) -> Path:
    """Return where the file lies. Raises OptionError when it is gone."""
    return root_file(found.root, found.path) if found.root else uploads.source_of(found.id)


def said(found: OnItsWay, sentence: str) -> str:
    """Return a reader's sentence with the file called as its owner calls it, not where it lies on the server."""
    with contextlib.suppress(TrilensError):
        source = source_of(found)
        sentence = sentence.replace(str(source), found.called).replace(source.name, found.called)
    return sentence


@contextlib.contextmanager
def in_its_owners_words(found: OnItsWay) -> Iterator[None]:
    """Raise what a reader raises with the file called as its owner calls it."""
    try:
        yield
    except TrilensError as problem:
        raise type(problem)(said(found, str(problem))) from problem
