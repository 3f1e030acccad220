"""Folds in which all questions of a document stay together and every relation is spread as evenly as that allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def grouped_folds(labels: Sequence[str], documents: Sequence[str], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of every row, (n,), in [0, min(n_folds, number of documents)).

    Documents are dealt out greedily, those with the most questions first (equal ones in seeded order), each to the
    fold where its labels are rarest so far in proportion to their total number; ties go to the smaller fold, then
    to the first. Every fold gets at least one document.
    """
    of_document: dict[str, Counter[str]] = {}
    for label, document in zip(labels, documents, strict=True):
        of_document.setdefault(document, Counter())[label] += 1
    total = Counter(labels)
    n_folds = min(n_folds, len(of_document))
    names = sorted(of_document)
    shuffled = [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
    shuffled.sort(key=lambda name: -of_document[name].total())
    filled: list[Counter[str]] = [Counter() for _ in range(n_folds)]
    fold_of: dict[str, int] = {}
    for place, name in enumerate(shuffled):
        counts = of_document[name]
        # the last documents go to folds that are still empty
        empty = [fold for fold in range(n_folds) if not filled[fold]]
        open_folds = empty if len(empty) >= len(shuffled) - place else range(n_folds)
        chosen = min(
            open_folds,
            key=lambda fold: (
                round(sum(filled[fold][label] * n / total[label] ** 2 for label, n in sorted(counts.items())), 12),
                filled[fold].total(),
                fold,
            ),
        )
        filled[chosen] += counts
        fold_of[name] = chosen
    return np.array([fold_of[document] for document in documents], dtype=np.int64)
