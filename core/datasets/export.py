"""Write a dataset as a Trilens folder, from which it reads back equal."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from core.datasets.importers.trilens import DOCUMENTS_FILE, QUESTIONS_FILE
from core.datasets.importers.trilens_card import CARD_FILE
from core.errors import InputError, StoreError
from core.schema import Card, Dataset, Document, EvidenceGroup, Nugget, NuggetAnswer, Question


def write_trilens(dataset: Dataset, folder: Path, *, overwrite: bool = False) -> None:
    """Write ``dataset.yaml``, ``documents.jsonl`` and ``questions.jsonl`` into ``folder``.

    The folder appears whole or not at all: it is written beside its place and renamed. Spans are written with their
    offsets and their text, so that a reader sees them and an edited document is noticed. Raises ``InputError`` when
    the folder holds something and ``overwrite`` is not set, or a value cannot be written as JSON; ``StoreError`` when
    the disk does not take it.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; give a folder to write the dataset to.")
        if folder.is_dir() and any(folder.iterdir()) and not overwrite:
            raise InputError(f"{folder} is not empty: give another folder.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            _write_files(dataset, beside / "new")
            _replace(folder, beside / "new", beside / "old")
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise StoreError(
            f"{folder} could not be written ({error.strerror or error}); free some space or choose another place."
        ) from error


def _replace(folder: Path, new: Path, old: Path) -> None:
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise


def _write_files(dataset: Dataset, folder: Path) -> None:
    folder.mkdir()
    texts = {document.id: document.text for document in dataset.documents}
    _write(folder / CARD_FILE, [_card_yaml(dataset.card)])
    if dataset.documents:
        _write(folder / DOCUMENTS_FILE, _lines(map(_document, dataset.documents)))
    _write(folder / QUESTIONS_FILE, _lines(_question(question, texts) for question in dataset.questions))


def _write(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(parts)
        stream.flush()
        os.fsync(stream.fileno())


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        try:
            yield json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise InputError(f"'{row['id']}' holds in its meta what JSON cannot say ({error}); remove it.") from None


def _card_yaml(card: Card) -> str:
    import yaml

    class CardDumper(yaml.SafeDumper):
        """Writes a text that holds an unprintable character with escapes: plain YAML would fold U+0085 to a space."""

    def text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = None if text.replace("\n", "").isprintable() else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    CardDumper.add_representer(str, text_node)
    return str(yaml.dump(_card(card), Dumper=CardDumper, allow_unicode=True, sort_keys=False, width=120))


def _card(card: Card) -> dict[str, Any]:
    """Return the card's fields that hold something, in the order in which a reader wants them."""
    fields = {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "licence": card.licence,
        "language": card.language,
        "source": card.source,
        "relations": dict(card.relations),
        "trees": dict(card.trees),
        "notes": dict(card.notes),
    }
    return {key: value for key, value in fields.items() if value}


def _document(document: Document) -> dict[str, Any]:
    row: dict[str, Any] = {"id": document.id, "text": document.text}
    if document.title:
        row["title"] = document.title
    # Always written: "" says that nobody knows, where an absent language would be detected on reading.
    row["language"] = document.language
    if document.meta:
        row["meta"] = dict(document.meta)
    return row


def _question(question: Question, texts: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": question.id,
        "question": question.question,
        "answer": question.answer,
        "documents": list(question.document_ids),
    }
    if question.judged:
        row["judged"] = list(question.judged)
    if question.relation is not None:
        row["relation"] = question.relation
    if question.evidence:
        row["evidence"] = _groups(question.evidence, texts)
    if question.nuggets:
        row["nuggets"] = [_nugget(nugget, texts) for nugget in question.nuggets]
    if question.categories:
        row["categories"] = dict(question.categories)
    if question.split is not None:
        row["split"] = question.split
    if question.meta:
        row["meta"] = dict(question.meta)
    return row


def _nugget(nugget: Nugget, texts: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": nugget.id,
        "text": nugget.text,
        "importance": nugget.importance,
        "stated": nugget.stated,
    }
    if nugget.answers:
        row["aggregator"] = nugget.aggregator
        row["answers"] = [_nugget_answer(answer, texts) for answer in nugget.answers]
    elif nugget.aggregator != "OR":
        row["aggregator"] = nugget.aggregator
    if nugget.evidence:
        row["evidence"] = _groups(nugget.evidence, texts)
    if nugget.documents:
        row["held_by"] = list(nugget.documents)
    return row


def _nugget_answer(answer: NuggetAnswer, texts: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {"text": answer.text}
    if answer.evidence:
        row["evidence"] = _groups(answer.evidence, texts)
    if answer.documents:
        row["held_by"] = list(answer.documents)
    return row


def _groups(groups: tuple[EvidenceGroup, ...], texts: dict[str, str]) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "document": span.document_id,
                "start": span.start,
                "end": span.end,
                "text": texts[span.document_id][span.start : span.end],
            }
            for span in group
        ]
        for group in groups
    ]
