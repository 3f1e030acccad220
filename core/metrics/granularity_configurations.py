"""Does the best level depend on the retriever? Level tables of several configurations, and a test of their difference.

All configurations are compared on the questions that all of them have scored. On those, what a category does to a
score is the same for all of them if the deviations of the configurations from the question's mean do not depend on the
category: that is tested, the signs of whole documents turned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.metrics.granularity_groups import Grouped, checked_scores, document_codes, group
from core.metrics.granularity_levels import LevelTable, declared, level_label, level_table
from core.stats.bootstrap import DRAWS
from core.stats.clustering import Floats
from core.stats.correction import ALPHA, adjusted
from core.stats.permutation import flipped_means, upper_p
from core.taxonomy.bundled import level_names
from core.taxonomy.labels import PlacedLabels


@dataclass(frozen=True, slots=True)
class LevelByConfiguration:
    """At one level: whether the categories' differences are the same for all configurations.

    ``p`` is that of equal differences, ``p_adjusted`` by Holm over levels; None with a ``reason`` where untested.
    ``spread`` is the standard deviation of category by configuration means, main effects removed.
    """

    level: int
    name: str
    n: int
    spread: float | None
    p: float | None
    p_adjusted: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ConfigurationLevels:
    """Level tables by configuration, on ``n_shared`` questions that all have scored, of ``n_labelled``."""

    tables: Mapping[str, LevelTable]
    tests: tuple[LevelByConfiguration, ...]
    n_shared: int
    n_labelled: int
    sentence: str


def configuration_levels(
    scores: Mapping[str, ArrayLike],
    placed: PlacedLabels,
    documents: Sequence[Hashable] | NDArray[np.int64] | None = None,
    *,
    seed_text: str,
    draws: int = DRAWS,
    independent: bool | None = None,
) -> ConfigurationLevels:
    """Return the level tables of C configurations, by name, and whether the level depends on them.

    ``scores`` holds (Q,) values of one measure by configuration; other arguments and errors are those of
    ``level_table``.
    """
    size = len(placed.own)
    values = {name: checked_scores(row, size) for name, row in scores.items()}
    clusters = document_codes(documents, size)
    matrix = np.stack(list(values.values())) if values else np.zeros((0, size))
    shared = ~np.isnan(matrix).any(axis=0)
    labelled = placed.levels_of_own >= 0
    tables = {
        name: level_table(
            np.where(shared, row, np.nan), placed, clusters, seed_text=seed_text, draws=draws, independent=independent
        )
        for name, row in values.items()
    }
    apart = placed.independent if independent is None else independent
    clustered = bool(tables) and next(iter(tables.values())).clustered
    names = level_names(placed.tree)
    found: list[LevelByConfiguration] = []
    for level, name in enumerate(names if len(placed.tree.levels) else ()):
        mean = np.where(shared, matrix.mean(axis=0), np.nan) if len(matrix) else np.full(size, np.nan)
        categories = placed.at_level(level, apart)
        grouped, _ = group(mean, categories, declared(placed.tree, level, apart), clusters, clustered)
        found.append(_tested(level, name, grouped, matrix, f"{seed_text}|{placed.tree.dimension}|{level}", draws))
    p = adjusted([np.nan if one.p is None else one.p for one in found])
    tests = tuple(
        LevelByConfiguration(
            one.level, one.name, one.n, one.spread, one.p, None if np.isnan(each) else float(each), one.reason
        )
        for one, each in zip(found, p, strict=True)
    )
    return ConfigurationLevels(
        tables, tests, int((shared & labelled).sum()), int(labelled.sum()), _sentence(tables, tests)
    )


def _tested(
    level: int, name: str, grouped: Grouped, matrix: Floats, seed_text: str, draws: int
) -> LevelByConfiguration:
    n = int(grouped.scores.size)
    if len(matrix) < 2:
        return LevelByConfiguration(level, name, n, None, None, None, "one configuration has nothing to differ from")
    if grouped.k < 2:
        reason = "fewer than two categories have enough questions that all configurations have scored"
        return LevelByConfiguration(level, name, n, None, None, None, reason)
    chosen = matrix[:, grouped.questions]
    deviations = chosen - chosen.mean(axis=0)
    deviations = deviations - deviations.mean(axis=1, keepdims=True)
    seen = _spread(
        np.stack([np.bincount(grouped.codes, row, grouped.k) for row in deviations])[:, None, :] / grouped.counts
    )
    drawn = _spread(flipped_means(deviations, grouped.codes, grouped.clusters, draws, f"{seed_text}|configurations"))
    return LevelByConfiguration(level, name, n, float(seen[0]), upper_p(float(seen[0]), drawn), None)


def _spread(means: Floats) -> Floats:
    """Return the standard deviation of (C, D, K) means within categories taken together, by draw: (D,)."""
    centred = means - means.mean(axis=2, keepdims=True)
    return np.asarray(np.sqrt((centred**2).mean(axis=(0, 2))), dtype=np.float64)


def _sentence(tables: Mapping[str, LevelTable], tests: tuple[LevelByConfiguration, ...]) -> str:
    if not tables:
        return "There is no configuration to look at."
    start = _recommended(list(tables.values()))
    telling = [
        level_label(one.level, one.name) for one in tests if one.p_adjusted is not None and one.p_adjusted <= ALPHA
    ]
    if telling:
        where = f" (at {_listed(telling)})" if len(tests) > 1 else ""
        return f"{start}; how far categories lie apart does depend on the configuration{where}."
    if all(one.p is None for one in tests):
        return f"{start}; whether categories differ alike for all of them cannot be tested."
    return f"{start}; nothing shows that categories differ otherwise for one configuration than for another."


def _recommended(tables: list[LevelTable]) -> str:
    chosen = Counter(table.recommended.level for table in tables)
    n, none = len(tables), chosen[None]
    if none == n:
        return f"No level is recommended for any of {n} configurations"
    if all(len(table.rows) == 1 for table in tables):
        return f"The categories differ by more than chance for {n - none} of {n} configurations"
    names = {row.level: level_label(row.level, row.name) for row in tables[0].rows}
    counted = [("none" if level is None else names[level], count) for level, count in chosen.most_common()]
    if len(counted) == 1:
        return f"The recommended level is the same for all {n} configurations, {counted[0][0]}"
    parts = ", ".join(f"{name} for {count}" for name, count in counted)
    return f"The recommended level is {parts} of {n} configurations"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
