"""The store's schema as a list of forward migrations; the schema version is their number.

Never edit a migration that has been released: add one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store.migration_generation import generation
from core.store.migration_people import people

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlite_utils import Database


def _datasets(db: Database) -> None:
    """Datasets with their documents and questions, kept in the order of the source."""
    db["datasets"].create(
        {
            "name": str,
            "title": str,
            "card": str,
            "labels": str,
            "corpus_fingerprint": str,
            "fingerprint": str,
            "n_documents": int,
            "n_questions": int,
            "source": str,
            "source_hash": str,
            "format": str,
            "created": str,
        },
        pk="name",
    )
    db["documents"].create(
        {
            "dataset": str,
            "ordinal": int,
            "id": str,
            "title": str,
            "text": str,
            "language": str,
            "meta": str,
        },
        pk=("dataset", "id"),
        foreign_keys=[("dataset", "datasets", "name")],
    )
    db["questions"].create(
        {
            "dataset": str,
            "ordinal": int,
            "id": str,
            "question": str,
            "answer": str,
            "relation": str,
            "record": str,
        },
        pk=("dataset", "id"),
        foreign_keys=[("dataset", "datasets", "name")],
    )
    db["datasets"].create_index(["source_hash"])
    db["documents"].create_index(["dataset", "ordinal"])
    db["questions"].create_index(["dataset", "ordinal"])


def _stage_results(db: Database) -> None:
    """What stages computed, keyed by all it depends on.

    ``writes`` counts how often an item was computed: the resume tests assert that it stays 1.
    Kept as plain SQL because sqlite-utils offers no WITHOUT ROWID, which halves this table.
    """
    db.execute(
        """
        CREATE TABLE stage_results (
            stage TEXT NOT NULL,
            key TEXT NOT NULL,
            item TEXT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            value BLOB,
            writes INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (stage, key, item)
        ) WITHOUT ROWID
        """
    )


def _runs(db: Database) -> None:
    """Runs with their progress, and one row for every (run, configuration, question)."""
    db["runs"].create(
        {
            "id": str,
            "dataset": str,
            "spec": str,
            "state": str,
            "stage": str,
            "done": int,
            "total": int,
            "rate": float,
            "failures": str,
            "message": str,
            "started": str,
            "updated": str,
            "finished": str,
            "seconds": float,
            "version": int,
            "provenance": str,
            "diagnostics": str,
        },
        pk="id",
        foreign_keys=[("dataset", "datasets", "name")],
    )
    db.execute(
        """
        CREATE TABLE run_items (
            run TEXT NOT NULL,
            configuration TEXT NOT NULL,
            question TEXT NOT NULL,
            passages TEXT NOT NULL,
            answer TEXT NOT NULL,
            refused INTEGER NOT NULL,
            words INTEGER NOT NULL,
            sentences INTEGER NOT NULL,
            similarity REAL,
            similarity_state TEXT NOT NULL,
            similarity_reason TEXT NOT NULL,
            predicted TEXT,
            correct INTEGER,
            correct_state TEXT NOT NULL,
            correct_reason TEXT NOT NULL,
            PRIMARY KEY (run, configuration, question)
        ) WITHOUT ROWID
        """
    )


def _titles_and_systems(db: Database) -> None:
    """Names of runs and what lists show of their spec; answers and contexts that other RAG systems gave."""
    db.execute("ALTER TABLE runs ADD COLUMN title TEXT NOT NULL DEFAULT ''")
    # a spec holds the ids of all questions: to take these out of it took each list half a millisecond a run
    db.execute("ALTER TABLE runs ADD COLUMN request TEXT NOT NULL DEFAULT '{}'")
    db.execute("ALTER TABLE runs ADD COLUMN scope TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE runs ADD COLUMN n_questions INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE runs ADD COLUMN n_configurations INTEGER NOT NULL DEFAULT 0")
    db.execute(
        """
        UPDATE runs SET
            request = COALESCE(json_extract(spec, '$.request'), '{}'),
            scope = COALESCE(json_extract(spec, '$.resolved.scope'), ''),
            n_questions = COALESCE(json_array_length(spec, '$.resolved.questions'), 0),
            n_configurations = COALESCE(json_array_length(spec, '$.configurations'), 0)
        """
    )
    # what every tab asks for once a second; without it each row's whole spec is read
    db["runs"].create_index(["updated", "id", "state", "version", "title"], index_name="runs_progress")
    db["systems"].create(
        {"dataset": str, "name": str, "source": str, "fingerprint": str, "n_answers": int, "created": str},
        pk=("dataset", "name"),
        foreign_keys=[("dataset", "datasets", "name")],
    )
    db.execute(
        """
        CREATE TABLE system_answers (
            dataset TEXT NOT NULL,
            system TEXT NOT NULL,
            question TEXT NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (dataset, system, question)
        ) WITHOUT ROWID
        """
    )


def _coverage(db: Database) -> None:
    """What became of each question's nuggets, and a lens's per-question numbers as one array a configuration."""
    db.execute(
        """
        CREATE TABLE run_coverage (
            run TEXT NOT NULL,
            configuration TEXT NOT NULL,
            question TEXT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT NOT NULL,
            record TEXT NOT NULL,
            PRIMARY KEY (run, configuration, question)
        ) WITHOUT ROWID
        """
    )
    db.execute(
        """
        CREATE TABLE run_measures (
            run TEXT NOT NULL,
            configuration TEXT NOT NULL,
            lens TEXT NOT NULL,
            names TEXT NOT NULL,
            numbers BLOB NOT NULL,
            PRIMARY KEY (run, configuration, lens)
        )
        """
    )


def _predictions(db: Database) -> None:
    """Relations that other classifiers predicted for the answers of a dataset's runs."""
    db["predictions"].create(
        {"dataset": str, "name": str, "source": str, "fingerprint": str, "n_predictions": int, "created": str},
        pk=("dataset", "name"),
        foreign_keys=[("dataset", "datasets", "name")],
    )
    db.execute(
        """
        CREATE TABLE predicted_relations (
            dataset TEXT NOT NULL,
            predictions TEXT NOT NULL,
            question TEXT NOT NULL,
            configuration TEXT NOT NULL,
            relation TEXT NOT NULL,
            answer TEXT NOT NULL,
            PRIMARY KEY (dataset, predictions, question, configuration)
        ) WITHOUT ROWID
        """
    )


def _trees(db: Database) -> None:
    """Category trees that users bring for a dataset's labels, and how they read labels that no tree knows.

    ``parents`` is null where the dataset's own tree stays and only its labels are read otherwise.
    """
    db["trees"].create(
        {
            "dataset": str,
            "name": str,
            "labels": str,
            "parents": str,
            "mapping": str,
            "source": str,
            "created": str,
        },
        pk=("dataset", "name"),
        foreign_keys=[("dataset", "datasets", "name")],
    )


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    _datasets,
    _stage_results,
    _runs,
    _titles_and_systems,
    _coverage,
    _predictions,
    generation,
    people,
    _trees,
)
SCHEMA_VERSION = len(MIGRATIONS)
