"""What an import delivers: the dataset and everything the reader did not take as it stood."""

from __future__ import annotations

from dataclasses import dataclass

from core.schema import Card, Dataset, Document, Question


@dataclass(frozen=True, slots=True)
class Skip:
    """A row that was left out: where (from 1), which field, and why.

    ``line`` is the row number in a workbook or Parquet file and the item number in a JSON array.
    """

    line: int
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportResult:
    """A dataset that passed validation, the format it was read as, and what must not go unsaid.

    ``notes`` are sentences about the file as a whole (its encoding, columns chosen among several, evidence that
    could not be located).
    """

    dataset: Dataset
    format: str
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format module hands back before names and languages are settled.

    ``declares_language`` holds the ids of documents whose language the file itself states (even as "").
    """

    card: Card
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()
    declares_language: frozenset[str] = frozenset()
