"""Question sets under way in the store: what was asked for, and every pair that came back with its fate."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import OptionError
from core.schema import Document
from core.store.database import BATCH, Store, now

_JSON = frozenset({"plan", "model", "request", "trees", "left_out", "cost"})


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair that a model gave: accepted where ``reason`` is "", else why not. A call without pairs is one of them.

    ``record`` holds categories and users by dimension, the piece that was shown, and what was measured.
    ``keep``, ``edited_question`` and ``edited_answer`` are a reviewer's; "" means as it was.
    """

    slot: str
    attempt: int
    number: int
    question_set: str
    category: str
    document: str
    reason: str
    question: str
    answer: str
    record: Mapping[str, Any] = field(default_factory=dict)
    keep: bool = True
    edited_question: str = ""
    edited_answer: str = ""
    ordinal: int = 0


def create_generation(store: Store, values: Mapping[str, Any], documents: Sequence[Document]) -> bool:
    """Store a new generation with its documents; False where it is stored already, which stays as it is."""
    with store.write() as db:
        if db.conn.execute("SELECT 1 FROM generations WHERE id = ?", (values["id"],)).fetchone():
            return False
        db["generations"].insert(
            {
                **{name: _encoded(name, value) for name, value in values.items()},
                "message": "",
                "done": 0,
                "cost": "{}",
                "seconds": 0.0,
                "created": now(),
                "updated": now(),
                "dataset": "",
                "version": 0,
            }
        )
        db["generation_documents"].insert_all(
            (
                {
                    "generation": values["id"],
                    "ordinal": ordinal,
                    "id": document.id,
                    "title": document.title,
                    "text": document.text,
                    "language": document.language,
                }
                for ordinal, document in enumerate(documents)
            ),
            batch_size=BATCH,
        )
    return True


def generation_row(store: Store, generation: str) -> dict[str, Any]:
    """Return everything of a generation but documents and pairs. Raises OptionError where there is none."""
    rows = store.rows("SELECT * FROM generations WHERE id = ?", (generation,))
    if not rows:
        raise OptionError(f"No question set '{generation[:80]}' is stored: `generate --list` shows those that are.")
    return _decoded(rows[0])


def generation_rows(store: Store) -> list[dict[str, Any]]:
    """Return all generations, newest first."""
    return [_decoded(row) for row in store.rows("SELECT * FROM generations ORDER BY created DESC, id")]


def generation_documents(store: Store, generation: str) -> tuple[Document, ...]:
    """Return the documents of a generation in order."""
    rows = store.rows("SELECT * FROM generation_documents WHERE generation = ? ORDER BY ordinal", (generation,))
    return tuple(Document(row["id"], row["text"], row["title"], row["language"]) for row in rows)


def update_generation(store: Store, generation: str, **values: Any) -> None:
    """Set columns of a generation; ``updated`` is set along."""
    with store.write() as db:
        db["generations"].update(
            generation, {**{name: _encoded(name, value) for name, value in values.items()}, "updated": now()}
        )


def change_generation_state(store: Store, generation: str, before: Collection[str], after: str) -> bool:
    """Change the state where it is among ``before``; return whether it was. Two that try at once cannot both do it."""
    marks = ",".join("?" * len(before))
    with store.write() as db:
        found = db.conn.execute(
            f"UPDATE generations SET state = ?, updated = ? WHERE id = ? AND state IN ({marks})",
            (after, now(), generation, *before),
        )
    return bool(found.rowcount)


def put_pairs(store: Store, generation: str, pairs: Sequence[StoredPair], cost: Mapping[str, Any]) -> None:
    """Store what one batch of calls came to, with its counts and cost, in one transaction."""
    with store.write() as db:
        first = db.conn.execute(
            "SELECT COALESCE(MAX(ordinal), -1) + 1 FROM generated_pairs WHERE generation = ?", (generation,)
        ).fetchone()[0]
        db.conn.executemany(
            "INSERT INTO generated_pairs (generation, slot, attempt, number, ordinal, question_set, category, "
            "document, reason, question, answer, record) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    generation, pair.slot, pair.attempt, pair.number, first + place, pair.question_set, pair.category,
                    pair.document, pair.reason, pair.question, pair.answer,
                    json.dumps(pair.record, ensure_ascii=False),
                )
                for place, pair in enumerate(pairs)
            ],
        )  # fmt: skip
        db.conn.execute(
            "UPDATE generations SET done = "
            "(SELECT COUNT(*) FROM generated_pairs WHERE generation = ?1 AND reason = ''), "
            "cost = ?2, updated = ?3, version = version + 1 WHERE id = ?1",
            (generation, json.dumps(cost, ensure_ascii=False), now()),
        )


def pairs(store: Store, generation: str, *, accepted: bool | None = None) -> list[StoredPair]:
    """Return the pairs of a generation in the order in which they came, all or the (not) accepted ones."""
    where = {None: "", True: " AND reason = ''", False: " AND reason <> ''"}[accepted]
    rows = store.rows(f"SELECT * FROM generated_pairs WHERE generation = ?{where} ORDER BY ordinal", (generation,))
    return [
        StoredPair(
            **{
                **{name: value for name, value in row.items() if name != "generation"},
                "record": json.loads(row["record"]),
                "keep": bool(row["keep"]),
            }
        )
        for row in rows
    ]


def pair_counts(store: Store, generation: str) -> list[dict[str, Any]]:
    """Return ``{question_set, category, reason, n}`` of all pairs, "" being the reason of accepted ones."""
    return store.rows(
        "SELECT question_set, category, reason, COUNT(*) AS n FROM generated_pairs WHERE generation = ? "
        "GROUP BY question_set, category, reason ORDER BY MIN(ordinal)",
        (generation,),
    )


def review_pair(store: Store, generation: str, pair: StoredPair) -> None:
    """Store what a reviewer made of an accepted pair."""
    with store.write() as db:
        db.conn.execute(
            "UPDATE generated_pairs SET keep = ?, edited_question = ?, edited_answer = ? WHERE generation = ? AND "
            "slot = ? AND attempt = ? AND number = ? AND reason = ''",
            (
                int(pair.keep), pair.edited_question, pair.edited_answer, generation, pair.slot, pair.attempt,
                pair.number,
            ),
        )  # fmt: skip
        db.conn.execute("UPDATE generations SET version = version + 1 WHERE id = ?", (generation,))


def delete_generation(store: Store, generation: str) -> None:
    """Delete a generation with its documents and pairs; datasets that were saved of it stay."""
    with store.write() as db:
        for table, column in (("generated_pairs", "generation"), ("generation_documents", "generation"),
                              ("generations", "id")):  # fmt: skip
            db.conn.execute(f"DELETE FROM {table} WHERE {column} = ?", (generation,))


def _encoded(name: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if name in _JSON else value


def _decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.loads(value) if name in _JSON else value for name, value in row.items()}
