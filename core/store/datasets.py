"""Datasets in the store: written whole or not at all, read back as the records of ``core.schema``."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.errors import BusyError, OptionError
from core.schema import Card, Dataset, Document, EvidenceGroup, Nugget, NuggetAnswer, Question, Span, content_hash
from core.store.database import BATCH, Store, now

if TYPE_CHECKING:
    from sqlite_utils import Database


def dataset_fingerprint(dataset: Dataset) -> str:
    """Hash of everything a run can depend on: documents and questions with all their labels, in order."""
    return content_hash(dataset.corpus_fingerprint, [question_record(question) for question in dataset.questions])


def question_record(question: Question) -> dict[str, Any]:
    """Return a question as it is stored and hashed: judgments only where there are any, as before there were such."""
    record = asdict(question)
    nuggets = [one for nugget in record["nuggets"] for one in (nugget, *nugget["answers"])]
    for holder, name in ((record, "judged"), *((one, "documents") for one in nuggets)):
        if not holder[name]:
            del holder[name]
    return record


def save_dataset(
    store: Store,
    dataset: Dataset,
    *,
    source: str,
    source_hash: str,
    format: str,
    labels: Mapping[str, Any],
    name: str | None = None,
) -> str:
    """Store ``dataset`` in one transaction and return the name it got.

    Content that is stored already keeps its name. A name that holds other content is an error when the caller
    asked for it (``name``), otherwise the next free ``-2``, ``-3`` … is taken, so that old runs keep their data.

    Raises:
        OptionError: ``name`` is taken by other content.
    """
    fingerprint = dataset_fingerprint(dataset)
    with store.write() as db:
        taken: dict[str, str] = {
            row["name"]: row["fingerprint"] for row in db.query("SELECT name, fingerprint FROM datasets")
        }
        wanted = name or dataset.card.name
        if taken.get(wanted) == fingerprint:
            return wanted
        if wanted in taken:
            if name is not None:
                raise OptionError(
                    f"a dataset named '{name}' with other content is stored already: choose another --name."
                )
            same = [stored for stored, known in taken.items() if known == fingerprint]
            if same:
                return same[0]
            wanted = next(f"{wanted}-{i}" for i in range(2, len(taken) + 3) if f"{wanted}-{i}" not in taken)
        insert_dataset(
            db, wanted, dataset, fingerprint, source=source, source_hash=source_hash, format=format, labels=labels
        )
    return wanted


def insert_dataset(
    db: Database,
    name: str,
    dataset: Dataset,
    fingerprint: str,
    *,
    source: str,
    source_hash: str,
    format: str,
    labels: Mapping[str, Any],
) -> None:
    """Write a dataset's rows within a transaction; nothing of this name may be there."""
    db["datasets"].insert(
        {
            "name": name,
            "title": dataset.card.title or name,
            "card": json.dumps(asdict(dataset.card), ensure_ascii=False),
            "labels": json.dumps(labels, ensure_ascii=False),
            "corpus_fingerprint": dataset.corpus_fingerprint,
            "fingerprint": fingerprint,
            "n_documents": len(dataset.documents),
            "n_questions": len(dataset.questions),
            "source": source,
            "source_hash": source_hash,
            "format": format,
            "created": now(),
        }
    )
    db["documents"].insert_all(
        (
            {
                "dataset": name,
                "ordinal": ordinal,
                "id": document.id,
                "title": document.title,
                "text": document.text,
                "language": document.language,
                "meta": json.dumps(document.meta, ensure_ascii=False),
            }
            for ordinal, document in enumerate(dataset.documents)
        ),
        batch_size=BATCH,
    )
    insert_questions(db, name, dataset)


def insert_questions(db: Database, name: str, dataset: Dataset) -> None:
    """Write a dataset's questions within a transaction; it may have none yet."""
    db["questions"].insert_all(
        (
            {
                "dataset": name,
                "ordinal": ordinal,
                "id": question.id,
                "question": question.question,
                "answer": question.answer,
                "relation": question.relation,
                "record": json.dumps(question_record(question), ensure_ascii=False),
            }
            for ordinal, question in enumerate(dataset.questions)
        ),
        batch_size=BATCH,
    )


def replace_card(
    store: Store, name: str, fingerprint: str, card: Card, *, source: str, source_hash: str, format: str
) -> bool:
    """Give a dataset that holds just this content another card, and say where that came from; its name stays.

    Returns False when there is no such dataset (any more).
    """
    with store.write() as db:
        return bool(
            db.conn.execute(
                "UPDATE datasets SET title = ?, card = ?, source = ?, source_hash = ?, format = ? "
                "WHERE name = ? AND fingerprint = ?",
                (
                    *(card.title or name, json.dumps(asdict(card), ensure_ascii=False), source, source_hash, format),
                    *(name, fingerprint),
                ),
            ).rowcount
        )


