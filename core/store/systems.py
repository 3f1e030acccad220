"""Answers of other RAG systems to a dataset's questions: written whole or not at all, read back by question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.errors import OptionError
from core.schema import NuggetLabel, SystemAnswer, SystemContext, content_hash
from core.store.database import BATCH, Store, now

if TYPE_CHECKING:
    from sqlite_utils import Database


def system_fingerprint(answers: Mapping[str, SystemAnswer]) -> str:
    """Hash of everything a run can depend on, by question id in the dataset's order."""
    return content_hash([(question, _record(answer)) for question, answer in answers.items()])


def save_system(store: Store, dataset: str, name: str, answers: Mapping[str, SystemAnswer], *, source: str) -> bool:
    """Store a system in one transaction; return False when just this is stored already.

    Raises:
        OptionError: ``name`` is taken by other content, or the dataset is not stored (any more).
    """
    fingerprint = system_fingerprint(answers)
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM datasets WHERE name = ?", (dataset,)).fetchone():
            raise OptionError(f"no dataset named '{dataset}' is stored: import it first.")
        found = db.conn.execute(
            "SELECT fingerprint FROM systems WHERE dataset = ? AND name = ?", (dataset, name)
        ).fetchone()
        if found:
            if found[0] == fingerprint:
                return False
            raise OptionError(
                f"a system named '{name}' with other answers is stored for '{dataset}' already: choose another --name."
            )
        insert_system(db, dataset, name, answers, source=source)
    return True


def insert_system(db: Database, dataset: str, name: str, answers: Mapping[str, SystemAnswer], *, source: str) -> None:
    """Write a system's rows within a transaction; none of this name may be there."""
    db["systems"].insert(
        {
            "dataset": dataset,
            "name": name,
            "source": source,
            "fingerprint": system_fingerprint(answers),
            "n_answers": sum(bool(answer.sentences) for answer in answers.values()),
            "created": now(),
        }
    )
    db["system_answers"].insert_all(
        (
            {
                "dataset": dataset,
                "system": name,
                "question": question,
                "record": json.dumps(_record(answer), ensure_ascii=False),
            }
            for question, answer in answers.items()
        ),
        batch_size=BATCH,
    )


def system_rows(store: Store, dataset: str | None = None) -> list[dict[str, Any]]:
    """Return a row a system, of one dataset or of all, by name: whatever was imported first, a run is the same."""
    return store.rows(
        "SELECT * FROM systems WHERE :dataset IS NULL OR dataset = :dataset ORDER BY dataset, name",
        {"dataset": dataset},
    )


def system_answers(store: Store, dataset: str, name: str) -> dict[str, SystemAnswer]:
    """Return what a system gave, by question id; empty when there is no such system."""
    rows = store.rows("SELECT question, record FROM system_answers WHERE dataset = ? AND system = ?", (dataset, name))
    return {row["question"]: _answer(json.loads(row["record"])) for row in rows}


def system_answer(store: Store, dataset: str, name: str, question: str) -> SystemAnswer | None:
    """Return what a system gave for one question, or None."""
    rows = store.rows(
        "SELECT record FROM system_answers WHERE dataset = ? AND system = ? AND question = ?", (dataset, name, question)
    )
    return _answer(json.loads(rows[0]["record"])) if rows else None


def runs_with(store: Store, dataset: str, name: str) -> list[dict[str, Any]]:
    """Return ``id, title, state`` of the dataset's runs that have the system as a configuration, newest first."""
    return store.rows(
        "SELECT id, title, state FROM runs WHERE dataset = ? AND EXISTS (SELECT 1 FROM json_each(spec, "
        "'$.resolved.systems') WHERE json_extract(value, '$.name') = ?) ORDER BY started DESC, rowid DESC",
        (dataset, name),
    )


def delete_system(store: Store, dataset: str, name: str) -> bool:
    """Delete a system, all of it or nothing; return False when it is not there."""
    with store.write() as db:
        db.conn.execute("DELETE FROM system_answers WHERE dataset = ? AND system = ?", (dataset, name))
        return bool(db.conn.execute("DELETE FROM systems WHERE dataset = ? AND name = ?", (dataset, name)).rowcount)


def _record(answer: SystemAnswer) -> dict[str, Any]:
    """Return an answer as it is stored and hashed: rankings and labels only where there are any."""
    record = asdict(answer)
    return {name: value for name, value in record.items() if value or name not in ("ranking", "labels", "cited_only")}


def _answer(record: Mapping[str, Any]) -> SystemAnswer:
    return SystemAnswer(
        sentences=tuple(record["sentences"]),
        contexts=tuple(SystemContext(**context) for context in record["contexts"]),
        citations=tuple((sentence, context) for sentence, context in record["citations"]),
        refused=record["refused"],
        ranking=tuple(record.get("ranking", ())),
        labels=tuple(NuggetLabel(**label) for label in record.get("labels", ())),
        cited_only=record.get("cited_only", False),
    )
