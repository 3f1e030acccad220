"""Five views of the same points: each finds what was built into the points, and nothing else."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy import stats

from core.stats.panel import VIEWS, PanelCorrelations, panel_correlations

Tables = tuple[np.ndarray, np.ndarray, np.ndarray]


def _panel(topic: float = 0.0, system: float = 0.0, rest: float = 0.0, topics: int = 40, systems: int = 8) -> Tables:
    """x and y share what topics, systems and single points have in common, each with its sign and size."""
    generator = np.random.default_rng(3)
    x, y, words = generator.normal(size=(3, topics, systems))
    for size, shape in ((topic, (topics, 1)), (system, (1, systems)), (rest, (topics, systems))):
        common = generator.normal(size=shape)
        x, y = x + abs(size) * common, y + size * common
    return x, y, words


def _correlations(tables: Tables, clusters: np.ndarray | None = None, seed: str = "run:x:y") -> PanelCorrelations:
    return panel_correlations(*tables, np.arange(len(tables[0])) if clusters is None else clusters, seed)


def test_views_come_in_their_order_with_their_counts() -> None:
    views = _correlations(_panel()).views
    assert tuple(view.name for view in views) == VIEWS
    assert [(v.pearson.n, v.n_points, v.n_topics, v.n_systems) for v in views] == [
        (320, 320, 40, 8), (320, 320, 40, 8), (40, 320, 40, 8), (8, 320, 40, 8), (8, 320, 40, 8),
    ]  # fmt: skip


def test_values_are_those_computed_by_hand() -> None:
    x, y, words = _panel(topic=1.0, rest=0.7)
    found = _correlations((x, y, words))
    assert found.view("pooled").pearson.value == pytest.approx(stats.pearsonr(x.ravel(), y.ravel()).statistic)
    assert found.view("pooled").kendall.value == pytest.approx(stats.kendalltau(x.ravel(), y.ravel()).statistic)
    left = [side - side.mean(axis=1, keepdims=True) for side in (x, y)]
    assert found.view("topic_centred").pearson.value == pytest.approx(
        stats.pearsonr(left[0].ravel(), left[1].ravel()).statistic
    )
    rows = [stats.pearsonr(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert found.view("within_topic").pearson.value == pytest.approx(np.mean(rows))
    assert (found.view("within_topic").pearson.low, found.view("within_topic").pearson.high) == pytest.approx(
        stats.t.interval(0.95, 39, np.mean(rows), stats.sem(rows))
    )
    columns = [stats.spearmanr(a, b).statistic for a, b in zip(x.T, y.T, strict=True)]
    assert found.view("within_system").spearman.value == pytest.approx(np.mean(columns))
    assert found.view("between_systems").pearson.value == pytest.approx(
        stats.pearsonr(x.mean(axis=0), y.mean(axis=0)).statistic
    )


def test_removed_topic_means_cost_degrees_of_freedom() -> None:
    centred = _correlations(_panel(rest=1.0)).view("topic_centred").pearson
    half = stats.norm.ppf(0.975) / math.sqrt(320 - 39 - 3)
    assert centred.high == pytest.approx(math.tanh(math.atanh(centred.value) + half))  # type: ignore[arg-type]


def test_easy_topics_alone_raise_only_what_pools_topics() -> None:
    found = _correlations(_panel(topic=3.0))
    assert found.view("pooled").pearson.value > 0.7  # type: ignore[operator]
    assert found.view("within_system").pearson.value > 0.7  # type: ignore[operator]
    for name in ("topic_centred", "within_topic"):
        view = found.view(name)  # type: ignore[arg-type]
        assert abs(view.pearson.value) < 0.15  # type: ignore[arg-type]
        assert view.pearson_drawn.low < 0 < view.pearson_drawn.high  # type: ignore[operator]


def test_a_reversal_between_pooled_and_within_is_flagged() -> None:
    """Simpson: good topics are good on both sides, within a topic more of one is less of the other."""
    found = _correlations(_panel(topic=3.0, rest=-2.0))
    assert [(reversal.view, reversal.clear) for reversal in found.reversals[:2]] == [
        ("topic_centred", True),
        ("within_topic", True),
    ]
    assert all(reversal.pooled > 0 > reversal.value for reversal in found.reversals)
    assert _correlations(_panel(topic=2.0, system=2.0, rest=2.0)).reversals == ()


def test_a_reversal_by_chance_is_not_called_clear() -> None:
    tables = _panel(topic=3.0)
    found = _correlations(tables)
    assert all(not reversal.clear for reversal in found.reversals)


def test_length_behind_both_sides_is_taken_out() -> None:
    x, y, words = _panel()
    found = _correlations((x + 3 * words, y + 3 * words, words))
    for name in ("pooled", "topic_centred", "within_topic", "within_system"):
        view = found.view(name)  # type: ignore[arg-type]
        assert view.pearson.value > 0.8  # type: ignore[operator]
        assert abs(view.partial.value) < 0.15  # type: ignore[arg-type]
        assert view.partial_drawn.low < 0 < view.partial_drawn.high  # type: ignore[operator]


def test_points_of_one_topic_are_drawn_together() -> None:
    """With strong topics Fisher's interval pretends to 320 points; drawing topics knows that there are 40."""
    view = _correlations(_panel(topic=3.0)).view("pooled")
    fisher = view.pearson.high - view.pearson.low  # type: ignore[operator]
    drawn = view.pearson_drawn.high - view.pearson_drawn.low  # type: ignore[operator]
    assert view.pearson_drawn.n_groups == 40
    assert drawn > 1.5 * fisher


