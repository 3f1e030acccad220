"""Runs in the store: their spec, their state, their progress.

States: queued → running → done, stopped, paused or failed; "stopping" is a running one that was asked to stop, "paused"
one whose language model could not be reached. Whether a queued or running one is alive says its lock, not the store.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.errors import OptionError
from core.store.database import Store, now

_DECODED = ("spec", "failures", "provenance", "diagnostics")
#: states that last only as long as somebody holds the run's lock
UNDER_WAY = ("queued", "running", "stopping")


def create_run(store: Store, run_id: str, dataset: str, spec: Mapping[str, Any], *, state: str = "running") -> None:
    """Register a run in ``state``, or leave it as it is when it is there already; raises as ``create_runs`` does."""
    create_runs(store, [(run_id, dataset, spec)], state=state)


def create_runs(store: Store, runs: Sequence[tuple[str, str, Mapping[str, Any]]], *, state: str) -> None:
    """Register all of the runs (id, dataset, spec) or, where one cannot be, none; leave those that are there.

    One that has no results yet takes the choices as they are typed now: the same run may get other spending limits.

    Raises:
        OptionError: a dataset is not stored (any more).
    """
    try:
        with store.write() as db:
            for run_id, dataset, spec in runs:
                new = _new_row(run_id, dataset, spec, state)
                db["runs"].insert(new, ignore=True)
                db.conn.execute("UPDATE runs SET spec = :spec, request = :request WHERE id = :id AND version = 0", new)
    except sqlite3.IntegrityError as error:
        if "FOREIGN KEY" not in str(error):
            raise
        there = {row["name"] for row in store.rows("SELECT name FROM datasets")}
        gone = next((dataset for _, dataset, _ in runs if dataset not in there), "")
        raise OptionError(f"dataset '{gone}' has been deleted meanwhile: import it again or choose another.") from error


def _new_row(run_id: str, dataset: str, spec: Mapping[str, Any], state: str) -> dict[str, Any]:
    resolved = spec.get("resolved", {})
    return {
        "id": run_id,
        "dataset": dataset,
        "spec": json.dumps(spec, ensure_ascii=False),
        "state": state,
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
        "title": "",
        "request": json.dumps(spec.get("request", {}), ensure_ascii=False),
        "scope": resolved.get("scope", ""),
        "n_questions": len(resolved.get("questions", ())),
        "n_configurations": len(spec.get("configurations", ())),
    }


def update_run(store: Store, run_id: str, **values: Any) -> None:
    """Set columns of a run; mappings are stored as JSON; ``updated`` is set along."""
    encoded = {
        name: json.dumps(value, ensure_ascii=False) if name in _DECODED else value for name, value in values.items()
    }
    with store.write() as db:
        db["runs"].update(run_id, {**encoded, "updated": now()})


def change_state(store: Store, run_ids: Sequence[str], before: Collection[str], after: str) -> list[str]:
    """Change those of the runs whose state is among ``before``; return them. Two that try at once cannot both do it."""
    changed = []
    with store.write() as db:
        for run_id in run_ids:
            found = db.conn.execute(
                f"UPDATE runs SET state = ?, updated = ? WHERE id = ? AND state IN ({_marks(before)})",
                (after, now(), run_id, *before),
            )
            changed += [run_id] * found.rowcount
    return changed


def withdraw_runs(store: Store, run_ids: Sequence[str]) -> list[str]:
    """Take those of the runs that wait out of their queue and return them.

    They are stopped then; one that has results already, whose failures were to be computed anew, is done as before.
    """
    withdrawn = []
    with store.write() as db:
        for run_id in run_ids:
            found = db.conn.execute(
                "UPDATE runs SET state = CASE WHEN version > 0 THEN 'done' ELSE 'stopped' END, updated = ? "
                "WHERE id = ? AND state = 'queued'",
                (now(), run_id),
            )
            withdrawn += [run_id] * found.rowcount
    return withdrawn


def queue_runs(store: Store, run_ids: Sequence[str]) -> None:
    """Mark runs as waiting to be evaluated, in this order; what they found before stays."""
    with store.write() as db:
        for run_id in run_ids:
            db.conn.execute(
                "UPDATE runs SET state = 'queued', message = '', stage = '', done = 0, total = 0, rate = NULL, "
                "updated = ? WHERE id = ?",
                (now(), run_id),
            )


def change_request(store: Store, run_id: str, spec: Mapping[str, Any]) -> None:
    """Replace a run's spec by one that means the same run; ``updated`` stays: it orders the queue."""
    new = {"id": run_id, "spec": json.dumps(spec, ensure_ascii=False)}
    with store.write() as db:
        db.conn.execute("UPDATE runs SET spec = :spec, request = json_extract(:spec, '$.request') WHERE id = :id", new)


def rename_run(store: Store, run_id: str, title: str, before: str | None = None) -> bool:
    """Give a run a title; return False when it is not there or not called ``before`` (None: whatever it is called).

    ``updated`` stays: it orders the queue.
    """
    with store.write() as db:
        found = db.conn.execute(
            "UPDATE runs SET title = :title WHERE id = :id AND (:before IS NULL OR title = :before)",
            {"title": title, "id": run_id, "before": before},
        )
        return bool(found.rowcount)


