"""Every press on an item: it counts and consumes its one-time token, or is refused; the history tells which it was.

Each is one ``BEGIN IMMEDIATE`` transaction, so that of two presses with one token just one counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from core.store.database import Store
from core.store.people import touch
from core.store.people_queue import (
    assignment_of_id,
    assignment_row,
    expire,
    is_active,
    lease_anew,
    may_rate,
    new_token,
    write_press,
)

if TYPE_CHECKING:
    from sqlite_utils import Database

#: a showing counts as so many seconds of active time at most: whoever left the desk did not rate meanwhile
MOST_SECONDS = 300.0
#: states that a press leads to, by action
STATES = {"vote": "scored", "sheet": "scored", "cannot_judge": "cannot_judge", "skip": "skipped"}

GONE = "this study or this item has been deleted meanwhile"
NOT_YOURS = "this item is in somebody else's hands"
REMOVED = "you have been removed from this study"
USED = "this showing of the item is over: it was answered or opened anew"
EXPIRED = "nobody answered the item in time, so it went back"
NOTHING_TO_UNDO = "there is no earlier answer to undo"
TAKEN = "somebody else has taken the skipped item meanwhile"


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a rater pressed. ``problem`` says why it cannot count, "" where nothing speaks against it."""

    assignment: str
    rater: str
    action: Literal["vote", "sheet", "cannot_judge", "skip"]
    token: str
    value: float | None = None
    second: bool | None = None
    further: Mapping[str, float | str] = field(default_factory=dict)
    note: str | None = None
    problem: str = ""


def press(store: Store, pressed: Pressed, at: float) -> tuple[dict[str, Any] | None, str]:
    """Count a press or refuse it, and write either into the history; return the assignment as stored, and the reason.

    The reason is "" where the press counts. It counts only while its token is open, and consumes it. A press on a
    study that is gone is refused without a history: that went with the study.
    """
    with store.write() as db:
        row = assignment_row(db, pressed.assignment)
        if row is None:
            return None, GONE
        reason = pressed.problem or _refusal(db, row, pressed.rater, pressed.token, at)
        if not reason:
            taken = db.conn.execute(
                "UPDATE study_assignments SET state = ?, before = '', token = '', value = ?, second = ?, further = ?, "
                "note = COALESCE(?, note), seconds = ?, decided = ? "
                "WHERE id = ? AND token = ? AND state = 'open' AND leased_until > ?",
                (
                    STATES[pressed.action], pressed.value, pressed.second,
                    json.dumps(dict(pressed.further), ensure_ascii=False), pressed.note,
                    row["seconds"] + (0.0 if pressed.action == "sheet" else _active(db, row, at)), at,
                    row["id"], pressed.token, at,
                ),
            )  # fmt: skip
            reason = "" if taken.rowcount else USED
        number = write_press(db, row, pressed.rater, pressed.action, reason, pressed.value)
        if not reason:
            # the order of answers is that of the history: clocks may be set back
            db.conn.execute("UPDATE study_assignments SET decided_by = ? WHERE id = ?", (number, row["id"]))
        touch(db, row["study"])
    return assignment_of_id(store, pressed.assignment), reason


def undo(
    store: Store, study: str, rater: str, token: str, at: float, lease: float
) -> tuple[dict[str, Any] | None, str]:
    """Open a rater's last answered or skipped assignment again; return it as stored, and why it was refused, or "".

    ``token`` is that of the item on screen ("" where none is). It is changed along, so that a second press made on the
    same screen undoes nothing. Until the item is answered anew, or its lease ends, it counts as in hand; its earlier
    answer stands again when the lease ends.
    """
    with store.write() as db:
        found = db.conn.execute("SELECT 1 FROM studies WHERE id = ?", (study,)).fetchone()
        if found is None:
            return None, GONE
        expire(db, study, at)
        last = _last(db, study, rater)
        blank = {"id": "", "study": study, "item": ""}
        reason = "" if may_rate(db, study, rater) else _not_now(db, study, rater)
        if not reason and last is None:
            reason = NOTHING_TO_UNDO
        if not reason and last and last["state"] == "skipped" and not _has_room(db, last["item"]):
            reason = TAKEN
        if not reason and token:
            renewed = db.conn.execute(
                "UPDATE study_assignments SET token = ? WHERE study = ? AND rater = ? AND token = ? AND state = 'open'",
                (new_token(), study, rater, token),
            )
            reason = "" if renewed.rowcount else USED
        if not reason and last:
            db.conn.execute("UPDATE study_assignments SET before = state WHERE id = ?", (last["id"],))
            lease_anew(db, last["id"], at, lease)
        write_press(db, last or blank, rater, "undo", reason, last["value"] if last else None)
        touch(db, study)
    return (assignment_of_id(store, last["id"]) if last else None), reason


def save_note(store: Store, assignment: str, rater: str, note: str) -> str:
    """Keep a rater's note on an item, whatever became of the item; return why it was refused, or ""."""
    with store.write() as db:
        row = assignment_row(db, assignment)
        if row is None:
            return GONE
        if row["rater"] != rater:
            return NOT_YOURS
        if not is_active(db, row["study"], rater):
            return REMOVED
        db.conn.execute("UPDATE study_assignments SET note = ? WHERE id = ?", (note, assignment))
        touch(db, row["study"])
    return ""


def _refusal(db: Database, row: Mapping[str, Any], rater: str, token: str, at: float) -> str:
    if row["rater"] != rater:
        return NOT_YOURS
    if not may_rate(db, row["study"], rater):
        return _not_now(db, row["study"], rater)
    if row["state"] == "expired" or (row["token"] == token and row["leased_until"] <= at):
        return EXPIRED
    return "" if token and row["token"] == token else USED


def _not_now(db: Database, study: str, rater: str) -> str:
    if not is_active(db, study, rater):
        return REMOVED
    (state,) = db.conn.execute("SELECT state FROM studies WHERE id = ?", (study,)).fetchone()
    return f"the study is {state}"


def _last(db: Database, study: str, rater: str) -> dict[str, Any] | None:
    found = db.conn.execute(
        "SELECT id FROM study_assignments WHERE study = ? AND rater = ? AND is_model = 0 "
        "AND state IN ('scored', 'cannot_judge', 'skipped') ORDER BY decided_by DESC LIMIT 1",
        (study, rater),
    ).fetchone()
    return assignment_row(db, found[0]) if found else None


def _has_room(db: Database, item: str) -> bool:
    return bool(
        db.conn.execute("SELECT held < needed OR is_shared FROM study_items WHERE id = ?", (item,)).fetchone()[0]
    )


def _active(db: Database, row: Mapping[str, Any], at: float) -> float:
    """Seconds since the item came on screen: when it was shown, or when the rater answered the one before it."""
    (before,) = db.conn.execute(
        "SELECT MAX(decided) FROM study_assignments WHERE study = ? AND rater = ?", (row["study"], row["rater"])
    ).fetchone()
    return min(max(at - max(float(row["shown"]), before or 0.0), 0.0), MOST_SECONDS)
