"""``datamorgana``: question-answer pairs as DataMorgana writes them, a JSON array or JSON Lines.

A row holds ``question, answer, context[], document_ids[]`` (or ``document_id``), an id (``qa_id``, ``record_id`` or
``id``), and labels: ``question_categories`` and ``user_categories`` as lists of ``{categorization_name,
category_name}``, in old files ``question_type`` and ``user_type``. Categories keep their node's name, at whatever level
of its tree it stands. Rows with an ``error`` that is not null are left out and reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.datasets.importers.dimensions import dimension
from core.datasets.importers.documents import DocumentPool
from core.datasets.importers.ids import IdRegister
from core.datasets.importers.place import Place, excerpt
from core.datasets.importers.result import Reading, Skip
from core.datasets.importers.rows import RowFile
from core.datasets.importers.source import text_name
from core.errors import InputError, OptionError
from core.schema import Card, Question

_ID_KEYS = ("qa_id", "record_id", "id")
_LABEL_LISTS = ("question_categories", "user_categories")
_OLD_LABELS = ("question_type", "user_type")
_READ_KEYS = {"question", "answer", "context", "document_ids", "document_id", "error", *_LABEL_LISTS, *_OLD_LABELS}


def looks_like_datamorgana(row: Mapping[str, Any]) -> bool:
    """Return whether a row's keys are DataMorgana's own rather than any table's."""
    if not {"question", "answer"} <= row.keys():
        return False
    labelled = any(key in row for key in (*_LABEL_LISTS, *_OLD_LABELS))
    return labelled or (isinstance(row.get("context"), list) and ("document_ids" in row or "qa_id" in row))


def read_datamorgana(rows: RowFile) -> Reading:
    """Return the file's questions and documents; raises ``InputError`` at the first row that cannot be used."""
    if rows.kind not in ("json", "jsonl"):
        raise OptionError(f"{rows.path} is no JSON, which format 'datamorgana' is; use --format table.")
    pool, ids = DocumentPool(), IdRegister("question")
    questions: list[Question] = []
    skipped: list[Skip] = []
    for number, (place, row) in enumerate(rows, start=1):
        if row.get("error"):
            skipped.append(Skip(place.line, "error", f"the row reports an error: {excerpt(row['error'])}"))
            continue
        id_key = next((key for key in _ID_KEYS if key in row), None)
        questions.append(
            Question(
                # Without an id, a question is known by its number in the file.
                id=str(number) if id_key is None else ids.define(place, id_key, row[id_key]),
                question=_text(place, row, "question"),
                answer=_text(place, row, "answer"),
                document_ids=_documents(place, row, pool),
                categories=_categories(place, row),
                meta={k: v for k, v in row.items() if k not in _READ_KEYS and k != id_key and v is not None},
            )
        )
    if not questions:
        raise InputError(f"{rows.path} holds no usable row ({len(skipped)} report an error); generate it again.")
    return Reading(
        card=Card(name="", source=text_name(rows.path)),
        documents=pool.documents(),
        questions=tuple(questions),
        skipped=tuple(skipped),
        notes=rows.notes,
    )


def _text(place: Place, row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if value is None or value == "" or (isinstance(value, str) and not value.strip()):
        raise place.problem(key, f"the {key} is empty", "fill it in or remove the row")
    if not isinstance(value, str):
        raise place.problem(key, f"{excerpt(value)} is not a text", "give one text")
    return value


def _documents(place: Place, row: Mapping[str, Any], pool: DocumentPool) -> tuple[str, ...]:
    contexts = _texts(place, row, "context")
    if not contexts:
        raise place.problem("context", "the question's document is missing", "give the text of its document")
    id_key = "document_ids" if row.get("document_ids") is not None else "document_id"
    raw_ids = row.get(id_key)
    if raw_ids is None:
        return tuple(dict.fromkeys(pool.add(place, context, "context") for context in contexts))
    raw_ids = raw_ids if isinstance(raw_ids, list) else [raw_ids]
    if len(raw_ids) != len(contexts):
        raise place.problem(
            id_key, f"{len(raw_ids)} document ids for {len(contexts)} texts in 'context'", "give one id a text"
        )
    found = (
        pool.add(place, context, "context", "" if raw is None else raw, id_key)
        for raw, context in zip(raw_ids, contexts, strict=True)
    )
    return tuple(dict.fromkeys(found))


def _texts(place: Place, row: Mapping[str, Any], key: str) -> list[str]:
    value = row.get(key)
    value = [value] if isinstance(value, str) else value or []
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise place.problem(key, f"{excerpt(value)} is no list of texts", "give the documents' texts")
    return value


def _categories(place: Place, row: Mapping[str, Any]) -> dict[str, str]:
    labels: list[tuple[str, str, str]] = []
    for key in _LABEL_LISTS:
        entries = row.get(key) or []
        if not isinstance(entries, list):
            raise place.problem(key, f"{excerpt(entries)} is no list", "give a list of named categories")
        for entry in entries:
            name, node = _named_category(place, key, entry)
            labels.append((key, dimension(name), node.strip()))
    labels.extend((key, key, _text(place, row, key).strip()) for key in _OLD_LABELS if row.get(key) is not None)
    categories: dict[str, str] = {}
    for key, name, node in labels:
        if categories.setdefault(name, node) != node:
            raise place.problem(
                key, f"two categories of '{name}', '{categories[name]}' and '{node}'", "keep one category a dimension"
            )
    return categories


def _named_category(place: Place, key: str, entry: object) -> tuple[str, str]:
    if isinstance(entry, dict):
        name, node = entry.get("categorization_name"), entry.get("category_name")
        if isinstance(name, str) and isinstance(node, str) and name.strip() and node.strip():
            return name, node
    raise place.problem(key, f"{excerpt(entry)} is no category", "give categorization_name and category_name as texts")
