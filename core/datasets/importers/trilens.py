"""``trilens``: our own format, a folder of ``dataset.yaml``, ``documents.jsonl`` and ``questions.jsonl``.

A document is ``{"id", "text", "title"?, "language"?, "meta"?}``. A question is ``{"id", "question", "answer",
"documents": [ids], "relation"?, "evidence"?, "nuggets"?, "categories"?, "split"?, "meta"?}``; evidence is a list of
alternative groups, each a list of spans that are needed together. Names that are not listed here are refused, so that
a misspelt one is not lost; whatever else a dataset wants to say goes under ``meta``.

A judged collection has no documents of its own: its questions have nuggets, which name under ``held_by`` the documents
that were judged to hold them, and under ``judged`` all that were judged; ``answer``, ``documents`` and the file of
documents may be left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import IdRegister, id_at
from core.datasets.importers.place import excerpt
from core.datasets.importers.result import Reading
from core.datasets.importers.rows import open_rows
from core.datasets.importers.trilens_card import CARD_FILE, check_labels, read_card, tree_nodes
from core.datasets.importers.trilens_evidence import SpanReader, id_list
from core.errors import InputError
from core.schema import Card, Document, Question, Split

DOCUMENTS_FILE = "documents.jsonl"
QUESTIONS_FILE = "questions.jsonl"
_DOCUMENT_KEYS = ("id", "text", "title", "language", "meta")
_QUESTION_KEYS = (
    "id",
    "question",
    "answer",
    "documents",
    "relation",
    "evidence",
    "nuggets",
    "categories",
    "split",
    "meta",
    "judged",
)


def trilens_folder(source: Path) -> Path | None:
    """Return the folder when ``source`` is a Trilens dataset, its ``questions.jsonl`` or ``dataset.yaml``."""
    folder = source.parent if source.name in (QUESTIONS_FILE, CARD_FILE) else source
    beside = (DOCUMENTS_FILE, CARD_FILE) if source.is_file() else (QUESTIONS_FILE,)
    return folder if folder.is_dir() and any((folder / name).is_file() for name in beside) else None


def trilens_files(folder: Path) -> list[Path]:
    """Return the files of a Trilens folder that are there; nothing else in it is read."""
    return [folder / name for name in (CARD_FILE, DOCUMENTS_FILE, QUESTIONS_FILE) if (folder / name).is_file()]


def read_trilens(folder: Path) -> Reading:
    """Return the folder's dataset; raises ``InputError`` at the first line that cannot be used."""
    if not (folder / QUESTIONS_FILE).is_file():
        raise _lacking(folder, QUESTIONS_FILE)
    card = read_card(folder)
    has_documents = (folder / DOCUMENTS_FILE).is_file()
    documents, declared = _documents(folder / DOCUMENTS_FILE) if has_documents else ({}, frozenset())
    return Reading(
        card=card,
        documents=tuple(documents.values()),
        questions=_questions(folder / QUESTIONS_FILE, card, documents),
        declares_language=declared,
    )


def _documents(path: Path) -> tuple[dict[str, Document], frozenset[str]]:
    """Return the documents by id, and the ids of those that state a language."""
    ids = IdRegister("document")
    documents: dict[str, Document] = {}
    declared: set[str] = set()
    for place, row in open_rows(path):
        fields = Fields(place, row)
        fields.only(_DOCUMENT_KEYS)
        identity = ids.define(place, "id", row.get("id"))
        documents[identity] = Document(
            id=identity,
            text=fields.text("text"),
            title=fields.optional_text("title"),
            language=fields.language("language"),
            meta=fields.mapping("meta"),
        )
        if row.get("language") is not None:
            declared.add(identity)
    return documents, frozenset(declared)


def _questions(path: Path, card: Card, documents: dict[str, Document]) -> tuple[Question, ...]:
    ids = IdRegister("question")
    texts = {identity: document.text for identity, document in documents.items()}
    nodes = {dimension: tree_nodes(tree) for dimension, tree in card.trees.items()}
    questions: list[Question] = []
    for place, row in open_rows(path):
        fields = Fields(place, row)
        fields.only(_QUESTION_KEYS)
        identity = ids.define(place, "id", row.get("id"))
        check_labels(fields, card, nodes)
        if row.get("documents") and not (path.parent / DOCUMENTS_FILE).is_file():
            raise _lacking(path.parent, DOCUMENTS_FILE)
        is_topic = bool(fields.items("nuggets")) and not row.get("documents") and not documents
        document_ids = () if is_topic else _document_ids(fields, documents)
        spans = SpanReader(texts, document_ids)
        questions.append(
            Question(
                id=identity,
                question=fields.text("question"),
                answer=fields.optional_text("answer") if is_topic else fields.text("answer"),
                document_ids=document_ids,
                relation=None if row.get("relation") is None else fields.text("relation"),
                evidence=spans.evidence(fields),
                nuggets=spans.nuggets(fields),
                categories=fields.texts_by_name("categories"),
                split=_split(fields),
                meta=fields.mapping("meta"),
                judged=id_list(fields, "judged"),
            )
        )
    if not questions:
        raise InputError(f"{path} holds no question; write at least one.")
    return tuple(questions)


def _lacking(folder: Path, name: str) -> InputError:
    return InputError(f"{folder} holds no {name}; a Trilens dataset is a folder with one.")


def _document_ids(fields: Fields, documents: dict[str, Document]) -> tuple[str, ...]:
    found: list[str] = []
    for index, raw in enumerate(fields.items("documents")):
        key = f"documents[{index}]"
        identity = id_at(fields.place, key, raw)
        if identity not in documents:
            raise fields.problem(
                key, f"document {excerpt(str(raw))} is missing from {DOCUMENTS_FILE}", "add it or correct the id"
            )
        if identity in found:
            raise fields.problem(key, f"document '{identity}' is named twice", "name it once")
        found.append(identity)
    if not found:
        raise fields.problem("documents", "the question names no document", "name at least one")
    return tuple(found)


def _split(fields: Fields) -> Split | None:
    value: Any = fields.values.get("split")
    if value not in (None, "train", "test"):
        raise fields.problem("split", f"{excerpt(value)} is neither 'train' nor 'test'", "use one, or leave it out")
    return cast("Split | None", value)
