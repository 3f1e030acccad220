"""Who has which item in hand: leases, and the next item of a rater, each in one ``BEGIN IMMEDIATE`` transaction.

Times are seconds since the epoch, given by the caller. Nothing here trusts that they grow: a clock that was set back
makes a lease longer, never an item lost, and no active time negative.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.store.database import Store, now
from core.store.people import touch

if TYPE_CHECKING:
    from sqlite_utils import Database

#: gives the ordinals of n items in one rater's order
Order = Callable[[int], tuple[int, ...]]
#: items that are looked at in one statement: under the write lock nobody should wait for a walk through all of them
_CHUNK = 64


def open_assignment(store: Store, study: str, rater: str, at: float) -> dict[str, Any] | None:
    """Return a rater's first open assignment whose lease lasts, None where there is none; writes nothing."""
    rows = store.rows(
        "SELECT * FROM study_assignments WHERE study = ? AND rater = ? AND state = 'open' AND leased_until > ? "
        "ORDER BY number LIMIT 1",
        (study, rater, at),
    )
    return rows[0] if rows else None


def assign_next(
    store: Store, study: str, rater: str, at: float, lease: float, order: Order, systems: Callable[[str], str]
) -> dict[str, Any] | None:
    """Return a rater's first open assignment, or make one of the first item in their order that has room.

    An item has room where fewer people have or answered it than it needs, or where all are to see it. What this rater
    answered or skipped is not given again; what ran out in their hands is, as the same assignment with a new token.
    ``systems`` gives the JSON to store for an item's credits (JSON). None: nothing is left, the study is not open,
    or the rater is not active.
    """
    with store.write() as db:
        expire(db, study, at)
        if not may_rate(db, study, rater):
            return None
        found = open_assignment(store, study, rater, at)
        return found or _assigned(db, study, rater, at, lease, order, systems)


def assign_many(
    store: Store,
    study: str,
    rater: str,
    at: float,
    lease: float,
    order: Order,
    systems: Callable[[str], str],
    most: int,
) -> list[dict[str, Any]]:
    """Return up to ``most`` assignments for a sheet, each leased anew for so long, in the rater's order.

    Those that are open in the rater's hands come first: one on the screen goes into the sheet, with a new token.
    """
    made: list[dict[str, Any]] = []
    with store.write() as db:
        expire(db, study, at)
        if not may_rate(db, study, rater):
            return made
        held = db.conn.execute(
            "SELECT id FROM study_assignments WHERE study = ? AND rater = ? AND state = 'open' ORDER BY number LIMIT ?",
            (study, rater, most),
        ).fetchall()
        for (identifier,) in held:
            made.append(lease_anew(db, identifier, at, lease))
        while len(made) < most and (one := _assigned(db, study, rater, at, lease, order, systems)):
            made.append(one)
    return made


def assignment_of_id(store: Store, assignment: str) -> dict[str, Any] | None:
    """Return an assignment as stored, None where there is none of that id."""
    rows = store.rows("SELECT * FROM study_assignments WHERE id = ?", (assignment,))
    return rows[0] if rows else None


def room_for(store: Store, study: str, rater: str) -> int:
    """Return how many items a rater could still be given, those open in their hands left out."""
    (row,) = store.rows(f"SELECT COUNT(*) AS n {_CANDIDATES}", {"study": study, "rater": rater})
    return int(row["n"])


def may_rate(db: Database, study: str, rater: str) -> bool:
    """Return whether a study is open and a rater active in it."""
    row = db.conn.execute("SELECT state FROM studies WHERE id = ?", (study,)).fetchone()
    return row is not None and row[0] == "open" and is_active(db, study, rater)


def is_active(db: Database, study: str, rater: str) -> bool:
    """Return whether somebody is invited to a study and was not removed."""
    row = db.conn.execute("SELECT is_active FROM study_raters WHERE study = ? AND rater = ?", (study, rater)).fetchone()
    return bool(row and row[0])


def expire(db: Database, study: str, at: float) -> None:
    """Give back what nobody answered in time; an undone answer that was not given anew stands again."""
    late = db.conn.execute(
        "SELECT id, study, item, rater, before, value FROM study_assignments "
        "WHERE study = ? AND state = 'open' AND leased_until <= ?",
        (study, at),
    ).fetchall()
    for identifier, _, item, rater, before, value in late:
        db.conn.execute(
            "UPDATE study_assignments SET state = CASE WHEN before = '' THEN 'expired' ELSE before END, "
            "before = '', token = '' WHERE id = ?",
            (identifier,),
        )
        row = {"id": identifier, "study": study, "item": item}
        write_press(db, row, rater, "restore" if before else "expire", "", value if before else None)
    if late:
        touch(db, study)


