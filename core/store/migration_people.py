"""The migration that brings studies, with the triggers that keep an item from too many ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database


def people(db: Database) -> None:
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
