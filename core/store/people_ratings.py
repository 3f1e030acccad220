"""Reading what was rated: answers, counts by rater and item, the history, adjudicated scores."""

from __future__ import annotations

from statistics import median
from typing import Any

from core.store.database import Store, now
from core.store.people import touch

_ANSWERED = "state IN ('scored', 'cannot_judge')"


def answer_rows(store: Store, study: str) -> list[dict[str, Any]]:
    """Return all answered assignments of a study, people's and language models', by item and rater."""
    return store.rows(
        f"SELECT a.* FROM study_assignments AS a JOIN study_items AS i ON i.id = a.item "
        f"WHERE a.study = ? AND a.{_ANSWERED} ORDER BY i.ordinal, a.is_model, a.rater",
        (study,),
    )


def rater_counts(store: Store, study: str, rater: str | None = None) -> dict[str, dict[str, Any]]:
    """Return by rater, or of one rater, how many assignments are scored, cannot_judge, skipped and open.

    ``seconds`` is the median active time of those answered (None where none is), ``last`` when the newest was, "" too.
    """
    counts: dict[str, dict[str, Any]] = {}
    for row in store.rows(
        "SELECT rater, state, COUNT(*) AS n FROM study_assignments WHERE study = :study "
        "AND (:rater IS NULL OR rater = :rater) GROUP BY rater, state",
        {"study": study, "rater": rater},
    ):
        one = counts.setdefault(row["rater"], {"scored": 0, "cannot_judge": 0, "skipped": 0, "open": 0})
        if row["state"] in one:
            one[row["state"]] = row["n"]
    for name, one in counts.items():
        seconds = answer_seconds(store, study, name)
        one["seconds"] = median(seconds) if seconds else None
        found = store.rows(
            f"SELECT strftime('%Y-%m-%dT%H:%M:%SZ', MAX(decided), 'unixepoch') AS at FROM study_assignments "
            f"WHERE study = ? AND rater = ? AND {_ANSWERED}",
            (study, name),
        )
        one["last"] = found[0]["at"] or ""
    return counts


def answer_seconds(store: Store, study: str, rater: str, newest: int = -1) -> list[float]:
    """Return the active seconds of a rater's newest answers (-1: of all), newest first."""
    rows = store.rows(
        f"SELECT seconds FROM study_assignments WHERE study = ? AND rater = ? AND {_ANSWERED} "
        "ORDER BY decided_by DESC LIMIT ?",
        (study, rater, newest),
    )
    return [row["seconds"] for row in rows]


def item_counts(store: Store, study: str) -> dict[str, dict[str, int]]:
    """Return by item how many people scored it, could not judge it, or have it in hand ("open")."""
    counts: dict[str, dict[str, int]] = {}
    for row in store.rows(
        "SELECT item, state, COUNT(*) AS n FROM study_assignments WHERE study = ? AND is_model = 0 "
        "AND state IN ('scored', 'cannot_judge', 'open') GROUP BY item, state",
        (study,),
    ):
        counts.setdefault(row["item"], {})[row["state"]] = row["n"]
    return counts


def refused_presses(store: Store, study: str) -> dict[str, int]:
    """Return by rater how many presses were refused."""
    rows = store.rows(
        "SELECT rater, COUNT(*) AS n FROM study_presses WHERE study = ? AND outcome = 'refused' GROUP BY rater",
        (study,),
    )
    return {row["rater"]: row["n"] for row in rows}


def press_rows(store: Store, study: str, rater: str | None = None) -> list[dict[str, Any]]:
    """Return the history of a study, or of one rater in it, oldest first."""
    return store.rows(
        "SELECT * FROM study_presses WHERE study = :study AND (:rater IS NULL OR rater = :rater) ORDER BY number",
        {"study": study, "rater": rater},
    )


def put_adjudication(store: Store, study: str, item: str, value: float, reason: str, by: str) -> bool:
    """Keep an item's final score and write it into the history; False where the item is not of this study."""
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM study_items WHERE id = ? AND study = ?", (item, study)).fetchone():
            return False
        at = now()
        db.conn.execute(
            "INSERT OR REPLACE INTO study_adjudications (study, item, value, reason, rater, at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (study, item, value, reason, by, at),
        )
        db.conn.execute(
            "INSERT INTO study_presses (study, assignment, item, rater, action, outcome, reason, value, at) "
            "VALUES (?, '', ?, ?, 'adjudicate', 'accepted', ?, ?, ?)",
            (study, item, by, reason, value, at),
        )
        touch(db, study)
    return True


def adjudication_rows(store: Store, study: str) -> list[dict[str, Any]]:
    """Return the adjudicated scores of a study."""
    return store.rows("SELECT * FROM study_adjudications WHERE study = ? ORDER BY item", (study,))
