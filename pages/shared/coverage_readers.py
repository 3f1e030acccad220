"""What the Coverage page reads, behind caches keyed by everything the value depends on.

As it is, not as copies: all of it is frozen, and to unpickle a lens takes longer than to draw it.
"""

from __future__ import annotations

import streamlit as st

from core.errors import OptionError
from core.metrics.coverage_observations import Importance
from core.metrics.coverage_scores import Curves
from core.services import coverage, coverage_list, coverage_question, retrieval_coverage
from core.services.catalogue import RunSummary
from core.services.question_filter import Where


def missing(run: RunSummary) -> str:
    """Return why a run has no coverage, "" where it has."""
    return coverage.missing(run)


def lens(run: RunSummary, importance: Importance, k: int, where: Where) -> coverage.CoverageLens:
    """Return the coverage lens of a run on the questions that match."""
    return _lens(run.id, run.stamp, importance, k, where)


def chart_map(
    run: RunSummary, measure: str, dimension: str, importance: Importance, where: Where
) -> coverage.CoverageMap:
    """Return one measure by configuration and kind of question."""
    return _map(run.id, run.stamp, measure, dimension, importance, where)


def curves(run: RunSummary, where: Where) -> tuple[Curves, ...]:
    """Return the measures of rankings over k."""
    return _curves(run.id, run.stamp, where)


def association(
    run: RunSummary, x: str, y: str, importance: Importance, where: Where
) -> retrieval_coverage.Association | OptionError:
    """Return how retrieval goes with coverage, or why there is nothing to compare."""
    return _association(run.id, run.stamp, x, y, importance, where)


def nuggets(run: RunSummary, chosen: coverage_list.NuggetCell, number: int) -> coverage_list.NuggetPage:
    """Return a page of a list of nuggets."""
    return _nuggets(chosen, run.stamp, number)


def matrices(
    run: RunSummary, question_id: str, configuration: str, k: int, rank: int
) -> coverage_question.NuggetMatrices | None:
    """Return a question's matrices under a configuration."""
    return _matrices(run.id, run.stamp, question_id, configuration, k, rank)


@st.cache_resource(max_entries=32, show_spinner=False)
def _lens(run_id: str, stamp: str, importance: Importance, k: int, where: Where) -> coverage.CoverageLens:
    del stamp
    return coverage.coverage(run_id, importance, k, where)


@st.cache_resource(max_entries=64, show_spinner=False)
def _map(
    run_id: str, stamp: str, measure: str, dimension: str, importance: Importance, where: Where
) -> coverage.CoverageMap:
    del stamp
    return coverage.coverage_map(run_id, measure, dimension, importance, where)


@st.cache_resource(max_entries=32, show_spinner=False)
def _curves(run_id: str, stamp: str, where: Where) -> tuple[Curves, ...]:
    del stamp
    return coverage.curves(run_id, where)


@st.cache_resource(max_entries=32, show_spinner=False)
def _association(
    run_id: str, stamp: str, x: str, y: str, importance: Importance, where: Where
) -> retrieval_coverage.Association | OptionError:
    del stamp
    try:
        return retrieval_coverage.association(run_id, x, y, importance, where)
    except OptionError as nothing:
        return nothing


@st.cache_data(max_entries=64, show_spinner=False)
def _nuggets(chosen: coverage_list.NuggetCell, stamp: str, number: int) -> coverage_list.NuggetPage:
    del stamp
    return coverage_list.nugget_list(chosen, number)


@st.cache_resource(max_entries=128, show_spinner=False)
def _matrices(
    run_id: str, stamp: str, question_id: str, configuration: str, k: int, rank: int
) -> coverage_question.NuggetMatrices | None:
    del stamp
    return coverage_question.nugget_matrices(run_id, question_id, configuration, k, rank)
