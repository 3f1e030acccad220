"""Question: what every configuration found and said, side by side, against the reference and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.errors import OptionError
from core.figures.notation import count
from core.schema import Question
from core.services import catalogue
from core.services.catalogue import RunSummary
from core.services.drilldown import Cell
from core.services.question_findings import comparison_sentence, nuggets_table, outcome_sentence, outcomes_table
from core.services.questions import Outcome, QuestionView, marked_document
from pages.shared import chrome, coverage_matrix, coverage_readers, question_readers
from pages.shared import question_markup as markup
from pages.shared import runs as shown
from pages.shared.question_columns import column
from pages.shared.question_list import QUESTION, back_to_list, cell_of, lens_of, question_address
from pages.shared.question_tables import choosable, open_table
from pages.shared.selection import adopt_many, publish_many

chrome.require("viewer")
PAGE = "question"
LOGIC = "pages/lenses/logic.py"
COVERAGE = "pages/lenses/coverage.py"
GRANULARITY = "pages/lenses/granularity.py"
_MOST = 4
_COMPARE = f"{PAGE}_compare"


def main() -> None:
    """Read which question of which run, then draw what there is."""
    run_id, question_id = st.query_params.get("question_run"), st.query_params.get("question_id")
    if not run_id or not question_id:
        _instead("No question is chosen: click a cell of the map on the Logic page and open one of its questions.")
        return
    _keep_address(run_id, question_id)
    try:
        run = catalogue.run(run_id)
    except OptionError:
        _instead(f"No run is called '{run_id[:80]}' here.")
        return
    listed = st.query_params.get("question_list", "")
    cell = cell_of(run.id, listed, "logic")
    try:
        view = question_readers.question(run, question_id)
    except OptionError as problem:
        _instead(f"{str(problem)[:1].upper()}{str(problem)[1:]}", back_to_list(run.id, listed))
        return
    outcomes = {outcome.id: outcome for outcome in view.outcomes}
    fallback = _fallback(run, outcomes, cell)
    _walk(run, view, cell, listed, fallback)
    markup.draw(markup.heading(view.question.question, 2))
    if outcomes:
        first = outcomes[fallback[0]]
        relation = view.question.relation
        chrome.finding(f"{outcome_sentence(first, relation)} {comparison_sentence(view.outcomes)}".strip())
    else:
        chrome.finding(_not_yet(run))
    _about(run, view)
    if outcomes:
        _side_by_side(run, view, outcomes, fallback)
    _documents(view)


def _keep_address(run_id: str, question_id: str) -> None:
    """Write the question into the address bar: a link to the page one is on leaves it as it was."""
    asked = (run_id, question_id)
    if st.session_state.get(f"{PAGE}_shown", asked) != asked:
        st.query_params["question_id"] = question_id
    st.session_state[f"{PAGE}_shown"] = asked


def _instead(sentence: str, back: Sequence[tuple[str, str]] = ()) -> None:
    chrome.problem(OptionError(sentence))
    st.page_link(LOGIC, label="To the Logic page", icon=":material/arrow_back:", query_params=list(back) or None)


def _not_yet(run: RunSummary) -> str:
    if run.state in ("running", "queued"):
        return "This run is still going: its answers are stored when all of them are scored."
    return f"This run is {run.state} and has stored no answers."


def _fallback(run: RunSummary, outcomes: Mapping[str, Outcome], cell: Cell | None) -> list[str]:
    """Return what is compared at first: the clicked configuration, the best of the ranking, the gold evidence."""
    best = question_readers.best(run) if outcomes else None
    wanted = [cell.configuration if cell else None, best, *(o.id for o in outcomes.values() if o.is_reference)]
    found = [name for name in dict.fromkeys(wanted) if name in outcomes]
    return found or list(outcomes)[:2]


def _walk(run: RunSummary, view: QuestionView, cell: Cell | None, listed: str, fallback: Sequence[str]) -> None:
    """Offer the way back to the list and the questions before and after this one in it."""
    place = before = after = None
    problem = ""
    if cell is not None:
        try:
            place = question_readers.neighbours(run, cell, view.question.id)
        except OptionError as error:
            problem = f"The list in this link cannot be shown: {error}"
    if place is not None:
        before, after = place.before, place.after
    compared = [name for name in st.query_params.get_all(_COMPARE) if name in view.labels]
    more = {} if compared == list(fallback) else {_COMPARE: compared}
    page, label = _way_back(cell, listed)
    with st.container(horizontal=True, vertical_alignment="center", key="question-walk"):
        st.page_link(
            page, label=label, icon=":material/arrow_back:", query_params=back_to_list(run.id, listed),
        )  # fmt: skip
        if place is not None and cell is not None:
            for label, icon, other in (
                ("Previous question", "navigate_before", before),
                ("Next question", "navigate_next", after),
            ):
                link = question_address(run.id, other or view.question.id, listed, **more)
                st.page_link(
                    QUESTION, label=label, icon=f":material/{icon}:", query_params=link, disabled=other is None
                )
            name = view.labels.get(cell.configuration, cell.configuration)
            st.text(f"{place.place:,} of {place.total:,} · {name} · {cell.relation or 'all relations'}")
    if problem:
        chrome.problem(OptionError(problem))


def _way_back(cell: Cell | None, listed: str) -> tuple[str, str]:
    """Return the page one came from and what the link to it is called."""
    if lens_of(listed) == "coverage":
        return COVERAGE, "Back to the nuggets"
    if lens_of(listed) == "granularity":
        return GRANULARITY, "Back to the category"
    return LOGIC, "Back to the list" if cell else "To the Logic page"


def _about(run: RunSummary, view: QuestionView) -> None:
    """Show the reference answer and what the question is labelled with."""
    asked = view.question
    st.header("Reference answer", anchor=False)
    st.text(asked.answer)
    parts = [f"Relation {asked.relation}" if asked.relation else "No relation label"]
    parts += [f"split {asked.split}"] if asked.split else []
    parts += _categories(run, asked)
    titles = ", ".join(document.title or document.id for document in view.documents)
    chrome.small("question-labels", " · ".join(parts))
    chrome.small("question-source", f"Source: {titles} · question {asked.id} · {shown.name(run)}")


def _categories(run: RunSummary, asked: Question) -> list[str]:
    trees = question_readers.labels(run).trees
    return [
        f"{dimension} {' › '.join((*reversed(trees[dimension].ancestors(node)), node))}"
        for dimension, node in asked.categories.items()
        if dimension in trees
    ]


def _side_by_side(
    run: RunSummary, view: QuestionView, outcomes: Mapping[str, Outcome], fallback: Sequence[str]
) -> None:
    st.header("Side by side", anchor=False)
    picked = st.multiselect(
        f"Configurations to compare, up to {_MOST}", list(outcomes), max_selections=_MOST,
        format_func=lambda name: outcomes[name].label if name in outcomes else "",
        key=adopt_many(_COMPARE, outcomes, fallback, _MOST),
    )  # fmt: skip
    compared = [name for name in picked if name in outcomes][:_MOST]
    publish_many(_COMPARE, compared, absent=fallback)
    asked = view.question
    found = {name: question_readers.retrieved(run, asked.id, name) for name in compared}
    if compared:
        if any(piece.marked for one in found.values() for passage in one.passages for piece in passage.pieces):
            chrome.small("question-key", "Underlined: what the dataset marks as evidence. [1] leads to passage 1.")
        for number, (place, name) in enumerate(zip(st.columns(len(compared)), compared, strict=True)):
            with place:
                column(number, outcomes[name], found[name], asked.relation)
    if asked.nuggets:
        st.header(f"The {count(len(asked.nuggets), 'nugget')} of a full answer", anchor=False)
        nuggets = nuggets_table([(outcomes[name], found[name].nuggets) for name in compared])
        if not compared:
            st.text("Choose a configuration to see which nuggets its passages hold.")
        open_table("nuggets", nuggets, f"{run.id}-{asked.id}-nuggets.csv", "Nuggets and whether passages hold them")
        _matrices(run, asked, outcomes, compared)
    st.header("All configurations", anchor=False)
    table = outcomes_table(view.outcomes, asked.relation)
    choosable(
        "outcomes", table, list(outcomes), compared, _COMPARE, _MOST, f"{run.id}-{asked.id}.csv",
        "Every configuration's scores and answer",
    )  # fmt: skip


def _matrices(run: RunSummary, asked: Question, outcomes: Mapping[str, Outcome], compared: Sequence[str]) -> None:
    """Show which passage holds which nugget, and which sentence says it, for one of the compared configurations."""
    if not compared or coverage_readers.missing(run):
        return
    picked = compared[0]
    if len(compared) > 1:
        picked = st.segmented_control(
            "Nuggets of", list(compared), format_func=lambda name: outcomes[name].label if name in outcomes else "",
            default=compared[0], required=True, key=f"{PAGE}-nuggets-of-{'-'.join(compared)}",
        )  # fmt: skip
    coverage_matrix.draw(run, asked.id, picked if picked in compared else compared[0], PAGE)


def _documents(view: QuestionView) -> None:
    for place, document in enumerate(view.documents, start=1):
        of = f" {place} of {len(view.documents)}" if len(view.documents) > 1 else ""
        box = st.expander(
            f"The whole source document{of}, evidence marked", icon=":material/article:", on_change="rerun",
            key=f"document-{place}",
        )  # fmt: skip
        if box.open:
            with box:
                title = [markup.heading(document.title, 3)] if document.title else []
                markup.draw(*title, markup.paragraph(markup.marked(marked_document(view.question, document))))


main()
