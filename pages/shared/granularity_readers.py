"""What the Granularity page reads, behind caches keyed by everything the value depends on.

As it is, not as copies: all of it is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.errors import OptionError
from core.metrics.granularity import ConfigurationLevels, DimensionTable, Interaction, NodeMean
from core.services import granularity, granularity_companions, granularity_crossed, granularity_list, trees
from core.services.catalogue import RunSummary
from core.services.granularity import Choice, GranularityLens
from core.services.granularity_companions import Companion
from core.services.granularity_crossed import Crossing
from core.services.granularity_list import NodePage, NodeQuestions
from core.services.granularity_scores import Quality, configurations, qualities


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a value depends on beside the choice: the run's rows, the user's trees, and a companion's rows."""

    run: str
    trees: str
    companion: str = ""


def stamp(run: RunSummary, companion: Companion | None = None) -> Stamp:
    """Return the stamp of a run as it is now."""
    return Stamp(run.stamp, trees.tree_stamp(run.id), companion.run.stamp if companion else "")


def missing(run: RunSummary) -> str:
    """Return why a run has no granularity, "" where it has."""
    try:
        return _missing(run.id, stamp(run), run)
    except OptionError as gone:  # deleted since the list of runs was read
        return f"{str(gone)[:1].upper()}{str(gone)[1:]}"


def choices(run: RunSummary) -> tuple[dict[str, Quality], dict[str, str]]:
    """Return what a run is measured by, and its configurations, both by id."""
    return _choices(run.id, run.stamp, run)


def companions(run: RunSummary, dimension: trees.Dimension) -> tuple[Companion, ...]:
    """Return the runs that may give parents questions of their own: as they are now."""
    return granularity_companions.companions(run, dimension)


def command(run: RunSummary, dimension: trees.Dimension) -> str:
    """Return the command that would make a companion, "" for none."""
    return _command(run.id, stamp(run), dimension.name, run, dimension)


def lens(choice: Choice, of: Stamp) -> GranularityLens:
    """Return the lens of a choice."""
    return _lens(choice, of)


def differences(choice: Choice, second: str, of: Stamp) -> tuple[NodeMean, ...]:
    """Return the tree of differences from a second configuration."""
    return _differences(choice, second, of)


def compared_dimensions(choice: Choice, of: Stamp) -> DimensionTable:
    """Return the table of trees."""
    return _dimensions(choice, of)


def by_configuration(choice: Choice, of: Stamp) -> ConfigurationLevels:
    """Return the level tables of all configurations."""
    return _by_configuration(choice.run_id, choice.dimension, choice.quality, of, choice)


def crossed(choice: Choice, crossing: Crossing, of: Stamp) -> Interaction:
    """Return the interaction of two trees."""
    return _crossed(choice, crossing, of)


def questions(chosen: NodeQuestions, number: int, of: Stamp) -> NodePage:
    """Return a page of a category's questions."""
    return _questions(chosen, number, of)


@st.cache_data(max_entries=64, show_spinner=False)
def _missing(run_id: str, of: Stamp, _run: RunSummary) -> str:
    del run_id, of
    return granularity.missing(_run)


@st.cache_resource(max_entries=32, show_spinner=False)
def _choices(run_id: str, run_stamp: str, _run: RunSummary) -> tuple[dict[str, Quality], dict[str, str]]:
    del run_id, run_stamp
    return qualities(_run), configurations(_run)


@st.cache_data(max_entries=64, show_spinner=False, ttl=60)
def _command(run_id: str, of: Stamp, name: str, _run: RunSummary, _dimension: trees.Dimension) -> str:
    del run_id, of, name
    return granularity_companions.set_to_evaluate(_run, _dimension)


@st.cache_resource(max_entries=64, show_spinner=False)
def _lens(choice: Choice, of: Stamp) -> GranularityLens:
    del of
    return granularity.granularity(choice)


@st.cache_resource(max_entries=64, show_spinner=False)
def _differences(choice: Choice, second: str, of: Stamp) -> tuple[NodeMean, ...]:
    del of
    return granularity.differences(choice, second)


@st.cache_resource(max_entries=64, show_spinner=False)
def _dimensions(choice: Choice, of: Stamp) -> DimensionTable:
    del of
    return granularity.compared_dimensions(choice)


@st.cache_resource(max_entries=32, show_spinner=False)
def _by_configuration(run_id: str, dimension: str, quality: str, of: Stamp, _choice: Choice) -> ConfigurationLevels:
    del run_id, dimension, quality, of
    return granularity.by_configuration(_choice)


@st.cache_resource(max_entries=64, show_spinner=False)
def _crossed(choice: Choice, crossing: Crossing, of: Stamp) -> Interaction:
    del of
    return granularity_crossed.crossed(choice, crossing)


@st.cache_data(max_entries=64, show_spinner=False)
def _questions(chosen: NodeQuestions, number: int, of: Stamp) -> NodePage:
    del of
    return granularity_list.node_questions(chosen, number)
