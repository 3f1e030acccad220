"""Granularity: at which level of a category tree results still differ, and which splits are noise."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import OptionError
from core.figures.granularity_tree import tree_figure
from core.metrics.granularity import NodeMean
from core.services import granularity_captions as captions
from core.services import granularity_tables as tables
from core.services import trees
from core.services.catalogue import RunSummary
from core.services.granularity import Choice
from pages.shared import chrome, granularity_nodes, granularity_readers, question_readers, readers, selection
from pages.shared import granularity_controls as controls
from pages.shared import granularity_sections as sections
from pages.shared import granularity_trees as own
from pages.shared import runs as shown_runs
from pages.shared.granularity_controls import PAGE, Picked
from pages.shared.granularity_sections import Shown
from pages.shared.tables import lazy_table

chrome.require("viewer")


def main() -> None:
    """Read the selection and the lens, then draw."""
    runs = readers.runs()
    readable = sorted((run for run in runs if run.version > 0), key=lambda run: run.is_collection)
    if not readable:
        shown_runs.nothing_yet(runs)
        return
    run = selection.pick_run(readable, PAGE, runs)
    if reason := granularity_readers.missing(run):
        chrome.finding(reason)
        st.page_link("pages/start/datasets.py", label="Import questions with categories", icon=":material/database:")
        return
    qualities, configurations = granularity_readers.choices(run)
    dimensions = trees.dimensions(run.id)
    picked = controls.pick(dimensions, qualities, configurations, question_readers.best(run))
    shown = _shown(run, dimensions[picked.dimension], picked)
    lens = shown.lens
    chrome.finding(captions.headline(lens))
    chrome.small("paper", captions.paper_beside(lens))
    _tree(shown, picked)
    sections.levels(shown)
    sections.splits(shown)
    sections.compared_trees(shown)
    slow = st.container()
    sections.interaction(shown)
    own.stray_labels(run, lens.dimension, lens.placed)
    own.own_trees(run)
    st.header("What to keep in mind", anchor=False)
    chrome.findings("notes", captions.notes(lens))
    chrome.reproduce(lens.command, lens.provenance)
    # last, because it takes longest: all else is there meanwhile
    with slow:
        sections.configurations(shown)


def _shown(run: RunSummary, dimension: trees.Dimension, picked: Picked) -> Shown:
    """Return the lens of what was picked, with the run that gives parents questions of their own, if there is one."""
    found = granularity_readers.companions(run, dimension)
    companion = controls.pick_companion(found)
    other = next((one for one in found if one.run.id == companion), None)
    choice = Choice(run.id, dimension.name, picked.configuration, picked.quality, companion)
    of = granularity_readers.stamp(run, other)
    with st.skeleton(height=480):
        lens = granularity_readers.lens(choice, of)
    if lens.can_choose_levels and (levels := controls.pick_levels(lens.levels)) != lens.levels:
        with st.skeleton(height=480):
            lens = granularity_readers.lens(
                Choice(run.id, dimension.name, picked.configuration, picked.quality, companion, levels), of
            )
    return Shown(run, lens, of, chrome.theme())


def _tree(shown: Shown, picked: Picked) -> None:
    """Draw the tree and the questions of the category that was clicked."""
    run, lens, labels = shown.run, shown.lens, shown.lens.labels
    symbol = lens.quality.symbol
    gaps: tuple[NodeMean, ...] = ()
    pair: tuple[str, str] | None = None
    title = f"Where is {symbol} of {labels[picked.configuration]} high and low?"
    if picked.second:
        gaps = granularity_readers.differences(lens.choice, picked.second, shown.of)
        pair = (labels[picked.configuration], labels[picked.second])
        title = f"Where is {pair[0]} better than {pair[1]}, by {symbol}?"
    nodes = gaps or lens.nodes
    node, layout = granularity_nodes.chosen_node(), controls.layout_of(picked)
    difference = f"{pair[0]} minus {pair[1]}" if pair else ""
    sentence = captions.tree_sentence(nodes, symbol, difference=difference)
    if not any(one.n for one in nodes):
        st.header(chrome.as_label(title), anchor=False)
        chrome.problem(OptionError(f"No question of this tree is scored by {symbol}: choose another measure or tree."))
    elif picked.layout == "outline":
        st.header(chrome.as_label(title), anchor=False)
        granularity_nodes.outline(nodes, f"{symbol}, {difference}" if pair else symbol)
        st.text(sentence)
    else:
        chrome.figure(
            "tree",
            chrome.as_label(title),
            lambda narrow: question_readers.chart(
                ("granularity-tree", *shown.key, picked.second, layout, node, narrow),
                partial(
                    tree_figure, nodes, symbol, shown.theme, layout=layout, narrow=narrow, difference=pair,
                    chosen=node, lower_is_better=lens.quality.lower_is_better,
                ),
            ),
            sentence,
            on_select=granularity_nodes.choose,
        )  # fmt: skip
    granularity_nodes.question_list(run, lens.choice, picked.second, lens.dimension.tree, nodes, shown.of)
    lazy_table(
        "nodes", "Every category as a table",
        lambda: tables.nodes_table(lens, gaps, labels.get(picked.second, "")), f"{run.id}-categories.csv",
    )  # fmt: skip


main()
