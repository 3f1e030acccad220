"""Nuggets as a table that people review: a row a nugget, with columns question id, nugget, importance and keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.ids import id_at
from core.datasets.importers.place import excerpt, listed
from core.datasets.importers.rows import columns_of, open_rows
from core.datasets.importers.source import check_source
from core.errors import InputError
from core.schema import Dataset, Importance, Nugget

COLUMNS = ("question id", "question", "answer", "nugget", "importance", "keep")
_NEEDED = ("question id", "nugget")
_NO = frozenset({"no", "n", "false", "0"})


@dataclass(frozen=True, slots=True)
class ReviewedNuggets:
    """The nuggets to use by question id; ``n_dropped`` rows were crossed out or have no text any more."""

    nuggets: Mapping[str, tuple[Nugget, ...]]
    n_rows: int
    n_dropped: int


def read_nugget_table(source: Path, dataset: Dataset) -> ReviewedNuggets:
    """Return the nuggets of a reviewed table for questions of ``dataset``.

    A row whose ``keep`` says no, or whose nugget is empty, is dropped. Raises ``InputError`` (file, line, field, what
    to do) for a question the dataset does not have, an importance it does not know, or a table without nuggets.
    """
    check_source(source)
    rows = open_rows(source)
    names = columns_of(rows.head())
    if missing := [name for name in _NEEDED if name not in names]:
        raise InputError(
            f"{source} has no column {listed(missing)} among {listed(names)}: give the table that `nuggets` wrote."
        )
    known = {question.id for question in dataset.questions}
    texts: dict[str, dict[str, Importance]] = {}
    n_rows = n_dropped = 0
    for place, row in rows:
        n_rows += 1
        question = id_at(place, "question id", row.get("question id"))
        if question not in known:
            raise place.problem(
                "question id", f"the dataset has no question {excerpt(question)}", "leave the ids as they were written"
            )
        text = " ".join(_bare(text_of(place, "nugget", row.get("nugget"))).split())
        if not text or str(row.get("keep", "")).strip().casefold() in _NO:
            n_dropped += 1
            continue
        importance = text_of(place, "importance", row.get("importance")).strip().casefold() or "vital"
        if importance not in ("vital", "okay"):
            raise place.problem("importance", f"{excerpt(importance)} is neither of the two", "write vital or okay")
        texts.setdefault(question, {}).setdefault(text, cast(Importance, importance))
    if not texts:
        raise InputError(f"{source}: none of its {n_rows} rows keeps a nugget; keep at least one.")
    return ReviewedNuggets(numbered(texts), n_rows, n_dropped)


def numbered(texts: Mapping[str, Mapping[str, Importance]]) -> dict[str, tuple[Nugget, ...]]:
    """Return nuggets by question id for the importance of each text, counted within their question."""
    return {
        question: tuple(
            Nugget(f"{question}-n{number}", text, importance)
            for number, (text, importance) in enumerate(found.items(), start=1)
        )
        for question, found in texts.items()
    }


def _bare(text: str) -> str:
    """Undo the apostrophe that keeps spreadsheets from running a text as a formula."""
    return text[1:] if text.startswith(("'=", "'+", "'-", "'@", "'\t", "'\r")) else text
