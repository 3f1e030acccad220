"""Sheets to rate on without the page: written with hidden ids and closed cells, read back row by row.

A sheet is a showing of items like any other: each row carries the one-time token of its assignment.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.datasets.importers.rows import open_rows
from core.errors import InputError
from core.people.records import Assignment, Item, Study
from core.services.spreadsheet import neutral

CANNOT_JUDGE = "cannot judge"
YES, NO = "yes", "no"
#: columns of ids, hidden in a workbook; a CSV file cannot hide them and has them last
IDS = ("study", "rater", "assignment", "token")
#: what XLSX allows in one cell is 32,767 characters
_LONGEST_CELL = 32_000
#: rows below the last item that are looked at
_MOST_ROWS = 20_000
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_TEXTS = ("question", "reference", "answer", "passages")
_WIDTHS = {"number": 8, "question": 40, "reference": 40, "answer": 40, "passages": 60, "note": 40}


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One filled row as it was read: ``line`` as the spreadsheet counts it, cells by column as trimmed text."""

    line: int
    ids: Mapping[str, str]
    score: str
    second: str
    further: Mapping[str, str]
    note: str


def sheet_rows(study: Study, rows: Sequence[tuple[Assignment, Item]]) -> list[dict[str, Any]]:
    """Return the rows of a sheet, texts cut to what a cell holds; open columns are "" or what is there already."""
    return [
        {
            "number": number,
            "question": _cell(item.question),
            **({"reference": _cell(item.reference)} if study.design.template == "answers" else {}),
            "answer": _cell(item.answer),
            "passages": _cell("\n\n".join(item.passages)),
            **dict.fromkeys(open_columns(study), ""),
            "note": _cell(assignment.note),
            "study": study.id,
            "rater": assignment.rater,
            "assignment": assignment.id,
            "token": assignment.token,
        }
        for number, (assignment, item) in enumerate(rows, start=1)
    ]


def open_columns(study: Study) -> tuple[str, ...]:
    """Return the columns that a rater fills, the note last."""
    second = ("second",) if study.design.second_question else ()
    return ("score", *second, *(aspect.name for aspect in study.further), "note")


def choices(study: Study) -> dict[str, tuple[str, ...]]:
    """Return what may stand in each open column but the note."""
    offered = {"score": (*(f"{value:g}" for value in study.scale), CANNOT_JUDGE)}
    if study.design.second_question:
        offered["second"] = (YES, NO)
    for aspect in study.further:
        offered[aspect.name] = aspect.options or tuple(f"{value:g}" for value in aspect.scale)
    return offered


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a sheet as CSV with a byte order mark, by which spreadsheets know UTF-8."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows({name: neutral(cell) for name, cell in row.items()} for row in rows)
    return file.getvalue().encode("utf-8-sig")


def as_workbook(study: Study, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a sheet as XLSX: ids hidden, all but the open columns closed, each of these with its list of choices."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font, Protection
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    sheet.title = "Ratings"
    names, free = list(rows[0]), set(open_columns(study))
    sheet.append(names)
    for row in rows:
        sheet.append([neutral(cell) for cell in row.values()])
    for column, name in enumerate(names, start=1):
        letter = get_column_letter(column)
        sheet.cell(1, column).font = Font(bold=True)
        sheet.column_dimensions[letter].width = _WIDTHS.get(name, 14)
        sheet.column_dimensions[letter].hidden = name in IDS
        for line in range(2, len(rows) + 2):
            cell = sheet.cell(line, column)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.protection = Protection(locked=name not in free)
    offered = book.create_sheet("Choices")
    offered.sheet_state = "hidden"
    for place, (name, values) in enumerate(choices(study).items(), start=1):
        source, target = get_column_letter(place), get_column_letter(names.index(name) + 1)
        for line, value in enumerate(values, start=1):
            offered.cell(line, place, _number(value))
        # a list by reference: one written out may have 255 characters and no comma
        rule = DataValidation("list", formula1=f"Choices!${source}$1:${source}${len(values)}", showErrorMessage=True)
        rule.error = f"Choose one of: {', '.join(values)}"[:250]
        sheet.add_data_validation(rule)
        rule.add(f"{target}2:{target}{len(rows) + 1}")
    sheet.protection.sheet = True
    sheet.protection.formatColumns = False
    sheet.freeze_panes = "A2"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def read_sheet(path: Path, study: Study) -> list[SheetRow]:
    """Return the rows of a sheet that came back, in its order.

    Raises:
        InputError: the file is no table, is too long, or lacks a column that a sheet of this study has.
    """
    found: list[SheetRow] = []
    wanted = (*IDS, *open_columns(study))
    for place, cells in open_rows(path):
        row = {name.strip().casefold(): _text(cell) for name, cell in cells.items()}
        if lacking := next((name for name in wanted if name not in row), None):
            raise InputError(f"{path.name} has no column '{lacking}': fill in a sheet exported for this study.")
        found.append(
            SheetRow(
                line=place.line,
                ids={name: row[name] for name in IDS},
                score=row["score"],
                second=row.get("second", ""),
                further={aspect.name: row[aspect.name] for aspect in study.further},
                note=row["note"],
            )
        )
        if len(found) > _MOST_ROWS:
            raise InputError(f"{path.name} has more than {_MOST_ROWS:,} rows: import the sheet as it was exported.")
    if not found:
        raise InputError(f"{path.name} holds no rows: fill in a sheet exported for this study.")
    return found


def number_of(text: str) -> float | str:
    """Return a cell's number, written with a point or a comma; another text stays as it is."""
    try:
        return float(text.replace(",", ".")) if text.isascii() else text
    except ValueError:
        return text


def _number(value: str) -> float | str:
    found = number_of(value)
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _text(cell: object) -> str:
    if cell is None:
        return ""
    text = f"{cell:g}" if isinstance(cell, float) else str(cell)
    # the apostrophe is ours where it stands before what would be a formula
    return text[1:].strip() if text.startswith("'") and neutral(text[1:]) == text else text.strip()


def _cell(text: str) -> str:
    text = _UNPRINTABLE.sub("", text)
    return text if len(text) <= _LONGEST_CELL else text[:_LONGEST_CELL] + "…"
