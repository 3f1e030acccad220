"""The clustering function against a dense implementation of CR2 with Bell and McCaffrey's degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.stats.clustering import ClusterDesign, clustered_mean


def dense_cr2(
    y: NDArray[np.float64], strata: NDArray[np.int64], clusters: NDArray[np.int64], contrast: NDArray[np.float64]
) -> tuple[float, float]:
    """Variance and Satterthwaite df of a contrast of stratum means, by the textbook's matrices."""
    x = (strata[:, None] == np.arange(strata.max() + 1)).astype(float)
    bread = np.linalg.inv(x.T @ x)
    annihilator = np.eye(len(y)) - x @ bread @ x.T
    residual = annihilator @ y
    columns, scores = [], []
    for g in np.unique(clusters):
        rows = clusters == g
        values, vectors = np.linalg.eigh(np.eye(rows.sum()) - (x[rows] @ bread @ x[rows].T))
        adjust = vectors @ np.diag(np.where(values > 1e-9, np.abs(values) ** -0.5, 0.0)) @ vectors.T
        weight = adjust @ x[rows] @ bread @ contrast
        scores.append(weight @ residual[rows])
        columns.append(annihilator[rows].T @ weight)
    gram = np.array(columns) @ np.array(columns).T
    return float(np.sum(np.square(scores))), float(np.trace(gram) ** 2 / np.trace(gram @ gram))


