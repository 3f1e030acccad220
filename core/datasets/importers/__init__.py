"""Read a dataset from any file we know; nothing is stored, and nothing comes back half-read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.datasets.importers.chosen_columns import set_aside, settled
from core.datasets.importers.columns import guess
from core.datasets.importers.datamorgana import looks_like_datamorgana, read_datamorgana
from core.datasets.importers.place import listed
from core.datasets.importers.rag12000 import read_rag12000
from core.datasets.importers.result import ImportResult, Reading, Skip
from core.datasets.importers.rows import RowFile, columns_of, open_rows
from core.datasets.importers.source import check_source, text_name
from core.datasets.importers.table import read_table
from core.datasets.importers.trilens import read_trilens, trilens_folder
from core.datasets.language import common_language, with_languages
from core.errors import InputError, OptionError
from core.schema import Dataset

__all__ = ["FORMATS", "ImportResult", "Skip", "looks_importable", "name_fault", "read_dataset", "stem"]

#: Format id → one line for people.
FORMATS: Mapping[str, str] = {
    "trilens": "folder of dataset.yaml, documents.jsonl and questions.jsonl; what export writes",
    "rag12000": "RAG-Dataset-12000 as CSV, JSON Lines or Parquet, with logical relations and extracted sentences",
    "datamorgana": "question-answer pairs of DataMorgana, a JSON array or JSON Lines, with their categories",
    "table": "any CSV, TSV, XLSX, JSON, JSON Lines or Parquet with question, answer and context columns",
}
_MAPPED_FORMATS = ("rag12000", "table")
_SUFFIXES = (".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".xlsx", ".parquet", ".txt")
_LONGEST_NAME = 100
#: a run's files are called after its dataset, and file systems take 255 bytes
_LONGEST_NAME_BYTES = 200


def read_dataset(
    source: Path,
    *,
    format: str | None = None,
    name: str | None = None,
    mapping: Mapping[str, str] | None = None,
    categories: Sequence[str] | None = None,
    called: str | None = None,
) -> ImportResult:
    """Return the dataset that ``source`` holds.

    ``format`` is one of ``FORMATS``; None guesses it from the content. ``name`` is what the dataset will be called;
    by default its card's name, else the file's. ``mapping`` (field → column) overrides how the columns of a ``table``
    or ``rag12000`` file are guessed. ``categories`` are the columns that hold the nodes of a dimension; None guesses
    them, and given, a field may be mapped to "": it is in no column then. ``called`` is the file's name as its owner
    knows it, where it lies under another. Documents without a declared language get the card's, else a detected one.

    Raises ``InputError`` (file, line, field, what to do) at the first problem, ``OptionError`` for a format, name or
    mapped field that does not exist. Streams: beside the records, one row is in memory at a time.
    """
    if format is not None and format not in FORMATS:
        raise OptionError(f"There is no format '{format}'; the formats are {listed(FORMATS)}.")
    if name is not None and (fault := name_fault(name)):
        raise OptionError(f"The dataset name {name!r} {fault}.")
    check_source(source)
    chosen, reading = _read(source, format, mapping, categories)
    card = reading.card
    if called and card.source == text_name(source):
        card = replace(card, source=called)
    dataset_name = name or card.name or stem(Path(called) if called else source.resolve())
    if fault := name_fault(dataset_name):
        raise InputError(f"{source}: the dataset name {dataset_name!r} {fault}; give another with --name.")
    documents = with_languages(reading.documents, card.language, reading.declares_language)
    if chosen != "trilens":
        card = replace(card, language=common_language(documents))
    dataset = Dataset(replace(card, name=dataset_name), documents, reading.questions)
    return ImportResult(dataset, chosen, reading.skipped, reading.notes)


def looks_importable(path: Path) -> bool:
    """Return whether a file's name ends like one of the formats; its content is looked at on import only."""
    return path.suffix.lower() in _SUFFIXES


def _read(
    source: Path, format: str | None, mapping: Mapping[str, str] | None, categories: Sequence[str] | None
) -> tuple[str, Reading]:
    folder = trilens_folder(source) if format in (None, "trilens") else None
    if folder is not None or format == "trilens":
        if mapping:
            raise OptionError("--map has no use for format 'trilens', whose fields have fixed names; leave it out.")
        return "trilens", read_trilens(folder or source)
    rows = open_rows(source)
    columns = {field: column for field, column in (mapping or {}).items() if column or categories is None}
    chosen = format or _guessed(rows, columns)
    if mapping and chosen not in _MAPPED_FORMATS:
        raise OptionError(f"--map has no use for format '{chosen}', whose fields have fixed names; leave it out.")
    if chosen == "datamorgana":
        return chosen, read_datamorgana(rows)
    read = read_rag12000 if chosen == "rag12000" else read_table
    if categories is None:
        return chosen, read(rows, columns)
    renamed = set_aside(rows, mapping or {}, categories)
    return chosen, settled(read(renamed, columns), renamed, categories)


def _guessed(rows: RowFile, mapping: Mapping[str, str] | None) -> str:
    """Return the format of a file; raises ``InputError`` when it resembles none."""
    head = rows.head()
    if not mapping and rows.kind in ("json", "jsonl") and looks_like_datamorgana(head[0]):
        return "datamorgana"
    columns = columns_of(head)
    if not columns:
        raise InputError(f"{rows.path} has rows without a single field; name the fields, as in question and answer.")
    found = guess(columns)
    if {"question", "answer", "context", "evidence", "relation"} <= {*found, *(mapping or {})}:
        return "rag12000"
    if mapping or {"question", "answer", "context"} & found.keys():
        return "table"
    raise InputError(
        f"{rows.path}: its format cannot be told from the fields {listed(columns)}; "
        f"name it with --format (one of {listed(FORMATS)}) or say which column holds what with `import … --map`."
    )


def stem(source: Path) -> str:
    """Return the file's name without the endings that only tell its format."""
    name = source.name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    return name


def name_fault(name: str) -> str:
    """Return what is wrong with a dataset's name ("is empty or …"), or ""."""
    if not name.strip() or name != name.strip():
        return "is empty or has white space at its ends"
    if len(name) > _LONGEST_NAME:
        return f"is longer than {_LONGEST_NAME} characters"
    if name.startswith("-"):
        return "begins with a dash, so that commands would take it for an option"
    if any(character in "/\\" or not character.isprintable() for character in name):
        return "holds a slash or a character that cannot be printed"
    if len(name.encode()) > _LONGEST_NAME_BYTES:
        return f"is longer than {_LONGEST_NAME_BYTES} bytes, more than a file may be called"
    return ""
