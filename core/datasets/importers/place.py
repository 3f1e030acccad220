"""Where in a file a problem is, and the one sentence that says so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import InputError

Unit = Literal["line", "row", "item"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text file, a row of a workbook or Parquet file, or an item of a JSON array, counted from 1.

    Lines and workbook rows are counted as an editor shows them, the header included.
    """

    path: Path
    line: int
    unit: Unit = "line"

    def __str__(self) -> str:
        return f"{self.path}, {self.unit} {self.line}"

    def problem(self, field: str, what: str, remedy: str) -> InputError:
        """Return the error for ``field`` of this row: what is wrong and what to do about it."""
        return _one_line(f"{self}, field '{field}': {what}; {remedy}.")

    def broken(self, what: str, remedy: str) -> InputError:
        """Return the error for a row that cannot be read at all."""
        return _one_line(f"{self}: {what}; {remedy}.")


def _one_line(sentence: str) -> InputError:
    """Return the error: ids and names of fields may hold line breaks, sentences may not."""
    return InputError(" ".join(sentence.splitlines()))


def excerpt(value: object, limit: int = 60) -> str:
    """Return a value as one would write it, on one line; a text is quoted and cut after ``limit`` characters."""
    if isinstance(value, str):
        return repr(value if len(value) <= limit else value[: limit - 1] + "…")
    written = repr(value)
    return written if len(written) <= limit else written[: limit - 1] + "…"


def listed(names: Iterable[str], limit: int = 30) -> str:
    """Return the names as "'a', 'b', 'c'", the tail of a long list only counted."""
    every = list(names)
    shown = ", ".join(f"'{name}'" for name in every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the most similar known name, or the list of all of them."""
    names = list(known)
    near = difflib.get_close_matches(wrong, names, n=1, cutoff=0.7)
    return f"did you mean '{near[0]}'?" if near else f"the names known here are {listed(names)}"
