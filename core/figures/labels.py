"""How names of rows are broken and how much room they take: the server cannot measure the browser's font."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from core.figures.chart import shorten


def row_name(name: str, narrow: bool) -> list[str]:
    """Return a row's name as at most two lines of 9 characters (narrow) or one of 22."""
    if not narrow:
        return [shorten(name, 22)]
    lines = textwrap.wrap(name, 9)
    return lines if len(lines) <= 2 else [lines[0], shorten(" ".join(lines[1:]), 9)]


def label_width(names: Sequence[str], narrow: bool) -> int:
    """Return the pixels that the longest of some row names takes at the size rows are written in."""
    lines = [line for name in names for line in row_name(name, narrow)]
    em = 11 if narrow else 13
    return round(max((ems(line) for line in lines), default=0) * em) + 4


def ems(text: str) -> float:
    """Estimate a text's width in ems: the server cannot measure the browser's font, so it errs on the wide side."""
    return sum(1.05 if ord(c) > 0x2E7F else 0.72 if c.isupper() else 0.3 if c in " .,:;il|" else 0.55 for c in text)
