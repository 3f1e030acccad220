"""The Granularity lens against scikit-learn, scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.metrics.granularity import (
    adjusted_information,
    bin_edges,
    information_content,
    interaction,
    level_table,
    omega_squared,
)
from core.metrics.granularity_information import level_information
from core.stats.cluster_model import cluster_model, wild_p
from core.stats.permutation import permuted_means, upper_p
from core.taxonomy.labels import place_labels
from core.taxonomy.trees import nested_tree
from tests.core.metrics.granularity_worlds import QC, fine, scores

sm = pytest.importorskip("statsmodels.api")


@pytest.mark.parametrize(("n", "k", "bins"), [(30, 2, 5), (200, 8, 5), (500, 4, 7), (40, 13, 3)])
def test_information_is_scikit_learns(n: int, k: int, bins: int) -> None:
    from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score

    generator = np.random.default_rng(n)
    labels = generator.integers(0, k, n)
    values = 0.05 * labels + generator.beta(3, 2, n)
    binned = np.clip(np.searchsorted(bin_edges(values, bins), values, side="right") - 1, 0, bins - 1)
    entropy = stats.entropy(np.bincount(labels))
    ours = information_content(labels.tolist(), values, bins)
    assert ours == pytest.approx(mutual_info_score(labels, binned) / entropy, rel=1e-9)
    expected = adjusted_mutual_info_score(labels, binned)
    assert adjusted_information(labels.tolist(), values, bins) == pytest.approx(expected, abs=1e-9)


def test_the_p_of_information_is_that_of_permuting_labels() -> None:
    from sklearn.metrics import mutual_info_score

    from core.metrics.granularity_groups import group

    generator = np.random.default_rng(3)
    values = generator.beta(3, 2, 120)
    labels = [f"c{i}" for i in np.digitize(values + generator.normal(0, 0.5, 120), [0.4, 0.8])]
    edges = bin_edges(values)
    grouped, _ = group(values, labels, [(f"c{i}", None) for i in range(3)], np.arange(120), False)
    _, _, p = level_information(grouped, edges, "p", 2_000)
    binned = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, 4)
    seen = mutual_info_score(labels, binned)
    drawn = [mutual_info_score(generator.permutation(labels), binned) for _ in range(400)]
    assert p == pytest.approx(np.mean(np.array(drawn) >= seen - 1e-12), abs=0.07)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_permutation_p_of_a_level_is_close_to_analysis_of_variance(seed: int) -> None:
    generator = np.random.default_rng(seed)
    tree = nested_tree("D", ["a", "b", "c", "d"])
    placed = place_labels(tree, [name for name in tree.leaves() for _ in range(40)])
    values = generator.normal(0, 1, 160) + np.repeat([0.0, 0.0, 0.2, 0.3], 40)
    row = level_table(values, placed, seed_text=str(seed), draws=4_000).rows[0]
    expected = stats.f_oneway(*values.reshape(4, 40)).pvalue
    assert row.p == pytest.approx(expected, abs=0.03)
    assert row.added.p == pytest.approx(expected, abs=0.03)


def test_the_permutation_p_is_scipys() -> None:
    values = np.concatenate([np.random.default_rng(5).normal(size=12), np.random.default_rng(6).normal(0.8, 1, 9)])
    groups = np.repeat([0, 1], [12, 9])

    def power(one: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.abs(one.mean(axis=axis) - other.mean(axis=axis)) / 2

    expected = stats.permutation_test(
        (values[:12], values[12:]), power, n_resamples=20_000, alternative="greater", rng=np.random.default_rng(0)
    )
    drawn = permuted_means(values, groups, 20_000, "scipy")
    ours = upper_p(float(np.std([values[:12].mean(), values[12:].mean()])), drawn.std(axis=1))
    assert ours == pytest.approx(expected.pvalue, abs=0.01)


@pytest.mark.parametrize("level", [None, 1, 2])
def test_the_test_of_a_split_is_close_to_statsmodels_nested_analysis_of_variance(level: int | None) -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    placed = fine(20)
    values = scores(level, 12, 20, power=0.025)
    frame = pd.DataFrame({"y": values, "f": placed.at_level(2), "m": placed.at_level(1), "c": placed.at_level(0)})
    table = level_table(values, placed, seed_text="nested", draws=4_000)
    for row, above, here in ((table.rows[1], "c", "m"), (table.rows[2], "m", "f")):
        # permuting asks for no normal errors: close, not equal
        expected = anova_lm(ols(f"y ~ C({above})", frame).fit(), ols(f"y ~ C({here})", frame).fit())["Pr(>F)"].iloc[1]
        assert row.added.p == pytest.approx(expected, abs=0.03)


def test_omega_squared_is_that_of_statsmodels_sums_of_squares() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values, labels = scores(2, 1, 15), fine(15).at_level(2)
    sums = anova_lm(ols("y ~ C(g)", pd.DataFrame({"y": values, "g": labels})).fit())
    between, within = sums["sum_sq"]
    error = sums["mean_sq"].iloc[1]
    expected = (between - sums["df"].iloc[0] * error) / (between + within + error)
    assert omega_squared(list(values.reshape(8, 15))) == pytest.approx(expected, rel=1e-9)
    assert QC.levels[2] == tuple(dict.fromkeys(labels))


@pytest.mark.parametrize(("groups", "n"), [(20, 1_000), (9, 60), (150, 150)])
def test_clustered_errors_are_statsmodels(groups: int, n: int) -> None:
    generator = np.random.default_rng(groups)
    clusters = np.concatenate([np.arange(groups), generator.integers(0, groups, n - groups)])
    design = np.stack([np.ones(n), generator.choice([-1.0, 1.0], n), generator.normal(size=n)], axis=1)
    outcome = design @ [0.5, 0.1, 0.0] + generator.normal(0, 0.3, groups)[clusters] + generator.normal(0, 0.2, n)
    fit = sm.OLS(outcome, design).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    ours = cluster_model(design, outcome, clusters)
    np.testing.assert_allclose(ours.coefficients, fit.params, rtol=1e-8)
    np.testing.assert_allclose(ours.covariance, fit.cov_params(), rtol=1e-7, atol=1e-12)
    assert ours.df == groups - 1


def test_an_interaction_is_statsmodels_linear_model() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols

    generator = np.random.default_rng(2)
    n, documents = 300, generator.integers(0, 20, 300)
    first, second = generator.choice(["near", "far"], n), generator.choice(["simple", "complex"], n)
    values = (
        0.6 + 0.1 * (first == "near") + 0.08 * (first == "near") * (second == "simple")
        + generator.normal(0, 0.1, 20)[documents] + generator.normal(0, 0.1, n)
    )  # fmt: skip
    made = interaction(
        values, first.tolist(), second.tolist(), documents,
        first_pair=("near", "far"), second_pair=("simple", "complex"), seed_text="i", draws=999,
    )  # fmt: skip
    frame = pd.DataFrame({"y": values, "a": (first == "near") - 0.5, "b": (second == "simple") - 0.5})
    fit = ols("y ~ a * b", frame).fit(cov_type="cluster", cov_kwds={"groups": documents}, use_t=True)
    for effect, name in ((made.first_effect, "a"), (made.second_effect, "b"), (made.contrast, "a:b")):
        assert effect.value == pytest.approx(fit.params[name], rel=1e-8)
        assert effect.se == pytest.approx(fit.bse[name], rel=1e-7)
        assert effect.p_t == pytest.approx(fit.pvalues[name], rel=1e-5)
        assert (effect.low, effect.high) == pytest.approx(tuple(fit.conf_int().loc[name]), rel=1e-6)


def test_the_wild_bootstrap_is_the_plain_loop() -> None:
    """The same procedure, a model fitted for every draw by statsmodels."""
    generator = np.random.default_rng(8)
    clusters = generator.integers(0, 12, 90)
    design = np.stack([np.ones(90), generator.choice([-1.0, 1.0], 90), generator.normal(size=90)], axis=1)
    outcome = design @ [0.2, 0.06, 0.3] + generator.normal(0, 0.2, 12)[clusters] + generator.normal(0, 0.2, 90)
    rest = sm.OLS(outcome, design[:, [0, 2]]).fit()

    def t_value(values: np.ndarray) -> float:
        fit = sm.OLS(values, design).fit(cov_type="cluster", cov_kwds={"groups": clusters})
        return abs(float(fit.params[1] / fit.bse[1]))

    seen = t_value(outcome)
    drawn = [t_value(rest.fittedvalues + rest.resid * generator.choice([-1.0, 1.0], 12)[clusters]) for _ in range(400)]
    assert wild_p(design, outcome, clusters, 1, 4_000, "wild") == pytest.approx(
        np.mean(np.array(drawn) >= seen), abs=0.07
    )
