"""A run's rows: one outcome for every (configuration, question)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

from core.schema import StateName
from core.store.database import BATCH, Store
from core.store.stage_results import bounded


@dataclass(frozen=True, slots=True)
class RunItem:
    """One configuration's outcome on one question, with a state for each measure.

    ``passages`` and ``answer`` are JSON: passage ids in the order handed on, and ``{sentences, citations}``
    (or ``{}`` when no answer could be produced). Where it was asked for several times, ``similarity`` and ``correct``
    are means, and ``answer`` is the first, with all of them and their scores under ``repeats``.
    """

    configuration: str
    question: str
    passages: str
    answer: str
    refused: int
    words: int
    sentences: int
    similarity: float | None
    similarity_state: StateName
    similarity_reason: str
    predicted: str | None
    correct: float | None
    correct_state: StateName
    correct_reason: str


_ITEM_COLUMNS = tuple(field.name for field in fields(RunItem))


def save_items(store: Store, run_id: str, items: Iterable[RunItem]) -> None:
    """Replace a run's rows, in transactions of at most 1,000."""
    rows = [(run_id, *astuple(_bounded(item))) for item in items]
    marks = ",".join("?" * (len(_ITEM_COLUMNS) + 1))
    for start in range(0, len(rows), BATCH):
        with store.write() as db:
            db.conn.executemany(
                f"INSERT OR REPLACE INTO run_items (run, {', '.join(_ITEM_COLUMNS)}) VALUES ({marks})",
                rows[start : start + BATCH],
            )


def _bounded(item: RunItem) -> RunItem:
    if item.similarity_reason or item.correct_reason:
        return replace(
            item, similarity_reason=bounded(item.similarity_reason), correct_reason=bounded(item.correct_reason)
        )
    return item


def item_rows(store: Store, run_id: str) -> list[tuple[Any, ...]]:
    """Return (configuration, question, refused, words, sentences, similarity and its state, correct and its state)."""
    return list(
        store.db.conn.execute(
            "SELECT configuration, question, refused, words, sentences, similarity, similarity_state, correct, "
            "correct_state FROM run_items WHERE run = ?",
            (run_id,),
        )
    )


def failure_reasons(store: Store, run_id: str) -> dict[str, int]:
    """Return how many rows of a run failed, by reason, most frequent first.

    A row failed where it has no answer, none of its relation, or nobody could tell which nuggets it says: its first
    reason counts.
    """
    rows = store.rows(
        """
        SELECT CASE 'failed' WHEN i.similarity_state THEN i.similarity_reason WHEN i.correct_state
            THEN i.correct_reason ELSE c.reason END AS reason, COUNT(*) AS n
        FROM run_items AS i LEFT JOIN run_coverage AS c
            ON c.run = i.run AND c.configuration = i.configuration AND c.question = i.question
        WHERE i.run = ? AND 'failed' IN (i.similarity_state, i.correct_state, COALESCE(c.state, ''))
        GROUP BY 1 ORDER BY 2 DESC, 1
        """,
        (run_id,),
    )
    return {row["reason"]: row["n"] for row in rows}
