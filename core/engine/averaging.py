"""Repeats of a sampled answer, averaged within their question first: whatever is made of it counts it once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.schema import StateName
from core.store.coverage import CoverageRow
from core.store.run_items import RunItem

_GRAVER: Sequence[StateName] = ("failed", "not_applicable")


def one_row(rows: Sequence[RunItem]) -> RunItem:
    """Return the row of a question whose answer was asked for several times, given a row a repeat.

    BERTSim and the share of right relations are means over the repeats, the predicted relation is the commonest, and
    it counts as a refusal where at least half of them are. A measure that failed in one repeat has failed, so that
    nothing is left out silently. ``answer`` is the first, with the others and their scores under ``repeats``.
    """
    if len(rows) == 1:
        return rows[0]
    similarity, similarity_state, similarity_reason = _mean(
        rows, lambda row: (row.similarity, row.similarity_state, row.similarity_reason)
    )
    correct, correct_state, correct_reason = _mean(
        rows, lambda row: (row.correct, row.correct_state, row.correct_reason)
    )
    named = Counter(row.predicted for row in rows if row.predicted)
    answer: dict[str, Any] = json.loads(rows[0].answer)
    answer["repeats"] = [
        {**json.loads(row.answer), "similarity": row.similarity, "predicted": row.predicted, "correct": row.correct}
        for row in rows
    ]
    return replace(
        rows[0],
        answer=json.dumps(answer, ensure_ascii=False),
        refused=int(2 * sum(row.refused for row in rows) >= len(rows)),
        similarity=similarity,
        similarity_state=similarity_state,
        similarity_reason=similarity_reason,
        predicted=named.most_common(1)[0][0] if named else None,
        correct=correct,
        correct_state=correct_state,
        correct_reason=correct_reason,
    )


def one_coverage(
    rows: Sequence[tuple[CoverageRow, np.ndarray[Any, np.dtype[np.float32]]]],
) -> tuple[CoverageRow, np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the coverage of such a question: the means of its numbers, and the record of its first answer.

    What is not scored in one repeat is not scored.
    """
    first = rows[0][0]
    for state in _GRAVER:
        worse = next((row for row, _ in rows if row.state == state), None)
        if worse is not None:
            first = replace(first, state=worse.state, reason=worse.reason)
            break
    return first, np.mean([numbers for _, numbers in rows], axis=0, dtype=np.float32)


def _mean(
    rows: Sequence[RunItem], of: Callable[[RunItem], tuple[float | None, StateName, str]]
) -> tuple[float | None, StateName, str]:
    found = [of(row) for row in rows]
    for state in _GRAVER:
        worse = next(((state, reason) for _, its, reason in found if its == state), None)
        if worse is not None:
            return None, *worse
    return round(sum(value or 0.0 for value, _, _ in found) / len(found), 6), "scored", ""
