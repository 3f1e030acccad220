"""What the means of groups look like by chance: scores exchanged among questions, or signs turned by document.

Where questions are independent, any order of their scores is as likely under the hypothesis that labels do not matter,
so permuting is exact (Fisher 1935). Where questions share documents it is not: there the deviations from the
hypothesis keep their document and the whole document's sign is turned (Rademacher weights of the wild cluster
bootstrap with the hypothesis imposed, Cameron, Gelbach and Miller 2008), which keeps what goes on within a document.
Both need nothing but sums, so the draws are matrix products.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.stats.bootstrap import DRAWS, seed_from
from core.stats.clustering import ClusterDesign, Floats, Ints
from core.stats.randomisation import EQUAL, sign_blocks

#: draws held at once
_BLOCK = 250


def permuted_means(
    values: ArrayLike, groups: ArrayLike, draws: int = DRAWS, seed_text: str = "", within: ArrayLike | None = None
) -> Floats:
    """Return the means of K groups with the values permuted: (draws, K).

    ``values`` and ``groups`` (0 … K-1, none empty) are (n,). ``within`` (n,) restricts the exchange to questions of
    one stratum. Raises ValueError when lengths differ or fewer than one draw is asked for.
    """
    sample, labels = np.asarray(values, dtype=np.float64), np.asarray(groups, dtype=np.int64)
    strata = np.zeros(sample.shape, np.int64) if within is None else np.asarray(within, dtype=np.int64)
    if not sample.shape == labels.shape == strata.shape or sample.ndim != 1:
        raise ValueError(f"values {sample.shape}, groups {labels.shape} and strata {strata.shape} must be alike")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    order = np.lexsort((labels, strata))
    # single precision halves the time, and centring first keeps its rounding far below any difference shown
    centre = sample.mean() if sample.size else 0.0
    ordered, placed = (sample[order] - centre).astype(np.float32), labels[order]
    indicator = (placed[:, None] == np.arange(labels.max(initial=-1) + 1)).astype(np.float32)
    counts = indicator.sum(axis=0, dtype=np.float64)
    borders = np.flatnonzero(np.diff(strata[order], prepend=-1, append=-1))
    generator = np.random.default_rng(seed_from(seed_text))
    sums = np.empty((draws, len(counts)))
    drawn = np.empty((min(_BLOCK, draws), ordered.size), np.float32)
    for start in range(0, draws, _BLOCK):
        rows = min(_BLOCK, draws - start)
        for row in drawn[:rows]:
            # row by row, whole numbers: twice as fast as Generator.permuted
            for low, high in pairwise(borders):
                row[low:high] = ordered[low:high][generator.permutation(high - low)]
        sums[start : start + rows] = drawn[:rows] @ indicator
    return np.asarray(sums / counts + centre, dtype=np.float64)


def flipped_means(
    deviations: NDArray[np.float64], groups: Ints, clusters: Ints, draws: int = DRAWS, seed_text: str = ""
) -> Floats:
    """Return the means of K groups of deviations, the sign of each document turned at random: (C, draws, K).

    ``deviations`` are (C, n): what C systems have beyond the hypothesis. ``groups`` (0 … K-1, none empty) and
    ``clusters`` are (n,).
    """
    design = ClusterDesign(clusters, groups)
    sums = design.pair_sums(deviations)
    counts = np.bincount(groups)
    table = np.zeros((design.n_clusters, len(deviations), len(counts)))
    for system, row in enumerate(sums):
        table[design.pair_cluster, system, design.pair_stratum] = row / counts[design.pair_stratum]
    flat = table.reshape(design.n_clusters, -1)
    result = np.empty((draws, flat.shape[1]))
    for rows, signs in sign_blocks(design.n_clusters, draws, seed_text, _BLOCK):
        result[rows] = signs @ flat
    return np.moveaxis(result.reshape(draws, len(deviations), len(counts)), 1, 0)


def upper_p(observed: float, drawn: Floats) -> float:
    """Return (1 + draws at least as large) / (1 + draws), never 0; within 1e-6 counts as equal."""
    return float((1 + np.count_nonzero(drawn >= observed - EQUAL)) / (1 + len(drawn)))


def permuted_tables(rows: Ints, columns: Ints, draws: int = DRAWS, seed_text: str = "") -> Floats:
    """Return cross tables that keep both margins and are else random, as permuting one label gives: (draws, R, C).

    ``rows`` and ``columns`` are the margins, of one sum. Drawn by Patefield's algorithm (AS 159, 1981).
    """
    from scipy.stats import random_table

    generator = np.random.default_rng(seed_from(seed_text))
    return np.asarray(random_table(rows, columns).rvs(draws, random_state=generator), dtype=np.float64)
