"""The questions behind a run's cells: their labels, one configuration's rows page by page, one question's rows."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.schema import Document
from core.store.database import Store

Order = Literal["lowest", "highest", "wrong", "right", "unscored", "dataset"]

#: values that are missing stand last, whichever way the rest goes; ids come in the dataset's order
_LOWEST = "i.similarity IS NULL, i.similarity"
_HIGHEST = "i.similarity IS NULL, i.similarity DESC"
_ORDERS: dict[Order, str] = {
    "lowest": f"{_LOWEST}, chosen.key",
    "highest": f"{_HIGHEST}, chosen.key",
    "wrong": f"i.correct IS NULL, i.correct, {_LOWEST}, chosen.key",
    "right": f"i.correct IS NULL, i.correct DESC, {_HIGHEST}, chosen.key",
    "unscored": f"(i.similarity_state = 'scored') + (i.correct_state = 'scored'), {_LOWEST}, chosen.key",
    "dataset": "chosen.key",
}
#: CROSS JOIN keeps the order: from the chosen ids by primary keys into the tables
_ROWS = """
    FROM json_each(:ids) AS chosen
    CROSS JOIN run_items AS i ON i.run = :run AND i.configuration = :configuration AND i.question = chosen.value
"""
_TEXTS = "CROSS JOIN questions AS q ON q.dataset = :dataset AND q.id = chosen.value"
_FOUND = """
    WHERE instr(folded(q.question), :search) OR instr(folded(q.answer), :search)
        OR instr(folded(said(i.answer)), :search)
