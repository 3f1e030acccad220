"""Use case *look at a run through the granularity lens*: at which level of a tree categories still separate results."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any, Literal

import numpy as np

from core.metrics.granularity import (
    ConfigurationLevels,
    DimensionTable,
    LevelTable,
    NodeMean,
    SplitTable,
    configuration_levels,
    dimension_table,
    level_table,
    node_means,
    split_table,
)
from core.services import granularity_companions, granularity_scores, trees
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.granularity_companions import Companion, companions
from core.services.granularity_scores import Floats, Quality, documents, quality, scores
from core.services.workspace import workspace
from core.store.runs import run_row
from core.taxonomy.labels import PlacedLabels, place_labels

#: which questions a level has: labels lifted from below, or only those written at that very level
LevelQuestions = Literal["rolled", "own"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a lens is of.

    ``companion`` is the run whose questions stand at other levels ("": none), ``levels`` which questions a level has
    ("": those of its own where the run's labels stand at several levels, else rolled up).
    """

    run_id: str
    dimension: str
    configuration: str
    quality: str
    companion: str = ""
    levels: Literal["", "rolled", "own"] = ""


@dataclass(frozen=True)
class Joined:
    """A run's questions, and after them those of its companion: where they stand, and the document of each."""

    placed: PlacedLabels
    documents: tuple[Hashable, ...]


@dataclass(frozen=True)
class GranularityLens:
    """The granularity lens of one run, tree, measure and configuration.

    ``nodes`` are the means of the tree's categories, ``table`` and ``splits`` its levels and splits; ``companion`` is
    the run that gave the splits' parents questions of their own, None where none did. ``can_choose_levels``: some
    levels have questions of their own, so that levels may be compared over these.
    """

    run: RunSummary
    choice: Choice
    dimension: trees.Dimension
    quality: Quality
    labels: Mapping[str, str]
    placed: PlacedLabels
    nodes: tuple[NodeMean, ...]
    table: LevelTable
    splits: SplitTable
    companion: Companion | None
    can_choose_levels: bool
    levels: LevelQuestions
    command: str
    provenance: Mapping[str, Any]

    @property
    def configuration(self) -> str:
        """The configuration's name."""
        return self.labels[self.choice.configuration]


def missing(run: RunSummary) -> str:
    """Return in words why a run has no granularity, "" where it has."""
    if run.version == 0:
        return f"Run '{run.id}' is {run.state} and has no scores yet."
    if not trees.dimensions(run.id):
        return (
            "The questions of this run carry no categories and no relations, so there is no tree to look at. Add a "
            "column that names each question's category and import the file again."
        )
    if not granularity_scores.qualities(run):
        return "No answer and no ranking of this run is scored, so there is nothing to compare categories by."
    return ""


def granularity(choice: Choice) -> GranularityLens:
    """Return the lens of a finished run; everything drawn depends on the choice alone, so it comes out equal again.

    Raises:
        OptionError: there is no such run, tree, measure, configuration or companion.
    """
    run = run_summary(choice.run_id)
    dimension = trees.dimension(run.id, choice.dimension)
    placed = trees.placed(run.id, dimension.name)
    values = scores(run, choice.quality, choice.configuration)
    shared = documents(run.id)
    companion = companion_of(run, dimension, choice.companion)
    joined, all_values = _joined(choice, dimension, placed, shared, values, companion)
    can_choose = joined.placed.independent
    levels: LevelQuestions = "rolled"
    if can_choose and (choice.levels == "own" or (choice.levels == "" and placed.independent)):
        levels = "own"
    seed = seed_of(choice)
    table = (
        level_table(all_values, joined.placed, joined.documents, seed_text=seed, independent=True)
        if levels == "own"
        else level_table(values, placed, shared, seed_text=seed, independent=False)
    )
    _, store = workspace()
    row = run_row(store, run.id)
    return GranularityLens(
        run=run,
        choice=choice,
        dimension=dimension,
        quality=quality(run, choice.quality),
        labels=granularity_scores.configurations(run),
        placed=placed,
        nodes=node_means(values, placed, shared),
        table=table,
        splits=split_table(all_values, joined.placed, joined.documents, seed_text=seed),
        companion=companion,
        can_choose_levels=can_choose,
        levels=levels,
        command=f".venv/bin/python -m core score {quote(run.id)} --json",
        provenance={
            "seed": seed,
            "draws": table.draws,
            "tree": {"name": dimension.name, "labels": dimension.labels, "from": dimension.origin},
            **row["provenance"],
            "started": row["started"],
            "finished": row["finished"],
            "spec": row["spec"],
        },
    )


def differences(choice: Choice, second: str) -> tuple[NodeMean, ...]:
    """Return how far the configuration of ``choice`` lies above ``second``, category by category.

    On the questions that both have scored. Raises OptionError as ``granularity`` does.
    """
    run = run_summary(choice.run_id)
    placed = trees.placed(run.id, choice.dimension)
    gaps = scores(run, choice.quality, choice.configuration) - scores(run, choice.quality, second)
    return node_means(gaps, placed, documents(run.id))


def compared_dimensions(choice: Choice) -> DimensionTable:
    """Return one row a tree, by the measure and configuration of ``choice``; all labels are rolled up.

    Raises OptionError as ``granularity`` does.
    """
    run = run_summary(choice.run_id)
    values, shared = scores(run, choice.quality, choice.configuration), documents(run.id)
    return dimension_table(
        {
            name: level_table(values, trees.placed(run.id, name), shared, seed_text=seed_of(choice), independent=False)
            for name in trees.dimensions(run.id)
        }
    )


def by_configuration(choice: Choice) -> ConfigurationLevels:
    """Return the level tables of all of a run's configurations for the tree and measure of ``choice``, rolled up.

    Configurations that have no score of this measure are left out. Raises OptionError as ``granularity`` does.
    """
    run = run_summary(choice.run_id)
    placed = trees.placed(run.id, choice.dimension)
    found = {name: scores(run, choice.quality, name) for name in granularity_scores.configurations(run)}
    return configuration_levels(
        {name: values for name, values in found.items() if np.isfinite(values).any()},
        placed,
        documents(run.id),
        seed_text=seed_of(choice),
        independent=False,
    )


def companion_of(run: RunSummary, dimension: trees.Dimension, asked: str) -> Companion | None:
    """Return the companion of that run id, None for "". Raises OptionError where that run is none."""
    if not asked:
        return None
    found = next((one for one in companions(run, dimension) if one.run.id == asked), None)
    return found or granularity_companions.no_companion(asked)


def seed_of(choice: Choice) -> str:
    """Return what everything drawn for a lens depends on."""
    return f"{choice.run_id}|granularity|{choice.quality}|{choice.configuration}"


def _joined(
    choice: Choice,
    dimension: trees.Dimension,
    placed: PlacedLabels,
    shared: tuple[Hashable, ...],
    values: Floats,
    companion: Companion | None,
) -> tuple[Joined, Floats]:
    """Return the questions of a run and its companion together, and their values."""
    if companion is None:
        return Joined(placed, shared), values
    other = companion.run
    labels = (
        *trees.labels_of(choice.run_id, dimension.labels),
        *trees.labels_of(other.id, dimension.labels),
    )
    theirs = granularity_scores.configurations(other)
    more = (
        scores(other, choice.quality, choice.configuration)
        if choice.configuration in theirs and choice.quality in granularity_scores.qualities(other)
        else np.full(len(labels) - len(values), np.nan)
    )
    return (
        Joined(place_labels(dimension.tree, labels, dimension.mapping), (*shared, *documents(other.id))),
        np.concatenate([values, more]),
    )
