"""Any supported file as a stream of rows: what kind of file it is decides its content, not its name alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from core.datasets.importers.encoding import TextSource, inspect_text
from core.datasets.importers.json_rows import array_rows, jsonl_rows
from core.datasets.importers.place import Place
from core.datasets.importers.sheet_rows import delimited_rows, parquet_rows, sheet_count, workbook_rows
from core.errors import InputError

Kind = Literal["csv", "tsv", "jsonl", "json", "xlsx", "parquet"]
#: Rows whose keys make up the columns of a JSON file, where every row may have keys of its own.
_ROWS_FOR_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file whose kind and encoding are settled. Iterating opens it anew and streams its rows."""

    path: Path
    kind: Kind
    source: TextSource | None = field(default=None, repr=False)
    #: What is worth telling of the file as such: its encoding, sheets that are not read.
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield place and fields of each row; raises ``InputError`` at the first broken one."""
        if self.kind == "xlsx":
            return workbook_rows(self.path)
        if self.kind == "parquet":
            return parquet_rows(self.path)
        assert self.source is not None
        if self.kind == "jsonl":
            return jsonl_rows(self.source)
        if self.kind == "json":
            return array_rows(self.source)
        return delimited_rows(self.source, tabs=self.kind == "tsv")

    def head(self) -> list[dict[str, Any]]:
        """Return the first rows (at most 100); raises ``InputError`` when there is none."""
        rows = [row for _, row in islice(iter(self), _ROWS_FOR_COLUMNS)]
        if not rows:
            raise InputError(f"{self.path} holds no rows; give a file with at least one question.")
        return rows


def columns_of(rows: list[dict[str, Any]]) -> list[str]:
    """Return the names of all fields in these rows, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def open_rows(path: Path) -> RowFile:
    """Return the file as rows.

    XLSX and Parquet are known by their first bytes; text that begins with ``[`` is a JSON array, with ``{`` JSON
    Lines, anything else (or a name that says so) delimited text. Raises ``InputError`` for what is missing, empty,
    binary, or a folder.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; give a file, or a folder that holds a questions.jsonl.")
        with path.open("rb") as stream:
            magic = stream.read(4)
        if magic == b"PK\x03\x04":
            sheets = sheet_count(path)
            note = f"{path.name} has {sheets} sheets; only the first was read."
            return RowFile(path, "xlsx", notes=(note,) if sheets > 1 else ())
        if magic == b"PAR1":
            return RowFile(path, "parquet")
        source = inspect_text(path)
        return RowFile(path, _text_kind(source), source, (source.note,) if source.note else ())
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); check the file.") from None


def _text_kind(source: TextSource) -> Kind:
    suffixes = {suffix.lower() for suffix in source.path.suffixes[-2:]}
    if ".csv" in suffixes:
        return "csv"
    if suffixes & {".tsv", ".tab"}:
        return "tsv"
    with source.open(newline="\n") as stream:
        while block := stream.read(4096):
            if text := block.lstrip():
                return "json" if text[0] == "[" else "jsonl" if text[0] == "{" else "csv"
    raise InputError(f"{source.path} is empty; give a file with at least one question.")
