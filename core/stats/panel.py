"""Does one measure predict another, over topics and systems? The same points, looked at in five ways.

A pooled correlation mixes three things: topics that are easy on both sides, systems that are good on both sides, and
what is left. The views take them apart. The points of one topic are not independent, so beside Fisher's interval
stands that of a bootstrap which draws topics (or clusters of them) with all their systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.clustering import clustered_mean
from core.stats.correlation import Coefficient, Floats, kendall, partial, pearson, spearman
from core.stats.correlation_draws import (
    Drawn,
    drawn,
    drawn_mean,
    from_moments,
    mean_of_defined,
    moments,
    sums_and_counts,
)
from core.stats.correlation_rows import kendall_rows, partial_rows, pearson_rows, spearman_rows
from core.stats.intervals import mean_t

ViewName = Literal["pooled", "topic_centred", "within_topic", "within_system", "between_systems"]
VIEWS: tuple[ViewName, ...] = get_args(ViewName)


@dataclass(frozen=True, slots=True)
class View:
    """All coefficients of one view over ``n_points`` (topic, system) points.

    "pooled": all points. "topic_centred": the mean of each topic removed from both sides. "within_topic": the mean
    over topics of the correlation across systems, n counting topics, intervals by t over them. "within_system": the
    mean over systems of the correlation across topics, n counting systems. "between_systems": the systems' means over
    the topics that all of them have, n counting systems. ``partial`` holds the control fixed. ``*_drawn`` are drawn
    over clusters of topics, between systems over systems.
    """

    name: ViewName
    pearson: Coefficient
    pearson_drawn: Drawn
    spearman: Coefficient
    kendall: Coefficient
    partial: Coefficient
    partial_drawn: Drawn
    n_points: int
    n_topics: int
    n_systems: int


@dataclass(frozen=True, slots=True)
class Reversal:
    """A view whose Pearson correlation has another sign than the pooled one.

    ``clear`` when both intervals (drawn, where there is one) leave 0 out; otherwise it may be chance.
    """

    view: ViewName
    pooled: float
    value: float
    clear: bool


@dataclass(frozen=True, slots=True)
class PanelCorrelations:
    """The five views on the same points, in the order of ``VIEWS``; ``reversals`` of the pooled one."""

    views: tuple[View, ...]
    reversals: tuple[Reversal, ...]

    def view(self, name: ViewName) -> View:
        """The view of that name."""
        return self.views[VIEWS.index(name)]


def panel_correlations(
    x: ArrayLike, y: ArrayLike, control: ArrayLike, clusters: ArrayLike, seed_text: str
) -> PanelCorrelations:
    """Return how ``x`` goes with ``y`` over topics and systems, with and without ``control`` held fixed.

    All three are (topics, systems) with NaN where there is none; a point needs all three. ``clusters`` (topics,) are
    integers that topics sharing a source have in common; ``seed_text`` names the run and the measures.
    Raises ValueError when shapes differ.
    """
    tables = [np.asarray(part, dtype=np.float64) for part in (x, y, control)]
    labels = np.asarray(clusters, dtype=np.int64)
    if (
        any(table.ndim != 2 or table.shape != tables[0].shape for table in tables)
        or labels.shape != tables[0].shape[:1]
    ):
        shapes = ", ".join(str(part.shape) for part in (*tables, labels))
        raise ValueError(f"x, y, control and clusters must be three tables of one shape and its rows, not {shapes}")
    present = np.logical_and.reduce([np.isfinite(table) for table in tables])
    rows, columns = present.any(axis=1), present.any(axis=0)
    panel = np.where(present, tables, np.nan)[:, rows][:, :, columns]
    kept = labels[rows]
    views = (
        _pooled(panel, kept, seed_text),
        _topic_centred(panel, kept, seed_text),
        _within_topic(panel, kept, seed_text),
        _within_system(panel, kept, seed_text),
        _between_systems(panel, seed_text),
    )
    return PanelCorrelations(views, _reversals(views))


def _pooled(panel: Floats, clusters: NDArray[np.int64], seed_text: str) -> View:
    return _over_points("pooled", panel, clusters, seed_text, lost=0)


def _topic_centred(panel: Floats, clusters: NDArray[np.int64], seed_text: str) -> View:
    compared = np.isfinite(panel[0]).sum(axis=1) >= 2  # a topic of one system has nothing left
    kept = panel[:, compared]
    centred = kept - np.nanmean(kept, axis=2, keepdims=True) if compared.any() else kept
    return _over_points("topic_centred", centred, clusters[compared], seed_text, lost=max(int(compared.sum()) - 1, 0))


def _over_points(name: ViewName, panel: Floats, clusters: NDArray[np.int64], seed_text: str, lost: int) -> View:
    present = np.isfinite(panel[0])
    points = panel[:, present]
    groups = np.broadcast_to(clusters[:, None], present.shape)[present]
    return _view(name, panel, points, groups, seed_text, lost)


def _between_systems(panel: Floats, seed_text: str) -> View:
    common = panel[:, np.isfinite(panel[0]).all(axis=1)]
    if panel.size and not common.size:
        none = Coefficient(None, None, None, 0, "no topic has a point of every system")
        undrawn = Drawn(None, None, 0, none.reason)
        return View("between_systems", none, undrawn, none, none, none, undrawn, 0, 0, panel.shape[2])
    means = common.mean(axis=1) if common.size else np.empty((3, 0))
    return _view("between_systems", common, means, np.arange(means.shape[1]), seed_text, lost=0)


def _view(name: ViewName, panel: Floats, points: Floats, groups: NDArray[np.int64], seed_text: str, lost: int) -> View:
    x, y, control = points
    labels, group = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(labels), 10))
    np.add.at(sums, group, moments(points))
    plain, controlled = drawn(len(labels), lambda weights: from_moments(weights @ sums), groups, f"{seed_text}:{name}")
    return View(
        name=name,
        pearson=pearson(x, y, lost),
        pearson_drawn=plain,
        spearman=spearman(x, y, lost),
        kendall=kendall(x, y, lost),
        partial=partial(x, y, control, lost),
        partial_drawn=controlled,
        n_points=int(np.isfinite(panel[0]).sum()),
        n_topics=panel.shape[1],
        n_systems=panel.shape[2],
    )


def _within_topic(panel: Floats, clusters: NDArray[np.int64], seed_text: str) -> View:
    coefficients = _row_coefficients(panel)
    defined = np.isfinite(coefficients[0])  # other topics would only be drawn in vain
    labels, group = np.unique(clusters[defined], return_inverse=True)
    sums = [sums_and_counts(coefficients[place][defined], group, len(labels)) for place in (0, 3)]

    def means(weights: Floats) -> tuple[Floats, Floats]:
        return drawn_mean(weights @ sums[0]), drawn_mean(weights @ sums[1])

    of_plain, of_partials = drawn(len(labels), means, clusters[defined], f"{seed_text}:within_topic")
    mean = [_mean_over_topics(each, clusters) for each in coefficients]
    return _grouped("within_topic", panel, mean, of_plain, of_partials)


def _within_system(panel: Floats, clusters: NDArray[np.int64], seed_text: str) -> View:
    coefficients = _row_coefficients(panel.transpose(0, 2, 1))
    labels, group = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(labels), panel.shape[2], 10))
    for system in range(panel.shape[2]):
        present = np.isfinite(panel[0, :, system])
        np.add.at(sums[:, system], group[present], moments(panel[:, present, system]))

    def means(weights: Floats) -> tuple[Floats, Floats]:
        draws = (weights @ sums.reshape(len(labels), -1)).reshape(len(weights), panel.shape[2], 10)
        plain, controlled = from_moments(draws)
        return mean_of_defined(plain), mean_of_defined(controlled)

    plain, controlled = drawn(len(labels), means, clusters, f"{seed_text}:within_system")
    mean = [_mean_over_systems(each) for each in coefficients]
    return _grouped("within_system", panel, mean, plain, controlled)


def _grouped(name: ViewName, panel: Floats, mean: list[Coefficient], plain: Drawn, controlled: Drawn) -> View:
    return View(
        name, mean[0], plain, mean[1], mean[2], mean[3], controlled,
        n_points=int(np.isfinite(panel[0]).sum()), n_topics=panel.shape[1], n_systems=panel.shape[2],
    )  # fmt: skip


def _row_coefficients(panel: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    x, y, control = panel
    return pearson_rows(x, y), spearman_rows(x, y), kendall_rows(x, y), partial_rows(x, y, control)


def _mean_over_topics(values: Floats, clusters: NDArray[np.int64]) -> Coefficient:
    defined = np.isfinite(values)
    mean = clustered_mean(values[defined], clusters[defined])
    if mean.mean is None:
        return Coefficient(None, None, None, 0, "in no topic do both sides vary over three systems or more")
    if mean.variance is None or mean.df is None:
        return Coefficient(mean.mean, None, None, mean.n, mean.reason)
    bounds = mean_t(mean.mean, mean.variance, mean.df).clipped(-1.0, 1.0)
    return Coefficient(mean.mean, float(bounds.low), float(bounds.high), mean.n)


def _mean_over_systems(values: Floats) -> Coefficient:
    defined = values[np.isfinite(values)]
    if not len(defined):
        return Coefficient(None, None, None, 0, "in no system do both sides vary over three topics or more")
    reason = "systems share their topics: the interval is the one drawn over topics"
    return Coefficient(float(defined.mean()), None, None, len(defined), reason)


def _reversals(views: tuple[View, ...]) -> tuple[Reversal, ...]:
    pooled = views[0].pearson.value
    if pooled is None:
        return ()
    return tuple(
        Reversal(view.name, pooled, view.pearson.value, _leaves_out_zero(views[0]) and _leaves_out_zero(view))
        for view in views[1:]
        if view.pearson.value is not None and pooled * view.pearson.value < 0
    )


def _leaves_out_zero(view: View) -> bool:
    low, high = view.pearson_drawn.low, view.pearson_drawn.high
    if low is None or high is None:
        low, high = view.pearson.low, view.pearson.high
    return low is not None and high is not None and low * high > 0
