"""A stored dataset page by page and in counts, without loading it: every statement reads one dataset by its name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.store.database import Store
from core.store.run_questions import folded


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which questions of ``dataset``: those that hold ``search`` and carry the labels named.

    ``relation`` and ``split`` are None for any and "" for questions without one. ``nodes`` are the names of the
    category ``dimension`` of which a question must carry one; empty for any.
    """

    dataset: str
    search: str = ""
    relation: str | None = None
    split: str | None = None
    dimension: str = ""
    nodes: tuple[str, ...] = ()


def question_count(store: Store, wanted: Wanted) -> int:
    """Return how many questions match."""
    condition, parameters = _condition(store, wanted)
    return int(store.rows(f"SELECT COUNT(*) AS n FROM questions WHERE {condition}", parameters)[0]["n"])


def question_page(store: Store, wanted: Wanted, limit: int, offset: int) -> list[dict[str, Any]]:
    """Return at most ``limit`` matching questions after ``offset``, in the dataset's order.

    Each has ``id, question, answer, relation, split`` (the last two "" where there is none) and ``nuggets``, a count.
    """
    condition, parameters = _condition(store, wanted)
    return store.rows(
        f"""
        SELECT id, question, answer, COALESCE(relation, '') AS relation, {_SPLIT} AS split,
            json_array_length(record, '$.nuggets') AS nuggets
        FROM questions WHERE {condition} ORDER BY ordinal LIMIT :limit OFFSET :offset
        """,
        {**parameters, "limit": limit, "offset": offset},
    )


_SPLIT = "COALESCE(json_extract(record, '$.split'), '')"


def _condition(store: Store, wanted: Wanted) -> tuple[str, dict[str, Any]]:
    parts = ["dataset = :dataset"]
    if wanted.relation is not None:
        parts.append("COALESCE(relation, '') = :relation")
    if wanted.split is not None:
        parts.append(f"{_SPLIT} = :split")
    if wanted.nodes:
        # not json_extract: a dimension may be called anything, and a path would have to quote it
        parts.append(
            "EXISTS (SELECT 1 FROM json_each(record, '$.categories') AS label WHERE label.key = :dimension "
            "AND label.value IN (SELECT value FROM json_each(:nodes)))"
        )
    if wanted.search:
        _define(store)
        parts.append(_holds("question", "answer", "id"))
    return " AND ".join(parts), {
        "dataset": wanted.dataset,
        "relation": wanted.relation,
        "split": wanted.split,
        "dimension": wanted.dimension,
        "nodes": json.dumps(wanted.nodes, ensure_ascii=False),
        "search": folded(wanted.search),
    }


def document_count(store: Store, dataset: str, search: str = "") -> int:
    """Return how many documents hold ``search`` in id, title or text."""
    condition, parameters = _searched(store, dataset, search)
    return int(store.rows(f"SELECT COUNT(*) AS n FROM documents WHERE {condition}", parameters)[0]["n"])


def document_page(store: Store, dataset: str, search: str, limit: int, offset: int) -> list[dict[str, Any]]:
    """Return at most ``limit`` of them after ``offset``, in the dataset's order.

    Each has ``id, title, language``, ``characters``, a count, and ``beginning``, the first 300 of them.
    """
    condition, parameters = _searched(store, dataset, search)
    return store.rows(
        "SELECT id, title, language, LENGTH(text) AS characters, SUBSTR(text, 1, 300) AS beginning "
        f"FROM documents WHERE {condition} ORDER BY ordinal LIMIT :limit OFFSET :offset",
        {**parameters, "limit": limit, "offset": offset},
    )


def _searched(store: Store, dataset: str, search: str) -> tuple[str, dict[str, Any]]:
    condition = "dataset = :dataset"
    if search:
        _define(store)
        condition += f" AND {_holds('title', 'text', 'id')}"
    return condition, {"dataset": dataset, "search": folded(search)}


