"""What can be said of a file before it is read: its format, its columns with samples, what they seem to hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.datasets.importers.columns import guess
from core.datasets.importers.datamorgana import looks_like_datamorgana
from core.datasets.importers.dimensions import known_dimension
from core.datasets.importers.place import excerpt
from core.datasets.importers.rows import RowFile, columns_of, open_rows
from core.datasets.importers.source import check_source
from core.datasets.importers.trilens import DOCUMENTS_FILE, QUESTIONS_FILE, trilens_folder
from core.datasets.importers.trilens_card import read_card

#: Formats whose columns can be chosen → the fields that must have one.
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "table": ("question", "answer", "context"),
    "rag12000": ("question", "answer", "context", "evidence", "relation"),
}
_SAMPLES, _LONGEST_SAMPLE = 3, 100


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and up to three different values of it, each on one line."""

    name: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """``format`` is guessed, ``formats`` are those that the file can be read as.

    ``mapping`` is field → column as guessed by name, ``categories`` the columns that label a known dimension. ``name``
    is what the dataset's own card calls it, "" without one. ``notes`` are sentences about the file as such.
    """

    format: str
    formats: tuple[str, ...]
    columns: tuple[Column, ...]
    mapping: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    name: str = ""
    notes: tuple[str, ...] = ()


def preview(source: Path) -> Preview:
    """Return what a file or Trilens folder seems to hold, from its first 100 rows.

    Raises ``InputError`` for what is missing, empty, binary, damaged, or broken in its first rows.
    """
    check_source(source)
    folder = trilens_folder(source)
    if folder is not None:
        rows = [
            row
            for name in (QUESTIONS_FILE, DOCUMENTS_FILE)
            if (folder / name).is_file()
            for row in open_rows(folder / name).head()
        ]
        name = read_card(folder).name
        # without a name of its own a card bears the folder's
        return Preview("trilens", ("trilens",), _columns(rows), name="" if name == folder.resolve().name else name)
    opened = open_rows(source)
    rows = opened.head()
    columns = _columns(rows)
    names = [column.name for column in columns]
    mapping = guess(names)
    dimensions: dict[str, str] = {}
    for name in names:
        if name not in mapping.values() and (dimension := known_dimension(name)):
            dimensions.setdefault(dimension, name)
    json_only = ("datamorgana",) if opened.kind in ("json", "jsonl") else ()
    return Preview(
        format=_guessed(opened, rows[0], mapping),
        formats=("table", "rag12000", *json_only),
        columns=columns,
        mapping=mapping,
        categories=tuple(dimensions.values()),
        notes=opened.notes,
    )


def _guessed(opened: RowFile, first: Mapping[str, Any], mapping: Mapping[str, str]) -> str:
    """Return the format; where nothing tells it, a table, whose columns a person then names."""
    if opened.kind in ("json", "jsonl") and looks_like_datamorgana(first):
        return "datamorgana"
    return "rag12000" if set(REQUIRED["rag12000"]) <= mapping.keys() else "table"


def _columns(rows: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    found = []
    for name in columns_of(list(rows)):
        samples: dict[str, None] = {}
        for row in rows:
            if len(samples) < _SAMPLES and (text := _sample(row.get(name))):
                samples[text] = None
        found.append(Column(name, tuple(samples)))
    # a column without a name cannot be chosen
    return tuple(column for column in found if column.name.strip())


def _sample(value: object) -> str:
    if value is None or value == "" or value == []:
        return ""
    if not isinstance(value, str):
        try:
            value = json.dumps(value, ensure_ascii=False)
        except ValueError:
            return excerpt(value, _LONGEST_SAMPLE)
    flat = " ".join(value[: 4 * _LONGEST_SAMPLE].split())
    return flat if len(flat) <= _LONGEST_SAMPLE else flat[: _LONGEST_SAMPLE - 1] + "…"
