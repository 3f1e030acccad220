"""The bootstrap over documents, for what has no closed form: ranks and the probability of being best.

Whole clusters are drawn with replacement. A draw is a vector of multinomial weights, one a cluster, so every
statistic made of sums is a matrix product and no question is visited twice (Efron and Tibshirani 1993, ch. 6).
All systems and measures share the weights of a draw: comparisons stay paired.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.clustering import ClusterDesign, Floats
from core.stats.intervals import CONFIDENCE

DRAWS = 2_000
#: draws whose indices are held at once
_BLOCK = 250


def seed_from(text: str) -> int:
    """Return a seed of 128 bits that depends on ``text`` alone: the same on every machine and in every process."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big")


def cluster_weights(clusters: ArrayLike, draws: int = DRAWS, seed_text: str = "") -> Floats:
    """Return how often each cluster occurs in each resample: (draws, G) floats, every row sums to G.

    Columns follow the sorted distinct labels in ``clusters`` (n,). ``seed_text`` names run and measure.
    Raises ValueError for fewer than one draw.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    groups = np.unique(np.asarray(clusters)).size
    weights = np.empty((draws, groups))
    if not groups:
        return weights
    generator = np.random.default_rng(seed_from(seed_text))
    for start in range(0, draws, _BLOCK):
        rows = min(_BLOCK, draws - start)
        picked = generator.integers(0, groups, size=(rows, groups), dtype=np.int32)
        # counting draws x clusters at once is many times faster than a multinomial draw a row
        flat = picked + (np.arange(rows, dtype=np.int32) * groups)[:, None]
        weights[start : start + rows] = np.bincount(flat.ravel(), minlength=rows * groups).reshape(rows, groups)
    return weights


def stratum_mean_draws(
    design: ClusterDesign, values: NDArray[np.float64], scored: NDArray[np.bool_], weights: Floats
) -> Floats:
    """Return the mean of every stratum and system in every resample: (R, draws, C).

    ``values`` and ``scored`` are (C, Q), ``weights`` (draws, G) as from ``cluster_weights`` over the design's
    clusters. NaN where a resample holds no scored question of a stratum: it says nothing about that stratum.
    """
    sums = design.pair_sums(np.where(scored, values, 0.0))
    counts = design.pair_sums(scored.astype(np.float64))
    means = np.empty((design.n_strata, len(weights), len(values)))
    for stratum in range(design.n_strata):
        columns = np.flatnonzero(design.pair_stratum == stratum)
        drawn = weights[:, design.pair_cluster[columns]]
        with np.errstate(divide="ignore", invalid="ignore"):
            means[stratum] = (drawn @ sums[:, columns].T) / (drawn @ counts[:, columns].T)
    return means


def percentile_interval(draws: ArrayLike) -> tuple[float, float]:
    """Return the 95 % percentile interval of one statistic's draws (n,), those that are NaN left out.

    For statistics without a closed form only: with few questions it is too narrow (see the coverage table).
    Both ends are NaN where no draw is left.
    """
    sample = np.asarray(draws, dtype=np.float64)
    sample = sample[~np.isnan(sample)]
    if not sample.size:
        return float("nan"), float("nan")
    low, high = np.quantile(sample, (0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2))
    return float(low), float(high)


def probability_best(draws: ArrayLike) -> Floats:
    """Return the share of draws in which each of C systems leads: (C,), summing to 1.

    ``draws`` is (n, C). Systems within 1e-9 of the leader share the draw equally, so identical systems get equal
    shares. Draws with a NaN are left out; NaN everywhere where none is left.
    """
    table = np.asarray(draws, dtype=np.float64)
    table = table[~np.isnan(table).any(axis=1)]
    if not len(table):
        return np.full(table.shape[1], np.nan)
    leads = table >= table.max(axis=1, keepdims=True) - 1e-9
    return np.asarray((leads / leads.sum(axis=1, keepdims=True)).mean(axis=0), dtype=np.float64)
