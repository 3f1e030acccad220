"""Logic: which configuration answers which kind of question best, by OPI, BERTSim or LRCR."""

from __future__ import annotations

import streamlit as st

from core.figures.confusion import confusion
from core.figures.logic import RowOrder, heatmap
from core.figures.measures import NAMES, MeasureName, ranked_by, symbol_of
from core.figures.notation import decimal
from core.figures.ranking import ranking
from core.services.captions import chances, extreme_relations, two_averages
from core.services.cautions import Finding
from core.services.findings import headline, notes
from core.services.lenses import LogicLens
from core.services.logic_tables import cell_table, ranking_table
from pages.shared import chrome, readers, selection
from pages.shared import runs as shown
from pages.shared.cards import cards
from pages.shared.tables import table

chrome.require("viewer")
PAGE = "logic"


def main() -> None:
    """Read the selection and the lens, then draw."""
    runs = readers.runs()
    readable = [run for run in runs if run.version > 0]
    if not readable:
        shown.nothing_yet(runs)
        return
    run = selection.pick_run(readable, PAGE)
    order: RowOrder = "average"
    convention = "formula"
    if run.has_lrcr:
        with st.sidebar:
            order = selection.pick_order(PAGE)
            convention = selection.pick_convention(PAGE)
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
        lens = readers.logic(run, beta, convention)
    scores = lens.scores
    if not any(c.lrcr.value is not None for c in scores.configurations):
        measure = "bertsim"
    with answer:
        chrome.finding(headline(lens, measure).text)
        warn(lens)
    theme = chrome.theme()
    if scores.relations:
        chrome.figure(
            "heatmap",
            f"Which configuration answers which relation best, by {NAMES[measure]}?",
            lambda narrow: heatmap(scores, measure, theme, order=order, narrow=narrow),
            extreme_relations(scores, measure),
        )
    table("cells", "Every cell as a table", cell_table(scores), f"{run.id}-relations.csv")
    if scores.ranking.rows:
        leading = symbol_of(scores, ranked_by(scores))
        chrome.figure(
            "ranking",
            f"Who leads over all {'relations' if scores.relations else 'questions'} by {leading}, on how much text?",
            lambda narrow: ranking(scores, theme, narrow=narrow),
            f"{chances(scores)} {two_averages(scores)}".strip(),
        )
        cards("ranking", "What are the two averages?", "opi", "opi_mean_of_relations", "words_per_question")
    table("ranking", "The ranking as a table", ranking_table(scores), f"{run.id}-ranking.csv")
    st.subheader("What to keep in mind", anchor=False)
    chrome.findings("notes", notes(lens))
    classifier(lens)
    chrome.reproduce(lens.command, lens.provenance)


def warn(lens: LogicLens) -> None:
    """Show what is missing and what the run itself warns of."""
    texts = [text for text in (lens.missing, *lens.warnings) if text]
    chrome.findings("warnings", [Finding(text, "caution") for text in texts])


def classifier(lens: LogicLens) -> None:
    """Show how well the relation of a gold answer is recognised: the ceiling of any LRCR."""
    found = lens.classifier
    if not found or not found.get("confusion"):
        return
    matrix, theme = found["confusion"], chrome.theme()
    chrome.figure(
        "confusion",
        "How well does the classifier know the relation of a gold answer?",
        lambda narrow: confusion(matrix["labels"], matrix["matrix"], theme, narrow=narrow),
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
