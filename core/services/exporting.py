"""Use case *export*: a stored dataset as a Trilens folder, as one ZIP archive of it, or as tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.datasets.export import write_trilens
from core.schema import Dataset, EvidenceGroup, Question
from core.services.spreadsheet import neutral
from core.services.workspace import workspace
from core.store.database import store_errors
from core.store.datasets import load_dataset

#: the same dataset gives the same archive, byte by byte: no times in it
_NO_TIME = (1980, 1, 1, 0, 0, 0)
#: between the items of a list in one cell
_BETWEEN = " | "


def export_dataset(name: str, folder: Path) -> None:
    """Write a stored dataset.

    Raises:
        OptionError: there is none of that name.
        InputError: the folder is not empty or cannot be written.
    """
    _, store = workspace()
    with store_errors(folder):
        write_trilens(load_dataset(store, name), folder)


def zipped(name: str) -> bytes:
    """Return a stored dataset as a ZIP archive of its Trilens folder, which the import reads again.

    Raises:
        OptionError: there is none of that name.
        StoreError: the disk is full.
    """
    home, _ = workspace()
    with store_errors(home.path), tempfile.TemporaryDirectory(dir=home.path, prefix="export-") as place:
        folder = Path(place) / "dataset"
        export_dataset(name, folder)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name, _NO_TIME), path.read_bytes(), zipfile.ZIP_DEFLATED)
        return packed.getvalue()


def documents_csv(name: str) -> str:
    """Return a stored dataset's documents as CSV, a row each. Raises OptionError when there is no such dataset."""
    _, store = workspace()
    dataset = load_dataset(store, name)
    return _csv(
        {"id": one.id, "title": one.title, "language": one.language, "text": one.text} for one in dataset.documents
    )


def questions_csv(name: str) -> str:
    """Return a stored dataset's questions as CSV, a row each, with evidence as text and a column a category dimension.

    Raises:
        OptionError: there is no such dataset.
    """
    _, store = workspace()
    return _csv(_question_rows(load_dataset(store, name)))


def file_name(name: str, ending: str) -> str:
    """Return what a download of a dataset is called: letters and digits of its name, then ``ending``."""
    tidy = "".join(character if character.isalnum() or character in "-_." else "-" for character in name)
    return f"{tidy.strip('.-') or 'dataset'}{ending}"


def _question_rows(dataset: Dataset) -> Iterator[dict[str, Any]]:
    texts = {document.id: document.text for document in dataset.documents}
    dimensions = sorted({dimension for question in dataset.questions for dimension in question.categories})
    for question in dataset.questions:
        yield {
            "id": question.id,
            "question": question.question,
            "answer": question.answer,
            "documents": _BETWEEN.join(question.document_ids),
            "relation": question.relation or "",
            "split": question.split or "",
            "evidence": _quoted(question.evidence, texts),
            "nuggets": _nuggets(question),
            **{f"category {dimension}": question.categories.get(dimension, "") for dimension in dimensions},
        }


def _quoted(groups: Iterable[EvidenceGroup], texts: Mapping[str, str]) -> str:
    spans = dict.fromkeys(span for group in groups for span in group)
    return _BETWEEN.join(texts[span.document_id][span.start : span.end] for span in spans)


def _nuggets(question: Question) -> str:
    return _BETWEEN.join(f"{nugget.text} ({nugget.importance})" for nugget in question.nuggets)


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, [neutral(name) for name in row], lineterminator="\n")
            writer.writeheader()
        writer.writerow({neutral(name): neutral(value) for name, value in row.items()})
    return text.getvalue()
