"""What raters are told where a study brings no guidelines of its own."""

from __future__ import annotations

from pathlib import Path

_DEFAULT = Path(__file__).parents[1] / "people" / "guidelines.md"


def default_guidelines() -> str:
    """Return the guidelines of the scale 0, 3, 7, as Markdown that we wrote, with one worked example a level."""
    return _DEFAULT.read_text(encoding="utf-8")
