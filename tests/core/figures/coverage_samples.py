"""Coverage scores to draw: seeded worlds of several shapes."""

from __future__ import annotations

from typing import Any

from core.metrics.coverage_observations import CoverageObservations
from core.metrics.coverage_scores import CoverageScores, coverage_scores
from tests.core.metrics.coverage_worlds import coverage_world
from tests.pages.samples import LABELS

SHAPES: tuple[dict[str, Any], ...] = (
    {},
    {"questions": 1},
    {"configurations": ("knn",)},
    {"configurations": tuple(LABELS), "questions": 40},
    {"configurations": ("system:<b>other</b> & more", "evidence")},
)


def observed(**shape: Any) -> CoverageObservations:
    """A world whose configurations are called as on the pages."""
    return coverage_world(**{"labels": LABELS, **shape})


def scored(**shape: Any) -> CoverageScores:
    """The scores of such a world."""
    return coverage_scores(observed(**shape))
