"""Two dimensions crossed: does what one does to the score depend on the other?

Two categories of each give four cells. A linear model with an effect of each dimension and their product has the four
cell means for its fit; its errors are clustered by document (t with G - 1 degrees of freedom), and beside t stands a
wild cluster bootstrap, as 20 documents are few.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.granularity_groups import (
    FEWEST_QUESTIONS,
    Estimate,
    checked_scores,
    document_codes,
    mean_estimates,
    questions,
)
from core.stats.bootstrap import DRAWS
from core.stats.cluster_model import ClusterModel, cluster_model, wild_p
from core.stats.clustering import Floats, Ints
from core.stats.correction import ALPHA
from core.stats.intervals import t_quantile

#: fewer documents than this have too few patterns of signs for a trustworthy p
_FEW_DOCUMENTS = 6
#: an error that is this share of the effect is rounding
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class InteractionCell:
    """The mean score of the ``n`` questions of one category of either dimension."""

    first: str
    second: str
    n: int
    n_documents: int
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect in the scores' unit: its interval and ``p_t`` by t with ``df``, ``p_wild`` by the wild bootstrap.

    ``se`` is clustered by document. Whatever does not exist is None, and ``reason`` says why; it also warns where the
    documents are too few to trust what does exist.
    """

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    t: float | None
    df: int | None
    p_t: float | None
    p_wild: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Interaction:
    """Cells in the order (first 1, second 1), (1, 2), (2, 1), (2, 2).

    ``first_effect`` = mean of the first dimension's category 1 minus that of 2, both categories of the second one with
    equal weight; ``second_effect`` alike. ``contrast`` = (cell 11 - cell 12) - (cell 21 - cell 22). ``reason`` says why
    there are no effects, "" where there are.
    """

    first_pair: tuple[str, str]
    second_pair: tuple[str, str]
    cells: tuple[InteractionCell, ...]
    first_effect: Effect
    second_effect: Effect
    contrast: Effect
    n: int
    n_not_scored: int
    n_documents: int
    sentence: str
    reason: str = ""


def interaction(
    scores: ArrayLike,
    first: Sequence[str | None],
    second: Sequence[str | None],
    documents: Sequence[Hashable] | NDArray[np.int64] | None = None,
    *,
    first_pair: tuple[str, str],
    second_pair: tuple[str, str],
    seed_text: str,
    draws: int = DRAWS,
) -> Interaction:
    """Return how two dimensions act together on the scores (Q,), NaN where not scored.

    ``first`` and ``second`` (Q,) are the questions' categories in either dimension at any level, of which the pairs
    are compared; other questions are left out. ``documents`` (Q,) are what questions share, None where each stands
    alone. Raises ValueError when lengths differ, a score is infinite, or a pair names one category twice.
    """
    if len(set(first_pair)) < 2 or len(set(second_pair)) < 2:
        raise ValueError("an interaction needs two different categories of each dimension")
    values = checked_scores(scores, len(first))
    if len(second) != len(first):
        raise ValueError(f"{len(first)} questions have a first label, but {len(second)} a second one")
    clusters = document_codes(documents, len(values))
    cells = [(one, other) for one in first_pair for other in second_pair]
    number = {pair: place for place, pair in enumerate(cells)}
    every = np.array([number.get(pair, -1) for pair in zip(first, second, strict=True)], dtype=np.int64)  # type: ignore[arg-type]
    kept = (every >= 0) & ~np.isnan(values)
    codes, y, members = every[kept], values[kept], clusters[kept]
    estimates = mean_estimates(y, codes, members, 4)
    described = tuple(
        InteractionCell(one, other, int((codes == k).sum()), int(np.unique(members[codes == k]).size), estimates[k])
        for k, (one, other) in enumerate(cells)
    )
    reason = _why_not(described, y)
    effects = _effects(codes, y, members, seed_text, draws) if not reason else [_no_effect(reason)] * 3
    return Interaction(
        first_pair=first_pair,
        second_pair=second_pair,
        cells=described,
        first_effect=effects[0],
        second_effect=effects[1],
        contrast=effects[2],
        n=int(kept.sum()),
        n_not_scored=int(((every >= 0) & np.isnan(values)).sum()),
        n_documents=int(np.unique(members).size),
        sentence=_sentence(first_pair, second_pair, effects[2], reason),
        reason=reason,
    )


def _why_not(cells: tuple[InteractionCell, ...], y: Floats) -> str:
    small = [cell for cell in cells if cell.n < FEWEST_QUESTIONS]
    if small:
        named = ", ".join(f"'{cell.first}' and '{cell.second}' ({questions(cell.n)})" for cell in small)
        return f"too few questions in {named}: each of the four cells needs {FEWEST_QUESTIONS}"
    if np.ptp(y) == 0:
        return f"all {questions(y.size)} have the same score, {y[0]:.3g}"
    return ""


def _effects(codes: Ints, y: Floats, members: Ints, seed_text: str, draws: int) -> list[Effect]:
    a, b = np.where(codes < 2, 1.0, -1.0), np.where(codes % 2 == 0, 1.0, -1.0)
    design = np.stack([np.ones(y.size), a, b, a * b], axis=1)
    # coefficients are half an effect of +1 against -1, and a quarter of the contrast
    scales = ((1, 2.0), (2, 2.0), (3, 4.0))
    if np.unique(members).size < 2:
        fit = np.linalg.lstsq(design, y, rcond=None)[0]
        reason = "all questions share one document, so nothing is known of the error"
        return [_no_effect(reason, float(fit[k] * scale)) for k, scale in scales]
    model = cluster_model(design, y, members)
    return [_effect(model, k, scale, wild_p(design, y, members, k, draws, f"{seed_text}|{k}")) for k, scale in scales]


def _effect(model: ClusterModel, k: int, scale: float, p_wild: float) -> Effect:
    from scipy.special import stdtr

    value = float(model.coefficients[k] * scale)
    error = float(np.sqrt(max(model.covariance[k, k], 0.0)) * scale)
    few = f"{model.df + 1} documents are too few to trust the interval or p" if model.df + 1 < _FEW_DOCUMENTS else ""
    if not error > _ROUNDING * max(abs(value), 1.0):
        reason = "the documents agree to the last digit, so there is no error to judge by"
        return Effect(value, None, None, None, None, model.df, None, None, reason)
    half = float(t_quantile(model.df)) * error
    t = value / error
    return Effect(
        value, value - half, value + half, error, t, model.df, float(2.0 * stdtr(model.df, -abs(t))), p_wild, few
    )


def _no_effect(reason: str, value: float | None = None) -> Effect:
    return Effect(value, None, None, None, None, None, None, None, reason)


def _sentence(first: tuple[str, str], second: tuple[str, str], contrast: Effect, reason: str) -> str:
    if reason:
        return f"Nothing can be said of the interaction: {reason}."
    if contrast.p_wild is None or contrast.low is None or contrast.high is None:
        return f"Nothing can be said of the interaction: {contrast.reason}."
    what = f"The step from '{second[1]}' to '{second[0]}'"
    numbers = f"({contrast.value:+.3f}, {contrast.low:+.3f} to {contrast.high:+.3f}, p = {contrast.p_wild:.3f})"
    if contrast.p_wild <= ALPHA:
        more = "larger" if (contrast.value or 0.0) > 0 else "smaller"
        return f"{what} is {more} for '{first[0]}' than for '{first[1]}' {numbers}."
    return f"{what} may be the same for '{first[0]}' and '{first[1]}' {numbers}."
