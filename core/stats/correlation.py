"""How two measures go together: Pearson, Spearman, Kendall's tau-b and partial correlation, each with its n.

Intervals are Fisher's: tanh(atanh(r) ± z · se), with the standard error of each coefficient. They take the points for
independent; where points share a topic, ``core.stats.panel`` draws topics instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.intervals import Z

Floats = NDArray[np.float64]

#: a spread below this share of the values' size is rounding, not variation
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A correlation in [-1, 1] with its 95 % interval, over ``n`` points (or means of groups, where that is said).

    ``value`` is None where it is not defined, ``low`` and ``high`` where no interval exists; ``reason`` says why.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""


def pearson(x: ArrayLike, y: ArrayLike, lost: int = 0) -> Coefficient:
    """Return Pearson's r of the pairs that are both numbers, with Fisher's interval, se = 1 / sqrt(n - 3 - lost).

    Not defined below three pairs or where a side does not vary; no interval below four pairs or at |r| = 1.
    ``lost`` degrees of freedom went into values that were estimated before, as topic means that were removed.
    Raises ValueError when x and y are not vectors of one length, as all functions here.
    """
    a, b = _pairs(x, y)
    reason = _undefined(a, b)
    if reason:
        return Coefficient(None, None, None, len(a), reason)
    return fisher(_product_moment(a, b), len(a), lost)


def spearman(x: ArrayLike, y: ArrayLike, lost: int = 0) -> Coefficient:
    """Return Spearman's rho, ties at their mean rank; se = sqrt((1 + rho^2 / 2) / (n - 3)), Bonett and Wright 2000."""
    from scipy.stats import rankdata

    a, b = _pairs(x, y)
    reason = _undefined(a, b)
    if reason:
        return Coefficient(None, None, None, len(a), reason)
    rho = _product_moment(rankdata(a), rankdata(b))
    return fisher(rho, len(a), lost, 1.0 + rho * rho / 2.0)


def kendall(x: ArrayLike, y: ArrayLike, lost: int = 0) -> Coefficient:
    """Return Kendall's tau-b, which takes account of ties; se = sqrt(0.437 / (n - 4)), Fieller et al. 1957."""
    from scipy.stats import kendalltau

    a, b = _pairs(x, y)
    reason = _undefined(a, b)
    if reason:
        return Coefficient(None, None, None, len(a), reason)
    return fisher(float(kendalltau(a, b, method="asymptotic").statistic), len(a), lost + 1, 0.437)


def partial(x: ArrayLike, y: ArrayLike, control: ArrayLike, lost: int = 0) -> Coefficient:
    """Return the correlation of what a straight line over ``control`` leaves of x and of y: r_xy.z.

    se = 1 / sqrt(n - 4 - lost); not defined below four triples. A control that does not vary explains nothing: the
    plain r then, with that said in ``reason``.
    """
    a, b, c = _complete(x, y, control)
    reason = _undefined(a, b, fewest=4)
    if reason:
        return Coefficient(None, None, None, len(a), reason)
    r_xy = _product_moment(a, b)
    if not _varies(c):
        plain = fisher(r_xy, len(a), lost)
        return Coefficient(plain.value, plain.low, plain.high, plain.n, "the control does not vary")
    r_xz, r_yz = _product_moment(a, c), _product_moment(b, c)
    unexplained = (1.0 - r_xz * r_xz) * (1.0 - r_yz * r_yz)
    if unexplained <= ROUNDING:
        return Coefficient(None, None, None, len(a), "the control explains one side entirely")
    return fisher((r_xy - r_xz * r_yz) / math.sqrt(unexplained), len(a), lost + 1)


def fisher(r: float, n: int, lost: int = 0, variance: float = 1.0) -> Coefficient:
    """Return ``r`` over n points with tanh(atanh(r) ± z sqrt(variance / (n - 3 - lost))).

    ``lost`` counts what was estimated beside the two means: a control, or topic means that were removed.
    """
    r = min(1.0, max(-1.0, r))
    freedom = n - 3 - lost
    if freedom < 1:
        return Coefficient(r, None, None, n, f"too few points for an interval: {n} of {4 + lost} needed")
    if abs(r) >= 1.0 - ROUNDING:
        return Coefficient(r, None, None, n, "the points lie on a line: there is no interval")
    centre, half = math.atanh(r), Z * math.sqrt(variance / freedom)
    return Coefficient(r, math.tanh(centre - half), math.tanh(centre + half), n)


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = _complete(x, y)
    return a, b


def _complete(*parts: ArrayLike) -> tuple[Floats, ...]:
    vectors = [np.asarray(part, dtype=np.float64) for part in parts]
    if any(vector.ndim != 1 or vector.shape != vectors[0].shape for vector in vectors):
        shapes = ", ".join(str(vector.shape) for vector in vectors)
        raise ValueError(f"a correlation needs vectors of one length, not {shapes}")
    present = np.logical_and.reduce([np.isfinite(vector) for vector in vectors])
    return tuple(vector[present] for vector in vectors)


def _undefined(a: Floats, b: Floats, fewest: int = 3) -> str:
    if len(a) < fewest:
        return f"too few points: {len(a)} of {fewest} needed"
    if not _varies(a) or not _varies(b):
        return "one side does not vary"
    return ""


def _varies(values: Floats) -> bool:
    return bool(np.ptp(values) > ROUNDING * max(1.0, float(np.abs(values).max())))


def _product_moment(a: Floats, b: Floats) -> float:
    p, q = a - a.mean(), b - b.mean()
    return float((p @ q) / math.sqrt(float(p @ p) * float(q @ q)))
