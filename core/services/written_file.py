"""A file that is written whole or not at all: to a temporary one beside the target, then in one step into place."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.errors import InputError
from core.store.database import store_errors


@contextmanager
def written_file(path: Path) -> Iterator[IO[str]]:
    """Give a text file (UTF-8) to write to, which takes the place of ``path`` when the context ends without an error.

    Raises:
        InputError: the target is a folder or a device, or its folder does not exist or cannot be written.
        StoreError: the disk is full; what was at ``path`` before is still there.
    """
    try:
        target = _target(path)
        with (
            store_errors(target),
            tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=target.parent, delete=False) as file,
        ):
            temporary = Path(file.name)
            try:
                yield file
                file.close()
                temporary.chmod(0o644)
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be written ({reason}): choose another --out.") from error


def _target(path: Path) -> Path:
    """Return the file that is meant, behind links; refuse what a file that takes its place would destroy."""
    target = path.resolve()
    if not target.parent.is_dir():
        raise InputError(f"{path.parent} is no folder: make it first or choose another --out.")
    if target.is_dir():
        raise InputError(f"{path} is a folder: give --out the name of a file.")
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is a device or a pipe: give --out the name of a file.")
    return target
