"""Nuggetizer scores: how much of the needed facts an answer supports, from labels of people or models.

Pradeep et al., *Initial Nugget Evaluation Results for the TREC 2024 RAG Track*, arXiv 2411.09607.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.metrics.coverage import WEIGHTS

#: what a label counts; strict scores take full support alone
LABELS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


@dataclass(frozen=True, slots=True)
class NuggetizerScores:
    """Scores of one response, each in [0, 1]; None where it cannot be said.

    ``vital`` and ``all`` are means of label values over the vital and over all nuggets, ``strict_*`` count full
    support alone; ``weighted`` and ``strict_weighted`` weigh vital nuggets 1 and okay ones 0.5. ``n_failed`` nuggets
    have a label or importance that is no such word: then nothing is scored and ``reason`` says so. Without nuggets
    (or without vital ones) the scores concerned are not applicable, with ``reason`` too.
    """

    vital: float | None
    all: float | None
    weighted: float | None
    strict_vital: float | None
    strict_all: float | None
    strict_weighted: float | None
    n: int
    n_failed: int = 0
    reason: str = ""


def label_value(label: str) -> float | None:
    """Return 1, 0.5 or 0 for support, partial_support and not_support in any case; None for any other word: failed."""
    return LABELS.get(label.strip().lower())


def nuggetizer_scores(nuggets: Iterable[tuple[str, str]]) -> NuggetizerScores:
    """Return the scores of one response from the (importance, label) of each nugget, compared without case."""
    rows = list(nuggets)
    values = [(WEIGHTS.get(importance.strip().lower()), label_value(label)) for importance, label in rows]
    failed = [row for row, (weight, value) in zip(rows, values, strict=True) if weight is None or value is None]
    if failed:
        importance, label = failed[0]
        words = f"nuggets cannot be scored: label {label!r} with importance {importance!r}"
        return _none(len(rows), len(failed), f"{len(failed)} of {len(rows)} {words}")
    known = [(weight, value) for weight, value in values if weight is not None and value is not None]
    if not known:
        return _none(0, 0, "there are no nuggets")
    vital = [value for weight, value in known if weight == WEIGHTS["vital"]]
    return NuggetizerScores(
        vital=_mean(vital),
        all=_mean([value for _, value in known]),
        weighted=_weighted(known),
        strict_vital=_mean([_strict(value) for value in vital]),
        strict_all=_mean([_strict(value) for _, value in known]),
        strict_weighted=_weighted([(weight, _strict(value)) for weight, value in known]),
        n=len(known),
        reason="" if vital else "there are no vital nuggets",
    )


def _none(n: int, n_failed: int, reason: str) -> NuggetizerScores:
    return NuggetizerScores(None, None, None, None, None, None, n, n_failed, reason)


def _strict(value: float) -> float:
    return float(value >= 1.0)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _weighted(rows: list[tuple[float, float]]) -> float:
    return sum(weight * value for weight, value in rows) / sum(weight for weight, _ in rows)
