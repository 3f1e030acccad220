"""Folds by document."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.relations.folds import grouped_folds

ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9).map(str)), min_size=1, max_size=80)


@given(ROWS, st.integers(2, 6), st.integers(0, 3))
def test_documents_stay_together_and_every_fold_has_one(rows: list[tuple[str, str]], n_folds: int, seed: int) -> None:
    labels, documents = (list(side) for side in zip(*rows, strict=True))
    folds = grouped_folds(labels, documents, n_folds, seed)
    assert len({(document, fold) for document, fold in zip(documents, folds.tolist(), strict=True)}) == len(
        set(documents)
    )
    assert set(folds.tolist()) == set(range(min(n_folds, len(set(documents)))))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[str, str]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    of_document = [
        dict(zip((d for _, d in some), grouped_folds([a for a, _ in some], [d for _, d in some], 3, 0), strict=True))
        for some in (rows, shuffled)
    ]
    assert of_document[0] == of_document[1]


def test_relations_are_spread_evenly() -> None:
    labels = [label for label in "abcdefghijklm" for _ in range(40)]
    generator = np.random.default_rng(0)
    documents = [f"d{i}" for i in generator.integers(0, 60, len(labels))]
    folds = grouped_folds(labels, documents, 5, 0)
    counts = Counter(zip(labels, folds.tolist(), strict=True))
    assert len(counts) == 13 * 5
    assert max(counts.values()) <= 3 * min(counts.values())
    sizes = Counter(folds.tolist())
    assert max(sizes.values()) <= 1.3 * min(sizes.values())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equal_documents_are_dealt_by_the_seed(seed: int) -> None:
    labels, documents = ["a", "b"] * 20, [str(i // 2) for i in range(40)]
    same, other = (grouped_folds(labels, documents, 5, s).tolist() for s in (seed, seed + 100))
    assert same == grouped_folds(labels, documents, 5, seed).tolist()
    assert same != other
    assert Counter(same) == Counter(dict.fromkeys(range(5), 8))
