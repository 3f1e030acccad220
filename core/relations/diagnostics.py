"""How good the relation classifier is on gold answers, and how much of LRCR retrieval can decide at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.taxonomy.relations import in_order


@dataclass(frozen=True)
class RelationDiagnostics:
    """Held-out quality on gold answers: the ceiling of any LRCR measured with this classifier.

    All shares lie in [0, 1] and are over the ``n`` gold answers that some model predicted without having seen their
    document. ``macro_f1`` is the mean F1 over the relations that occur among them (0 for one never rightly
    predicted). ``majority`` is the share of the commonest relation. ``question_only`` is the accuracy of the same
    kind of classifier, in the same folds, that sees the question alone, ``question_only_agreement`` the share of gold
    answers for which both name the same relation; None where there is none. ``matrix[t][p]`` counts answers of
    ``labels[t]`` classified as ``labels[p]``. ``c`` and ``question_only_c`` hold the C chosen in each fold of a
    classifier that is fitted here. ``notes`` are sentences on what the data did not allow.
    """

    accuracy: float
    macro_f1: float
    majority: float
    question_only: float | None
    question_only_agreement: float | None
    n: int
    n_documents: int
    labels: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]
    mode: str
    folds: int = 0
    seed: int = 0
    c: tuple[float, ...] = ()
    question_only_c: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values; labels and matrix stand together under ``confusion``."""
        return {
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "majority": self.majority,
            "question_only": self.question_only,
            "question_only_agreement": self.question_only_agreement,
            "n": self.n,
            "n_documents": self.n_documents,
            "confusion": {"labels": list(self.labels), "matrix": [list(line) for line in self.matrix]},
            "mode": self.mode,
            "folds": self.folds,
            "seed": self.seed,
            "c": list(self.c),
            "question_only_c": list(self.question_only_c),
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> RelationDiagnostics:
        """Return what ``as_dict`` was called on."""
        rest = {key: value for key, value in stored.items() if key != "confusion"}
        for key in ("c", "question_only_c", "notes"):
            rest[key] = tuple(rest[key])
        confusion = stored["confusion"]
        return cls(**rest, labels=tuple(confusion["labels"]), matrix=tuple(tuple(line) for line in confusion["matrix"]))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Predictions against gold labels: the numbers every classifier is judged by."""

    accuracy: float
    macro_f1: float
    majority: float
    labels: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]


def agreement(gold: Sequence[str], predicted: Sequence[str]) -> Agreement:
    """Return accuracy, macro-F1 and confusion matrix; labels in the taxonomy's order.

    Raises:
        ValueError: nothing to compare, or lists of different lengths.
    """
    if not gold or len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold labels and {len(predicted)} predictions")
    labels = in_order({*gold, *predicted})
    place = {label: i for i, label in enumerate(labels)}
    matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for truth, guess in zip(gold, predicted, strict=True):
        matrix[place[truth], place[guess]] += 1
    right, true, guessed = matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)
    # the denominator of F1 is at least the number of gold answers, so it is never 0 for a relation that occurs
    f1 = [2 * right[i] / (true[i] + guessed[i]) for i in range(len(labels)) if true[i]]
    return Agreement(
        accuracy=float(right.sum() / len(gold)),
        macro_f1=float(np.mean(f1)),
        majority=max(Counter(gold).values()) / len(gold),
        labels=tuple(labels),
        matrix=tuple(tuple(int(count) for count in line) for line in matrix),
    )


def movable_share(correct: NDArray[np.bool_]) -> float:
    """Return the share of questions, in [0, 1], that some configurations get right and others wrong.

    No two configurations' LRCR can differ by more: every other question counts the same in both. 0 where there is
    nothing to compare.

    Args:
        correct: whether the predicted relation is the gold one, (configurations, questions).
    """
    if correct.ndim != 2 or correct.size == 0:
        return 0.0
    return float((correct.any(axis=0) & ~correct.all(axis=0)).mean())
