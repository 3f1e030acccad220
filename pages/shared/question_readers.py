"""What the drill-down reads, behind caches keyed by everything the value depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.figures.chart import Chart
from core.services import drilldown, lenses, passages, question_filter, questions
from core.services.catalogue import RunSummary
from core.services.question_filter import Where
from pages.shared import readers


def logic(run: RunSummary, beta: float, convention: str, where: Where) -> lenses.LogicLens:
    """Return the logic lens of a run on the questions that match."""
    return _logic(run.id, run.stamp, beta, convention, where) if where else readers.logic(run, beta, convention)


def labels(run: RunSummary) -> question_filter.RunQuestions:
    """Return which relations, splits and categories a run's questions have; the service remembers them."""
    return question_filter.run_questions(run.id)


def cell(run: RunSummary, chosen: drilldown.Cell, number: int) -> drilldown.CellPage:
    """Return a page of a cell's questions."""
    return _cell(chosen, run.stamp, number)


def neighbours(run: RunSummary, chosen: drilldown.Cell, question_id: str) -> drilldown.Neighbours | None:
    """Return a question's place in a cell."""
    return _neighbours(chosen, run.stamp, question_id)


def question(run: RunSummary, question_id: str) -> questions.QuestionView:
    """Return a question with what every configuration made of it."""
    return _question(run.id, run.stamp, run.state, question_id)


def retrieved(run: RunSummary, question_id: str, configuration: str) -> passages.Retrieved:
    """Return what a configuration retrieved for a question."""
    return _retrieved(run.id, run.stamp, question_id, configuration)


def best(run: RunSummary) -> str | None:
    """Return the configuration that leads the ranking at beta 1, None where nothing is ranked yet."""
    rows = readers.logic(run, 1.0, "formula").scores.ranking.rows if run.version else ()
    return rows[0].id if rows else None


@st.cache_resource(max_entries=128, show_spinner=False)
def chart(key: tuple[Any, ...], _draw: Callable[[], Chart]) -> Chart:
    """Return a chart, drawn once for each ``key``, which names everything it depends on.

    As it is, not as a copy: nobody changes a chart, and to unpickle one takes longer than to draw it.
    """
    del key
    return _draw()


# as it is, not as a copy: it is frozen, and to unpickle one takes a tenth of a rerun
@st.cache_resource(max_entries=64, show_spinner=False)
def _logic(run_id: str, stamp: str, beta: float, convention: str, where: Where) -> lenses.LogicLens:
    del stamp
    return lenses.logic(run_id, beta, convention, where)


@st.cache_data(max_entries=64, show_spinner=False)
def _cell(chosen: drilldown.Cell, stamp: str, number: int) -> drilldown.CellPage:
    del stamp
    return drilldown.cell(chosen, number)


@st.cache_data(max_entries=256, show_spinner=False)
def _neighbours(chosen: drilldown.Cell, stamp: str, question_id: str) -> drilldown.Neighbours | None:
    del stamp
    return drilldown.neighbours(chosen, question_id)


@st.cache_data(max_entries=64, show_spinner=False)
def _question(run_id: str, stamp: str, state: str, question_id: str) -> questions.QuestionView:
    del stamp, state
    return questions.question(run_id, question_id)


@st.cache_data(max_entries=256, show_spinner=False)
def _retrieved(run_id: str, stamp: str, question_id: str, configuration: str) -> passages.Retrieved:
    del stamp
    return passages.retrieved(run_id, question_id, configuration)
