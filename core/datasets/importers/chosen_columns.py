"""Columns as a person chose them: a field may have none although a column bears its name, any column may be a category.

Columns that shall not be guessed from go through the reader under another name, which no alias matches; the reader
keeps what it does not know in a question's ``meta``, from where it comes back under its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.datasets.importers.columns import ALIASES, candidates
from core.datasets.importers.dimensions import dimension, known_dimension
from core.datasets.importers.place import Place, excerpt, listed
from core.datasets.importers.result import Reading
from core.datasets.importers.rows import RowFile, columns_of
from core.errors import InputError, OptionError
from core.schema import Question


@dataclass(frozen=True, slots=True)
class RenamedRows(RowFile):
    """A file's rows with some columns renamed. ``names`` is the column's own name → the one it goes by."""

    names: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield place and fields of each row; raises ``InputError`` at the first broken one."""
        for place, row in RowFile.__iter__(self):
            yield place, {self.names.get(name, name): value for name, value in row.items()}


def set_aside(rows: RowFile, mapping: Mapping[str, str], categories: Sequence[str]) -> RenamedRows:
    """Return the rows so that nothing is guessed from category columns, and nothing for fields mapped to "".

    Raises ``OptionError`` for a column or dimension that is chosen twice and ``InputError`` for a column that the file
    does not have.
    """
    columns = columns_of(rows.head())
    chosen = [*filter(None, mapping.values()), *categories]
    if twice := [column for column in dict.fromkeys(chosen) if chosen.count(column) > 1]:
        raise OptionError(f"The column {listed(twice)} is chosen more than once: choose another one for one of them.")
    dimensions = [dimension(column) for column in categories]
    if same := [column for column, one in zip(categories, dimensions, strict=True) if dimensions.count(one) > 1]:
        raise OptionError(f"The columns {listed(same)} hold the same categories: choose one of them.")
    if strange := [column for column in chosen if column not in columns]:
        raise InputError(f"{rows.path} has no column {listed(strange)}; the columns are {listed(columns)}.")
    aside = {*categories, *(name for name in columns if known_dimension(name) and name not in chosen)}
    for one in ALIASES:
        if mapping.get(one) == "":
            aside.update(name for name in candidates(one, columns) if name not in chosen)
    names = {name: _unlike(name, columns) for name in sorted(aside)}
    return RenamedRows(rows.path, rows.kind, rows.source, rows.notes, names)


def settled(reading: Reading, rows: RenamedRows, categories: Sequence[str]) -> Reading:
    """Return what was read with its columns under their own names and the chosen ones as categories.

    Raises ``InputError`` for a category that is no text or number.
    """
    own = {other: name for name, other in rows.names.items()}
    return replace(reading, questions=tuple(_settled(question, own, categories) for question in reading.questions))


def _settled(question: Question, own: Mapping[str, str], categories: Sequence[str]) -> Question:
    meta = {own.get(name, name): value for name, value in question.meta.items()}
    labels = dict(question.categories)
    for column in categories:
        value = meta.pop(column, None)
        if value is None or value == []:
            continue
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise InputError(
                f"The category '{column}' of question '{question.id}' is {excerpt(value)}, which is not one text: "
                "do not use this column as a category."
            )
        labels[dimension(column)] = str(value).strip()
    return replace(question, meta=meta, categories=labels)


def _unlike(name: str, columns: Sequence[str]) -> str:
    """Return another name for a column, which none of the columns bears."""
    other = f"column {name}"
    while other in columns:
        other = f"column {other}"
    return other
