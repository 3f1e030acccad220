"""A linear model with errors by document: what it refuses, and that the wild bootstrap finds as much as it may."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.cluster_model import cluster_model, wild_p


def _crossed(generator: np.random.Generator, groups: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    clusters = np.repeat(np.arange(groups), size)
    a = generator.choice([-1.0, 1.0], clusters.size)
    return np.stack([np.ones(clusters.size), a], axis=1), clusters


def test_wild_t_of_the_data_is_the_models_own() -> None:
    """p is 1 / (1 + draws) exactly where no pattern of signs reaches t, and 1 where the effect is nil."""
    design, clusters = _crossed(np.random.default_rng(0), 12, 10)
    strong = design @ [0.5, 2.0] + np.random.default_rng(1).normal(0, 0.1, 120)
    assert wild_p(design, strong, clusters, 1, 999, "strong") <= 3 / 1_000
    nil = np.where(np.arange(120) % 2, 1.0, -1.0)
    balanced = np.stack([np.ones(120), np.where(np.arange(120) % 4 < 2, 1.0, -1.0)], axis=1)
    assert wild_p(balanced, nil, clusters, 1, 499, "nil") == 1.0


def test_with_few_documents_p_stays_above_what_their_signs_allow() -> None:
    design, clusters = _crossed(np.random.default_rng(4), 4, 20)
    outcome = design @ [0.0, 5.0] + np.random.default_rng(5).normal(0, 0.1, 80)
    # 2^4 patterns, of which all signs and none leave t as it is
    assert wild_p(design, outcome, clusters, 1, 2_000, "few") == pytest.approx(2 / 16, abs=0.03)


def test_no_effect_is_found_as_often_as_five_percent_allow() -> None:
    generator = np.random.default_rng(9)
    found = 0
    for i in range(300):
        design, clusters = _crossed(generator, 20, 8)
        outcome = generator.normal(0, 1, 20)[clusters] + generator.normal(size=160)
        found += wild_p(design, outcome, clusters, 1, 199, str(i)) <= 0.05
    assert found / 300 <= 0.09


@pytest.mark.parametrize(
    ("design", "outcome", "clusters", "said"),
    [
        (np.ones((3, 1)), [1, 2, 3], ["a", "a", "a"], "at least two documents"),
        (np.ones((3, 2)), [1, 2, 3], ["a", "b", "c"], "depend on each other"),
        (np.ones((3, 1)), [1, 2], ["a", "b", "c"], "do not go together"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    design: np.ndarray, outcome: list[int], clusters: list[str], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        cluster_model(design, outcome, clusters)
