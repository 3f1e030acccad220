"""One correlation for each row of two tables at once: within each topic, or within each system.

Tables are (rows, points) with NaN where there is no value in all of them. A coefficient is NaN where it is not
defined: fewer than three points (four with a control), or a side that does not vary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.stats.correlation import ROUNDING, Floats, kendall

#: above this many points a row the pairs are counted by sorting, below it all rows at once
_MANY = 64


def pearson_rows(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of every row: (rows,)."""
    p, q = _centred(x), _centred(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.nansum(p * q, axis=1) / np.sqrt(np.nansum(p * p, axis=1) * np.nansum(q * q, axis=1))
    return np.where(_counts(x) >= 3, np.clip(r, -1.0, 1.0), np.nan)


def spearman_rows(x: Floats, y: Floats) -> Floats:
    """Return Spearman's rho of every row: (rows,)."""
    return pearson_rows(_ranks(x), _ranks(y))


def kendall_rows(x: Floats, y: Floats) -> Floats:
    """Return Kendall's tau-b of every row: (rows,)."""
    if x.shape[1] > _MANY:
        values = [kendall(first, second).value for first, second in zip(x, y, strict=True)]
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    p, q = _signs(x), _signs(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = (p * q).sum(axis=(1, 2)) / np.sqrt((p * p).sum(axis=(1, 2)) * (q * q).sum(axis=(1, 2)))
    return np.where(_counts(x) >= 3, tau, np.nan)


def partial_rows(x: Floats, y: Floats, control: Floats) -> Floats:
    """Return r_xy.control of every row: (rows,); plain r where the control does not vary."""
    xz, yz = np.nan_to_num(pearson_rows(x, control)), np.nan_to_num(pearson_rows(y, control))
    value = without_control(pearson_rows(x, y), xz, yz)
    return np.where(_counts(x) >= 4, value, np.nan)


def without_control(xy: Floats, xz: Floats, yz: Floats) -> Floats:
    """Return r_xy.z from three correlations, element by element; NaN where the control explains a side entirely."""
    unexplained = (1.0 - xz**2) * (1.0 - yz**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (xy - xz * yz) / np.sqrt(np.where(unexplained > ROUNDING, unexplained, np.nan))
    return np.clip(value, -1.0, 1.0)


def _counts(table: Floats) -> NDArray[np.int64]:
    return np.asarray(np.isfinite(table).sum(axis=1), dtype=np.int64)


def _centred(table: Floats) -> Floats:
    """Rows minus their means; rows that do not vary become NaN."""
    present = np.isfinite(table)
    filled = np.where(present, table, 0.0)
    mean = filled.sum(axis=1, keepdims=True) / np.maximum(present.sum(axis=1, keepdims=True), 1)
    apart = np.where(present, table - mean, 0.0)
    largest = np.abs(apart).max(axis=1, keepdims=True, initial=0.0)
    size = np.maximum(np.abs(filled).max(axis=1, keepdims=True, initial=0.0), 1.0)
    return np.where(present & (largest > ROUNDING * size), apart, np.nan)


def _ranks(table: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(table, axis=1, nan_policy="omit"), dtype=np.float64)


def _signs(table: Floats) -> Floats:
    return np.nan_to_num(np.sign(table[:, :, None] - table[:, None, :]))