def delete_run(store: Store, run_id: str) -> bool:
    """Delete a run and its rows, all of it or nothing; return False when it is not there."""
    with store.write() as db:
        for table in ("run_items", "run_coverage", "run_measures"):
            db.conn.execute(f"DELETE FROM {table} WHERE run = ?", (run_id,))
        return bool(db.conn.execute("DELETE FROM runs WHERE id = ?", (run_id,)).rowcount)


def run_row(store: Store, run_id: str) -> dict[str, Any]:
    """Return a run's row, its JSON columns decoded.

    Raises:
        OptionError: there is no such run.
    """
    # halves of characters, from an address or a file name, are no text that SQLite takes
    is_text = run_id.encode("utf-8", "replace").decode() == run_id
    rows = store.rows("SELECT * FROM runs WHERE id = ?", (run_id,)) if is_text else []
    if not rows:
        raise no_run(run_id)
    return _decoded(rows[0])


def no_run(run_id: str) -> OptionError:
    """Return what is to be raised where a run is not stored (any more)."""
    return OptionError(f"no run '{run_id}' is stored: `.venv/bin/python -m core runs` lists them.")


def run_states(store: Store, run_ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return id, state, version and title of all runs or of those of these ids, in the order they were queued.

    Reads no spec: cheap enough for every second of every tab.
    """
    chosen = "" if run_ids is None else f"WHERE id IN ({_marks(run_ids)})"
    sql = f"SELECT id, state, version, title FROM runs {chosen} ORDER BY updated, rowid"
    return store.rows(sql, tuple(run_ids or ()))


def run_count(store: Store, search: str = "") -> int:
    """Return how many runs a search finds (see ``run_summaries``)."""
    rows = store.rows(f"SELECT COUNT(*) AS n FROM runs WHERE {_FOUND}", {"search": search})
    return int(rows[0]["n"])


#: plain text is looked for, not a pattern; SQLite's LIKE would read % and _ as one
_FOUND = """(:search = '' OR instr(lower(id), lower(:search)) OR instr(lower(title), lower(:search))
    OR EXISTS (SELECT 1 FROM datasets WHERE name = runs.dataset AND instr(lower(datasets.title), lower(:search))))"""


def run_summaries(
    store: Store,
    run_ids: Collection[str] | None = None,
    *,
    search: str = "",
    limit: int = -1,
    offset: int = 0,
) -> list[dict[str, Any]]:
    """Return runs (those of ``run_ids``; None: all), newest first, with their dataset's title and no spec.

    At most ``limit`` (-1: all) after ``offset``. ``has_relations`` says whether the dataset carries relation labels,
    ``is_collection`` whether it is one of topics and judgments, without documents,
    ``n_systems`` how many systems it has now. Of one without results ``cost`` is what its calls to a language model
    took so far (None: none) and ``spending_limit`` the limit that stopped it, "" or None where none did.
    ``search`` is looked for in id (which begins with the dataset's name), title and the dataset's title, whatever
    the case of ASCII letters.
    """
    ids = None if run_ids is None else json.dumps(list(run_ids))
    rows = store.rows(
        f"""
        SELECT r.id, r.dataset, r.title, r.state, r.message, r.stage, r.done, r.total, r.rate, r.failures, r.started,
            r.finished, r.seconds, r.version, r.request, r.scope, r.n_questions, r.n_configurations,
            COALESCE(json_extract(r.diagnostics, '$.no_relations_because'), '') AS no_relations_because,
            CASE WHEN r.version = 0 THEN json_extract(r.provenance, '$.cost') END AS cost,
            CASE WHEN r.version = 0 THEN json_extract(r.provenance, '$.limit') END AS spending_limit,
            d.title AS dataset_title, d.source_hash,
            COALESCE(json_extract(d.labels, '$.relations'), '{{}}') <> '{{}}' AS has_relations,
            d.n_documents = 0 AS is_collection,
            (SELECT COUNT(*) FROM systems AS s WHERE s.dataset = r.dataset) AS n_systems
        FROM runs AS r JOIN datasets AS d ON d.name = r.dataset WHERE r.rowid IN (
            SELECT rowid FROM runs
            WHERE (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids))) AND {_FOUND}
            ORDER BY started DESC, rowid DESC LIMIT :limit OFFSET :offset
        )
        ORDER BY r.started DESC, r.rowid DESC
        """,
        {"ids": ids, "search": search, "limit": limit, "offset": offset},
    )
    for row in rows:
        row["failures"], row["request"] = json.loads(row["failures"]), json.loads(row["request"])
        row["cost"] = json.loads(row["cost"]) if row["cost"] else None
    return rows


def finished_costs(store: Store, limit: int = 20) -> list[dict[str, Any]]:
    """Return of the newest finished runs the seconds and the computed items of each stage, by stage.

    ``cost`` is what a run's calls to a language model took, None where it made none.
    """
    rows = store.rows(
        """
        SELECT json_extract(provenance, '$.seconds') AS seconds, json_extract(provenance, '$.items') AS items,
            COALESCE(json_extract(provenance, '$.cost'), 'null') AS cost
        FROM runs WHERE state = 'done' AND json_extract(provenance, '$.items') IS NOT NULL
        ORDER BY finished DESC LIMIT ?
        """,
        (limit,),
    )
    return [{name: json.loads(value) for name, value in row.items()} for row in rows]


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _decoded(row: dict[str, Any]) -> dict[str, Any]:
    for name in _DECODED:
        row[name] = json.loads(row[name])
    return row
