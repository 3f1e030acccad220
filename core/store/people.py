"""Studies in the store: their design, their items, who is invited. What raters do is in ``people_queue``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.errors import OptionError
from core.store.database import BATCH, Store, now

if TYPE_CHECKING:
    from sqlite_utils import Database

_STUDY_JSON = ("design", "further", "labels", "left_out")
_ITEM_JSON = ("passages", "credits")
_TABLES = ("study_items", "study_raters", "study_assignments", "study_presses", "study_adjudications")


def insert_study(store: Store, study: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> None:
    """Store a study with all of its items, or nothing."""
    with store.write() as db:
        db["studies"].insert(encoded(study, _STUDY_JSON))
        db["study_items"].insert_all((encoded(item, _ITEM_JSON) for item in items), batch_size=BATCH)


def study_rows(store: Store) -> list[dict[str, Any]]:
    """Return all studies, newest first."""
    return [decoded(row, _STUDY_JSON) for row in store.rows("SELECT * FROM studies ORDER BY created DESC, rowid DESC")]


def study_row(store: Store, study: str) -> dict[str, Any]:
    """Return one study. Raises OptionError where there is none of that id."""
    # halves of characters, from an address, are no text that SQLite takes
    is_text = study.encode("utf-8", "replace").decode() == study
    rows = store.rows("SELECT * FROM studies WHERE id = ?", (study,)) if is_text else []
    if not rows:
        raise OptionError(f"no study '{study[:80]}' is stored (any more): `study list` shows those that are.")
    return decoded(rows[0], _STUDY_JSON)


def set_study_state(store: Store, study: str, state: str) -> None:
    """Change a study's state; one that has been deleted meanwhile stays so."""
    with store.write() as db:
        db.conn.execute("UPDATE studies SET state = ?, version = version + 1 WHERE id = ?", (state, study))


def delete_study(store: Store, study: str) -> bool:
    """Delete a study with everything that was rated in it; False where it is not there."""
    with store.write() as db:
        for table in _TABLES:
            db.conn.execute(f"DELETE FROM {table} WHERE study = ?", (study,))
        return bool(db.conn.execute("DELETE FROM studies WHERE id = ?", (study,)).rowcount)


def item_rows(store: Store, study: str) -> list[dict[str, Any]]:
    """Return the items of a study with ``needed`` and ``held``, in order."""
    rows = store.rows("SELECT * FROM study_items WHERE study = ? ORDER BY ordinal", (study,))
    return [decoded(row, _ITEM_JSON) for row in rows]


def item_sizes(store: Store, study: str) -> list[dict[str, Any]]:
    """Return ``id, question_id, relation, is_shared, needed`` of a study's items in order, without texts."""
    return store.rows(
        "SELECT id, question_id, relation, is_shared, needed FROM study_items WHERE study = ? ORDER BY ordinal",
        (study,),
    )


def item_row(store: Store, item: str) -> dict[str, Any] | None:
    """Return one item, None where it is not there."""
    rows = store.rows("SELECT * FROM study_items WHERE id = ?", (item,))
    return decoded(rows[0], _ITEM_JSON) if rows else None


def rater_rows(store: Store, study: str) -> list[dict[str, Any]]:
    """Return those invited to a study, removed ones too, in the order of their first invitation."""
    return store.rows("SELECT * FROM study_raters WHERE study = ? ORDER BY is_model, number", (study,))


def rater_row(store: Store, study: str, rater: str) -> dict[str, Any] | None:
    """Return one of those invited, None where nobody of that id was."""
    rows = store.rows("SELECT * FROM study_raters WHERE study = ? AND rater = ?", (study, rater))
    return rows[0] if rows else None


def studies_of(store: Store, rater: str) -> list[str]:
    """Return the studies that somebody is invited to, newest first."""
    rows = store.rows(
        "SELECT s.id FROM studies AS s JOIN study_raters AS r ON r.study = s.id "
        "WHERE r.rater = ? AND r.is_active ORDER BY s.created DESC, s.rowid DESC",
        (rater,),
    )
    return [row["id"] for row in rows]


def standing(store: Store, study: str, rater: str) -> dict[str, Any] | None:
    """Return a study's ``state``, ``deadline`` and ``seed``, and whether a rater ``is_active`` in it (None: never was).

    None where there is no such study. Reads no design: what every press asks for.
    """
    is_text = study.encode("utf-8", "replace").decode() == study
    rows = store.rows(
        "SELECT s.state, s.deadline, json_extract(s.design, '$.seed') AS seed, r.is_active FROM studies AS s "
        "LEFT JOIN study_raters AS r ON r.study = s.id AND r.rater = ? WHERE s.id = ?",
        (rater, study if is_text else ""),
    )
    return rows[0] if rows else None


def put_rater(store: Store, study: str, rater: str, name: str, *, is_model: bool) -> None:
    """Invite a rater; one who was invited before keeps number and scores, is active again, and may get a new name.

    Raises OptionError where the study has been deleted meanwhile.
    """
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM studies WHERE id = ?", (study,)).fetchone():
            raise OptionError(f"study '{study[:80]}' has been deleted meanwhile: `study list` shows those there are.")
        (number,) = db.conn.execute(
            "SELECT COALESCE(MAX(number), 0) + 1 FROM study_raters WHERE study = ? AND is_model = ?", (study, is_model)
        ).fetchone()
        db.conn.execute(
            "INSERT INTO study_raters (study, rater, number, name, is_model, is_active, invited) "
            "VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (study, rater) DO UPDATE SET is_active = 1, "
            "name = CASE WHEN excluded.name = '' THEN name ELSE excluded.name END",
            (study, rater, number, name, int(is_model), now()),
        )
        touch(db, study)


def drop_rater(store: Store, study: str, rater: str) -> bool:
    """Remove a rater: items in hand go back, what was scored stays. False where nobody of that id is active."""
    with store.write() as db:
        found = db.conn.execute(
            "UPDATE study_raters SET is_active = 0 WHERE study = ? AND rater = ? AND is_active", (study, rater)
        )
        # an undone score that was not given anew stands again
        db.conn.execute(
            "UPDATE study_assignments SET state = CASE WHEN before = '' THEN 'withdrawn' ELSE before END, "
            "before = '', token = '' WHERE study = ? AND rater = ? AND state = 'open'",
            (study, rater),
        )
        touch(db, study)
        return bool(found.rowcount)


def touch(db: Database, study: str) -> None:
    """Count a change of a study, within a transaction."""
    db.conn.execute("UPDATE studies SET version = version + 1 WHERE id = ?", (study,))


def encoded(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a row with the named columns as JSON text."""
    return {
        name: json.dumps(value, ensure_ascii=False, allow_nan=False) if name in names else value
        for name, value in row.items()
    }


def decoded(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a row with the named columns read from JSON text."""
    return {name: json.loads(value) if name in names else value for name, value in row.items()}