@st.composite
def samples(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Values, strata and clusters in which every stratum has at least two clusters."""
    n_strata = draw(st.integers(1, 4))
    seed = draw(st.integers(0, 10_000))
    generator = np.random.default_rng(seed)
    sizes = [draw(st.integers(2, 9)) for _ in range(n_strata)]
    strata = np.repeat(np.arange(n_strata), sizes)
    clusters = generator.integers(0, draw(st.integers(2, 6)), strata.size)
    for r in range(n_strata):
        first, second = np.flatnonzero(strata == r)[:2]
        clusters[first], clusters[second] = 0, 1
    return generator.normal(size=strata.size), strata, clusters


@settings(max_examples=80, deadline=None)
@given(samples())
def test_equals_the_dense_cr2(sample: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]) -> None:
    y, strata, clusters = sample
    n_strata = strata.max() + 1
    design = ClusterDesign(clusters, strata)
    scored = np.ones((1, y.size), np.bool_)
    cells = design.stratum_means(y[None, :], scored)
    for r in range(n_strata):
        variance, df = dense_cr2(y, strata, clusters, np.eye(n_strata)[r])
        assert cells.variance[0, r] == pytest.approx(variance, rel=1e-9, abs=1e-15)
        assert cells.df[0, r] == pytest.approx(df, rel=1e-9)
    overall = design.overall_means(y[None, :], scored)
    variance, df = dense_cr2(y, strata, clusters, np.full(n_strata, 1 / n_strata))
    assert overall.mean[0] == pytest.approx(np.mean([y[strata == r].mean() for r in range(n_strata)]))
    assert overall.variance[0] == pytest.approx(variance, rel=1e-9, abs=1e-15)
    assert overall.df[0] == pytest.approx(df, rel=1e-9)
    # the covariance matrix of the strata carries the same overall variance
    joint = design.covariances(cells.scores, cells.scores)[0]
    assert joint.sum() / n_strata**2 == pytest.approx(variance, rel=1e-9, abs=1e-15)


def test_every_question_its_own_cluster_is_the_plain_standard_error() -> None:
    values = np.array([0.1, 0.5, 0.4, 0.9, 0.2])
    result = clustered_mean(values, [7, 3, 9, 1, 4])
    assert result.variance == pytest.approx(values.var(ddof=1) / 5)
    assert result.df == pytest.approx(4)
    assert result.effective_n == pytest.approx(5)


def test_equal_clusters_are_the_sandwich_times_g_over_g_minus_1() -> None:
    values = np.array([0.0, 0.2, 0.9, 1.0, 0.4, 0.5])
    result = clustered_mean(values, [0, 0, 1, 1, 2, 2])
    sums = np.array([-0.8, 0.9, -0.1])
    assert result.variance == pytest.approx(3 / 2 * np.sum(sums**2) / 36)
    assert result.df == pytest.approx(2)


def test_copies_within_a_document_add_nothing() -> None:
    values = np.array([0.1, 0.7, 0.4, 0.95])
    once = clustered_mean(values, np.arange(4))
    thrice = clustered_mean(np.repeat(values, 3), np.repeat(np.arange(4), 3))
    assert thrice.variance == pytest.approx(once.variance)
    assert thrice.df == pytest.approx(once.df)
    assert thrice.effective_n < 5


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [([], [], "nothing was scored"), ([0.5], [0], "one question"), ([0.5, 0.7, 0.9], [4, 4, 4], "share one document")],
)
def test_no_variance_says_why(values: list[float], clusters: list[int], reason: str) -> None:
    result = clustered_mean(values, clusters)
    assert result.variance is None
    assert result.df is None
    assert reason in result.reason
    assert result.mean == (pytest.approx(np.mean(values)) if values else None)


def test_constant_values_have_no_spread_and_count_clusters() -> None:
    result = clustered_mean(np.ones(6), [0, 0, 0, 0, 1, 2])
    assert result.variance == 0
    assert result.effective_n == pytest.approx(36 / 18)


@pytest.mark.parametrize("values", [[np.nan, 1.0], [np.inf, 0.0]])
def test_refuses_what_is_not_a_number(values: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        clustered_mean(values, [0, 1])
    with pytest.raises(ValueError, match="one length"):
        ClusterDesign([0, 1, 2], [0, 1])


def test_masked_questions_do_not_enter_whatever_their_value() -> None:
    generator = np.random.default_rng(1)
    values = generator.normal(size=(2, 12))
    clusters, strata = np.arange(12) // 2, np.arange(12) % 3
    scored = np.ones((2, 12), np.bool_)
    scored[1, [2, 5, 7]] = False
    values[1, [2, 5, 7]] = np.nan
    both = ClusterDesign(clusters, strata).stratum_means(values, scored)
    alone = ClusterDesign(clusters[scored[1]], strata[scored[1]]).stratum_means(
        values[1:, scored[1]], np.ones((1, 9), np.bool_)
    )
    for name in ("mean", "variance", "df", "kish", "n", "clusters"):
        np.testing.assert_allclose(getattr(both, name)[1], getattr(alone, name)[0])


def test_stratum_minus_one_stands_outside() -> None:
    design = ClusterDesign([0, 1, 2, 3], [0, 0, -1, -1])
    means = design.stratum_means(np.array([[1.0, 3.0, 100.0, 100.0]]), np.ones((1, 4), np.bool_))
    assert means.mean.tolist() == [[2.0]]
    assert design.overall_means(np.array([[1.0, 3.0, 100.0, 100.0]]), np.ones((1, 4), np.bool_)).mean.tolist() == [2.0]


def test_a_lone_document_is_measured_against_the_overall_mean() -> None:
    values, strata, clusters = np.array([[0.2, 0.4, 0.9]]), [0, 0, 1], [0, 1, 2]
    design = ClusterDesign(clusters, strata)
    scored = np.ones((1, 3), np.bool_)
    cells = design.stratum_means(values, scored)
    assert np.isnan(cells.variance[0, 1])
    overall = design.overall_means(values, scored)
    assert overall.mean[0] == pytest.approx(0.6)
    # stratum 0: s^2 / n = .01; the lone question deviates by .3
    assert overall.variance[0] == pytest.approx((0.01 + 0.09) / 4)


def test_an_empty_stratum_leaves_the_mean() -> None:
    scored = np.array([[True, True, False, False], [True] * 4])
    overall = ClusterDesign([0, 1, 2, 3], [0, 0, 1, 1]).overall_means(
        np.array([[1.0, 2, 7, 7], [1.0, 2, 7, 7]]), scored
    )
    assert overall.mean.tolist() == [1.5, 4.25]


def test_nothing_scored_gives_nan_and_no_warning() -> None:
    design = ClusterDesign([0, 1], [0, 0])
    cells = design.stratum_means(np.full((1, 2), np.nan), np.zeros((1, 2), np.bool_))
    assert np.isnan(cells.mean).all()
    assert np.isnan(design.overall_means(np.full((1, 2), np.nan), np.zeros((1, 2), np.bool_)).mean).all()
    assert ClusterDesign([], []).stratum_means(np.zeros((1, 0)), np.zeros((1, 0), np.bool_)).mean.shape == (1, 0)
