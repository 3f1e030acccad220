"""``table``: any file with a row a question, whose columns are guessed by name or named by the user.

Needed: a question, its reference answer and its document's text. Read where there is a column for it: document id,
relation, split, question id, evidence sentences and the category dimensions the product knows. Every other column is
kept in the question's ``meta``. A context that is a list (or a list written as text) is one document an item.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.datasets.importers.column_rows import read_columns
from core.datasets.importers.result import Reading
from core.datasets.importers.rows import RowFile


def read_table(rows: RowFile, mapping: Mapping[str, str] | None) -> Reading:
    """Return the file's questions and documents; raises ``InputError`` at the first row that cannot be used."""
    return read_columns(rows, mapping, required=("question", "answer", "context"), when_empty="fail")
