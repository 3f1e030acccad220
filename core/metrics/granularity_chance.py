"""Category means as they come about when labels do not matter, for all levels of a tree at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.metrics.granularity_groups import Grouped
from core.stats.bootstrap import DRAWS
from core.stats.clustering import Floats, Ints
from core.stats.permutation import flipped_means, permuted_means


def chance_means(levels: Sequence[Grouped | None], seed_text: str, draws: int = DRAWS) -> list[Floats | None]:
    """Return for each level (None: not measured) its category means without any difference: (draws, K) or None.

    Scores are permuted, or, where questions share documents, deviations from the common mean change sign by document.
    Levels of the same questions share the draws: the coarser means follow from the finer.
    """
    found: list[Floats | None] = [None] * len(levels)
    finest: int | None = None
    for place in reversed(range(len(levels))):
        grouped = levels[place]
        if grouped is None:
            continue
        below = levels[finest] if finest is not None else None
        drawn = found[finest] if finest is not None else None
        lifted = _lifted(below, grouped) if below is not None else None
        if below is not None and drawn is not None and lifted is not None:
            belongs = (lifted == np.arange(grouped.k)[:, None]).astype(np.float64)
            found[place] = np.asarray(drawn @ (belongs * below.counts / grouped.counts[:, None]).T, dtype=np.float64)
            continue
        found[place] = _drawn(grouped, f"{seed_text}|chance", draws)
        finest = place
    return found


def noise_powers(grouped: Grouped, by_chance: Floats, seed_text: str, draws: int = DRAWS) -> Floats:
    """Return the discriminative powers (draws,) that noise alone gives the categories of ``grouped``.

    Those of ``by_chance`` where questions are independent. Where they share documents, a difference between categories
    that every document shows would count as noise of documents there: so it is removed, and the deviations from the
    categories' own means change sign, times G / (G - 1) in variance for having taken out those means.
    """
    if not grouped.clustered:
        return np.asarray(by_chance.std(axis=1), dtype=np.float64)
    deviations = grouped.scores - grouped.means[grouped.codes]
    (drawn,) = flipped_means(deviations[None], grouped.codes, grouped.clusters, draws, f"{seed_text}|noise")
    g = np.unique(grouped.clusters).size
    return np.asarray(drawn.std(axis=1) * np.sqrt(g / (g - 1.0)), dtype=np.float64)


def _drawn(grouped: Grouped, seed_text: str, draws: int) -> Floats:
    if not grouped.clustered:
        return permuted_means(grouped.scores, grouped.codes, draws, seed_text)
    deviations = grouped.scores - grouped.scores.mean()
    (drawn,) = flipped_means(deviations[None], grouped.codes, grouped.clusters, draws, seed_text)
    return np.asarray(drawn, dtype=np.float64)


def _lifted(fine: Grouped, coarse: Grouped) -> Ints | None:
    """Return the coarse category of each fine one, None where the questions or the nesting differ."""
    if not np.array_equal(fine.questions, coarse.questions):
        return None
    first = np.full(fine.k, -1, np.int64)
    first[fine.codes] = coarse.codes
    return first if np.array_equal(first[fine.codes], coarse.codes) else None
