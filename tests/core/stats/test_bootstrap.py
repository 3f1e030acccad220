"""Cluster weights are multinomial, seeded by text alone, and give means as if questions had been resampled."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from core.stats.bootstrap import (
    cluster_weights,
    percentile_interval,
    probability_best,
    seed_from,
    stratum_mean_draws,
)
from core.stats.clustering import ClusterDesign


def test_every_draw_has_as_many_clusters_as_the_sample() -> None:
    weights = cluster_weights([5, 5, 9, 2, 2, 2, 7], draws=300, seed_text="run:logic")
    assert weights.shape == (300, 4)
    assert (weights.sum(axis=1) == 4).all()
    assert (weights >= 0).all()


def test_weights_have_the_moments_of_a_multinomial() -> None:
    weights = cluster_weights(np.arange(10), draws=20_000, seed_text="moments")
    assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=0.03)
    covariance = np.cov(weights.T)
    assert np.diag(covariance) == pytest.approx(np.full(10, 0.9), abs=0.04)
    assert covariance[0, 1:] == pytest.approx(np.full(9, -0.1), abs=0.03)


def test_the_seed_is_the_text() -> None:
    same = [cluster_weights(np.arange(9), 500, "run 1:logic") for _ in range(2)]
    assert np.array_equal(*same)
    assert not np.array_equal(same[0], cluster_weights(np.arange(9), 500, "run 2:logic"))
    assert seed_from("") != seed_from("x")
    seed_from("\ud800")  # a lone surrogate in an imported name is no reason to fail


def test_the_seed_does_not_depend_on_the_process() -> None:
    program = (
        "from core.stats.bootstrap import cluster_weights;"
        "print(int(cluster_weights(range(30), 600, 'a')[::7, 3].sum()))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_means_equal_those_of_resampled_questions() -> None:
    generator = np.random.default_rng(4)
    clusters, strata = generator.integers(0, 5, 24), np.arange(24) % 3
    values = generator.normal(size=(2, 24))
    scored = generator.random((2, 24)) < 0.8
    design = ClusterDesign(clusters, strata)
    weights = cluster_weights(clusters, 20, "x")
    means = stratum_mean_draws(design, np.where(scored, values, np.nan), scored, weights)
    labels = np.unique(clusters)
    for draw, row in enumerate(weights):
        questions = np.concatenate(
            [np.repeat(np.flatnonzero(clusters == label), int(w)) for label, w in zip(labels, row, strict=True)]
        )
        for r in range(3):
            for c in range(2):
                chosen = [q for q in questions if strata[q] == r and scored[c, q]]
                expected = np.mean(values[c, chosen]) if chosen else np.nan
                assert means[r, draw, c] == pytest.approx(expected, nan_ok=True)


def test_percentiles_leave_out_what_is_missing() -> None:
    assert percentile_interval(np.arange(1001.0)) == pytest.approx((25, 975))
    assert percentile_interval([np.nan, 2.0, 2.0]) == (2.0, 2.0)
    assert np.isnan(percentile_interval([np.nan])).all()


def test_probability_best_shares_ties_and_sums_to_one() -> None:
    draws = np.array([[1.0, 0.5, 0.1], [0.2, 0.9, 0.1], [0.4, 0.4, 0.1], [np.nan, 1.0, 1.0]])
    assert probability_best(draws) == pytest.approx([0.5, 0.5, 0.0])
    assert np.isnan(probability_best(np.full((3, 2), np.nan))).all()


def test_refuses_to_draw_nothing() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        cluster_weights([0, 1], 0, "x")
    assert cluster_weights([], 3, "x").shape == (3, 0)


def test_five_thousand_questions_take_under_two_seconds() -> None:
    """20 configurations, 20 relations, every question its own document, 2,000 draws."""
    generator = np.random.default_rng(0)
    values, scored = generator.random((20, 5000)), np.ones((20, 5000), np.bool_)
    clusters, strata = np.arange(5000), np.arange(5000) % 20
    started = time.process_time()
    weights = cluster_weights(clusters, seed_text="speed")
    stratum_mean_draws(ClusterDesign(clusters, strata), values, scored, weights)
    assert time.process_time() - started < 2.0
