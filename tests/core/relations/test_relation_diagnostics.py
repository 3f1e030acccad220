"""Agreement with gold labels, what retrieval can move, and the stored form."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.relations.diagnostics import RelationDiagnostics, agreement, movable_share

LABELS = ["causal", "deductive", "direct matching", "own label"]


def test_agreement_by_hand() -> None:
    found = agreement(["causal", "causal", "deductive", "x"], ["causal", "deductive", "deductive", "causal"])
    assert found.labels == ("deductive", "causal", "x")
    assert found.matrix == ((1, 0, 0), (1, 1, 0), (0, 1, 0))
    assert found.accuracy == 0.5
    assert found.majority == 0.5
    # deductive 2/3, causal 1/2, x 0
    assert found.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_a_relation_that_is_only_predicted_does_not_enter_macro_f1() -> None:
    found = agreement(["causal", "causal"], ["causal", "deductive"])
    assert found.macro_f1 == pytest.approx(2 / 3)
    assert found.labels == ("deductive", "causal")


def test_nothing_to_compare() -> None:
    with pytest.raises(ValueError, match="0 gold labels and 0"):
        agreement([], [])
    with pytest.raises(ValueError, match="1 gold labels and 2"):
        agreement(["a"], ["a", "b"])


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40))
def test_agreement_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

    gold, guess = [list(side) for side in zip(*pairs, strict=True)]
    found = agreement(gold, guess)
    occurring = sorted(set(gold))
    assert found.accuracy == pytest.approx(accuracy_score(gold, guess))
    assert found.macro_f1 == pytest.approx(f1_score(gold, guess, labels=occurring, average="macro", zero_division=0))
    labels = list(found.labels)
    expected = confusion_matrix(gold, guess, labels=labels) if len(labels) > 1 else [[len(gold)]]
    assert np.array_equal(found.matrix, expected)


def test_movable_by_hand() -> None:
    table = np.array([[True, True, False, False], [True, False, False, True], [True, True, False, False]])
    assert movable_share(table) == 0.5


@given(arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 12))))
def test_no_two_configurations_differ_by_more_than_the_movable_share(table: np.ndarray) -> None:
    lrcr = table.mean(axis=1)
    assert lrcr.max() - lrcr.min() <= movable_share(table) + 1e-12
    assert (movable_share(table) == 0) == bool((table == table[0]).all())


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_moves_where_nothing_is(shape: tuple[int, ...]) -> None:
    assert movable_share(np.zeros(shape, dtype=bool)) == 0.0


def test_the_stored_form_is_json_and_comes_back() -> None:
    found = RelationDiagnostics(
        accuracy=0.5,
        macro_f1=0.4,
        majority=0.3,
        question_only=0.2,
        question_only_agreement=0.6,
        n=4,
        n_documents=2,
        labels=("causal", "x"),
        matrix=((1, 1), (1, 1)),
        mode="cross_fitted",
        folds=2,
        seed=7,
        c=(0.1, 1.0),
        question_only_c=(0.1,),
        notes=("A note.",),
    )
    stored = json.loads(json.dumps(found.as_dict()))
    assert stored["confusion"] == {"labels": ["causal", "x"], "matrix": [[1, 1], [1, 1]]}
    assert RelationDiagnostics.from_dict(stored) == found