"""
_COLUMNS = "q.id AS question_id, q.question, q.answer AS reference, q.relation, said(i.answer) AS produced, i.*"


@dataclass(frozen=True, slots=True)
class CellRows:
    """Which rows of a run: one configuration's on ``ids`` (of its dataset), those that hold ``search``, in order.

    ``ids`` are in the dataset's order.
    """

    run: str
    dataset: str
    configuration: str
    ids: tuple[str, ...]
    search: str = ""
    order: Order = "lowest"

    def parameters(self) -> dict[str, Any]:
        """Return what the statements of this module are given."""
        return {
            "run": self.run,
            "dataset": self.dataset,
            "configuration": self.configuration,
            "ids": json.dumps(self.ids, ensure_ascii=False),
            "search": folded(self.search.strip()),
        }

    @property
    def source(self) -> str:
        """The part of a statement from FROM on; texts are read only where they are searched."""
        return f"{_ROWS} {_TEXTS} {_FOUND}" if self.search.strip() else _ROWS


def folded(text: str) -> str:
    """Return a text as it is searched: case and width of letters make no difference, in any script."""
    return unicodedata.normalize("NFKC", text).casefold()


def question_labels(store: Store, run_id: str) -> list[dict[str, Any]]:
    """Return id, relation, split and categories (dimension to node) of a run's questions in the dataset's order."""
    rows = store.rows(
        """
        SELECT q.id, q.relation, json_extract(q.record, '$.split') AS split,
            json_extract(q.record, '$.categories') AS categories
        FROM runs AS r
        CROSS JOIN json_each(r.spec, '$.resolved.questions') AS asked
        CROSS JOIN questions AS q ON q.dataset = r.dataset AND q.id = asked.value
        WHERE r.id = ? ORDER BY q.ordinal
        """,
        (run_id,),
    )
    for row in rows:
        row["categories"] = json.loads(row["categories"] or "{}")
    return rows


def cell_counts(store: Store, cell: CellRows) -> dict[str, Any]:
    """Return ``n``, plain ``mean`` similarity over the ``scored`` (None where none is) and counts of a cell's rows.

    ``right`` and ``wrong`` count relations, ``failed`` and ``not_applicable`` rows with at least one measure so.
    """
    _define(store)
    (row,) = store.rows(
        f"""
        SELECT COUNT(*) AS n, COUNT(i.similarity) AS scored, AVG(i.similarity) AS mean,
            TOTAL(i.correct >= 0.5) AS "right", TOTAL(i.correct < 0.5) AS wrong, TOTAL(i.refused) AS refused,
            TOTAL('failed' IN (i.similarity_state, i.correct_state)) AS failed,
            TOTAL('failed' NOT IN (i.similarity_state, i.correct_state)
                AND 'not_applicable' IN (i.similarity_state, i.correct_state)) AS not_applicable
        {cell.source}
        """,
        cell.parameters(),
    )
    return {name: value if name == "mean" else int(value) for name, value in row.items()}


def cell_page(store: Store, cell: CellRows, limit: int, offset: int) -> list[dict[str, Any]]:
    """Return at most ``limit`` (-1: all) of a cell's rows after ``offset``, with question, reference and answer.

    The page is chosen first: a sort would carry the texts of all rows.
    """
    _define(store)
    ids = store.rows(
        f"SELECT i.question AS id {cell.source} ORDER BY {_ORDERS[cell.order]} LIMIT :limit OFFSET :offset",
        {**cell.parameters(), "limit": limit, "offset": offset},
    )
    page = replace(cell, ids=tuple(row["id"] for row in ids))
    return store.rows(f"SELECT {_COLUMNS} {_ROWS} {_TEXTS} ORDER BY chosen.key", page.parameters())


def cell_neighbours(store: Store, cell: CellRows, question_id: str) -> dict[str, Any] | None:
    """Return a question's ``place`` (from 1) of ``total`` in a cell and the ids ``before`` and ``after`` it.

    The ids are None at the ends; the whole is None where the question is not in the cell.
    """
    _define(store)
    rows = store.rows(
        f"""
        SELECT place, total, before, after FROM (
            SELECT i.question AS id, ROW_NUMBER() OVER listed AS place, COUNT(*) OVER () AS total,
                LAG(i.question) OVER listed AS before, LEAD(i.question) OVER listed AS after
            {cell.source}
            WINDOW listed AS (ORDER BY {_ORDERS[cell.order]})
        ) WHERE id = :question
        """,
        {**cell.parameters(), "question": question_id},
    )
    return rows[0] if rows else None


def question_items(store: Store, run_id: str, configurations: Sequence[str], question_id: str) -> list[dict[str, Any]]:
    """Return one question's rows of those ``configurations`` that are stored, ``passages`` and ``answer`` decoded.

    By primary key, configuration by configuration: a run's rows are not indexed by question.
    """
    rows = store.rows(
        """
        SELECT i.* FROM json_each(:configurations) AS chosen
        CROSS JOIN run_items AS i ON i.run = :run AND i.configuration = chosen.value AND i.question = :question
        """,
        {"run": run_id, "configurations": json.dumps(configurations, ensure_ascii=False), "question": question_id},
    )
    for row in rows:
        row["passages"], row["answer"] = json.loads(row["passages"]), json.loads(row["answer"])
    return rows


def documents_of(store: Store, dataset: str, ids: Sequence[str]) -> dict[str, Document]:
    """Return those of the documents that are stored, by id, in the order asked for."""
    rows = store.rows(
        """
        SELECT d.id, d.title, d.text, d.language FROM json_each(:ids) AS chosen
        CROSS JOIN documents AS d ON d.dataset = :dataset AND d.id = chosen.value
        """,
        {"dataset": dataset, "ids": json.dumps(ids, ensure_ascii=False)},
    )
    return {row["id"]: Document(row["id"], row["text"], row["title"], row["language"]) for row in rows}


def _define(store: Store) -> None:
    """Give this thread's connection the two functions SQL does not have."""
    connection: sqlite3.Connection = store.db.conn
    connection.create_function("folded", 1, folded, deterministic=True)
    connection.create_function("said", 1, _said, deterministic=True)


def _said(answer: str) -> str:
    return " ".join(json.loads(answer).get("sentences", ()))
