"""The migration that brings question sets under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database


def generation(db: Database) -> None:
    """Question sets under way: what is asked of which documents, and every pair that came back with its fate."""
    db["generations"].create(
        {
            "id": str,
            "title": str,
            "plan": str,
            "model": str,
            "request": str,
            "trees": str,
            "left_out": str,
            "state": str,
            "message": str,
            "done": int,
            "wanted": int,
            "cost": str,
            "seconds": float,
            "created": str,
            "updated": str,
            "dataset": str,
            "version": int,
        },
        pk="id",
    )
    db.execute(
        """
        CREATE TABLE generation_documents (
            generation TEXT NOT NULL,
            ordinal INTEGER NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            text TEXT NOT NULL,
            language TEXT NOT NULL,
            PRIMARY KEY (generation, ordinal)
        )
        """
    )
    db.execute(
        """
        CREATE TABLE generated_pairs (
            generation TEXT NOT NULL,
            slot TEXT NOT NULL,
            attempt INTEGER NOT NULL,
            number INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            question_set TEXT NOT NULL,
            category TEXT NOT NULL,
            document TEXT NOT NULL,
            reason TEXT NOT NULL,
            question TEXT NOT NULL,
            answer TEXT NOT NULL,
            record TEXT NOT NULL,
            keep INTEGER NOT NULL DEFAULT 1,
            edited_question TEXT NOT NULL DEFAULT '',
            edited_answer TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (generation, slot, attempt, number)
        ) WITHOUT ROWID
        """
    )
