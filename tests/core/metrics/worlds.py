"""Observations to test with: random but seeded, complete unless a test takes something away."""

from __future__ import annotations

import dataclasses

import numpy as np

from core.metrics.scores import LogicObservations, LogicScores, Measure


def world(
    configurations: int = 4, relations: int = 3, per_relation: int = 10, documents: int = 0, seed: int = 0
) -> LogicObservations:
    """All scored, nothing refused; ``relations`` = 0 leaves out the labels, ``documents`` = 0 shares none."""
    generator = np.random.default_rng(seed)
    n = max(relations, 1) * per_relation
    shape = (configurations, n)
    states = np.zeros(shape, np.int8)
    return LogicObservations(
        configurations=tuple(f"c{i}" for i in range(configurations)),
        labels={"c0": "first"},
        question_ids=tuple(f"q{i}" for i in range(n)),
        relations=tuple(f"relation {i % relations}" if relations else "" for i in range(n)),
        clusters=np.arange(n) % documents if documents else np.arange(n),
        similarity=np.clip(generator.normal(0.65, 0.2, shape), -1, 1),
        similarity_state=states,
        correct=(generator.random(shape) < 0.5).astype(float) if relations else np.full(shape, np.nan),
        correct_state=states.copy() if relations else np.full(shape, 2, np.int8),
        refused=np.zeros(shape, np.bool_),
        words=generator.uniform(50, 200, shape),
        sentences=generator.uniform(2, 9, shape),
    )


def measures(scores: LogicScores) -> list[Measure]:
    """Every measure of every configuration and cell."""
    found = []
    for configuration in scores.configurations:
        for field in dataclasses.fields(configuration):
            value = getattr(configuration, field.name)
            if isinstance(value, Measure):
                found.append(value)
        for cell in configuration.relations.values():
            found += [cell.bertsim, cell.lrcr, cell.opi]
    return found
