"""Runs in the store: their spec, their progress, their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any

from core.errors import OptionError
from core.schema import StateName
from core.store.database import BATCH, Store, now


@dataclass(frozen=True, slots=True)
class RunItem:
    """One configuration's outcome on one question, with a state for each measure.

    ``passages`` and ``answer`` are JSON: passage ids in the order handed on, and ``{sentences, citations}``
    (or ``{}`` when no answer could be produced).
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
    correct: int | None
    correct_state: StateName
    correct_reason: str


_ITEM_COLUMNS = tuple(field.name for field in fields(RunItem))
_DECODED = ("spec", "failures", "provenance", "diagnostics")


def create_run(store: Store, run_id: str, dataset: str, spec: Mapping[str, Any]) -> None:
    """Register a run, or leave it as it is when it is there already."""
    with store.write() as db:
        db["runs"].insert(
            {
                "id": run_id,
                "dataset": dataset,
                "spec": json.dumps(spec, ensure_ascii=False),
                "state": "running",
                "stage": "",
                "done": 0,
                "total": 0,
                "rate": None,
                "failures": "{}",
                "message": "",
                "started": now(),
                "updated": now(),
                "finished": None,
                "seconds": 0.0,
                "version": 0,
                "provenance": "{}",
                "diagnostics": "{}",
            },
            ignore=True,
        )


def update_run(store: Store, run_id: str, **values: Any) -> None:
    """Set columns of a run; mappings are stored as JSON; ``updated`` is set along."""
    encoded = {
        name: json.dumps(value, ensure_ascii=False) if name in _DECODED else value for name, value in values.items()
    }
    with store.write() as db:
        db["runs"].update(run_id, {**encoded, "updated": now()})


def run_row(store: Store, run_id: str) -> dict[str, Any]:
    """Return a run's row, its JSON columns decoded.

    Raises:
        OptionError: there is no such run.
    """
    rows = store.rows("SELECT * FROM runs WHERE id = ?", (run_id,))
    if not rows:
        raise OptionError(f"no run '{run_id}' is stored: `.venv/bin/python -m core runs` lists them.")
    return _decoded(rows[0])


def run_summaries(store: Store, run_id: str | None = None) -> list[dict[str, Any]]:
    """Return all runs, newest first, or the one of that id, without the long parts of their spec.

    Cheap enough for every rerun of a page.
    """
    rows = store.rows(
        """
        SELECT id, dataset, state, message, stage, done, total, rate, failures, started, finished, seconds, version,
            json_extract(spec, '$.request') AS request,
            json_extract(spec, '$.resolved.scope') AS scope,
            COALESCE(json_extract(diagnostics, '$.no_relations_because'), '') AS no_relations_because,
            json_array_length(spec, '$.resolved.questions') AS n_questions,
            json_array_length(spec, '$.configurations') AS n_configurations
        FROM runs WHERE :id IS NULL OR id = :id ORDER BY started DESC, rowid DESC
        """,
        {"id": run_id},
    )
    for row in rows:
        row["failures"], row["request"] = json.loads(row["failures"]), json.loads(row["request"])
    return rows


def save_items(store: Store, run_id: str, items: Iterable[RunItem]) -> None:
    """Replace a run's rows, in transactions of at most 1,000."""
    rows = [(run_id, *astuple(item)) for item in items]
    marks = ",".join("?" * (len(_ITEM_COLUMNS) + 1))
    for start in range(0, len(rows), BATCH):
        with store.write() as db:
            db.conn.executemany(
                f"INSERT OR REPLACE INTO run_items (run, {', '.join(_ITEM_COLUMNS)}) VALUES ({marks})",
                rows[start : start + BATCH],
            )


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
    """Return how many rows of a run failed, by reason, most frequent first."""
    rows = store.rows(
        "SELECT similarity_reason AS reason, COUNT(*) AS n FROM run_items "
        "WHERE run = ? AND similarity_state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
        (run_id,),
    )
    return {row["reason"]: row["n"] for row in rows}


def _decoded(row: dict[str, Any]) -> dict[str, Any]:
    for name in _DECODED:
        row[name] = json.loads(row[name])
    return row
