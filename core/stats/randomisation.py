"""Paired randomisation tests: exchange what two systems did on a question, see how often chance does as much.

Under the hypothesis that two systems are interchangeable, swapping their rows on any document leaves the distribution
as it is (Fisher 1935; for retrieval Smucker, Allan and Carterette 2007). A swap turns the sign of the difference, and
signs times per-document sums are linear: one matrix product for all systems of a run holds every pair, and any
statistic of means, OPI at any beta among them, follows without new draws.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.bootstrap import seed_from
from core.stats.clustering import ClusterDesign, Floats

FEWEST_DRAWS, MOST_DRAWS, DRAWS_A_CELL = 10_000, 200_000, 200
#: two statistics closer than this count as equal: it lies above rounding of float32 sums, below any difference shown
EQUAL = 1e-6
#: draws whose signs are held at once
_BLOCK = 2_048


def draws_for(family: int) -> int:
    """Return how many draws a family of cells needs.

    Holm's smallest threshold is alpha / family and the smallest p value 1 / (1 + draws): with 10,000 draws it can
    decide at most 500 cells.
    """
    return min(max(FEWEST_DRAWS, DRAWS_A_CELL * family), MOST_DRAWS)


def sign_blocks(units: int, draws: int, seed_text: str, block: int = _BLOCK) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of draws as (rows, signs): signs are +1 or -1, (rows, units).

    The signs of a draw depend on ``seed_text``, ``units`` and its number alone, not on ``block``.
    """
    generator = np.random.default_rng(seed_from(seed_text))
    words = -(-units // 64)
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        # whole words of 64 bits are drawn one after the other, however many at once
        drawn = generator.integers(0, 2**64, size=(rows, words), dtype=np.uint64)
        bits = np.unpackbits(drawn.astype("<u8").view(np.uint8).reshape(rows, -1), axis=1, count=units)
        yield slice(start, start + rows), 1.0 - 2.0 * bits.astype(np.float64)


def signed_sums(
    design: ClusterDesign, values: NDArray[np.float64], draws: int, seed_text: str, block: int = _BLOCK
) -> NDArray[np.float32]:
    """Return sum over documents of sign x the document's sum, by stratum and system: (R, draws, C).

    ``values`` are (C, Q), all scored. A document that carries several strata has one sign in all of them. In single
    precision: a relation of hundreds of questions is off by less than 1e-6 of its mean (``EQUAL``).
    """
    sums = design.pair_sums(values).astype(np.float32)
    columns = [np.flatnonzero(design.pair_stratum == stratum) for stratum in range(design.n_strata)]
    result = np.empty((design.n_strata, draws, len(values)), dtype=np.float32)
    for rows, signs in sign_blocks(design.n_clusters, draws, seed_text, block):
        single = signs.astype(np.float32)
        for stratum, pairs in enumerate(columns):
            result[stratum, rows] = single[:, design.pair_cluster[pairs]] @ sums[:, pairs].T
    return result


def p_value(observed: ArrayLike, drawn: ArrayLike) -> Floats:
    """Return the two-sided p value (1 + as extreme) / (1 + draws) of statistics (...) with draws (draws, ...).

    Never 0 (Phipson and Smyth 2010); 1 where the observed statistic is 0.
    """
    chance = np.abs(np.asarray(drawn))
    extreme = (chance >= np.abs(np.asarray(observed, dtype=np.float64)) - EQUAL).sum(axis=0)
    return np.asarray((1.0 + extreme) / (1.0 + len(chance)), dtype=np.float64)


def sign_flip(differences: ArrayLike, clusters: ArrayLike, draws: int = FEWEST_DRAWS, seed_text: str = "") -> float:
    """Return the two-sided p value of mean(differences) = 0, signs turned by document.

    ``differences`` and ``clusters`` are (n,). Raises ValueError where nothing is given or a difference is not finite.
    """
    paired = np.asarray(differences, dtype=np.float64)
    if not paired.size or not np.isfinite(paired).all():
        raise ValueError("differences must be finite numbers, at least one")
    drawn = signed_sums(ClusterDesign(clusters), paired[None, :], draws, seed_text)[0, :, 0]
    return float(p_value(paired.mean(), drawn / paired.size))


def smallest_attainable(n_unequal: ArrayLike) -> Floats:
    """Return the smallest two-sided p value of m documents with an unequal outcome: 2^(1 - m), 1 for m = 0."""
    return np.asarray(np.minimum(np.exp2(1.0 - np.asarray(n_unequal, dtype=np.float64)), 1.0), dtype=np.float64)
