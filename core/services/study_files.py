"""What an owner brings to a study in files: items whose score is known, and guidelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.datasets.importers.rows import open_rows
from core.errors import InputError
from core.people.records import Gold

_NEEDED = ("question", "reference", "answer", "score")


def read_gold(path: Path) -> tuple[Gold, ...]:
    """Return the items of a CSV, XLSX or JSON table with columns question, reference, answer, score and maybe passages.

    Raises:
        InputError: the file cannot be read, lacks a column, or holds a score that is no number; it names the row.
    """
    found = []
    for place, cells in open_rows(path):
        row = {name.strip().casefold(): cell for name, cell in cells.items()}
        if lacking := next((name for name in _NEEDED if name not in row), None):
            raise place.problem(lacking, "there is no such column", f"give the columns {', '.join(_NEEDED)}")
        try:
            value = float(str(row["score"]).replace(",", "."))
        except ValueError:
            raise place.problem("score", f"'{str(row['score'])[:20]}' is no number", "give one of the scale") from None
        passages = _text(row.get("passages"))
        found.append(
            Gold(_text(row["question"]), _text(row["reference"]), _text(row["answer"]), value,
                 (passages,) if passages else ())
        )  # fmt: skip
    if not found:
        raise InputError(f"{path} holds no rows: give at least one item with a known score.")
    return tuple(found)


def read_guidelines(path: Path) -> str:
    """Return a Markdown file's text as it stands. Raises InputError where it is no UTF-8 text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is no UTF-8 text: save it as UTF-8.") from None


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