def questions_on(store: Store, dataset: str, document_id: str, limit: int) -> list[dict[str, Any]]:
    """Return ``id, question, relation`` of at most ``limit`` questions that name a document, in the dataset's order."""
    return store.rows(
        """
        SELECT id, question, COALESCE(relation, '') AS relation FROM questions AS q
        WHERE dataset = :dataset
            AND EXISTS (SELECT 1 FROM json_each(q.record, '$.document_ids') WHERE value = :document)
        ORDER BY ordinal LIMIT :limit
        """,
        {"dataset": dataset, "document": document_id, "limit": limit},
    )


def questions_by_document(store: Store, dataset: str) -> dict[str, int]:
    """Return how many questions name each document that is named at all, by id."""
    rows = store.rows(
        "SELECT named.value AS id, COUNT(*) AS n FROM questions, json_each(record, '$.document_ids') AS named "
        "WHERE dataset = ? GROUP BY 1",
        (dataset,),
    )
    return {row["id"]: row["n"] for row in rows}


def relation_splits(store: Store, dataset: str) -> dict[tuple[str, str], int]:
    """Return how many questions have each (relation, split), "" for none."""
    rows = store.rows(
        f"SELECT COALESCE(relation, '') AS relation, {_SPLIT} AS split, COUNT(*) AS n FROM questions "
        "WHERE dataset = ? GROUP BY 1, 2",
        (dataset,),
    )
    return {(row["relation"], row["split"]): row["n"] for row in rows}


def nugget_counts(store: Store, dataset: str) -> dict[int, int]:
    """Return how many questions have each number of nuggets, 0 included."""
    rows = store.rows(
        "SELECT json_array_length(record, '$.nuggets') AS nuggets, COUNT(*) AS n FROM questions "
        "WHERE dataset = ? GROUP BY 1 ORDER BY 1",
        (dataset,),
    )
    return {int(row["nuggets"]): row["n"] for row in rows}


def vital_nuggets(store: Store, dataset: str) -> int:
    """Return how many nuggets are vital; the rest is okay to leave out."""
    rows = store.rows(
        "SELECT COUNT(*) AS n FROM questions, json_each(record, '$.nuggets') AS nugget "
        "WHERE dataset = ? AND json_extract(nugget.value, '$.importance') = 'vital'",
        (dataset,),
    )
    return int(rows[0]["n"])


def document_texts(store: Store, dataset: str) -> Iterator[str]:
    """Yield the documents' texts one by one."""
    for (text,) in store.db.conn.execute("SELECT text FROM documents WHERE dataset = ?", (dataset,)):
        yield text


def question_texts(store: Store, dataset: str) -> Iterator[tuple[str, str]]:
    """Yield (question, reference answer) of every question."""
    yield from store.db.conn.execute("SELECT question, answer FROM questions WHERE dataset = ?", (dataset,))


def runs_on(store: Store, dataset: str) -> list[dict[str, Any]]:
    """Return ``id, title, state, started`` of a dataset's runs, newest first."""
    return store.rows(
        "SELECT id, title, state, started FROM runs WHERE dataset = ? ORDER BY started DESC, rowid DESC", (dataset,)
    )


def run_counts(store: Store) -> dict[str, int]:
    """Return how many runs each dataset has that has any, by its name."""
    return {row["dataset"]: row["n"] for row in store.rows("SELECT dataset, COUNT(*) AS n FROM runs GROUP BY 1")}


def _holds(*columns: str) -> str:
    """Return the condition that one of the columns holds the search."""
    return "(" + " OR ".join(f"instr(folded({column}), :search)" for column in columns) + ")"


def _define(store: Store) -> None:
    """Give this thread's connection a search that knows the letters of every script; SQLite's own knows ASCII."""
    connection: sqlite3.Connection = store.db.conn
    connection.create_function("folded", 1, folded, deterministic=True)
