"""Use case *annotate*: the next item, a press on it, undo, a note. What the page shows is what the store knows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache, partial
from statistics import median
from typing import Any

from core.errors import InputError, OptionError
from core.people.answers import NOTE_LIMIT, Number, answer_problem, checked_note, is_number
from core.people.drawing import rater_order, system_order
from core.people.records import Credit, Press, Study
from core.people.roles import Actor, require
from core.people.rows import assignment_of, item_of, press_of, study_of
from core.people.showing import Accepted, Assigned, Done, RaterProgress, Refused, StudyToRate
from core.services.workspace import workspace
from core.store import people as rows
from core.store import people_queue as queue
from core.store.database import Store
from core.store.people_presses import GONE, Pressed, press
from core.store.people_presses import save_note as put_note
from core.store.people_presses import undo as undo_last
from core.store.people_ratings import answer_seconds, press_rows, rater_counts, refused_presses

__all__ = [
    "LEASE", "NOTE_LIMIT", "Accepted", "Assigned", "Done", "RaterProgress", "Refused", "StudyToRate", "cannot_judge",
    "history", "next_assignment", "progress", "refused_count", "save_note", "skip", "studies_to_rate", "undo", "vote",
]  # fmt: skip

#: seconds an item stays in a rater's hands before it goes back to the others
LEASE = 30 * 60.0
#: answers that the pace is taken from
_RECENT = 20


def studies_to_rate(actor: Actor) -> list[StudyToRate]:
    """Return the studies an actor is invited to, newest first. Raises AccessError where the actor may not rate."""
    require(actor, "rater")
    _, store = workspace()
    found = (study_of(rows.study_row(store, name)) for name in rows.studies_of(store, actor.id))
    return [StudyToRate(one.id, one.name, one.state, progress(actor, one.id)) for one in found]


def next_assignment(actor: Actor, study_id: str) -> Assigned | Done:
    """Return the rater's first open item as the store knows it, taking one from the pool where none is open.

    Raises:
        AccessError: the actor may not rate.
        OptionError: no such study, or the actor was never invited to it.
    """
    require(actor, "rater")
    _, store = workspace()
    standing = _standing(store, actor, study_id)
    if not standing["is_active"]:
        return Done("removed", "You have been removed from this study; what you scored is kept.")
    if standing["state"] != "open":
        return Done(standing["state"], f"The study is {standing['state']}; what you scored is kept.")
    at = time.time()
    row = queue.open_assignment(store, study_id, actor.id, at)
    if row is None and _is_late(standing["deadline"], at):
        return Done("late", "The study's deadline has passed; what you scored is kept.")
    if row is None:
        row = queue.assign_next(store, study_id, actor.id, at, LEASE, *order_of(study_id, actor.id, standing["seed"]))
    item = rows.item_row(store, row["item"]) if row else None
    if row is None or item is None:
        return Done("finished", "Nothing is left for you to score in this study. Thank you.")
    asked, assignment, shown = _asked(store, study_id), assignment_of(row), item_of(item)
    return Assigned(
        assignment=assignment.id,
        token=assignment.token,
        study_id=study_id,
        template=asked.design.template,
        question=shown.question,
        reference=shown.reference,
        answer=shown.answer,
        passages=shown.passages,
        scale=asked.scale,
        second_question=asked.design.second_question,
        further=asked.further,
        note=assignment.note,
        leased_until=assignment.leased_until,
    )


def vote(
    actor: Actor,
    assignment_id: str,
    token: str,
    value: Number,
    second: bool | None = None,
    further: Mapping[str, Number | str] | None = None,
) -> Accepted | Refused:
    """Score an item. It counts only while ``token`` is open, and consumes it; the history says which it was.

    ``second`` answers the study's second question, ``further`` its further aspects by name; each is needed where it is
    asked. Raises AccessError where the actor may not rate.
    """
    require(actor, "rater")
    _, store = workspace()
    asked = _study_of_assignment(store, assignment_id)
    problem = answer_problem(asked, value, second, further or {}) if asked else ""
    number = float(value) if is_number(value) else None
    given = {} if problem else {name: _plain(one) for name, one in (further or {}).items()}
    return _press(
        store,
        Pressed(assignment_id, actor.id, "vote", token, number, second if isinstance(second, bool) else None, given,
                problem=problem),
    )  # fmt: skip


def cannot_judge(actor: Actor, assignment_id: str, token: str) -> Accepted | Refused:
    """Say that an item cannot be judged: an answer without a value, never a 0. Raises AccessError as ``vote``."""
    require(actor, "rater")
    _, store = workspace()
    return _press(store, Pressed(assignment_id, actor.id, "cannot_judge", token))


def skip(actor: Actor, assignment_id: str, token: str) -> Accepted | Refused:
    """Leave an item to others; this rater gets it again by ``undo`` alone. Raises AccessError as ``vote``."""
    require(actor, "rater")
    _, store = workspace()
    return _press(store, Pressed(assignment_id, actor.id, "skip", token))


def undo(actor: Actor, study_id: str, token: str = "") -> Accepted | Refused:
    """Open the rater's last answered or skipped item again, with a new token.

    ``token`` is that of the item on screen, "" where none is: a second press made on the same screen is refused. The
    earlier answer stands again where no other is given until the lease ends. Raises AccessError as ``vote``.
    """
    require(actor, "rater")
    _, store = workspace()
    if not (_is_text(study_id) and _is_text(token)):
        return Refused("", "undo", _sentence(GONE))
    row, reason = undo_last(store, study_id, actor.id, token, time.time(), LEASE)
    if reason or row is None:
        return Refused(row["id"] if row else "", "undo", _sentence(reason))
    return Accepted(row["id"], "undo", None, _now())


def save_note(actor: Actor, assignment_id: str, text: str) -> str:
    """Keep a note on an item, as plain text, whatever became of the item; return when (UTC, ISO 8601).

    Raises:
        AccessError: the actor may not rate.
        InputError: the note is too long, or the item is not this rater's (any more); nothing was changed.
    """
    require(actor, "rater")
    _, store = workspace()
    note = checked_note(text)
    reason = put_note(store, assignment_id, actor.id, note) if _is_text(assignment_id) else GONE
    if reason:
        raise InputError(f"The note was not saved: {reason}.")
    return _now()


def progress(actor: Actor, study_id: str) -> RaterProgress:
    """Return how far the actor is in a study. Raises as ``next_assignment``."""
    require(actor, "rater")
    _, store = workspace()
    _standing(store, actor, study_id)
    counts = rater_counts(store, study_id, actor.id).get(actor.id, {"scored": 0, "cannot_judge": 0, "open": 0})
    done = counts["scored"] + counts["cannot_judge"]
    left = counts["open"] + queue.room_for(store, study_id, actor.id)
    recent = answer_seconds(store, study_id, actor.id, _RECENT)
    pace = median(recent) if recent else None
    return RaterProgress(
        done=done,
        total=done + left,
        seconds=pace,
        minutes_left=None if pace is None else pace * left / 60,
        refused=refused_count(actor, study_id),
    )


def history(actor: Actor, study_id: str) -> tuple[Press, ...]:
    """Return every press of the actor in a study, oldest first, accepted or refused. Raises AccessError."""
    require(actor, "rater")
    _, store = workspace()
    return tuple(press_of(row) for row in press_rows(store, study_id, actor.id))


def refused_count(actor: Actor, study_id: str) -> int:
    """Return how many of the actor's presses in a study did not count. Raises AccessError."""
    require(actor, "rater")
    _, store = workspace()
    return refused_presses(store, study_id).get(actor.id, 0)


