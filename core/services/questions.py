"""A run's rows, question by question, with the texts they are about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.services.workspace import workspace
from core.store.runs import run_row


def question_rows(run_id: str) -> Iterator[dict[str, Any]]:
    """Yield every (question, configuration) of a run in the dataset's order.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    run_row(store, run_id)
    yield from store.db.query(
        """
        SELECT q.id AS question_id, q.question, q.answer AS reference, q.relation, i.*
        FROM run_items i
        JOIN runs r ON r.id = i.run
        JOIN questions q ON q.dataset = r.dataset AND q.id = i.question
        WHERE i.run = ?
        ORDER BY q.ordinal, i.configuration
        """,
        (run_id,),
    )