def dataset_of_source(store: Store, source_hash: str) -> str | None:
    """Return the dataset that was imported from just this content with just these options, if there is one."""
    rows = store.rows("SELECT name FROM datasets WHERE source_hash = ? ORDER BY created LIMIT 1", (source_hash,))
    return rows[0]["name"] if rows else None


def dataset_of_fingerprint(store: Store, fingerprint: str) -> str | None:
    """Return the dataset that holds just these documents and questions, if there is one."""
    rows = store.rows("SELECT name FROM datasets WHERE fingerprint = ? ORDER BY created LIMIT 1", (fingerprint,))
    return rows[0]["name"] if rows else None


def delete_dataset(store: Store, name: str, run_ids: Collection[str], fingerprint: str | None = None) -> bool:
    """Delete a dataset with its documents, questions, systems, predictions, trees and runs, all of it or nothing.

    ``run_ids`` are its runs as the caller knows them, whose locks it holds; ``fingerprint`` is what the dataset must
    hold. Returns False when there is no such dataset (any more).

    Raises:
        BusyError: the dataset has got another run since.
    """
    with store.write() as db:
        found = [row["fingerprint"] for row in db.query("SELECT fingerprint FROM datasets WHERE name = ?", (name,))]
        if not found or fingerprint not in (None, *found):
            return False
        runs = {row["id"] for row in db.query("SELECT id FROM runs WHERE dataset = ?", (name,))}
        if not runs <= set(run_ids):
            raise BusyError(f"a run on dataset '{name}' has just been started: look at it, then delete.")
        for table in ("run_items", "run_coverage", "run_measures"):
            db.conn.execute(f"DELETE FROM {table} WHERE run IN (SELECT id FROM runs WHERE dataset = ?)", (name,))
        made = ("runs", "predicted_relations", "predictions", "system_answers", "systems", "trees")
        for table in (*made, "questions", "documents"):
            db.conn.execute(f"DELETE FROM {table} WHERE dataset = ?", (name,))
        db.conn.execute("DELETE FROM datasets WHERE name = ?", (name,))
    return True


def dataset_rows(store: Store) -> list[dict[str, Any]]:
    """Return one row a stored dataset, newest first, ``card`` and ``labels`` decoded."""
    rows = store.rows("SELECT * FROM datasets ORDER BY created DESC, rowid DESC")
    for row in rows:
        row["card"], row["labels"] = json.loads(row["card"]), json.loads(row["labels"])
    return rows


def question_of(store: Store, dataset: str, question_id: str) -> Question | None:
    """Return one question, None where the dataset has none of that id."""
    rows = store.rows("SELECT record FROM questions WHERE dataset = ? AND id = ?", (dataset, question_id))
    return _question(json.loads(rows[0]["record"])) if rows else None


def document_of(store: Store, dataset: str, document_id: str) -> Document | None:
    """Return one document, None where the dataset has none of that id."""
    rows = store.rows("SELECT * FROM documents WHERE dataset = ? AND id = ?", (dataset, document_id))
    return _document(rows[0]) if rows else None


def load_dataset(store: Store, name: str) -> Dataset:
    """Return a stored dataset.

    Raises:
        OptionError: there is none of that name.
    """
    found = store.rows("SELECT card FROM datasets WHERE name = ?", (name,))
    if not found:
        known = ", ".join(f"'{row['name']}'" for row in dataset_rows(store)) or "none yet"
        raise OptionError(f"no dataset named '{name}' is stored (stored: {known}): import it first or give a path.")
    documents = store.rows("SELECT * FROM documents WHERE dataset = ? ORDER BY ordinal", (name,))
    questions = store.rows("SELECT record FROM questions WHERE dataset = ? ORDER BY ordinal", (name,))
    return Dataset(
        card=Card(**json.loads(found[0]["card"])),
        documents=tuple(_document(row) for row in documents),
        questions=tuple(_question(json.loads(row["record"])) for row in questions),
    )


def _document(row: Mapping[str, Any]) -> Document:
    return Document(row["id"], row["text"], row["title"], row["language"], json.loads(row["meta"]))


def _question(record: dict[str, Any]) -> Question:
    record["document_ids"] = tuple(record["document_ids"])
    record["judged"] = tuple(record.get("judged", ()))
    record["evidence"] = _groups(record["evidence"])
    record["nuggets"] = tuple(
        Nugget(
            **{
                **nugget,
                "evidence": _groups(nugget["evidence"]),
                "documents": tuple(nugget.get("documents", ())),
                "answers": tuple(
                    NuggetAnswer(answer["text"], _groups(answer["evidence"]), tuple(answer.get("documents", ())))
                    for answer in nugget["answers"]
                ),
            }
        )
        for nugget in record["nuggets"]
    )
    return Question(**record)


def _groups(groups: list[list[dict[str, Any]]]) -> tuple[EvidenceGroup, ...]:
    return tuple(tuple(Span(**span) for span in group) for group in groups)
