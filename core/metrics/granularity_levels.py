"""The level table: everything about every level of one tree for one score, and which level to report at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.granularity_added import (
    Added,
    added_by_other_set,
    added_by_split,
    added_to_nothing,
    holm_over_levels,
    nothing_added,
)
from core.metrics.granularity_chance import chance_means
from core.metrics.granularity_groups import (
    Grouped,
    checked_scores,
    document_codes,
    group,
    questions,
    shares_documents,
)
from core.metrics.granularity_information import bin_edges
from core.metrics.granularity_recommended import PaperChoice, Recommendation, paper_choice, recommendation
from core.metrics.granularity_rows import LevelRow, empty_row, filled_row
from core.stats.bootstrap import DRAWS, cluster_weights
from core.stats.clustering import Floats, Ints
from core.taxonomy.bundled import level_names
from core.taxonomy.labels import PlacedLabels
from core.taxonomy.trees import Tree


@dataclass(frozen=True, slots=True)
class LevelTable:
    """All levels of a dimension, coarsest first.

    ``independent``: every level has questions of its own; else labels are rolled up and all levels share theirs.
    ``clustered``: some document has several questions, so errors and chance go by document. ``n_questions`` carry a
    label and a score, ``n_not_scored`` a label only, ``n_unlabelled`` no usable label. ``edges`` are those of the score
    bins, the same at all levels. ``notes`` are sentences to be shown.
    """

    dimension: str
    independent: bool
    clustered: bool
    n_documents: int
    rows: tuple[LevelRow, ...]
    recommended: Recommendation
    paper: PaperChoice
    n_questions: int
    n_not_scored: int
    n_unlabelled: int
    edges: tuple[float, ...]
    seed_text: str
    draws: int
    notes: tuple[str, ...]


def level_table(
    scores: ArrayLike,
    placed: PlacedLabels,
    documents: Sequence[Hashable] | NDArray[np.int64] | None = None,
    *,
    seed_text: str,
    draws: int = DRAWS,
    independent: bool | None = None,
) -> LevelTable:
    """Return the level table of Q questions.

    ``scores`` (Q,) are a measure's values of one configuration, NaN where not scored; ``placed`` are the questions'
    labels in one tree; ``documents`` (Q,) are what questions share, None where each stands alone. ``independent``
    chooses which questions a level has (as the labels say where None). Everything drawn depends on ``seed_text``.

    Raises:
        ValueError: lengths differ, or a score is infinite.
    """
    values = checked_scores(scores, len(placed.own))
    clusters = document_codes(documents, len(values))
    apart = placed.independent if independent is None else independent
    labelled = placed.levels_of_own >= 0
    used = labelled & ~np.isnan(values)
    clustered = shares_documents(clusters, used)
    # all levels share the resamples of documents
    weights = _resamples(clusters, used, f"{seed_text}|{placed.tree.dimension}|documents", draws) if clustered else None
    edges = bin_edges(values[used]) if used.any() else np.zeros(0)
    tree = placed.tree
    names = level_names(tree)
    groups: list[Grouped] = []
    rows: list[LevelRow] = []
    for level in range(len(tree.levels)):
        categories = placed.at_level(level, apart)
        grouped, means = group(values, categories, declared(tree, level, apart), clusters, clustered)
        groups.append(grouped)
        rows.append(empty_row(level, names[level], grouped, means))
    usable = [row.reason == "" for row in rows]
    by_chance = chance_means([one if fit else None for one, fit in zip(groups, usable, strict=True)], seed_text, draws)
    filled = [
        filled_row(row, one, chance, weights, edges, f"{seed_text}|{tree.dimension}|{row.level}", draws)
        if chance is not None
        else row
        for row, one, chance in zip(rows, groups, by_chance, strict=True)
    ]
    added = holm_over_levels(_added(tree, filled, groups, by_chance, apart, seed_text, draws))
    filled = [replace(row, added=one) for row, one in zip(filled, added, strict=True)]
    return LevelTable(
        dimension=tree.dimension,
        independent=apart,
        clustered=clustered,
        n_documents=int(np.unique(clusters[used]).size),
        rows=tuple(filled),
        recommended=recommendation([level_label(row.level, row.name) for row in filled], added),
        paper=paper_choice([(row.level, row.name, row.power) for row in filled]),
        n_questions=int(used.sum()),
        n_not_scored=int((labelled & np.isnan(values)).sum()),
        n_unlabelled=int((~labelled).sum()),
        edges=tuple(float(edge) for edge in edges),
        seed_text=seed_text,
        draws=draws,
        notes=_notes(placed, int((labelled & np.isnan(values)).sum()), apart),
    )


def declared(tree: Tree, level: int, independent: bool) -> tuple[tuple[str, str | None], ...]:
    """Return the categories of a level as (name, parent's name), in the tree's order.

    On rolled-up labels a leaf above stands for itself at every level below.
    """
    at = set(tree.levels[level])
    if not independent:
        at |= {leaf for leaf in tree.leaves() if tree.level_of(leaf) < level}
    return tuple((name, parent) for name, parent in tree.parents.items() if name in at)


def level_label(level: int, name: str) -> str:
    """Return what a level is called in a sentence: "medium", "level 2", or "its one level" of a flat tree."""
    if not name:
        return "its one level"
    return f"level {level + 1}" if name.isdigit() else name


def _resamples(clusters: Ints, used: NDArray[np.bool_], seed_text: str, draws: int) -> Floats:
    """Return how often each document occurs in each resample of those that are used: (draws, documents)."""
    weights = np.zeros((draws, int(clusters.max()) + 1))
    weights[:, np.unique(clusters[used])] = cluster_weights(clusters[used], draws, seed_text)
    return weights


def _added(
    tree: Tree,
    rows: list[LevelRow],
    groups: list[Grouped],
    by_chance: list[Floats | None],
    independent: bool,
    seed_text: str,
    draws: int,
) -> list[Added]:
    """Return what each level adds to the nearest level above that can be measured."""
    found: list[Added] = []
    above: int | None = None
    for level, (row, grouped, chance) in enumerate(zip(rows, groups, by_chance, strict=True)):
        if chance is None:
            found.append(nothing_added(row.reason))
            continue
        seed = f"{seed_text}|{tree.dimension}|{level}|added"
        if above is None:
            found.append(added_to_nothing(grouped, chance, seed, draws))
        elif independent:
            parents = _parents(tree, grouped.names, above)
            found.append(added_by_other_set(groups[above], grouped, parents, seed, draws))
        else:
            found.append(added_by_split(grouped, _parents(tree, grouped.names, above), seed, draws))
        above = level
    return found


def _parents(tree: Tree, names: tuple[str, ...], above: int) -> Ints:
    """Return the number of the category at level ``above`` in which each category lies, (K,)."""
    number: dict[str, int] = {}
    path = [(name, *tree.ancestors(name))[::-1] for name in names]
    lifted = [one[min(above, len(one) - 1)] for one in path]
    return np.array([number.setdefault(name, len(number)) for name in lifted], dtype=np.int64)


def _notes(placed: PlacedLabels, n_not_scored: int, independent: bool) -> tuple[str, ...]:
    sets = (
        "Each level has questions of its own: levels are compared over different questions."
        if independent
        else "Labels are rolled up: a question counts in its category and in all above it."
    )
    unscored = (f"{questions(n_not_scored)} without a score count nowhere.",) if n_not_scored else ()
    return (sets, *unscored, *placed.sentences())
