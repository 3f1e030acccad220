"""The split table: for every category that is split, how its children differ and whether they average to it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.granularity_coherence import coherence_estimates, sibling_spread
from core.metrics.granularity_groups import (
    CategoryMean,
    Estimate,
    Grouped,
    checked_scores,
    document_codes,
    group,
    shares_documents,
)
from core.stats.bootstrap import DRAWS, percentile_interval
from core.stats.clustering import Floats, Ints
from core.taxonomy.bundled import level_names
from core.taxonomy.labels import PlacedLabels

SplitState = Literal["shown", "inconclusive", "not_applicable"]
_NOTHING = Estimate(None, None, None)


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A category and its children.

    ``level`` is the parent's, ``level_name`` what both levels are called ("medium to fine"). ``children`` are those
    that have enough questions, ``n_children`` their scored questions, ``n_parent`` those labelled with the parent
    itself. ``state`` says what to make of ``rho``: "shown" with its interval; "inconclusive", the ratio being noise
    where sigma or delta may be 0; "not_applicable". ``reason`` says why in the last two. ``independent_parent``: the
    parent's mean comes from questions of its own. ``rolled_up_children``: the children's come from labels below them.
    """

    parent: str
    level: int
    level_name: str
    children: tuple[str, ...]
    n_parent: int
    n_children: int
    sigma: Estimate
    delta: Estimate
    rho: Estimate
    state: SplitState
    independent_parent: bool
    rolled_up_children: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SplitAverage:
    """The mean coherence ratio over ``n_splits`` splits whose ratio can be computed, noise-dominated ones included."""

    label: str
    n_splits: int
    rho: Estimate


@dataclass(frozen=True, slots=True)
class SplitTable:
    """All splits of a tree, depth first, and the averages: over the deepest splits (the paper's), then over all."""

    dimension: str
    rows: tuple[SplitRow, ...]
    averages: tuple[SplitAverage, ...]
    sentence: str


def split_table(
    scores: ArrayLike,
    placed: PlacedLabels,
    documents: Sequence[Hashable] | NDArray[np.int64] | None = None,
    *,
    seed_text: str,
    draws: int = DRAWS,
) -> SplitTable:
    """Return the split table of Q questions; arguments and errors are those of ``level_table``."""
    values = checked_scores(scores, len(placed.own))
    clusters = document_codes(documents, len(values))
    clustered = shares_documents(clusters, (placed.levels_of_own >= 0) & ~np.isnan(values))
    found = list(_rows(values, placed, clusters, clustered, seed_text, draws))
    rows = tuple(row for row, _ in found)
    with_ratio = [(row, drawn) for row, drawn in found if drawn is not None]
    deepest = max((row.level for row in rows), default=0)
    averages = [_average("all splits", with_ratio)]
    if deepest > 0:
        last = [(row, drawn) for row, drawn in with_ratio if row.level == deepest]
        label = next(row.level_name for row in rows if row.level == deepest)
        averages.insert(0, _average(label, last))
    return SplitTable(placed.tree.dimension, rows, tuple(averages), _sentence(rows))


def _rows(
    values: Floats, placed: PlacedLabels, clusters: Ints, clustered: bool, seed_text: str, draws: int
) -> Iterator[tuple[SplitRow, Floats | None]]:
    """Yield every split, with the draws of its ratio where it has one."""
    tree, labels = placed.tree, level_names(placed.tree)
    labelled = {name for name in placed.own if name is not None}
    for parent in tree.nodes:
        children = tree.children(parent)
        if not children:
            continue
        level = tree.level_of(parent)
        rolled_up = not labelled & set(children)
        below = placed.at_level(level + 1) if rolled_up else placed.own
        family = (*children, parent)
        own = [parent if mine == parent else name for mine, name in zip(placed.own, below, strict=True)]
        grouped, means = group(
            values,
            [name if name in family else None for name in own],
            [(name, None) for name in family],
            clusters,
            clustered,
        )
        counted = tuple(name for name in grouped.names if name != parent)
        row = SplitRow(
            parent=parent,
            level=level,
            level_name=f"{labels[level]} to {labels[level + 1]}",
            children=counted,
            n_parent=means[-1].n,
            n_children=int(grouped.counts[: len(counted)].sum()),
            sigma=_NOTHING,
            delta=_NOTHING,
            rho=_NOTHING,
            state="not_applicable",
            independent_parent=means[-1].counted,
            rolled_up_children=rolled_up,
        )
        if len(counted) < 2:
            reason = f"{len(counted) or 'none'} of {len(children)} children has enough questions: two are needed"
            missing = Estimate(None, None, None, reason)
            yield replace(row, sigma=missing, delta=missing, rho=missing, reason=reason), None
        elif not row.independent_parent:
            yield _without_parent(row, grouped, means[-1]), None
        else:
            yield _with_parent(row, grouped, f"{seed_text}|{tree.dimension}|{parent}|split", draws)


def _with_parent(row: SplitRow, grouped: Grouped, seed_text: str, draws: int) -> tuple[SplitRow, Floats]:
    made = coherence_estimates(grouped.means, *grouped.errors, draws, seed_text)
    row = replace(row, sigma=made.sigma, delta=made.delta)
    if made.conclusive:
        return replace(row, rho=made.rho, state="shown"), made.rho_draws
    which = " and ".join(name for name, one in (("sigma", made.sigma), ("delta", made.delta)) if not one.low)
    reason = f"{which} may be 0, so the ratio is noise"
    rho = Estimate(made.rho.value, None, None, reason)
    return replace(row, rho=rho, state="inconclusive", reason=reason), made.rho_draws


def _without_parent(row: SplitRow, grouped: Grouped, parent: CategoryMean) -> SplitRow:
    if parent.n:
        reason = f"'{parent.name}' itself does not count: {parent.reason}"
    else:
        reason = (
            f"no question is labelled '{parent.name}' itself: its mean would be that of its children, and delta about "
            "0 by construction"
        )
    missing = Estimate(None, None, None, reason)
    sigma = sibling_spread(grouped.means, *grouped.errors)
    return replace(row, sigma=sigma, delta=missing, rho=missing, reason=reason)


def _average(label: str, found: list[tuple[SplitRow, Floats]]) -> SplitAverage:
    if not found:
        reason = "no split has a parent with questions of its own"
        return SplitAverage(label, 0, Estimate(None, None, None, reason))
    values = [row.rho.value for row, _ in found if row.rho.value is not None]
    # splits are drawn apart: a category that is child in one and parent in another counts as two
    low, high = percentile_interval(np.mean([drawn for _, drawn in found], axis=0))
    return SplitAverage(label, len(found), Estimate(float(np.mean(values)), low, high))


def _sentence(rows: tuple[SplitRow, ...]) -> str:
    if not rows:
        return "The tree has no split."
    shown, vague = (sum(row.state == state for row in rows) for state in ("shown", "inconclusive"))
    left = len(rows) - shown - vague
    return (
        f"Of {len(rows)} splits, {shown} {'has' if shown == 1 else 'have'} a coherence ratio that means something, "
        f"{vague} {'is' if vague == 1 else 'are'} inconclusive, and to {left} it does not apply."
    )
