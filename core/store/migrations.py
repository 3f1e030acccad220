"""The store's schema as a list of forward migrations; the schema version is their number.

Never edit a migration that has been released: add one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def _generation(db: Database) -> None:
    """Question sets under way: what is asked of which documents, and every pair that came back with its fate."""
    db["generations"].create(
        {
            "id": str,
            "title": str,
            "plan": str,
            "model": str,
            "request": str,
            "trees": str,
            "left_out": str,
            "state": str,
            "message": str,
            "done": int,
            "wanted": int,
            "cost": str,
            "seconds": float,
            "created": str,
            "updated": str,
            "dataset": str,
            "version": int,
        },
        pk="id",
    )
    db.execute(
        """
        CREATE TABLE generation_documents (
            generation TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            text TEXT NOT NULL,
            language TEXT NOT NULL,
            PRIMARY KEY (generation, ordinal)
        )
        """
    )
    db.execute(
        """
        CREATE TABLE generated_pairs (
            generation TEXT NOT NULL,
            slot TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            number INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            question_set TEXT NOT NULL,
            category TEXT NOT NULL,
            document TEXT NOT NULL,
            reason TEXT NOT NULL,
            question TEXT NOT NULL,
            answer TEXT NOT NULL,
            record TEXT NOT NULL,
            keep INTEGER NOT NULL DEFAULT 1,
            edited_question TEXT NOT NULL DEFAULT '',
            edited_answer TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (generation, slot, attempt, number)
        ) WITHOUT ROWID
        """
    )


def _people(db: Database) -> None:
    """Studies: what is rated, by whom, every item in a rater's hands, every press, and adjudicated scores.

    ``held`` counts the people who have an item or have answered it; the triggers keep it true whatever statement
    changes an assignment, so that an item never has more ratings than it needs.
    """
    db.execute(
        """
        CREATE TABLE studies (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL,
            design TEXT NOT NULL,
            further TEXT NOT NULL,
            labels TEXT NOT NULL,
            left_out TEXT NOT NULL,
            deadline TEXT NOT NULL,
            n_items INTEGER NOT NULL,
            created TEXT NOT NULL,
            owner TEXT NOT NULL,
            version INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    db.execute(
        """
        CREATE TABLE study_items (
            id TEXT PRIMARY KEY,
            study TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            question_id TEXT NOT NULL,
            relation TEXT NOT NULL,
            question TEXT NOT NULL,
            reference TEXT NOT NULL,
            answer TEXT NOT NULL,
            passages TEXT NOT NULL,
            credits TEXT NOT NULL,
            cluster TEXT NOT NULL,
            is_shared INTEGER NOT NULL,
            gold REAL,
            assigned TEXT NOT NULL,
            needed INTEGER NOT NULL,
            held INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    # what the next item is chosen from, without reading texts
    db.execute("CREATE UNIQUE INDEX study_items_room ON study_items (study, ordinal, id, is_shared, held, needed)")
    db.execute(
        """
        CREATE TABLE study_raters (
            study TEXT NOT NULL,
            rater TEXT NOT NULL,
            number INTEGER NOT NULL,
            name TEXT NOT NULL,
            is_model INTEGER NOT NULL,
            is_active INTEGER NOT NULL,
            invited TEXT NOT NULL,
            PRIMARY KEY (study, rater)
        ) WITHOUT ROWID
        """
    )
    db.execute(
        """
        CREATE TABLE study_assignments (
            id TEXT PRIMARY KEY,
            study TEXT NOT NULL,
            item TEXT NOT NULL,
            rater TEXT NOT NULL,
            is_model INTEGER NOT NULL,
            number INTEGER NOT NULL,
            place INTEGER NOT NULL,
            systems TEXT NOT NULL,
            state TEXT NOT NULL,
            before TEXT NOT NULL DEFAULT '',
            token TEXT NOT NULL,
            leased_until REAL NOT NULL,
            shown REAL NOT NULL,
            value REAL,
            second INTEGER,
            further TEXT NOT NULL DEFAULT '{}',
            note TEXT NOT NULL DEFAULT '',
            seconds REAL NOT NULL DEFAULT 0,
            decided REAL,
            decided_by INTEGER,
            UNIQUE (study, rater, item)
        )
        """
    )
    db.execute("CREATE INDEX study_assignments_open ON study_assignments (study, state, leased_until)")
    db.execute("CREATE INDEX study_assignments_item ON study_assignments (item)")
    holds = "({0}.is_model = 0 AND {0}.state IN ('open', 'scored', 'cannot_judge'))"
    db.execute(
        f"""
        CREATE TRIGGER study_item_taken AFTER INSERT ON study_assignments WHEN {holds.format("NEW")} BEGIN
            UPDATE study_items SET held = held + 1 WHERE id = NEW.item;
        END
        """
    )
    db.execute(
        f"""
        CREATE TRIGGER study_item_changed AFTER UPDATE OF state ON study_assignments
        WHEN {holds.format("NEW")} <> {holds.format("OLD")} BEGIN
            UPDATE study_items SET held = held + {holds.format("NEW")} - {holds.format("OLD")} WHERE id = NEW.item;
        END
        """
    )
    db.execute(
        """
        CREATE TABLE study_presses (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            study TEXT NOT NULL,
            assignment TEXT NOT NULL,
            item TEXT NOT NULL,
            rater TEXT NOT NULL,
            action TEXT NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT NOT NULL,
            value REAL,
            at TEXT NOT NULL
        )
        """
    )
    db.execute("CREATE INDEX study_presses_rater ON study_presses (study, rater, outcome)")
    db.execute(
        """
        CREATE TABLE study_adjudications (
            study TEXT NOT NULL,
            item TEXT NOT NULL,
            value REAL NOT NULL,
            reason TEXT NOT NULL,
            rater TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (study, item)
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


def _access(db: Database) -> None:
    """Personal codes, browsers signed in with one, ended sign-ins, failed attempts; nothing one could sign in with."""
    db.execute(
        """
        CREATE TABLE access_codes (
            id TEXT PRIMARY KEY,
            digest TEXT NOT NULL,
            role TEXT NOT NULL,
            name TEXT NOT NULL,
            created TEXT NOT NULL,
            expires REAL,
            revoked REAL,
            used REAL
        )
        """
    )
    for table, columns in (
        ("access_sign_ins", "digest TEXT PRIMARY KEY, code TEXT NOT NULL, until REAL NOT NULL"),
        ("access_ended", "digest TEXT PRIMARY KEY, at REAL NOT NULL"),
        ("access_failures", "address TEXT PRIMARY KEY, failed INTEGER NOT NULL, last REAL NOT NULL"),
    ):
        db.execute(f"CREATE TABLE {table} ({columns}) WITHOUT ROWID")


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    _datasets,
    _stage_results,
    _runs,
    _titles_and_systems,
    _coverage,
    _predictions,
    _generation,
    _people,
    _trees,
    _access,
)
SCHEMA_VERSION = len(MIGRATIONS)
