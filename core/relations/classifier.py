"""The local relation classifier: which relation does a produced answer have, judged without knowing its document.

Logistic regression on ``features``; C by inner folds grouped by document. *Cross-fitted*: documents are dealt into
folds, and every question, with whatever answers are produced for it, is predicted by the model of its fold, which saw
neither the question nor its document. *Train split*: one model, fitted on the dataset's train questions, predicts
the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.relations.cross_fitting import FoldModels, cross_fit, fit_once
from core.relations.diagnostics import RelationDiagnostics, agreement
from core.relations.features import features, question_features
from core.relations.fitted import FittedRelations
from core.relations.folds import grouped_folds
from core.schema import Split
from core.taxonomy.relations import in_order

__all__ = ["FittedRelations", "LocalClassifier", "Unfittable", "fit"]

#: counts changes of features or fitting that change predictions
VERSION = 1


class Unfittable(Exception):  # noqa: N818 - not an error of anybody's: the measure is not applicable, for this reason
    """LRCR is not applicable to these questions; the message says why, in words."""


@dataclass(frozen=True, slots=True)
class LocalClassifier:
    """The classifier's choices. ``folds`` is the number wished for; fewer documents make fewer folds."""

    seed: int = 0
    folds: int = 5
    c_grid: tuple[float, ...] = (0.01, 0.1, 1.0)
    mode: Literal["cross_fitted", "train_split"] = "cross_fitted"

    def as_spec(self) -> dict[str, Any]:
        """Return what decides a prediction besides questions, answers and texts."""
        return {
            "name": "local",
            "version": VERSION,
            "seed": self.seed,
            "folds": self.folds,
            "c_grid": list(self.c_grid),
            "mode": self.mode,
        }


def fit(
    spec: LocalClassifier,
    *,
    question: NDArray[np.floating[Any]],
    answer: NDArray[np.floating[Any]],
    text: NDArray[np.floating[Any]],
    cues: NDArray[np.floating[Any]],
    labels: Sequence[str],
    documents: Sequence[str],
    splits: Sequence[Split | None] | None = None,
) -> FittedRelations:
    """Fit on gold answers.

    Decided: a question without a label ("") is predicted but neither learnt from nor counted. A relation with fewer
    questions or documents than folds takes part as it is; questions whose relation occurs in no other fold cannot be
    predicted rightly, and a note of the diagnostics counts them. Where the documents outside a fold show fewer than
    two relations, the fold's questions get no prediction (``FittedRelations.reasons``). With fewer than three folds
    there is nothing to choose C by, and the middle of the grid is taken.

    Args:
        spec: folds, seed, grid and mode.
        question: unit vectors of the n questions, (n, d).
        answer: unit vectors of their reference answers, (n, d).
        text: mean unit vectors of the sentences of their evidence, (n, d).
        cues: lexical cues of question and reference answer, (n, N_CUES).
        labels: the n gold relations.
        documents: source document of each question.
        splits: split of each question; needed in train split mode, else not looked at.

    Raises:
        Unfittable: one relation only, or no documents to hold out.
        OptionError: train split mode on a dataset without train and test questions, or with a document in both.
    """
    labelled = np.array([bool(label) for label in labels])
    names = tuple(in_order({label for label in labels if label}))
    if not names:
        raise Unfittable("no question has a relation label")
    if len(names) == 1:
        raise Unfittable(f"all questions have the relation '{names[0]}', so there is nothing to tell apart")
    classes = np.array([names.index(label) if label else -1 for label in labels], dtype=np.int64)
    rows = features(question, answer, text, cues)
    alone = question_features(question, cues)
    if spec.mode == "train_split":
        train = _train(splits, documents)
        folds = np.where(train, -1, 0)
        learn = train & labelled
        if len(set(classes[learn])) < 2:
            raise Unfittable("the train questions show fewer than two relations, so there is nothing to learn")
        inner = np.full(len(labels), -1)
        inner[learn] = _dealt(labels, documents, learn, spec)
        models = fit_once(rows, classes, learn, inner, len(names), spec.c_grid)
        blind = fit_once(alone, classes, learn, inner, len(names), spec.c_grid)
        reasons = tuple("it belongs to the train questions" if seen else "" for seen in train)
    else:
        if len(set(documents)) < 2:
            raise Unfittable("all questions are about one document, so no model can be kept from knowing it")
        everything = np.ones(len(labels), dtype=np.bool_)
        folds = _dealt(labels, documents, everything, spec)
        models = cross_fit(rows, classes, labelled, folds, len(names), spec.c_grid)
        blind = cross_fit(alone, classes, labelled, folds, len(names), spec.c_grid)
        reasons = tuple(
            "" if models.usable[fold] else "the other documents show fewer than two relations" for fold in folds
        )
        if not any(models.usable):
            raise Unfittable("whatever document is held out, the others show fewer than two relations")
    judged = np.array([not reason for reason in reasons]) & labelled
    if not judged.any():
        raise Unfittable("no labelled question is left to test the classifier on")
    diagnostics = _diagnostics(spec, names, classes, documents, folds, judged, (models, rows), (blind, alone))
    return FittedRelations(names, folds, models.weights, models.intercepts, reasons, diagnostics)


