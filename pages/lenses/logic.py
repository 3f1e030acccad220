"""Logic: which configuration answers which kind of question best, by OPI, BERTSim or LRCR."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.confusion import confusion
from core.figures.logic import RowOrder, heatmap, rows_of
from core.figures.measures import NAMES, MeasureName, ranked_by, symbol_of
from core.figures.notation import decimal
from core.figures.ranking import ranking
from core.services.captions import chances, extreme_relations, two_averages
from core.services.cautions import Finding
from core.services.costs import SHARED, cost_sentence, cost_table
from core.services.effects import effects
from core.services.findings import headline, notes
from core.services.lenses import LogicLens
from core.services.logic_tables import cell_table, ranking_table
from core.services.question_filter import filtered_sentence, matching
from pages.shared import chrome, filters, question_readers, readers, selection
from pages.shared import runs as shown
from pages.shared.cards import cards
from pages.shared.question_list import choose, chosen_cell, question_list
from pages.shared.tables import table

chrome.require("viewer")
PAGE = "logic"


def main() -> None:
    """Read the selection and the lens, then draw."""
    runs = readers.runs()
    # a collection has hardly anything to show here: its runs are never what one sees first
    readable = sorted((run for run in runs if run.version > 0), key=lambda run: run.is_collection)
    if not readable:
        shown.nothing_yet(runs)
        return
    run = selection.pick_run(readable, PAGE, runs)
    order: RowOrder = "average"
    convention = "formula"
    if run.has_lrcr:
        with st.sidebar:
            order = selection.pick_order(PAGE)
            convention = selection.pick_convention(PAGE)
    questions = question_readers.labels(run)
    where = filters.pick_filters(questions, PAGE)
    sentence = filtered_sentence(run.id, where)
    if where and not matching(run.id, where):
        chrome.finding(sentence)
        st.button("Show all questions", on_click=filters.clear, args=(PAGE,), key="clear-filters")
        return
    answer, controls = st.container(), st.container()
    measure: MeasureName = "bertsim"
    beta = 1.0
    if run.has_lrcr:
        left, right = controls.columns([2, 3], gap="medium", vertical_alignment="bottom")
        with left, st.container(horizontal=True, vertical_alignment="bottom"):
            measure = selection.pick_measure(PAGE)
            cards("measure", "What are these?", "opi", "bertsim", "lrcr")
        with right:
            beta = selection.pick_beta(PAGE, convention)
    with st.skeleton(height=480):
        lens = question_readers.logic(run, beta, convention, where)
    scores = lens.scores
    if not any(c.lrcr.value is not None for c in scores.configurations):
        measure = "bertsim"
    with answer:
        chrome.finding((effects(scores, measure) if where else headline(lens, measure)).text)
        if where:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(sentence)
                st.button("Show all questions", on_click=filters.clear, args=(PAGE,), key="clear-filters")
        warn(lens)
    theme, cell = chrome.theme(), chosen_cell(PAGE)
    shown_of = (run.id, run.stamp, beta, convention, where, theme)
    part = "-filtered" if where else ""
    chrome.figure(
        "heatmap",
        f"Which configuration answers {'which relation best' if scores.relations else 'best'}, by {NAMES[measure]}?",
        lambda narrow: question_readers.chart(
            ("heatmap", *shown_of, measure, order, narrow, cell),
            lambda: heatmap(scores, measure, theme, order=order, narrow=narrow, chosen=cell),
        ),
        extreme_relations(scores, measure),
        on_select=partial(choose, PAGE),
    )
    names = {c.id: c.label for c in rows_of(scores, measure, "fixed")}
    question_list(run, PAGE, names, scores.relations, where)
    table("cells", "Every cell as a table", cell_table(scores), f"{run.id}-relations{part}.csv")
    if scores.ranking.rows:
        leading = symbol_of(scores, ranked_by(scores))
        chrome.figure(
            "ranking",
            f"Who leads over all {'relations' if scores.relations else 'questions'} by {leading}, on how much text?",
            lambda narrow: question_readers.chart(
                ("ranking", *shown_of, narrow), lambda: ranking(scores, theme, narrow=narrow)
            ),
            f"{'' if where else chances(scores)} {two_averages(scores)}".strip(),
        )
        cards("ranking", "What are the two averages?", "opi", "opi_mean_of_relations", "words_per_question")
    table("ranking", "The ranking as a table", ranking_table(scores), f"{run.id}-ranking{part}.csv")
    st.header("What to keep in mind", anchor=False)
    chrome.findings("notes", notes(lens, verdicts=not where))
    classifier(lens, "Over all questions of the run, whatever the filters." if where else "")
    cost(lens)
    chrome.reproduce(lens.command, lens.provenance)


def cost(lens: LogicLens) -> None:
    """Show what the calls to a language model took, where the run made any."""
    if sentence := cost_sentence(lens):
        st.header("Cost", anchor=False)
        st.text(f"{sentence} {SHARED}")
        table("cost", "What each configuration asked", cost_table(lens), f"{lens.run.id}-cost.csv")


def warn(lens: LogicLens) -> None:
    """Show what is missing and what the run itself warns of."""
    texts = [text for text in (lens.missing, *lens.warnings) if text]
    chrome.findings("warnings", [Finding(text, "caution") for text in texts])


def classifier(lens: LogicLens, sentence: str) -> None:
    """Show how well the relation of a gold answer is recognised: the ceiling of any LRCR."""
    found = lens.classifier
    if not found or not found.get("confusion"):
        return
    matrix, theme = found["confusion"], chrome.theme()
    chrome.figure(
        "confusion",
        "How well does the classifier know the relation of a gold answer?",
        lambda narrow: question_readers.chart(
            ("confusion", lens.run.id, lens.run.stamp, theme, narrow),
            lambda: confusion(matrix["labels"], matrix["matrix"], theme, narrow=narrow),
        ),
        sentence,
    )
    names = (
        ("Accuracy", "accuracy"),
        ("Macro-F1", "macro_f1"),
        ("Question alone", "question_only"),
        ("Commonest relation", "majority"),
    )
    with st.container(horizontal=True, gap="large"):
        for name, key in names:
            if found.get(key) is not None:
                st.metric(name, decimal(found[key]), width="content")


main()
