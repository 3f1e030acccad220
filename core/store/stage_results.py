"""What stages computed: one item, one state, keyed by everything it depends on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.store.database import BATCH, Store, store_errors

ResultState = Literal["scored", "failed"]
_LOOKUP = 500
#: characters of a reason that are kept: libraries and endpoints quote whole texts in theirs
LONGEST_REASON = 400


@dataclass(frozen=True, slots=True)
class StageKey:
    """A stage's name and the hash of its part of the spec."""

    stage: str
    key: str


@dataclass(frozen=True, slots=True)
class StageResult:
    """One item's outcome: a JSON-able ``value`` (or bytes), or ``reason`` why there is none."""

    item: str
    value: Any = None
    state: ResultState = "scored"
    reason: str = ""


def get_results(store: Store, stage: StageKey, items: Sequence[str]) -> dict[str, StageResult]:
    """Return what is stored of ``items``, failed ones included."""
    found: dict[str, StageResult] = {}
    for start in range(0, len(items), _LOOKUP):
        some = items[start : start + _LOOKUP]
        marks = ",".join("?" * len(some))
        for row in store.rows(
            f"SELECT item, state, reason, value FROM stage_results WHERE stage = ? AND key = ? AND item IN ({marks})",
            (stage.stage, stage.key, *some),
        ):
            value = row["value"]
            found[row["item"]] = StageResult(
                row["item"], json.loads(value) if isinstance(value, str) else value, row["state"], row["reason"]
            )
    return found


def put_results(store: Store, stage: StageKey, results: Iterable[StageResult]) -> None:
    """Store results in transactions of at most 1,000 rows; an item stored before is replaced and counted."""
    rows = [
        (
            stage.stage,
            stage.key,
            result.item,
            result.state,
            bounded(result.reason),
            result.value
            if isinstance(result.value, bytes)
            else json.dumps(result.value, ensure_ascii=False, separators=(",", ":")),
        )
        for result in results
    ]
    for start in range(0, len(rows), BATCH):
        with store.write() as db:
            db.conn.executemany(
                "INSERT INTO stage_results (stage, key, item, state, reason, value) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason, value = excluded.value, "
                "writes = writes + 1",
                rows[start : start + BATCH],
            )


def bounded(reason: str) -> str:
    """Return a reason as it is stored: at most ``LONGEST_REASON`` characters, the last of them dots where it is cut."""
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def spent_in(store: Store, stage: StageKey, run_id: str, billed: Sequence[str]) -> tuple[int, int]:
    """Return how many of a stage's results, all of them calls to a model, a run has to pay for, and their tokens.

    Those are the calls that were answered and, of those that were not, the ones whose kind of failure is ``billed``.
    """
    tokens = " + ".join(f"COALESCE(json_extract(value, '$.{name}'), 0)" for name in ("in", "out", "lost[0]", "lost[1]"))
    (row,) = store.rows(
        f"SELECT COUNT(*) AS n, COALESCE(SUM({tokens}), 0) AS tokens FROM stage_results "
        "WHERE stage = ? AND key = ? AND json_extract(value, '$.run') = ? "
        f"AND COALESCE(json_extract(value, '$.kind'), '') IN ('',{','.join('?' * len(billed))})",
        (stage.stage, stage.key, run_id, *billed),
    )
    return row["n"], row["tokens"]


def mean_in(store: Store, stage: StageKey, name: str) -> float | None:
    """Return the mean of a number that a stage's values carry under ``name``, None where none does."""
    (row,) = store.rows(
        "SELECT AVG(json_extract(value, '$.' || ?)) AS mean FROM stage_results WHERE stage = ? AND key = ?",
        (name, stage.stage, stage.key),
    )
    return None if row["mean"] is None else float(row["mean"])


def stage_results_size(store: Store) -> tuple[int, int]:
    """Return (stored results, bytes of their values)."""
    (row,) = store.rows(
        "SELECT COUNT(*) AS n, COALESCE(SUM(LENGTH(CAST(value AS BLOB))), 0) AS size FROM stage_results"
    )
    return row["n"], row["size"]


def clear_stage_results(store: Store) -> None:
    """Forget every stage's results and give the space back."""
    with store.write() as db:
        db.conn.execute("DELETE FROM stage_results")
    with store_errors(store.path):
        store.db.conn.execute("VACUUM")
        store.db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
