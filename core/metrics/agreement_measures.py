"""Agreement of raters on the values of one scale: alpha, kappas, AC1 and raw agreement with bootstrap intervals.

Every coefficient is a function of sums over items, so all draws of the bootstrap are matrix products of the same
item weights. A missing rating is NaN and is left out; it is never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import krippendorff
import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.scores import Measure
from core.stats.bootstrap import DRAWS, cluster_weights, percentile_interval

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]

NO_OVERLAP = "no item has two ratings: let a second rater score some of the same items"
ONE_VALUE = "every rating is the same value, so chance alone would agree always: rate items that differ"
ONE_ITEM = "a single item has two ratings, so no interval exists: rate more items twice"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of any number of raters; each measure's ``n_scored`` counts the items with two or more ratings."""

    alpha_ordinal: Measure
    alpha_interval: Measure
    fleiss_kappa: Measure
    raw_agreement: Measure
    gwet_ac1: Measure


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters on the items both rated; ``confusion[i, j]`` counts value i by the first and j by the second."""

    confusion: NDArray[np.int64]
    kappa: Measure
    kappa_quadratic: Measure


def value_counts(ratings: ArrayLike, scale: Sequence[float]) -> Floats:
    """Return how many raters gave each item each value of the scale: (items, K).

    ``ratings`` is (raters, items), NaN where missing. Raises ValueError for fewer than two or unordered scale values,
    another shape, or a rating that is not on the scale.
    """
    values = np.asarray(scale, dtype=np.float64)
    table = np.asarray(ratings, dtype=np.float64)
    if values.size < 2 or not np.all(np.diff(values) > 0):
        raise ValueError("a scale needs two or more values in ascending order")
    if table.ndim != 2:
        raise ValueError("ratings must be a table of raters by items")
    if not np.all(np.isnan(table) | np.isin(table, values)):
        raise ValueError("a rating is not a value of the scale")
    return np.asarray((table[:, :, None] == values).sum(axis=0), dtype=np.float64)


def agreement(ratings: ArrayLike, scale: Sequence[float], seed_text: str, draws: int = DRAWS) -> Agreement:
    """Return every measure of many raters with its 95 % percentile interval over items.

    ``ratings`` is (raters, items), NaN where missing. Sources: Krippendorff 2019, ch. 12; Fleiss 1971; Gwet 2008.
    With unequal numbers of ratings Fleiss' kappa and AC1 weigh items equally (Gwet 2014, ch. 2), here over items with
    two or more ratings. Raises ValueError as ``value_counts`` does.
    """
    values = np.asarray(scale, dtype=np.float64)
    counts = value_counts(ratings, scale)
    paired = counts[counts.sum(axis=1) >= 2]
    unpaired = len(counts) - len(paired)
    weights = cluster_weights(np.arange(len(paired)), draws, seed_text)
    same = _one_value(paired)

    def measured(statistic: Statistic, blocked: str = "", value: float | None = None) -> Measure:
        return _measure(statistic, weights, unpaired, blocked, value)

    def alpha(level: Literal["ordinal", "interval"]) -> Measure:
        value = None
        if len(paired) and not same:
            value = float(krippendorff.alpha(value_counts=paired, value_domain=values, level_of_measurement=level))
        return measured(lambda w: _alpha(paired, values, w, level), same, value)

    return Agreement(
        alpha_ordinal=alpha("ordinal"),
        alpha_interval=alpha("interval"),
        fleiss_kappa=measured(lambda w: _chance_corrected(paired, w, fleiss=True), same),
        raw_agreement=measured(lambda w: _raw(paired, w)),
        gwet_ac1=measured(lambda w: _chance_corrected(paired, w, fleiss=False)),
    )


def pair_agreement(
    first: ArrayLike, second: ArrayLike, scale: Sequence[float], seed_text: str, draws: int = DRAWS
) -> PairAgreement:
    """Return Cohen's kappa (1960), plain and with quadratic weights of the values' places on the scale (1968).

    ``first`` and ``second`` are (items,), NaN where missing. Places, not points, make the weights, as in scikit-learn.
    Raises ValueError as ``value_counts`` does.
    """
    from sklearn.metrics import cohen_kappa_score  # half a second to import

    table = np.asarray([first, second], dtype=np.float64)
    counts = value_counts(table, scale)
    both = ~np.isnan(table).any(axis=0)
    size = len(scale)
    places = np.searchsorted(np.asarray(scale, dtype=np.float64), table[:, both])
    cells = np.zeros((int(both.sum()), size * size))
    cells[np.arange(len(cells)), places[0] * size + places[1]] = 1.0
    weights = cluster_weights(np.arange(len(cells)), draws, seed_text)
    same = _one_value(counts[both])
    distance = np.arange(size)[:, None] - np.arange(size)

    def measured(name: str | None, penalty: Floats) -> Measure:
        value = None
        if len(cells) and not same:
            value = float(cohen_kappa_score(places[0], places[1], labels=np.arange(size), weights=name))
        return _measure(lambda w: _cohen(cells, penalty, w), weights, int((~both).sum()), same, value)

    return PairAgreement(
        confusion=cells.sum(axis=0).astype(np.int64).reshape(size, size),
        kappa=measured(None, (distance != 0).astype(np.float64)),
        kappa_quadratic=measured("quadratic", distance.astype(np.float64) ** 2),
    )


def _one_value(counts: Floats) -> str:
    return ONE_VALUE if len(counts) and (counts.sum(axis=0) > 0).sum() == 1 else ""


def _measure(statistic: Statistic, weights: Floats, unpaired: int, blocked: str, value: float | None) -> Measure:
    items = weights.shape[1]
    reason = blocked if items else NO_OVERLAP
    if reason:
        return Measure(None, None, None, items, 0, unpaired, 0, reason)
    if value is None:
        value = float(statistic(np.ones((1, items)))[0])
    if items == 1:
        return Measure(value, None, None, items, 0, unpaired, 0, ONE_ITEM)
    low, high = percentile_interval(statistic(weights))
    return Measure(value, low, high, items, 0, unpaired, 0)


def _item_agreement(counts: Floats) -> Floats:
    total = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (total * (total - 1)), dtype=np.float64)


def _raw(counts: Floats, weights: Floats) -> Floats:
    return np.asarray(weights @ _item_agreement(counts) / weights.sum(axis=1), dtype=np.float64)


def _chance_corrected(counts: Floats, weights: Floats, *, fleiss: bool) -> Floats:
    shares = weights @ (counts / counts.sum(axis=1, keepdims=True)) / weights.sum(axis=1, keepdims=True)
    squares = (shares**2).sum(axis=1)
    chance = squares if fleiss else (1.0 - squares) / (counts.shape[1] - 1)
    return _beyond(1.0 - _raw(counts, weights), 1.0 - chance)


def _cohen(cells: Floats, penalty: Floats, weights: Floats) -> Floats:
    size = len(penalty)
    tables = (weights @ cells).reshape(-1, size, size) / weights.sum(axis=1)[:, None, None]
    chance = np.einsum("di,dj,ij->d", tables.sum(axis=2), tables.sum(axis=1), penalty)
    return _beyond(np.einsum("dij,ij->d", tables, penalty), chance)


def _alpha(counts: Floats, values: Floats, weights: Floats, level: str) -> Floats:
    size = len(values)
    pairs = counts[:, :, None] * counts[:, None, :] - np.eye(size) * counts[:, None, :]
    pairs /= (counts.sum(axis=1) - 1)[:, None, None]
    coincidences = (weights @ pairs.reshape(len(counts), -1)).reshape(-1, size, size)
    totals = coincidences.sum(axis=2)
    # ordinal ranks are mid-ranks: what lies between two values, and half of the two themselves
    places = np.cumsum(totals, axis=1) - totals / 2 if level == "ordinal" else np.broadcast_to(values, totals.shape)
    distance = (places[:, :, None] - places[:, None, :]) ** 2
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = np.einsum("di,dj,dij->d", totals, totals, distance) / (totals.sum(axis=1) - 1)
    return _beyond(observed, expected)


def _beyond(observed: Floats, expected: Floats) -> Floats:
    """Return one minus observed over expected disagreement; NaN where a resample holds one value alone."""
    possible = expected > 1e-12
    return np.asarray(np.where(possible, 1.0 - observed / np.where(possible, expected, 1.0), np.nan), dtype=np.float64)
