"""The JSON objects of a file, whichever way they stand in it: one a line, an array, or one object over many lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.json_rows import array_rows, jsonl_rows, parses, whole_object
from core.datasets.importers.place import Place


def begins_like_json(source: TextSource) -> bool:
    """Return whether the first sign of the file opens an object or an array."""
    return _first_sign(source) in ("{", "[")


def json_values(source: TextSource) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield place and object of each; raises ``InputError`` where the file is broken or cut.

    One object is in memory at a time: a file that is one object, all of it.
    """
    if _first_sign(source) == "[":
        yield from array_rows(source)
    elif _is_one_object(source):
        yield whole_object(source)
    else:
        yield from jsonl_rows(source)


def _first_sign(source: TextSource) -> str:
    with source.open(newline="\n") as stream:
        while block := stream.read(4096):
            if text := block.lstrip():
                return text[0]
    return ""


def _is_one_object(source: TextSource) -> bool:
    """Return whether the first line that holds something ends within an object, which later lines go on with."""
    with source.open(newline="\n") as stream:
        first = next((line for line in iter(lambda: stream.readline(1 << 20), "") if line.strip()), "")
        goes_on = any(line.strip() for line in iter(lambda: stream.readline(1 << 20), ""))
    return goes_on and len(first) < 1 << 20 and not parses(first)
