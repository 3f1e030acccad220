"""Rows of CSV and TSV files, of workbooks (XLSX) and of Parquet files, streamed."""

from __future__ import annotations

import csv
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.place import Place, listed
from core.datasets.importers.plain import plain
from core.errors import InputError

#: Longest cell in characters. A quote that is never closed swallows the rest of a file; this ends it.
LONGEST_CELL = 16_000_000
#: Size to which the parts of a workbook may unpack: a bigger one is no spreadsheet, it is a zip bomb.
_LARGEST_WORKBOOK = 2_000_000_000
_DELIMITERS = ",;\t|"
_PARQUET_BATCH = 256

Rows = Iterator[tuple[Place, dict[str, Any]]]


def delimited_rows(source: TextSource, *, tabs: bool) -> Rows:
    """Yield place (the line a row begins on) and cells by column name.

    The delimiter is a tab when ``tabs``, otherwise whichever of comma, semicolon, tab and bar the header holds most
    of. Raises ``InputError`` for a row whose number of cells is not the header's and for a quote that never closes.
    """
    csv.field_size_limit(LONGEST_CELL)
    with source.open(newline="") as stream:
        delimiter = "\t" if tabs else _delimiter(stream.readline(LONGEST_CELL))
        stream.seek(0)
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        header: list[str] | None = None
        while True:
            place = Place(source.path, reader.line_num + 1)
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise _unreadable(place, reader.line_num, error) from None
            if cells is None:
                break
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = _header(place, cells)
            else:
                yield place, _named(place, header, cells)


def _delimiter(first_line: str) -> str:
    outside_quotes = "".join(first_line.split('"')[::2])
    return max(_DELIMITERS, key=outside_quotes.count)


def _unreadable(place: Place, last_line: int, error: csv.Error) -> InputError:
    reached = f" (noticed on line {last_line})" if last_line > place.line else ""
    if "field larger" in str(error):
        return place.broken(
            f"a cell that begins in this row is longer than {LONGEST_CELL:,} characters, or its quote is never closed"
            f"{reached}",
            "close the quote or split the cell",
        )
    if "unexpected end of data" in str(error):
        return place.broken(
            f"a quoted cell begins in this row and is never closed{reached}", "close the quote or get the whole file"
        )
    return place.broken(f"the row is not valid CSV ({error}{reached})", "quote the cell and double the quotes in it")


def _header(place: Place, cells: Sequence[object]) -> list[str]:
    """Return the column names; one that is empty (as pandas writes its index) becomes ``column_<number>``."""
    names = [str(cell).strip() if cell is not None else "" for cell in cells]
    names = [name or f"column_{number}" for number, name in enumerate(names, start=1)]
    _refuse_twins(place, names)
    return names


def _refuse_twins(place: Place, names: Sequence[str]) -> None:
    counts = Counter(names)
    if twice := sorted(name for name in counts if counts[name] > 1):
        raise place.broken(f"the header names {listed(twice)} more than once", "give each column a name of its own")


def _is_blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _named(place: Place, header: list[str], cells: Sequence[object]) -> dict[str, Any]:
    if len(cells) < len(header) or not all(map(_is_blank, cells[len(header) :])):
        raise place.broken(
            f"the row has {len(cells)} cells and the header {len(header)}",
            "check for a missing or an unquoted delimiter, or a file that was cut",
        )
    return dict(zip(header, cells, strict=False))


def workbook_rows(path: Path) -> Rows:
    """Yield row number and cells by column name of the first sheet of an XLSX workbook (values, not formulas)."""
    import openpyxl

    try:
        # A stream, because openpyxl goes by the name where it is given one.
        with path.open("rb") as stream:
            with zipfile.ZipFile(stream) as archive:
                unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > _LARGEST_WORKBOOK:
                raise InputError(f"{path}: the workbook unpacks to {unpacked:,} bytes; save the sheet as CSV instead.")
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            try:
                yield from _sheet_rows(path, book.worksheets[0].iter_rows(values_only=True))
            finally:
                book.close()
    except InputError:
        raise
    except Exception as error:  # openpyxl raises anything on a file that only pretends to be a workbook
        raise InputError(f"{path} is no XLSX workbook that can be read ({error}); save it again.") from None


def sheet_count(path: Path) -> int:
    """Return how many sheets a workbook has (0 where it cannot be opened)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(name.startswith("xl/worksheets/") and name.endswith(".xml") for name in archive.namelist())
    except zipfile.BadZipFile:
        return 0


def _sheet_rows(path: Path, rows: Iterable[Sequence[object]]) -> Rows:
    header: list[str] | None = None
    for number, cells in enumerate(rows, start=1):
        place = Place(path, number, "row")
        if all(map(_is_blank, cells)):
            continue
        if header is None:
            used = max(i for i, cell in enumerate(cells, start=1) if cell is not None)
            header = _header(place, cells[:used])
        else:
            # Cells at the end of a row that were never filled are not stored.
            whole = [*cells, *[None] * (len(header) - len(cells))]
            yield place, {name: plain(cell) for name, cell in _named(place, header, whole).items()}


def parquet_rows(path: Path) -> Rows:
    """Yield row number (from 1) and values by column name; binary columns (images, sound) are left out."""
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path)
        _refuse_twins(Place(path, 1, "row"), table.schema_arrow.names)
        columns = [field.name for field in table.schema_arrow if not _is_binary(field.type)]
        number = 0
        for batch in table.iter_batches(batch_size=_PARQUET_BATCH, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield Place(path, number, "row"), {name: plain(value) for name, value in row.items()}
    except InputError:
        raise
    except Exception as error:  # whatever a value raises that Python's types cannot hold
        first_line = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{path} is no Parquet file that can be read ({first_line}); write it again.") from None


def _is_binary(kind: object) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))
