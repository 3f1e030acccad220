"""The Overall Performance Index: one number from answer similarity and logical consistency.

Hu, Zhou, Wang, *Intrinsic Evaluation of RAG Systems for Deep-Logic Questions*, arXiv 2410.02932, eq. 2.
"""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import OptionError
from core.stats.intervals import Bounds, mover_harmonic

Floats = NDArray[np.float64]

FORMULA, PROSE = "formula", "prose"
#: how beta is read: as eq. 2 prints it, or as the paper's text describes it (beta -> 1 / beta)
CONVENTIONS = (FORMULA, PROSE)

#: stops of the beta slider: both limits, and one decade each way in logarithmic steps
BETAS: tuple[float, ...] = (
    0.0, 0.1, 0.125, 0.16, 0.2, 0.25, 0.315, 0.4, 0.5, 0.63, 0.8,
    1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0, 10.0, math.inf,
)  # fmt: skip


def similarity_weight(beta: float, convention: str = FORMULA) -> float:
    """Return the weight w of BERTSim when OPI is written as the harmonic mean 1 / (w / B + (1 - w) / L).

    w = 1 / (1 + beta^2): 1 at beta = 0 (answers only), 0 at beta = infinity (logic only); the prose convention
    turns beta round. Raises OptionError for a beta that is negative or not a number and for unknown conventions.
    """
    if convention not in CONVENTIONS:
        raise OptionError(f"convention {convention!r} is unknown: use 'formula' (eq. 2 as printed) or 'prose'")
    if not beta >= 0:
        raise OptionError(f"beta {beta!r} is outside its range: give a number from 0 to infinity")
    if math.isinf(beta):
        weight = 0.0
    elif beta <= 1:
        weight = 1.0 / (1.0 + beta * beta)
    else:  # the same, without overflow of beta^2
        weight = (1.0 / beta) ** 2 / (1.0 + (1.0 / beta) ** 2)
    if convention == FORMULA:
        return weight
    # beta -> 1 / beta exchanges the two weights
    return 1.0 - weight


@overload
def opi(bertsim: float, lrcr: float, beta: float = 1.0, convention: str = FORMULA) -> float: ...
@overload
def opi(bertsim: ArrayLike, lrcr: ArrayLike, beta: float = 1.0, convention: str = FORMULA) -> float | Floats: ...
def opi(bertsim: ArrayLike, lrcr: ArrayLike, beta: float = 1.0, convention: str = FORMULA) -> float | Floats:
    """Return OPI(beta) = (1 + beta^2) B L / (beta^2 B + L), in [0, 1] (arXiv 2410.02932, eq. 2).

    ``bertsim`` B in [-1, 1] and ``lrcr`` L in [0, 1] are scalars (the result is a float) or arrays that broadcast.
    Limits: beta = 0 gives B whatever L, beta = infinity gives L whatever B; both 0 give 0. Mind that the paper's
    *prose* says the opposite (beta > 1 favouring the answers); ``convention="prose"`` takes beta as 1 / beta.

    A negative B is read as 0: the formula has a pole at L = -beta^2 B and no meaning below 0. Callers that average
    must clamp per relation *before* averaging, which is not the same. NaN in, NaN out.
    Raises OptionError for beta or convention (see ``similarity_weight``) and for B or L outside their range.
    """
    weight = similarity_weight(beta, convention)
    b, l = _checked(bertsim, "BERTSim", -1.0), _checked(lrcr, "LRCR", 0.0)  # noqa: E741
    value = _harmonic(np.maximum(b, 0.0), l, weight)
    return float(value) if value.ndim == 0 else value


def opi_gradient(bertsim: ArrayLike, lrcr: ArrayLike, weight: float) -> tuple[Floats, Floats]:
    """Return dOPI/dB and dOPI/dL at B, L >= 0: w (L / D)^2 and (1 - w) (B / D)^2 with D = (1 - w) B + w L.

    Both are 0 where D is 0 (there OPI has a corner). NaN in, NaN out.
    """
    b, l = np.broadcast_arrays(np.asarray(bertsim, np.float64), np.asarray(lrcr, np.float64))  # noqa: E741
    denominator = (1.0 - weight) * b + weight * l
    safe = np.where(denominator == 0, np.inf, denominator)
    return weight * (l / safe) ** 2, (1.0 - weight) * (b / safe) ** 2


def opi_interval(
    bertsim: ArrayLike,
    bertsim_bounds: Bounds,
    lrcr: ArrayLike,
    lrcr_bounds: Bounds,
    correlation: ArrayLike,
    beta: float = 1.0,
    convention: str = FORMULA,
) -> Bounds:
    """Return the 95 % interval of OPI by MOVER (Zou and Donner 2008), from those of B and L and their correlation.

    All arguments broadcast; NaN limits give NaN, save where beta (0, infinity) makes that part irrelevant. Negative
    B and limits are read as 0, as ``opi`` does. Raises OptionError for beta or convention.
    """
    weight = similarity_weight(beta, convention)
    return mover_harmonic(bertsim, bertsim_bounds, lrcr, lrcr_bounds, weight, correlation)


def _harmonic(b: Floats, l: Floats, weight: float) -> Floats:  # noqa: E741
    # the limits are exact, and hold where the formula is 0/0 (beta = 0 with L = 0, beta = infinity with B = 0)
    if weight == 1.0:
        return b + 0.0 * l
    if weight == 0.0:
        return l + 0.0 * b
    denominator = (1.0 - weight) * b + weight * l
    return np.asarray(b * l / np.where(denominator == 0, 1.0, denominator), dtype=np.float64)


def _checked(value: ArrayLike, name: str, low: float) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    outside = (array < low - 1e-6) | (array > 1.0 + 1e-6)  # a cosine of float32 vectors may end at 1 + 1e-7
    if outside.any():
        worst = float(array[outside].flat[0])
        raise OptionError(f"{name} {worst:g} is outside [{low:g}, 1]: give the mean of values in that range")
    return np.clip(array, low, 1.0)