def test_the_bootstrap_is_that_of_resampled_topics() -> None:
    x, y, words = _panel(topic=1.0)
    generator = np.random.default_rng(0)
    slow = [
        stats.pearsonr(x[rows].ravel(), y[rows].ravel()).statistic
        for rows in generator.integers(0, 40, size=(2_000, 40))
    ]
    drawn = _correlations((x, y, words)).view("pooled").pearson_drawn
    assert (drawn.low, drawn.high) == pytest.approx(np.quantile(slow, (0.025, 0.975)), abs=0.02)


def test_clusters_of_topics_stay_together() -> None:
    halves = np.repeat(np.arange(20), 2)
    view = _correlations(_panel(topic=1.0), halves).view("pooled")
    assert view.pearson_drawn.n_groups == 20
    few = _correlations(_panel(topic=1.0), np.zeros(40, int)).view("pooled")
    assert (few.pearson_drawn.low, few.pearson_drawn.reason) == (
        None,
        "too few groups to draw from: 1 of 5 needed",
    )


def test_the_seed_is_the_text() -> None:
    tables = _panel()
    assert _correlations(tables) == _correlations(tables)
    assert (
        _correlations(tables).view("pooled").pearson_drawn
        != _correlations(tables, seed="other").view("pooled").pearson_drawn
    )


def test_missing_points_topics_and_systems_are_left_out() -> None:
    x, y, words = _panel(rest=1.0)
    whole = _correlations((x[1:, 1:], y[1:, 1:], words[1:, 1:]), np.arange(1, 40))
    x[0], y[:, 0] = np.nan, np.nan
    assert _correlations((x, y, words)) == whole
    x[5, 3] = np.nan
    found = _correlations((x, y, words))
    assert found.view("pooled").n_points == 39 * 7 - 1
    # systems are compared on the topics that all of them have
    assert found.view("between_systems").n_topics == 38


def test_nothing_to_compare_says_so_in_every_view() -> None:
    empty = np.full((3, 2), np.nan)
    for view in _correlations((empty, empty, empty)).views:
        for coefficient in (view.pearson, view.spearman, view.kendall, view.partial):
            assert coefficient.value is None
            assert coefficient.reason
        assert view.pearson_drawn.low is None
        assert view.pearson_drawn.reason


def test_one_system_has_no_view_across_systems() -> None:
    x, y, words = _panel(systems=1)
    found = _correlations((x, y, words))
    assert found.view("pooled").pearson.value is not None
    assert found.view("within_topic").pearson.reason == "in no topic do both sides vary over three systems or more"
    assert found.view("topic_centred").pearson.reason == "too few points: 0 of 3 needed"
    assert found.view("between_systems").pearson.reason == "too few points: 1 of 3 needed"


def test_systems_without_a_common_topic_are_not_compared() -> None:
    x, y, words = _panel(topics=8, systems=4)
    x[np.arange(8), np.arange(8) % 4] = np.nan
    view = _correlations((x, y, words)).view("between_systems")
    assert view.pearson.reason == "no topic has a point of every system"
    assert view.n_topics == 0


def test_shapes_must_match() -> None:
    with pytest.raises(ValueError, match="three tables of one shape and its rows"):
        panel_correlations(np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 2)), [0, 1, 2], "")
    with pytest.raises(ValueError, match="three tables of one shape and its rows"):
        panel_correlations(np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 2)), [0, 1], "")


def test_a_large_run_takes_seconds_at_most() -> None:
    tables = _panel(topics=1_000, systems=13)
    _correlations(tables)
    began = time.perf_counter()
    _correlations(tables)
    assert time.perf_counter() - began < 5.0
