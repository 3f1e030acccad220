"""Fitting one model a fold, with C chosen by inner folds, without fitting anything twice.

The inner folds of outer fold a are the other outer folds. The model of outer a, inner b is fitted on all rows
outside a and b, which is the model of outer b, inner a as well: each pair is fitted once and judged on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.relations.regression import Coordinates, Floats, fit_softmax, reduce

#: rows whose scores are computed at once
_BATCH = 4_096


@dataclass(frozen=True, eq=False)
class FoldModels:
    """A linear model a fold: F folds, p features, k classes.

    ``weights`` (F, p, k) float32 and ``intercepts`` (F, k) act on features as they come. ``c`` is the C of each fold;
    ``usable`` is False for a fold outside which there are fewer than two classes (no prediction); ``learnt`` (F, k)
    tells which classes occur outside each fold; ``chosen`` whether inner folds decided C.
    """

    weights: NDArray[np.float32]
    intercepts: Floats
    c: tuple[float, ...]
    usable: tuple[bool, ...]
    learnt: NDArray[np.bool_]
    chosen: bool

    def predict(self, rows: NDArray[np.float32], folds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class of each row by the model of its fold, (m,)."""
        return predict(self.weights, self.intercepts, rows, folds)


def predict(
    weights: NDArray[np.float32], intercepts: Floats, rows: NDArray[np.float32], folds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the class (m,) with the largest score, rounded to 1e-6 so that equal scores go to the first class."""
    classes = np.full(len(rows), -1, dtype=np.int64)
    for fold in range(len(weights)):
        places = np.flatnonzero(folds == fold)
        for start in range(0, len(places), _BATCH):
            some = places[start : start + _BATCH]
            scores = np.round(rows[some].astype(np.float64) @ weights[fold] + intercepts[fold], 6)
            classes[some] = scores.argmax(axis=1)
    return classes


def cross_fit(
    rows: NDArray[np.floating[Any]],
    classes: NDArray[np.int64],
    labelled: NDArray[np.bool_],
    folds: NDArray[np.int64],
    n_classes: int,
    grid: tuple[float, ...],
) -> FoldModels:
    """Return a model for each fold, fitted on the labelled rows of all other folds.

    Args:
        rows: features, (n, p).
        classes: class of each row, (n,), -1 where unlabelled.
        labelled: rows to learn from, (n,).
        folds: fold of each row, (n,), from 0.
        n_classes: k.
        grid: values of C, ascending.
    """
    n_folds = int(folds.max()) + 1
    with _one_thread():
        space = reduce(rows)
        right = _inner_scores(space, classes, labelled, folds, n_folds, n_classes, grid)
        outside = [labelled & (folds != fold) for fold in range(n_folds)]
        fitted = [
            _model(space, classes, learn, n_classes, _best(right[fold], grid)) for fold, learn in enumerate(outside)
        ]
    return FoldModels(
        weights=np.stack([weights for weights, _ in fitted]),
        intercepts=np.stack([intercepts for _, intercepts in fitted]),
        c=tuple(_best(right[fold], grid) for fold in range(n_folds)),
        usable=tuple(len(set(classes[learn])) >= 2 for learn in outside),
        learnt=np.stack([np.isin(np.arange(n_classes), classes[learn]) for learn in outside]),
        chosen=bool((right >= 0).any()),
    )


def fit_once(
    rows: NDArray[np.floating[Any]],
    classes: NDArray[np.int64],
    learn: NDArray[np.bool_],
    inner: NDArray[np.int64],
    n_classes: int,
    grid: tuple[float, ...],
) -> FoldModels:
    """Return one model (fold 0) fitted on the rows of ``learn``, with C chosen by their ``inner`` folds."""
    with _one_thread():
        space = reduce(rows[learn])
        known, fold = classes[learn], inner[learn]
        right = np.full(len(grid), -1)
        for held_out in range(int(fold.max()) + 1):
            train, test = fold != held_out, fold == held_out
            if len(set(known[train])) < 2:
                continue
            for place, c in enumerate(grid):
                hits = _hits(space, known, fit_softmax(space.z[train], known[train], n_classes, c), test)
                right[place] = max(right[place], 0) + hits
        c = _best(right, grid)
        weights, intercepts = _model(space, known, np.ones(len(known), dtype=np.bool_), n_classes, c)
    return FoldModels(
        weights=weights[None],
        intercepts=intercepts[None],
        c=(c,),
        usable=(True,),
        learnt=np.isin(np.arange(n_classes), known)[None],
        chosen=bool((right >= 0).any()),
    )


def _inner_scores(
    space: Coordinates,
    classes: NDArray[np.int64],
    labelled: NDArray[np.bool_],
    folds: NDArray[np.int64],
    n_folds: int,
    n_classes: int,
    grid: tuple[float, ...],
) -> NDArray[np.int64]:
    """Return right predictions (F, grid) in the inner folds of each outer fold, -1 where nothing could be judged."""
    right = np.full((n_folds, len(grid)), -1)
    for a, b in combinations(range(n_folds), 2):
        train = labelled & (folds != a) & (folds != b)
        if len(set(classes[train])) < 2:
            continue
        for place, c in enumerate(grid):
            model = fit_softmax(space.z[train], classes[train], n_classes, c)
            for outer, inner in ((a, b), (b, a)):
                hits = _hits(space, classes, model, labelled & (folds == inner))
                right[outer, place] = max(right[outer, place], 0) + hits
    return right


def _hits(space: Coordinates, classes: NDArray[np.int64], model: tuple[Floats, Floats], test: NDArray[np.bool_]) -> int:
    weights, intercepts = model
    scores = np.round(space.z[test] @ weights + intercepts, 6)
    return int((scores.argmax(axis=1) == classes[test]).sum())


def _best(right: NDArray[np.int64], grid: tuple[float, ...]) -> float:
    """The C with the most right predictions, the smallest of equal ones; the middle where none was judged."""
    return grid[int(np.argmax(right))] if right.max() >= 0 else grid[len(grid) // 2]


def _model(
    space: Coordinates, classes: NDArray[np.int64], learn: NDArray[np.bool_], n_classes: int, c: float
) -> tuple[NDArray[np.float32], Floats]:
    if len(set(classes[learn])) < 2:
        return np.zeros((len(space.mean), n_classes), np.float32), np.zeros(n_classes)
    weights, intercepts = space.weights(*fit_softmax(space.z[learn], classes[learn], n_classes, c))
    return weights.astype(np.float32), intercepts


def _one_thread() -> Any:
    """Matrices are small: threads would spend their time waiting for each other, most of all on a busy machine."""
    import sklearn.linear_model  # noqa: F401 - brings a BLAS of its own, which must be there to be limited
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1)