#: items with room for one more of this rater's answers; what expired or was withdrawn in their hands comes back
_CANDIDATES = """
    FROM study_items AS i LEFT JOIN study_assignments AS a
        ON a.study = i.study AND a.rater = :rater AND a.item = i.id
    WHERE i.study = :study AND (i.held < i.needed OR i.is_shared)
        AND (a.id IS NULL OR a.state IN ('expired', 'withdrawn'))
"""


def _assigned(
    db: Database, study: str, rater: str, at: float, lease: float, order: Order, systems: Callable[[str], str]
) -> dict[str, Any] | None:
    """Lease what ran out in the rater's hands, else the first item from where they are in their order that has room.

    What had no room when they passed it, and has now, comes after the end of their order.
    """
    known = db.conn.execute(
        "SELECT a.id FROM study_assignments AS a JOIN study_items AS i ON i.id = a.item WHERE a.study = ? "
        "AND a.rater = ? AND a.state IN ('expired', 'withdrawn') AND (i.held < i.needed OR i.is_shared) "
        "ORDER BY a.place LIMIT 1",
        (study, rater),
    ).fetchone()
    if known:
        return lease_anew(db, known[0], at, lease)
    (n_items,) = db.conn.execute("SELECT n_items FROM studies WHERE id = ?", (study,)).fetchone()
    (number, reached) = db.conn.execute(
        "SELECT COUNT(*) + 1, COALESCE(MAX(place), -1) + 1 FROM study_assignments WHERE study = ? AND rater = ?",
        (study, rater),
    ).fetchone()
    found = _first_with_room(db, study, rater, order(n_items), reached)
    if found is None:
        return None
    place, item = found
    (credits,) = db.conn.execute("SELECT credits FROM study_items WHERE id = ?", (item,)).fetchone()
    identifier = secrets.token_hex(8)
    db.conn.execute(
        "INSERT INTO study_assignments (id, study, item, rater, is_model, number, place, systems, state, token, "
        "leased_until, shown) VALUES (?, ?, ?, ?, 0, ?, ?, ?, 'open', ?, ?, ?)",
        (identifier, study, item, rater, number, place, systems(credits), new_token(), at + lease, at),
    )
    return _there(db, identifier)


def _first_with_room(
    db: Database, study: str, rater: str, ordinals: tuple[int, ...], reached: int
) -> tuple[int, str] | None:
    walk = [*range(reached, len(ordinals)), *range(min(reached, len(ordinals)))]
    for start in range(0, len(walk), _CHUNK):
        places = {ordinals[place]: place for place in walk[start : start + _CHUNK]}
        rows = db.conn.execute(
            f"SELECT i.ordinal, i.id {_CANDIDATES} AND a.id IS NULL AND i.ordinal IN ({','.join(map(str, places))})",
            {"study": study, "rater": rater},
        ).fetchall()
        if rows:
            # a chunk may go on from the beginning of the order: its own sequence counts, not the place
            sequence = {ordinal: step for step, ordinal in enumerate(places)}
            ordinal, item = min(rows, key=lambda one: sequence[one[0]])
            return places[ordinal], item
    return None


def lease_anew(db: Database, assignment: str, at: float, lease: float) -> dict[str, Any]:
    """Put an assignment into its rater's hands for so many seconds, with a token of its own, and return it."""
    db.conn.execute(
        "UPDATE study_assignments SET state = 'open', token = ?, leased_until = ?, shown = ? WHERE id = ?",
        (new_token(), at + lease, at, assignment),
    )
    return _there(db, assignment)


def write_press(db: Database, row: Mapping[str, Any], rater: str, action: str, reason: str, value: float | None) -> int:
    """Write a row of the history, refused where there is a reason, and return its number."""
    written = db.conn.execute(
        "INSERT INTO study_presses (study, assignment, item, rater, action, outcome, reason, value, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row["study"], row["id"], row["item"], rater, action, "refused" if reason else "accepted", reason, value,
            now(),
        ),
    )  # fmt: skip
    return int(written.lastrowid)


def assignment_row(db: Database, assignment: str) -> dict[str, Any] | None:
    """Return an assignment as it stands within a transaction."""
    cursor = db.conn.execute("SELECT * FROM study_assignments WHERE id = ?", (assignment,))
    found = cursor.fetchone()
    return dict(zip((column[0] for column in cursor.description), found, strict=True)) if found else None


def _there(db: Database, assignment: str) -> dict[str, Any]:
    found = assignment_row(db, assignment)
    if found is None:
        raise RuntimeError("an assignment that was just written is there")
    return found


def new_token() -> str:
    """Return a one-time token of 128 random bits."""
    return secrets.token_urlsafe(16)
