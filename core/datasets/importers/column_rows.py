"""From rows with named columns to questions: what the formats ``table`` and ``rag12000`` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from core.datasets.importers.columns import Columns, resolve
from core.datasets.importers.documents import DocumentPool
from core.datasets.importers.evidence import evidence_sentences, locate, text_list
from core.datasets.importers.ids import IdRegister
from core.datasets.importers.place import Place, excerpt
from core.datasets.importers.result import Reading, Skip
from core.datasets.importers.rows import RowFile, columns_of
from core.datasets.importers.source import text_name
from core.errors import InputError
from core.schema import Card, Question, Split

_SPLITS: Mapping[str, Split] = {"train": "train", "training": "train", "test": "test", "testing": "test"}


def read_columns(
    rows: RowFile,
    mapping: Mapping[str, str] | None,
    *,
    required: Sequence[str],
    when_empty: Literal["fail", "skip"],
) -> Reading:
    """Read every row as one question.

    ``required`` are fields that must have a column. A row whose question or answer is empty is an error or, with
    ``when_empty="skip"``, left out and reported. Raises ``InputError`` at the first problem and when nothing is left.
    """
    columns = resolve(rows.path, columns_of(rows.head()), mapping, required)
    reader = _ColumnReader(columns, when_empty)
    for place, fields in rows:
        reader.read(place, fields)
    if not reader.questions:
        raise InputError(
            f"{rows.path}: none of its {len(reader.skipped)} rows has both a question and an answer; fill them in."
        )
    return Reading(
        card=Card(name="", source=text_name(rows.path)),
        documents=reader.pool.documents(),
        questions=tuple(reader.questions),
        skipped=tuple(reader.skipped),
        notes=(*rows.notes, *columns.notes, *reader.notes()),
    )


class _ColumnReader:
    """Turns rows into questions, one after the other, and counts what it could not use."""

    def __init__(self, columns: Columns, when_empty: Literal["fail", "skip"]) -> None:
        self._columns = columns
        self._when_empty = when_empty
        self._ids = IdRegister("question")
        self._rows = 0
        self._not_located: list[tuple[Place, str]] = []
        self._other_splits: dict[str, int] = {}
        self.pool = DocumentPool()
        self.questions: list[Question] = []
        self.skipped: list[Skip] = []

    def read(self, place: Place, row: Mapping[str, Any]) -> None:
        """Add the row's question, or a ``Skip``."""
        self._rows += 1
        texts = {field: self._text(place, row, field) for field in ("question", "answer")}
        for field, text in texts.items():
            if not text.strip():
                if self._when_empty == "skip":
                    self.skipped.append(Skip(place.line, self._columns.of_field[field], f"the {field} is empty"))
                    return
                raise place.problem(
                    self._columns.of_field[field], f"the {field} is empty", "fill it in or remove the row"
                )
        document_ids = self._documents(place, row)
        meta = {name: value for name in self._columns.rest(list(row)) if not _is_blank(value := row[name])}
        evidence_column = self._columns.of_field.get("evidence", "")
        sentences = evidence_sentences(place, evidence_column, row.get(evidence_column))
        evidence, missing = locate(sentences, {id_: self.pool.text(id_) for id_ in document_ids})
        if missing:
            meta["evidence_not_located"] = missing
            self._not_located.extend((place, sentence) for sentence in missing)
        self.questions.append(
            Question(
                id=self._identity(place, row),
                question=texts["question"],
                answer=texts["answer"],
                document_ids=document_ids,
                relation=self._text(place, row, "relation").strip() or None,
                evidence=evidence,
                categories=self._categories(place, row),
                split=self._split(place, row, meta),
                meta=meta,
            )
        )

    def notes(self) -> list[str]:
        """Return what was read and could not be used as it stands."""
        notes = []
        if self._not_located:
            place, sentence = self._not_located[0]
            questions = len({p.line for p, _ in self._not_located})
            notes.append(
                f"{len(self._not_located)} evidence sentences of {questions} questions are not in their documents and "
                f"were kept aside in meta (first: {place.unit} {place.line}, {excerpt(sentence)})."
            )
        notes.extend(
            f"{count} questions of split '{split}' have no split now (only train and test are known); kept in meta."
            for split, count in self._other_splits.items()
        )
        return notes

    def _text(self, place: Place, row: Mapping[str, Any], field: str) -> str:
        """Return the field as text: "" where it is absent, a number as written, a list of one text as that text."""
        column = self._columns.of_field.get(field)
        value = row.get(column) if column is not None else None
        return text_of(place, column or field, value)

    def _identity(self, place: Place, row: Mapping[str, Any]) -> str:
        column = self._columns.of_field.get("id")
        # Without a column of its own, a question is known by its row, the header not counted.
        return str(self._rows) if column is None else self._ids.define(place, column, row.get(column))

    def _documents(self, place: Place, row: Mapping[str, Any]) -> tuple[str, ...]:
        context_column = self._columns.of_field["context"]
        contexts = _contexts(place, context_column, row.get(context_column))
        id_column = self._columns.of_field.get("document_id")
        if id_column is None:
            found = [self.pool.add(place, context, context_column) for context in contexts]
        else:
            raw_ids = _raw_ids(row.get(id_column), len(contexts))
            if len(raw_ids) != len(contexts):
                raise place.problem(
                    id_column,
                    f"{len(raw_ids)} document ids for {len(contexts)} documents in '{context_column}'",
                    "give one id a document",
                )
            found = [
                self.pool.add(place, context, context_column, None if _is_blank(raw) else raw, id_column)
                for raw, context in zip(raw_ids, contexts, strict=True)
            ]
        return tuple(dict.fromkeys(found))

    def _categories(self, place: Place, row: Mapping[str, Any]) -> dict[str, str]:
        labels = {
            dimension: text_of(place, column, row.get(column)).strip()
            for dimension, column in self._columns.of_dimension.items()
        }
        return {dimension: label for dimension, label in labels.items() if label}

    def _split(self, place: Place, row: Mapping[str, Any], meta: dict[str, Any]) -> Split | None:
        name = self._text(place, row, "split").strip()
        split = _SPLITS.get(name.casefold())
        if name and split is None:
            self._other_splits[name] = self._other_splits.get(name, 0) + 1
            meta[self._columns.of_field["split"]] = name
        return split


def text_of(place: Place, column: str, value: object) -> str:
    """Return a cell as text: "" for nothing, 12 for the number 12.0, the text of a list of one.

    Raises ``InputError`` for anything that is not one text.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise place.problem(column, f"{excerpt(value)} is not a text", "give one text")


def _contexts(place: Place, column: str, value: object) -> list[str]:
    texts = text_list(value)
    if texts is None:
        texts = [text_of(place, column, value)]
    if not texts or not any(text.strip() for text in texts):
        raise place.problem(column, "the question's document is missing", "fill in its text or remove the row")
    return texts


def _raw_ids(value: object, documents: int) -> list[Any]:
    if isinstance(value, list):
        return value
    if documents != 1 and (texts := text_list(value)) is not None:
        return list(texts)
    return [value]


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
