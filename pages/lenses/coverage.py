"""Coverage: which of the needed facts were retrieved, said, and said with proof, and where the others were lost."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import OptionError
from core.figures.coverage_heatmap import coverage_heatmap
from core.figures.coverage_measures import labels_of, rows_of, symbol
from core.figures.coverage_points import points
from core.figures.curves import curves
from core.figures.losses import losses
from core.figures.scatter import scatter
from core.metrics.coverage_observations import ANSWER, Importance
from core.services import coverage, coverage_captions, coverage_tables, retrieval_coverage
from core.services.catalogue import RunSummary
from core.services.coverage import CoverageLens
from core.services.question_filter import Where, filtered_sentence, matching
from pages.shared import chrome, coverage_list, coverage_readers, filters, question_readers, readers, selection
from pages.shared import coverage_controls as controls
from pages.shared import runs as shown
from pages.shared.cards import cards
from pages.shared.tables import lazy_table

chrome.require("viewer")
PAGE = controls.PAGE


def main() -> None:
    """Read the selection and the lens, then draw."""
    runs = readers.runs()
    readable = [run for run in runs if run.version > 0]
    if not readable:
        shown.nothing_yet(runs)
        return
    run = selection.pick_run(readable, PAGE, runs)
    if reason := coverage_readers.missing(run):
        _without(run, reason)
        return
    where = filters.pick_filters(question_readers.labels(run), PAGE)
    if where and not matching(run.id, where):
        chrome.finding(filtered_sentence(run.id, where))
        st.button("Show all questions", on_click=filters.clear, args=(PAGE,), key="clear-filters")
        return
    answer, chosen = st.container(), st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with chosen:
        importance, k = controls.pick_importance(), controls.pick_k()
        cards("stages", "What are these?", "nugget_retrieval", "info_recall", "cited_coverage", "grounded_coverage")
    with st.skeleton(height=480):
        lens = coverage_readers.lens(run, importance, k, where)
    with answer:
        chrome.finding(coverage_captions.headline(lens.scores, verdicts=not where).text)
        # where there are rankings alone nothing was matched
        answered = any(row.macro["said"].value is not None for row in lens.scores.configurations)
        told = f"{f'{lens.matcher}; ' if answered else ''}StRecall divides by {lens.denominator} nuggets."
        chrome.small("matcher", f"{told[0].upper()}{told[1:]}")
        if where:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(lens.filtered)
                st.button("Show all questions", on_click=filters.clear, args=(PAGE,), key="clear-filters")
    if not any(m.value is not None for row in lens.scores.configurations for m in row.macro.values()):
        st.text("None of the chosen questions has a vital nugget." if importance == "vital" else "Nothing is scored.")
        return
    Page(run, lens, importance, k, where).draw()


def _without(run: RunSummary, reason: str) -> None:
    """Say why there is no coverage and what to do."""
    chrome.finding(reason)
    if reason.startswith("This run was evaluated before"):
        st.code(coverage.command(run.id), language=None, wrap_lines=True)
    else:
        st.page_link("pages/start/datasets.py", label="Import questions with nuggets", icon=":material/database:")


class Page:
    """The page below its finding, for one run and choice."""

    def __init__(self, run: RunSummary, lens: CoverageLens, importance: Importance, k: int, where: Where) -> None:
        self._run, self._lens, self._importance, self._k, self._where = run, lens, importance, k, where
        self._scores = lens.scores
        self._theme = chrome.theme()
        self._labels = labels_of(rows_of(lens.scores))
        self._key = (run.id, run.stamp, importance, where, self._theme)
        self._part = "-filtered" if where else ""
        self._dimension = ""
        self._groups: tuple[str, ...] = ()
        self._place = coverage_list.place_of_list()
        self._answered = any(row.losses.n for row in lens.scores.configurations)
        rows = lens.scores.configurations
        self._stages = tuple(one for one in ANSWER if any(row.macro[one].value is not None for row in rows))

    def draw(self) -> None:
        """Draw figures from what was lost to what explains it, then tables and notes."""
        dimensions = coverage.dimensions(self._run.id)
        # the list under the bars offers the map's kinds of question, so those are read first
        bars, panels, chart = st.container(), st.container(), st.container()
        with chart:
            if dimensions:
                self._map(dimensions)
        with bars:
            self._bars()
        with panels:
            self._points()
        self._curves()
        self._scatter()
        st.header("What to keep in mind", anchor=False)
        chrome.findings(
            "notes",
            coverage_captions.notes(
                self._scores, self._lens.matcher, by_construction=self._lens.by_construction,
                importance=self._importance, k=self._k,
            ),
        )  # fmt: skip
        chrome.reproduce(self._lens.command, self._lens.provenance)

    def _bars(self) -> None:
        if not self._answered:
            st.text(
                "Nobody has judged what holds these nuggets, so it cannot be told which are retrieved or grounded."
                if self._stages
                else "No answer is scored here: what follows is about rankings."
            )
            return
        segment = coverage_list.chosen_segment()
        chrome.figure(
            "losses",
            "Where are needed facts lost?",
            lambda narrow: question_readers.chart(
                ("losses", *self._key, narrow, segment),
                lambda: losses(self._scores, self._theme, narrow=narrow, chosen=segment),
            ),
            coverage_captions.where_lost(self._scores),
            on_select=partial(coverage_list.choose, "bars"),
        )
        self._list("bars")

    def _points(self) -> None:
        answers = self._stages
        measures = (*answers, f"alpha_ndcg@{self._k}", f"strec@{self._k}")
        chrome.figure(
            "points",
            "How much is covered, and how early is it retrieved?" if answers else "How early are nuggets retrieved?",
            lambda narrow: question_readers.chart(
                ("points", *self._key, narrow, self._k),
                lambda: points(self._scores, measures, self._theme, narrow=narrow),
            ),
            on_select=partial(coverage_list.choose, "points"),
        )
        cards("points", "What are these?", "grounded_coverage", "info_recall", "alpha_ndcg", "subtopic_recall")
        self._list("points")
        if not self._answered:
            self._list("bars")
        lazy_table(
            "configurations", "Every configuration as a table",
            lambda: coverage_tables.configurations_table(self._scores, self._lens.matcher, self._lens.denominator),
            f"{self._run.id}-coverage{self._part}.csv",
        )  # fmt: skip

    def _map(self, dimensions: tuple[str, ...]) -> None:
        title = st.container()
        left, right = st.columns(2, gap="medium")
        with left:
            measure = controls.pick_measure(self._k, self._stages[0] if self._stages else "alpha_ndcg")
        with right:
            self._dimension = controls.pick_dimension(dimensions)
        found = coverage_readers.chart_map(self._run, measure, self._dimension, self._importance, self._where)
        self._groups, cell = found.columns, coverage_list.chosen_cell()
        kind = (
            "logical relations"
            if self._dimension == coverage.RELATION
            else f"categories of {chrome.as_label(self._dimension)}"
        )
        with title:
            chrome.figure(
                "map",
                f"Which {kind} are covered best, by {symbol(measure)}?",
                lambda narrow: question_readers.chart(
                    ("map", *self._key, narrow, measure, self._dimension, cell),
                    lambda: coverage_heatmap(
                        self._scores, found.groups, found.columns, measure, self._theme, narrow=narrow, chosen=cell
                    ),
                ),
                coverage_captions.extreme_columns(coverage_captions.column_means(self._scores, found.groups), measure),
                on_select=partial(coverage_list.choose, "map"),
            )
        self._list("map")
        lazy_table(
            "map", "Every cell as a table",
            lambda: coverage_tables.map_table(self._scores, found, self._lens.matcher, self._lens.denominator),
            f"{self._run.id}-coverage-map{self._part}.csv",
        )  # fmt: skip

    def _curves(self) -> None:
        panels = coverage_readers.curves(self._run, self._where)
        if not any(panel.of for panel in panels):
            self._list("curves")
            return
        leader = self._scores.ranking.rows[0].id if self._scores.ranking.rows else ""
        front = coverage_list.shown_configuration(leader)
        names = labels_of(self._scores.configurations)
        chrome.figure(
            "curves",
            "How many passages does it take?",
            lambda narrow: question_readers.chart(
                ("curves", *self._key, narrow, self._k, front),
                lambda: curves(
                    panels, names, self._theme, shown=front, k=self._k, handed_on=self._lens.k, narrow=narrow
                ),
            ),
            coverage_captions.growth(panels, names, self._k),
            on_select=partial(coverage_list.choose, "curves"),
        )
        self._list("curves")
        lazy_table(
            "curves", "The curves as a table",
            lambda: coverage_tables.curves_table(panels, self._scores, self._lens.denominator),
            f"{self._run.id}-curves{self._part}.csv",
        )  # fmt: skip

    def _scatter(self) -> None:
        title = st.container()
        x, y = controls.pick_axes(self._k)
        found = coverage_readers.association(self._run, x, y, self._importance, self._where)
        if isinstance(found, OptionError):
            with title:
                st.header("Does retrieval predict coverage?", anchor=False)
                st.text(f"{str(found)[:1].upper()}{str(found)[1:]}")
            self._list("scatter")
            return
        with title:
            told = retrieval_coverage.conclusions(found)
            chrome.figure(
                "scatter",
                "Does retrieval predict coverage?",
                lambda narrow: question_readers.chart(
                    ("scatter", *self._key, narrow, x, y),
                    lambda: scatter(
                        found.cloud, found.means, found.labels, (x, y), self._theme, narrow=narrow,
                        sentence=told[0].text,
                    ),
                ),
                on_select=partial(coverage_list.choose, "scatter"),
            )  # fmt: skip
            chrome.findings("scatter", told)
        cards("scatter", "What are these?", "pearson", "spearman", "kendall", "partial")
        st.dataframe(
            retrieval_coverage.correlations_shown(found), hide_index=True, key="correlations-shown",
            alt="Correlations of retrieval with coverage in five views, each with its interval and n",
        )  # fmt: skip
        self._list("scatter")
        lazy_table(
            "correlations", "Every correlation as a table",
            lambda: retrieval_coverage.correlations_table(found, self._lens.matcher, self._lens.denominator),
            f"{self._run.id}-correlations{self._part}.csv",
        )  # fmt: skip

    def _list(self, place: str) -> None:
        """Draw the list of nuggets where it belongs."""
        if place == self._place or (place == "bars" and self._place == "map" and not self._groups):
            coverage_list.nugget_list(
                self._run, self._labels, self._dimension, self._groups, self._importance, self._where
            )


main()