def _train(splits: Sequence[Split | None] | None, documents: Sequence[str]) -> NDArray[np.bool_]:
    """Return which questions are train ones; the others are predicted."""
    if splits is None or "train" not in splits or "test" not in splits:
        raise OptionError(
            "The dataset does not say which questions are for training and which for testing (field 'split'): "
            "use the cross-fitted classifier (--relations local)."
        )
    sides: dict[str, set[str]] = {}
    for document, split in zip(documents, splits, strict=True):
        sides.setdefault(document, set()).add("train" if split == "train" else "test")
    both = sorted(document for document, side in sides.items() if len(side) > 1)
    if both:
        more = f" and {len(both) - 1} more" if len(both) > 1 else ""
        raise OptionError(
            f"Document '{both[0]}'{more} has questions in the train split and outside it, so the test would not be "
            "blind: give each document one split or use the cross-fitted classifier (--relations local)."
        )
    return np.array([split == "train" for split in splits])


def _dealt(
    labels: Sequence[str], documents: Sequence[str], chosen: NDArray[np.bool_], spec: LocalClassifier
) -> NDArray[np.int64]:
    places = np.flatnonzero(chosen).tolist()
    return grouped_folds([labels[i] for i in places], [documents[i] for i in places], spec.folds, spec.seed)


def _diagnostics(
    spec: LocalClassifier,
    names: tuple[str, ...],
    classes: NDArray[np.int64],
    documents: Sequence[str],
    folds: NDArray[np.int64],
    judged: NDArray[np.bool_],
    full: tuple[FoldModels, NDArray[np.float32]],
    blind: tuple[FoldModels, NDArray[np.float32]],
) -> RelationDiagnostics:
    gold = [names[i] for i in classes[judged]]
    seeing, only = ([names[i] for i in models.predict(rows[judged], folds[judged])] for models, rows in (full, blind))
    quality = agreement(gold, seeing)
    n_folds = len(full[0].c)
    return RelationDiagnostics(
        accuracy=quality.accuracy,
        macro_f1=quality.macro_f1,
        majority=quality.majority,
        question_only=float(np.mean([a == b for a, b in zip(gold, only, strict=True)])),
        question_only_agreement=float(np.mean([a == b for a, b in zip(seeing, only, strict=True)])),
        n=len(gold),
        n_documents=len({documents[i] for i in np.flatnonzero(judged).tolist()}),
        labels=quality.labels,
        matrix=quality.matrix,
        mode=spec.mode,
        folds=n_folds,
        seed=spec.seed,
        c=full[0].c,
        question_only_c=blind[0].c,
        notes=tuple(_notes(spec, names, classes, folds, judged, full[0])),
    )


def _notes(
    spec: LocalClassifier,
    names: tuple[str, ...],
    classes: NDArray[np.int64],
    folds: NDArray[np.int64],
    judged: NDArray[np.bool_],
    models: FoldModels,
) -> list[str]:
    notes = []
    if spec.mode == "cross_fitted" and len(models.c) < spec.folds:
        notes.append(f"There are only {len(models.c)} documents, so there are {len(models.c)} folds.")
    unlearnt = [names[classes[i]] for i in np.flatnonzero(judged) if not models.learnt[folds[i], classes[i]]]
    if unlearnt:
        counts = ", ".join(f"{name} ({unlearnt.count(name)})" for name in names if name in unlearnt)
        notes.append(
            f"{len(unlearnt)} gold answers have a relation that the model judging them never saw, so it cannot be "
            f"right: {counts}."
        )
    skipped = int(((classes >= 0) & ~judged).sum())
    if skipped and spec.mode == "cross_fitted":
        notes.append(f"{skipped} questions get no prediction: the other documents show fewer than two relations.")
    if not models.chosen:
        notes.append("There are too few documents to choose C, so it is the middle of the grid.")
    return notes
