"""Questions over the bundled trees with planted differences: what the tests of the Granularity lens look at."""

from __future__ import annotations

import numpy as np

from core.taxonomy.bundled import BUNDLED_TREES
from core.taxonomy.labels import PlacedLabels, place_labels

QC = BUNDLED_TREES["QC"]
SPREAD = 0.15


def fine(each: int = 50) -> PlacedLabels:
    """``each`` questions of every fine category of QC."""
    return place_labels(QC, [leaf for leaf in QC.leaves() for _ in range(each)])


def planted(level: int | None, power: float = 0.05) -> np.ndarray:
    """The effect of each of the eight fine categories: a difference that begins at ``level`` and is handed down."""
    if level is None:
        return np.zeros(8)
    width = (4, 2, 1)[level]
    return power * np.where(np.arange(8) // width % 2, 1.0, -1.0)


def scores(level: int | None, seed: int, each: int = 50, power: float = 0.05) -> np.ndarray:
    """Scores of the questions of ``fine``, normal about .65 with an sd of .15."""
    generator = np.random.default_rng(seed)
    return 0.65 + np.repeat(planted(level, power), each) + generator.normal(0, SPREAD, 8 * each)


def every_level(each: int = 50) -> PlacedLabels:
    """``each`` questions of every node of QC, so that each level has questions of its own."""
    return place_labels(QC, [name for name in QC.nodes for _ in range(each)])


def exact(mean: float, spread: float, n: int) -> np.ndarray:
    """``n`` scores whose mean and standard deviation (ddof 1) are exactly these."""
    raw = np.linspace(-1.0, 1.0, n)
    return mean + (raw - raw.mean()) / raw.std(ddof=1) * spread
