"""Files on the server that a browser may import: those under a folder that the settings name, and no others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers import looks_importable
from core.datasets.importers.trilens import trilens_folder
from core.errors import OptionError
from core.settings import trilens_settings

#: entries listed at most, and how deep folders are looked into: a root is a shelf of files, not a disk
MOST, DEEPEST = 500, 4
#: entries of a root looked at most, offered or not: the page waits for it
MOST_VISITED = 20_000


@dataclass(frozen=True, slots=True)
class Offered:
    """A file (or a Trilens folder) under an import root; ``path`` is relative to the root, with "/" between parts."""

    root: str
    path: str
    size: int


def offered_files(fits: Callable[[Path], bool] = looks_importable) -> list[Offered]:
    """Return what can be imported from the server, by root and path, at most ``MOST`` entries.

    ``fits`` tells by a file's name whether it is offered.

    Hidden files and links are left out, and whatever lies beyond the first ``MOST_VISITED`` entries of a root.

    Raises:
        InputError: the settings file cannot be used.
    """
    found: list[Offered] = []
    for name, root in sorted(trilens_settings().import_roots.items()):
        for path in _under(root, DEEPEST, iter(range(MOST_VISITED)), fits):
            found.append(Offered(name, path.relative_to(root).as_posix(), _size(path)))
            if len(found) == MOST:
                return found
    return found


def root_file(root: str, path: str) -> Path:
    """Return the file that a browser chose.

    Raises:
        OptionError: no such root or file, or one that does not lie under the root.
        InputError: the settings file cannot be used.
    """
    roots = trilens_settings().import_roots
    if root not in roots:
        raise OptionError(f"There is no import root '{root[:80]}': the settings name {', '.join(roots) or 'none'}.")
    folder = roots[root]
    try:
        chosen = (folder / path).resolve()
        usable = chosen.is_relative_to(folder) and chosen != folder and chosen.exists()
    except (OSError, ValueError, RuntimeError):  # a null byte, a name that is too long, links in a circle
        usable = False
    if not usable:
        raise OptionError(f"'{path[:200]}' is no file under the import root '{root}': choose one of those listed.")
    return chosen


def _under(folder: Path, depth: int, visits: Iterator[int], fits: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield what can be imported, until ``visits``, one for each entry looked at, are used up."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted((entry for entry, _ in zip(listed, visits, strict=False)), key=lambda entry: entry.name)
    except OSError:  # not there, or not ours to read: nothing to offer
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if path.is_dir():
            if trilens_folder(path):
                yield path
            elif depth > 1:
                yield from _under(path, depth - 1, visits, fits)
        elif fits(path):
            yield path


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [one for one in path.iterdir() if one.is_file()]
    return sum(one.stat().st_size for one in files)
