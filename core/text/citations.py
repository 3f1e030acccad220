"""Citation markers in an answer's text, such as ``[1]``, ``[2, 3]`` or ``[1-3]``: what they stand for, and the rest."""

from __future__ import annotations

import re

#: numbers of at most three digits, so that a year in brackets is no marker
_MARKERS = re.compile(r"(?:[^\S\n]*[\[【［]\^?\d{1,3}(?:\s*[-–,;、，،]\s*\d{1,3})*[\]】］])+")
_PART = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
#: a range of more than so many numbers is two numbers and a dash
_LONGEST_RANGE = 50


def without_markers(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text without its markers, and (place, number) of every citation.

    A place is an index into the returned text: what is cited for ends there. Numbers are as written.
    """
    kept: list[str] = []
    found: list[tuple[int, int]] = []
    length = last = 0
    for markers in _MARKERS.finditer(text):
        kept.append(text[last : markers.start()])
        length += len(kept[-1])
        last = markers.end()
        found += [(length, number) for number in _numbers(markers.group())]
        follows = text[last : last + 1]
        if follows.isalnum() and (follows.isascii() or markers.group()[0].isspace()):
            kept.append(" ")
            length += 1
    kept.append(text[last:])
    return "".join(kept), found


def _numbers(written: str) -> list[int]:
    numbers: list[int] = []
    for part in _PART.finditer(written):
        first, last = int(part[1]), int(part[2] or part[1])
        numbers += range(first, last + 1) if first <= last < first + _LONGEST_RANGE else [first, last]
    return numbers
