"""The mean of every node of a tree, all questions at or below it: what the picture of the tree shows."""

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
)
from core.taxonomy.labels import PlacedLabels


@dataclass(frozen=True, slots=True)
class NodeMean:
    """The mean score of the ``n`` scored questions at or below a node, ``n_own`` of them labelled with it itself.

    ``too_small``: fewer than five, so that the mean says little.
    """

    name: str
    parent: str | None
    level: int
    n: int
    n_own: int
    n_not_scored: int
    mean: Estimate
    too_small: bool


def node_means(
    scores: ArrayLike, placed: PlacedLabels, documents: Sequence[Hashable] | NDArray[np.int64] | None = None
) -> tuple[NodeMean, ...]:
    """Return the mean of every node of the tree, depth first, with its interval by t, clustered by document.

    ``scores`` (Q,) may be the differences of two configurations, NaN where either is not scored. Other arguments and
    errors are those of ``level_table``.
    """
    values = checked_scores(scores, len(placed.own))
    clusters = document_codes(documents, len(values))
    tree = placed.tree
    scored = ~np.isnan(values)
    own = np.array([name if name is not None else "" for name in placed.own], dtype=object)
    found = []
    for name in tree.nodes:
        within = np.isin(own, tree.within(name))
        kept = within & scored
        n = int(kept.sum())
        estimate = mean_estimates(values[kept], np.zeros(n, np.int64), clusters[kept], 1)[0]
        found.append(
            NodeMean(
                name=name,
                parent=tree.parents[name],
                level=tree.level_of(name),
                n=n,
                n_own=int((kept & (own == name)).sum()),
                n_not_scored=int((within & ~scored).sum()),
                mean=estimate,
                too_small=n < FEWEST_QUESTIONS,
            )
        )
    return tuple(found)
