"""Is there something at a path that can be read from its beginning, and more than once?"""

from __future__ import annotations

import stat
from pathlib import Path

from core.errors import InputError


def check_source(path: Path) -> None:
    """Raise ``InputError`` unless ``path`` is a file or a folder that can be reached.

    A pipe or a device is refused: a source is read more than once, and a pipe that nobody writes to waits for ever.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{path} does not exist: give the path of a file or folder, or the name of a stored dataset."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): check the path and its permissions.") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path} is a pipe or a device and no file: save what it gives to a file first.")


def text_name(path: Path) -> str:
    """Return a file's name as text that can be stored: bytes of it that are no UTF-8 become question marks."""
    return path.name.encode("utf-8", "replace").decode("utf-8")
