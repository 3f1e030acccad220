"""Judged collections: topics that later files may add to, with the systems that were measured on them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.errors import OptionError
from core.schema import Dataset, SystemAnswer
from core.store.database import Store
from core.store.datasets import dataset_fingerprint, insert_dataset, insert_questions
from core.store.systems import insert_system, runs_with, system_fingerprint

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """What a system gave, by question id, the files it comes from, and the fingerprint it replaces, "" for none."""

    answers: Mapping[str, SystemAnswer]
    source: str
    before: str = ""


def save_collection(
    store: Store,
    name: str,
    dataset: Dataset | None,
    systems: Mapping[str, SystemRecord],
    *,
    before: str,
    labels: Mapping[str, Any],
    source: str,
    source_hash: str,
    format: str,
) -> None:
    """Store topics and systems in one transaction, all or nothing.

    ``dataset`` is what the collection holds from now on, None where it stays as it is; ``before`` is the fingerprint of
    what it replaces, "" for a new one. A collection or system that a run was made with is not replaced.

    Raises:
        OptionError: the collection or a system is another one by now than it was read as, or a run was made with it.
    """
    with store.write() as db:
        stored = db.conn.execute("SELECT fingerprint FROM datasets WHERE name = ?", (name,)).fetchone()
        if (stored[0] if stored else "") != before:
            raise OptionError(f"'{name}' has changed since the files were read: import them again.")
        if dataset is not None and stored:
            _refuse_runs(db, name)
            _replace(db, name, dataset, labels)
        elif dataset is not None:
            insert_dataset(
                db, name, dataset, dataset_fingerprint(dataset), source=source, source_hash=source_hash,
                format=format, labels=labels,
            )  # fmt: skip
        for system, record in systems.items():
            _put_system(store, db, name, system, record)


def _refuse_runs(db: Database, name: str) -> None:
    runs = [row[0] for row in db.conn.execute("SELECT id FROM runs WHERE dataset = ?", (name,))]
    if runs:
        raise OptionError(
            f"run '{runs[0]}' was made with the topics of '{name}' as they are: delete its runs first, or import the "
            "files into another collection."
        )


def _replace(db: Database, name: str, dataset: Dataset, labels: Mapping[str, Any]) -> None:
    db.conn.execute("DELETE FROM questions WHERE dataset = ?", (name,))
    db.conn.execute(
        "UPDATE datasets SET card = ?, labels = ?, fingerprint = ?, n_questions = ? WHERE name = ?",
        (
            json.dumps(asdict(dataset.card), ensure_ascii=False),
            json.dumps(labels, ensure_ascii=False),
            dataset_fingerprint(dataset),
            len(dataset.questions),
            name,
        ),
    )
    insert_questions(db, name, dataset)


def _put_system(store: Store, db: Database, dataset: str, name: str, record: SystemRecord) -> None:
    found = db.conn.execute(
        "SELECT fingerprint FROM systems WHERE dataset = ? AND name = ?", (dataset, name)
    ).fetchone()
    if (found[0] if found else "") != record.before:
        raise OptionError(f"system '{name}' of '{dataset}' has changed since the files were read: import them again.")
    if found and found[0] == system_fingerprint(record.answers):
        return
    if found:
        if made := runs_with(store, dataset, name):
            raise OptionError(
                f"run '{made[0]['id']}' was made with system '{name}' as it is: delete the run first, or import what "
                "is new under another name."
            )
        db.conn.execute("DELETE FROM system_answers WHERE dataset = ? AND system = ?", (dataset, name))
        db.conn.execute("DELETE FROM systems WHERE dataset = ? AND name = ?", (dataset, name))
    insert_system(db, dataset, name, record.answers, source=record.source)
