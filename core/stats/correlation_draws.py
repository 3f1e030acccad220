"""Correlations in every draw of a bootstrap over groups, from sums that are made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.stats.bootstrap import cluster_weights, percentile_interval
from core.stats.correlation import Floats
from core.stats.correlation_rows import without_control

#: groups below which drawing them again says nothing
_FEWEST_GROUPS = 5


@dataclass(frozen=True, slots=True)
class Drawn:
    """The 95 % percentile interval of a bootstrap over ``n_groups`` groups; None, with a ``reason``, below five."""

    low: float | None
    high: float | None
    n_groups: int
    reason: str = ""


def drawn(
    n_groups: int,
    statistic: Callable[[Floats], tuple[Floats, Floats]],
    groups: NDArray[np.int64],
    seed_text: str,
) -> tuple[Drawn, Drawn]:
    """Return the intervals of r and of partial r, whose draws ``statistic`` makes from weights (draws, groups)."""
    if n_groups < _FEWEST_GROUPS:
        none = Drawn(None, None, n_groups, f"too few groups to draw from: {n_groups} of {_FEWEST_GROUPS} needed")
        return none, none
    plain, controlled = statistic(cluster_weights(groups, seed_text=seed_text))
    return _interval(plain, n_groups), _interval(controlled, n_groups)


def _interval(draws: Floats, n_groups: int) -> Drawn:
    low, high = percentile_interval(draws)
    if np.isnan(low):
        return Drawn(None, None, n_groups, "it is defined in no draw")
    return Drawn(low, high, n_groups)


def moments(points: Floats) -> Floats:
    """Return the sums that three correlations are made of, one row a point: 1, x, y, z, xx, …, yz."""
    # about the middle and in units of the spread, so that sums of squares lose no digits
    centre = points.mean(axis=1, keepdims=True) if points.shape[1] else 0.0
    spread = points.std(axis=1, keepdims=True) if points.shape[1] else 1.0
    x, y, z = (points - centre) / np.where(spread > 0, spread, 1.0)
    return np.column_stack([np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z])


def from_moments(sums: Floats) -> tuple[Floats, Floats]:
    """Return r_xy and r_xy.z of the sums along the last axis; NaN where a side does not vary."""
    n, x, y, z, xx, yy, zz, xy, xz, yz = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        vx, vy, vz = (square / n - (linear / n) ** 2 for square, linear in ((xx, x), (yy, y), (zz, z)))
        vx, vy, vz = (np.where(v > 1e-12, v, np.nan) for v in (vx, vy, vz))
        r_xy = (xy / n - x * y / n**2) / np.sqrt(vx * vy)
        r_xz = (xz / n - x * z / n**2) / np.sqrt(vx * vz)
        r_yz = (yz / n - y * z / n**2) / np.sqrt(vy * vz)
    return np.clip(r_xy, -1.0, 1.0), without_control(r_xy, np.nan_to_num(r_xz), np.nan_to_num(r_yz))


def sums_and_counts(values: Floats, group: NDArray[np.int64], n_groups: int) -> Floats:
    """Return the sum and the number of the values of each group: (n_groups, 2), those that are NaN left out."""
    defined = np.isfinite(values)
    sums = np.bincount(group[defined], values[defined], n_groups)
    return np.column_stack([sums, np.bincount(group[defined], minlength=n_groups)])


def drawn_mean(sums: Floats) -> Floats:
    """Return the means of drawn (sum, count) pairs, NaN where nothing was drawn."""
    mean = np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)
    return np.asarray(mean, dtype=np.float64)


def mean_of_defined(draws: Floats) -> Floats:
    """Return the mean over the systems of each draw, (draws,) of (draws, systems), those that are NaN left out."""
    defined = np.isfinite(draws)
    return drawn_mean(np.column_stack([np.where(defined, draws, 0.0).sum(axis=1), defined.sum(axis=1)]))
