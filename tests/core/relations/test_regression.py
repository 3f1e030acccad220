"""The fit in reduced coordinates is the fit in the full space."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.relations.regression import fit_softmax, reduce


def rows_of(n: int, p: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.normal(loc=3.0, size=(n, p)) * np.linspace(0.1, 2, p)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 30), st.integers(1, 60), st.integers(0, 100))
def test_coordinates_restore_the_rows(n: int, p: int, seed: int) -> None:
    rows = rows_of(n, p, seed)
    space = reduce(rows)
    assert space.basis is not None
    assert space.z.shape[1] <= min(n, p)
    assert np.allclose(space.mean + space.z @ space.basis.T, rows, atol=1e-5)
    assert np.allclose(space.basis.T @ space.basis, np.eye(space.basis.shape[1]), atol=1e-6)


def test_equal_rows_have_no_coordinates() -> None:
    space = reduce(np.ones((4, 10)))
    assert np.allclose(space.mean + space.z @ space.basis.T, 1)


def test_large_problems_are_only_centred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.relations.regression._LARGEST", 5)
    rows = rows_of(8, 9)
    space = reduce(rows)
    assert space.basis is None
    assert np.allclose(space.z + space.mean, rows)
    weights, intercepts = space.weights(np.ones((9, 2)), np.zeros(2))
    assert np.allclose(rows @ weights + intercepts, space.z @ np.ones((9, 2)))


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("c", [0.01, 0.1, 1.0])
@pytest.mark.parametrize(("n", "p"), [(40, 300), (120, 20)])
def test_probabilities_are_those_of_the_full_fit(
    n: int, p: int, n_classes: int, c: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a tolerance so fine that only a different problem could make a difference."""
    from sklearn.linear_model import LogisticRegression

    monkeypatch.setattr("core.relations.regression._TOLERANCE", 1e-8)
    monkeypatch.setattr("core.relations.regression._ITERATIONS", 20_000)
    rows = rows_of(n, p)
    classes = np.arange(n) % n_classes
    rows[np.arange(n), classes] += 2
    train, test = np.arange(n) < 0.8 * n, np.arange(n) >= 0.8 * n
    space = reduce(rows)
    weights, intercepts = space.weights(*fit_softmax(space.z[train], classes[train], n_classes, c))
    scores = rows[test] @ weights + intercepts
    probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    full = LogisticRegression(C=c, tol=1e-8, max_iter=20_000).fit(rows[train] - rows.mean(axis=0), classes[train])
    assert np.abs(probabilities - full.predict_proba(rows[test] - rows.mean(axis=0))).max() < 1e-5


def test_a_class_without_rows_is_never_predicted() -> None:
    rows = rows_of(30, 5)
    classes = np.array([0, 2, 4] * 10)
    weights, intercepts = fit_softmax(rows, classes, 6, 1.0)
    assert weights.shape == (5, 6)
    assert np.isneginf(intercepts[[1, 3, 5]]).all()
    assert set((rows @ weights + intercepts).argmax(axis=1)) <= {0, 2, 4}


def test_two_of_five_classes() -> None:
    rows = rows_of(30, 5)
    classes = np.array([1, 3] * 15)
    rows[classes == 3] += 3
    weights, intercepts = fit_softmax(rows, classes, 5, 1.0)
    assert ((rows @ weights + intercepts).argmax(axis=1) == classes).all()
