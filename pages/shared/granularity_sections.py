"""The sections of the Granularity page below its tree: levels, splits, trees, configurations, interaction."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.errors import OptionError
from core.figures.granularity_interaction import interaction_figure
from core.figures.granularity_levels import levels_figure
from core.figures.theme import Theme
from core.services import granularity_captions as captions
from core.services import granularity_tables as tables
from core.services.catalogue import RunSummary
from core.services.granularity import GranularityLens
from core.services.granularity_crossed import crossable, default_crossing
from core.services.trees import dimensions
from pages.shared import chrome, granularity_readers, question_readers
from pages.shared import granularity_controls as controls
from pages.shared.cards import cards
from pages.shared.granularity_readers import Stamp
from pages.shared.tables import lazy_table


@dataclass(frozen=True)
class Shown:
    """What every section is about."""

    run: RunSummary
    lens: GranularityLens
    of: Stamp
    theme: Theme

    @property
    def key(self) -> tuple[object, ...]:
        """What charts of this lens are cached by."""
        return (self.lens.choice, self.of, self.theme)


def levels(shown: Shown) -> None:
    """Draw how far the categories of each level lie apart, and which level to report at."""
    lens = shown.lens
    title = "At which level do categories still separate results?"
    if any(row.power is not None for row in lens.table.rows):
        chrome.figure(
            "levels",
            title,
            lambda narrow: question_readers.chart(
                ("granularity-levels", *shown.key, narrow),
                lambda: levels_figure(lens.table, shown.theme, narrow=narrow),
            ),
            lens.table.recommended.sentence,
        )
    else:
        st.header(title, anchor=False)
        st.text(lens.table.recommended.sentence)
    cards("levels", "What are these?", "corrected_power", "discriminative_power", "information_content", "ami")
    _frame("levels", tables.levels_shown(lens), "The levels with power, noise floor, information and verdict")
    lazy_table("levels", "Every number of the levels", lambda: tables.levels_table(lens), _file(shown, "levels"))


def splits(shown: Shown) -> None:
    """Draw how the children of each category differ and whether they average to it."""
    lens = shown.lens
    if not lens.splits.rows:
        return
    st.header("Do the children of a category belong together?", anchor=False)
    st.text(lens.splits.sentence)
    command = "" if lens.companion else granularity_readers.command(shown.run, lens.dimension)
    if told := captions.splits_from(lens, command):
        st.text(told)
    if command and not any(row.independent_parent for row in lens.splits.rows):
        st.code(command, language=None, wrap_lines=True)
    if average := captions.average_sentence(lens):
        st.text(average)
    cards("splits", "What are these?", "coherence_ratio")
    _frame("splits", tables.splits_shown(lens), "Every split with sigma, delta, the coherence ratio, and its questions")
    lazy_table("splits", "Every number of the splits", lambda: tables.splits_table(lens), _file(shown, "splits"))


def compared_trees(shown: Shown) -> None:
    """Draw which tree separates results most."""
    with st.spinner("Comparing trees"):
        found = granularity_readers.compared_dimensions(shown.lens.choice, shown.of)
    if len(found.rows) < 2:
        return
    st.header("Which tree separates results most?", anchor=False)
    st.text(found.sentence)
    titles = {name: one.title for name, one in dimensions(shown.run.id).items()}
    _frame("trees", tables.dimensions_shown(found, titles), "The trees by corrected power")
    lazy_table("trees", "Every number of the trees", lambda: tables.dimensions_table(found), _file(shown, "trees"))


def configurations(shown: Shown) -> None:
    """Draw whether the best level depends on the configuration."""
    if len(shown.lens.labels) < 2:
        return
    with st.spinner("Measuring the levels for every configuration"):
        found = granularity_readers.by_configuration(shown.lens.choice, shown.of)
    st.header("Does the best level depend on the configuration?", anchor=False)
    st.text(found.sentence)
    chrome.small(
        "shared-questions",
        f"On the {found.n_shared:,} of {found.n_labelled:,} questions that every configuration has scored, rolled up.",
    )
    _frame("tests", tables.tests_shown(found), "Whether categories differ alike for all configurations, by level")
    lazy_table(
        "by-configuration", "Every configuration, level by level",
        lambda: tables.configurations_shown(found, shown.lens.labels), _file(shown, "levels-by-configuration"),
    )  # fmt: skip


def interaction(shown: Shown) -> None:
    """Draw what two trees do together."""
    run, lens = shown.run, shown.lens
    fallback = default_crossing(run.id)
    if fallback is None:
        return
    names = {name: one.title for name, one in dimensions(run.id).items()}
    title = st.container()
    crossing = controls.pick_crossing(crossable(run.id), names, fallback)
    question = f"Does {names[crossing.first]} act the same whatever the {names[crossing.second]}?"
    try:
        with st.spinner("Crossing two trees"):
            found = granularity_readers.crossed(lens.choice, crossing, shown.of)
    except OptionError as problem:
        with title:
            st.header(chrome.as_label(question), anchor=False)
        chrome.problem(problem)
        return
    with title:
        if any(cell.mean.value is not None for cell in found.cells):
            chrome.figure(
                "interaction",
                chrome.as_label(question),
                lambda narrow: question_readers.chart(
                    ("granularity-interaction", *shown.key, crossing, narrow),
                    lambda: interaction_figure(found, lens.quality.symbol, shown.theme, narrow=narrow),
                ),
                found.sentence,
            )
        else:
            st.header(chrome.as_label(question), anchor=False)
            st.text(found.sentence)
    pair = (crossing.first, crossing.second)
    _frame("effects", tables.effects_shown(found, pair), "The two effects and the interaction contrast")
    _frame("cells", tables.cells_shown(found, pair), "The four cells with their means and questions")
    grouped = f"{found.n:,} questions of {found.n_documents:,} documents; errors by document, t and wild bootstrap"
    chrome.small("interaction-n", f"{grouped}. {found.n_not_scored:,} not scored.")


def _frame(key: str, frame: pd.DataFrame, alt: str) -> None:
    """Show a short table, open; a column in which nothing stands is left out."""
    told = [name for name in frame.columns if any(value not in ("", "–") for value in frame[name].tolist())]
    st.dataframe(frame[told], hide_index=True, key=f"granularity-{key}-shown", alt=alt)


def _file(shown: Shown, what: str) -> str:
    return f"{shown.run.id}-{what}.csv"