def order_of(study_id: str, rater_id: str, seed: int) -> tuple[queue.Order, Any]:
    """Return a rater's seeded order of a study's items, and what gives an item's systems in their seeded order."""

    def systems(credits: str) -> str:
        known = [Credit(**one) for one in json.loads(credits)]
        return json.dumps([asdict(one) for one in system_order(known, seed, rater_id, credits)], ensure_ascii=False)

    return partial(rater_order, study_id, rater_id, seed), systems


def _press(store: Store, pressed: Pressed) -> Accepted | Refused:
    if not (_is_text(pressed.assignment) and _is_text(pressed.token)):
        return Refused("", pressed.action, _sentence(GONE))
    row, reason = press(store, pressed, time.time())
    if reason or row is None:
        return Refused(pressed.assignment, pressed.action, _sentence(reason))
    stored = assignment_of(row)
    return Accepted(stored.id, pressed.action, stored.value, stored.decided)


def _standing(store: Store, actor: Actor, study_id: str) -> Mapping[str, Any]:
    found = rows.standing(store, study_id, actor.id)
    if found is None:
        raise OptionError(f"no study '{study_id[:80]}' is stored (any more): ask whoever sent you here.")
    if found["is_active"] is None:
        raise OptionError("you are not invited to this study: ask its owner.")
    return found


def _study_of_assignment(store: Store, assignment_id: str) -> Study | None:
    found = queue.assignment_of_id(store, assignment_id) if _is_text(assignment_id) else None
    return _asked(store, found["study"]) if found else None


@lru_cache(maxsize=64)
def _asked(store: Store, study_id: str) -> Study:
    """What a study asks never changes, and its id is never given again; its state is not taken from here."""
    return study_of(rows.study_row(store, study_id))


def _is_late(deadline: str, at: float) -> bool:
    return bool(deadline) and deadline < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def _plain(value: Number | str) -> float | str:
    return value if isinstance(value, str) else float(value)


def _is_text(text: str) -> bool:
    """Halves of characters, which a browser may send, are no text that SQLite takes."""
    return text.encode("utf-8", "replace").decode() == text


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
