"""Intervals and cluster-robust variances against scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.clustering import ClusterDesign, clustered_mean
from core.stats.intervals import Z, mean_t, t_quantile, wilson

sm = pytest.importorskip("statsmodels.api")


@pytest.mark.parametrize("df", [1, 1.7, 3, 4.25, 11, 19, 77.3, 519, 1e6])
def test_t_quantile_is_scipys(df: float) -> None:
    from scipy import stats

    assert t_quantile(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-10)
    assert pytest.approx(stats.norm.ppf(0.975), rel=1e-12) == Z


@pytest.mark.parametrize("n", [2, 5, 20, 300])
def test_mean_t_is_scipys(n: int) -> None:
    from scipy import stats

    values = np.random.default_rng(n).beta(3, 2, n)
    mean = clustered_mean(values, np.arange(n))
    expected = stats.t.interval(0.95, n - 1, loc=values.mean(), scale=stats.sem(values))
    assert mean_t(mean.mean, mean.variance, mean.df) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n", [1, 6, 20, 137])
def test_wilson_is_statsmodels(n: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    k = np.arange(n + 1)
    low, high = proportion_confint(k, n, alpha=0.05, method="wilson")
    ours = wilson(k / n, n)
    np.testing.assert_allclose(ours.low, low, atol=1e-12)
    np.testing.assert_allclose(ours.high, high, atol=1e-12)


def _dummies(strata: np.ndarray) -> np.ndarray:
    return (strata[:, None] == np.arange(strata.max() + 1)).astype(float)


@pytest.mark.parametrize(("groups", "size"), [(4, 5), (12, 3), (30, 7)])
def test_equal_clusters_give_statsmodels_clustered_ols(groups: int, size: int) -> None:
    """With equal clusters CR2 is G/(G-1) times the sandwich; statsmodels adds (N-1)/(N-1) = 1 for one mean."""
    generator = np.random.default_rng(groups)
    clusters = np.repeat(np.arange(groups), size)
    values = generator.normal(size=groups)[clusters] + generator.normal(size=groups * size)
    fit = sm.OLS(values, np.ones((len(values), 1))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    ours = clustered_mean(values, clusters)
    assert ours.variance == pytest.approx(fit.cov_params()[0, 0], rel=1e-10)
    assert ours.df == pytest.approx(groups - 1)
    assert mean_t(ours.mean, ours.variance, ours.df) == pytest.approx(
        tuple(sm.OLS(values, np.ones((len(values), 1)))
              .fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True).conf_int()[0])
    )  # fmt: skip


def test_means_over_relations_without_shared_documents_are_statsmodels_hc2() -> None:
    """Singletons: CR2 is HC2, whatever the sizes of the relations."""
    generator = np.random.default_rng(5)
    strata = np.repeat(np.arange(4), [3, 6, 11, 20])
    values = generator.normal(size=40) + strata
    contrast = np.full(4, 0.25)
    fit = sm.OLS(values, _dummies(strata)).fit(cov_type="HC2")
    overall = ClusterDesign(np.arange(40), strata).overall_means(values[None, :], np.ones((1, 40), np.bool_))
    assert overall.mean[0] == pytest.approx(contrast @ fit.params)
    assert overall.variance[0] == pytest.approx(contrast @ fit.cov_params() @ contrast, rel=1e-10)


def test_documents_that_carry_every_relation_are_statsmodels_clustered_ols() -> None:
    """Balanced: each of 9 documents has 2 questions of each of 3 relations."""
    generator = np.random.default_rng(6)
    clusters, strata = np.repeat(np.arange(9), 6), np.tile(np.repeat(np.arange(3), 2), 9)
    values = generator.normal(size=9)[clusters] + generator.normal(size=54) + strata
    contrast = np.full(3, 1 / 3)
    fit = sm.OLS(values, _dummies(strata)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    overall = ClusterDesign(clusters, strata).overall_means(values[None, :], np.ones((1, 54), np.bool_))
    assert overall.variance[0] == pytest.approx(9 / 8 * contrast @ fit.cov_params() @ contrast, rel=1e-10)
    assert overall.df[0] == pytest.approx(8)
