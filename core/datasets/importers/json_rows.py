"""Rows of JSON Lines files and of JSON arrays, streamed: one row in memory at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.place import Place, excerpt
from core.errors import InputError

#: Longest row in characters. A longer one is a sign of a file without line ends, not of a long document.
LONGEST_ROW = 64_000_000
_READ = 1 << 20
_SPACE = " \t\r\n"
#: Deepest nesting of lists and objects. Whoever walks a deeper value runs out of stack.
DEEPEST = 100
#: Errors this close to the end of what has been read may vanish when more is read (``tru``, ``\\u00``).
_TAIL = 16


def _no_number(_constant: str) -> None:
    """NaN and Infinity, which Python writes and JSON does not know, stand for a missing value."""


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _said(error: json.JSONDecodeError) -> str:
    """Return the decoder's message without the preposition that its position would follow."""
    return error.msg.removesuffix(" at").rstrip(": ")


def jsonl_rows(source: TextSource) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield place and object of every line that is not blank.

    Raises ``InputError`` for a line that is no JSON object; one without a line end is said to be cut.
    """
    with source.open(newline="\n") as stream:
        line = 0
        while text := stream.readline(LONGEST_ROW):
            line += 1
            place = Place(source.path, line)
            if len(text) == LONGEST_ROW:
                raise place.broken(f"the row is longer than {LONGEST_ROW:,} characters", "write one object a line")
            if text.strip(_SPACE):
                yield place, _row(place, text)


def whole_object(source: TextSource) -> tuple[Place, dict[str, Any]]:
    """Return the one object that a file is, its place the first line.

    Raises ``InputError`` where it is broken or cut, with the line, or longer than a row may be.
    """
    place = Place(source.path, 1)
    with source.open(newline="\n") as stream:
        text = stream.read(LONGEST_ROW)
    if len(text) == LONGEST_ROW:
        raise place.broken(f"the object is longer than {LONGEST_ROW:,} characters", "write one object a line")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        broken = Place(source.path, error.lineno)
        if not text.rstrip(_SPACE).endswith("}"):
            raise broken.broken("the file ends in the middle of the object, so it was cut", "get it again") from None
        raise broken.broken(
            f"the JSON is broken ({_said(error)} at column {error.colno})", "correct the file"
        ) from None
    except (RecursionError, ValueError) as error:
        raise place.broken(f"the JSON cannot be read ({error})", "correct the file") from None
    return place, _checked(place, value, text)


def parses(text: str) -> bool:
    """Return whether a text is one whole JSON value."""
    try:
        _DECODER.decode(text)
    except (RecursionError, ValueError):
        return False
    return True


def _row(place: Place, text: str) -> dict[str, Any]:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if not text.endswith("\n"):
            raise place.broken(
                "the file ends in the middle of this row, so it was cut", "get the whole file again or remove the row"
            ) from None
        raise place.broken(
            f"not a whole JSON object ({_said(error)} at column {error.colno})",
            "write one object a line, or all of them as one array",
        ) from None
    except (RecursionError, ValueError) as error:
        raise place.broken(f"the JSON cannot be read ({error})", "correct the row") from None
    return _checked(place, value, text)


def _checked(place: Place, value: object, text: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.broken(f"{excerpt(text.strip())} is not a JSON object", "write each row as {…} with named fields")
    # Searching the raw text first keeps the usual row, which holds neither, free of the walks.
    if text.count("[") + text.count("{") > DEEPEST:
        _refuse_depth(place, value)
    if "\\ud" in text or "\\uD" in text:
        _refuse_half_characters(place, value)
    return value


def _refuse_depth(place: Place, row: dict[str, Any]) -> None:
    for field, value in row.items():
        inside: list[Any] = [value]
        for _ in range(DEEPEST):
            lists = [item for item in inside if isinstance(item, dict | list)]
            inside = [item for some in lists for item in (some.values() if isinstance(some, dict) else some)]
            if not inside:
                break
        else:
            raise place.problem(field, f"the value is nested more than {DEEPEST} deep", "flatten or remove it")


def _refuse_half_characters(place: Place, row: dict[str, Any]) -> None:
    for field, value in row.items():
        try:
            json.dumps([field, value], ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise place.problem(
                field, f"the text holds half a character ({half} without its partner)", "repair the text"
            ) from None


def array_rows(source: TextSource) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield place (the item's number) and object of every item of a JSON array.

    Raises ``InputError`` where the array is broken or cut, with the line, or an item is no object, with its number.
    """
    with source.open(newline="\n") as stream:
        yield from _ArrayReader(source.path, stream).rows()


class _ArrayReader:
    """Decodes the items of an array one after the other from a buffer that is refilled as needed."""

    def __init__(self, path: Path, stream: TextIO) -> None:
        self._path = path
        self._stream = stream
        self._buffer = ""
        self._at = 0
        self._line = 1
        self._ended = False

    def rows(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        self._expect("[")
        if self._peek() == "]":
            return
        number = 0
        while True:
            number += 1
            place = Place(self._path, number, "item")
            first = self._peek()
            if not first:
                raise self._cut_or_broken("an item expected")
            if first != "{":
                raise place.broken("it is not a JSON object", "write each item as {…} with named fields")
            yield place, self._item(place)
            if self._peek() != ",":
                self._expect("]")
                break
            self._at += 1
        if trailing := self._peek():
            raise self._broken(f"{trailing!r} follows the end of the array", "keep one array a file")

    def _item(self, place: Place) -> dict[str, Any]:
        wanted = _READ
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
                break
            except json.JSONDecodeError as error:
                incomplete = error.msg.startswith("Unterminated string") or error.pos >= len(self._buffer) - _TAIL
                into_item = error.pos - self._at
                if not incomplete or not self._fill(wanted):
                    self._skip_to(self._at + into_item)
                    raise self._cut_or_broken(f"{_said(error)} in item {place.line}") from None
                if len(self._buffer) - self._at > LONGEST_ROW:
                    raise place.broken(f"it is longer than {LONGEST_ROW:,} characters", "write smaller items") from None
                wanted *= 2  # so that a long item is decoded again only a few times
            except (RecursionError, ValueError) as error:
                raise place.broken(f"the JSON cannot be read ({error})", "correct the item") from None
        text = self._buffer[self._at : end]
        self._skip_to(end)
        return _checked(place, value, text)

    def _peek(self) -> str:
        """Return the next character that is not white space, or "" at the end of the file."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _SPACE:
                self._line += self._buffer[self._at] == "\n"
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill(_READ):
                return ""

    def _expect(self, character: str) -> None:
        found = self._peek()
        if found != character:
            raise self._cut_or_broken(f"{character!r} expected, {found!r} found")
        self._at += 1

    def _fill(self, size: int) -> bool:
        """Drop what was read, append up to ``size`` characters, and say whether there were any."""
        more = self._stream.read(size)
        self._ended = not more
        self._buffer = self._buffer[self._at :] + more
        self._at = 0
        return bool(more)

    def _skip_to(self, position: int) -> None:
        self._line += self._buffer.count("\n", self._at, position)
        self._at = position

    def _cut_or_broken(self, what: str) -> InputError:
        # An array that still has its closing bracket was not cut, wherever the decoder gave up.
        if self._ended and not self._buffer.rstrip(_SPACE).endswith("]"):
            return self._broken("the file ends in the middle of the array, so it was cut", "get the whole file again")
        return self._broken(f"the JSON is broken ({what})", "correct the file")

    def _broken(self, what: str, remedy: str) -> InputError:
        return Place(self._path, self._line).broken(what, remedy)
