"""The datasets that ship with the product, each a Trilens folder beside this file."""

from __future__ import annotations

from pathlib import Path

from core.errors import OptionError

_HERE = Path(__file__).parent


def bundled_names() -> tuple[str, ...]:
    """Return the names of the bundled datasets: those of their folders, in alphabetical order."""
    return tuple(sorted(path.parent.name for path in _HERE.glob("*/questions.jsonl")))


def bundled_path(name: str) -> Path:
    """Return the folder of a bundled dataset; raises ``OptionError`` when there is none of that name."""
    if name not in bundled_names():
        raise OptionError(f"There is no bundled dataset '{name}'; the bundled ones are {', '.join(bundled_names())}.")
    return _HERE / name
