"""The review of proposed nuggets: a table to change, page by page, then a dataset of what is kept."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import nugget_review
from core.services.browsing import StoredDataset
from core.services.nugget_drafts import NuggetDraft, NuggetPage, NuggetTally
from core.services.nugget_review import IMPORTANCE, LONGEST_NUGGET, PAGE_SIZE
from core.services.uploads import REVIEW_DAYS
from pages.shared import chrome, routes
from pages.shared.confirm import confirmed
from pages.shared.datasets_address import asked, follow, go, leave, number_asked
from pages.shared.wizard_parts import attempt, named_import, say_problem

#: this review, as the URL says it
VIEW = "nuggets"
_LONGEST_NAME = 100
#: column of the table → field of a row
_FIELDS = {"Keep": "keep", "Nugget": "text", "Importance": "importance"}
_ROW_HEIGHT, _MOST_HEIGHT = 66, 620


def offer(dataset: StoredDataset) -> None:
    """Draw the way to the review, in a row that is there already; one that was begun goes on."""
    begun = nugget_review.under_way(dataset.name, dataset.fingerprint)
    label = "Review its nuggets" if begun else "Propose nuggets"
    if not st.button(label, key="datasets-nuggets", icon=":material/checklist:"):
        return
    try:
        with st.spinner("Finding the facts that its reference answers state", show_time=True):
            identifier = begun or nugget_review.begin(dataset.name).id
    except TrilensError as problem:
        chrome.problem(problem)
        return
    leave(view=VIEW, name=dataset.name, draft=identifier)
    st.rerun()


def draft() -> NuggetDraft | None:
    """Return the review that the URL names; one that is gone is said."""
    try:
        return nugget_review.draft(asked("draft"))
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def draw(found: NuggetDraft) -> None:
    """Draw the table, or what was made of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "The dataset", key="nuggets-leave", icon=":material/arrow_back:", type="tertiary", on_click=leave,
            kwargs={"name": found.dataset},
        )  # fmt: skip
        if not found.stored:
            confirmed("nuggets-discard", "Discard the review", _warning(found), partial(_discard, found))
    if found.stored:
        _saved(found)
    else:
        _review(found)


def _review(found: NuggetDraft) -> None:
    st.header("Review the proposed nuggets", anchor=False)
    say_problem()
    number = number_asked("page")
    page = nugget_review.page(found.id, number)
    # before anything is counted: what was typed is in the table's state, and stays there until the page is turned
    taken = attempt(lambda: nugget_review.change(found.id, page.number, _typed(found, page)))
    say_problem()
    page, tally = nugget_review.page(found.id, number), nugget_review.progress(found.id)
    chrome.finding(_finding(found, tally))
    st.text(
        "Facts that the reference answers state, found by surface rules: read each, rewrite what cannot be understood "
        "by itself, take away the tick of what is wrong."
    )
    chrome.small("nuggets-kept", f"Every change is kept at once, for {REVIEW_DAYS} days after the last one.")
    _table(found, page)
    _below(found, page)
    _add(found, page)
    if not taken:
        # what the table shows is not what would be saved
        return
    named_import(
        found.id, found.name, "new dataset", _LONGEST_NAME, label="Save as a dataset",
        rename=partial(nugget_review.rename, found.id), store=partial(nugget_review.store, found.id),
    )  # fmt: skip
    chrome.small(
        "nuggets-save", f"'{found.dataset}' stays as it is; the new dataset's card says that its nuggets are derived."
    )


def _saved(found: NuggetDraft) -> None:
    """Say what was saved, offer the ways on and the way back."""
    st.header("Saved", anchor=False)
    tally = nugget_review.progress(found.id)
    chrome.finding(
        f"'{found.stored}' is '{found.dataset}' with {count(tally.n_kept, 'nugget')} on "
        f"{count(tally.n_covered, 'question')}."
    )
    st.text("Runs on it have the coverage lens. Its card says that the nuggets are derived, and what was reviewed.")
    say_problem()
    evaluate = routes.route("evaluate")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Open it", key="nuggets-open", type="primary", icon=":material/database:", on_click=leave,
            kwargs={"name": found.stored},
        )  # fmt: skip
        st.page_link(
            evaluate.file, label="Evaluate it", icon=evaluate.icon, query_params={"evaluate_datasets": found.stored}
        )
        st.button(
            "Undo, and review on", key="nuggets-undo", icon=":material/undo:",
            on_click=lambda: attempt(lambda: nugget_review.undo(found.id)),
        )  # fmt: skip


def _finding(found: NuggetDraft, tally: NuggetTally) -> str:
    changed = f", {tally.n_changed:,} of them rewritten or added" if tally.n_changed else ""
    kept = (
        f"{tally.n_kept:,} of {count(tally.n_rows, 'nugget')} kept{changed}, on {tally.n_covered:,} of "
        f"{count(found.n_questions, 'question')}; {count(tally.n_seen, 'question')} looked at so far."
    )
    if not tally.n_without_text:
        return kept
    without = "One kept nugget has" if tally.n_without_text == 1 else f"{tally.n_without_text:,} kept nuggets have"
    return f"{kept} {without} no text (page {tally.first_empty:,})."


def _key(found: NuggetDraft, page: NuggetPage) -> str:
    """Another table whenever rows have come or gone: what was typed is remembered by the number of its row."""
    return f"nuggets-table-{found.id}-{page.number}-{page.version}"


def _typed(found: NuggetDraft, page: NuggetPage) -> dict[int, dict[str, Any]]:
    """Return what the browser has changed in the table since it was drawn first."""
    state = st.session_state.get(_key(found, page))
    edited = state["edited_rows"] if state else {}
    return {row: {_FIELDS.get(column, ""): value for column, value in cells.items()} for row, cells in edited.items()}


def _table(found: NuggetDraft, page: NuggetPage) -> None:
    if not page.rows:
        st.text("The reference answers of these questions state no fact that the rules can find.")
        return
    about = {one.id: one for one in page.questions}
    table = pd.DataFrame(
        {
            "Keep": [row.keep for row in page.rows],
            "Nugget": [row.text for row in page.rows],
            "Importance": [row.importance for row in page.rows],
            "Question": [about[row.question].question for row in page.rows],
            "Reference answer": [about[row.question].answer for row in page.rows],
        }
    )
    st.data_editor(
        table, key=_key(found, page), hide_index=True, num_rows="fixed", row_height=_ROW_HEIGHT,
        height=min(len(table) * _ROW_HEIGHT + 38, _MOST_HEIGHT), disabled=["Question", "Reference answer"],
        column_config={
            "Keep": st.column_config.CheckboxColumn(width=80),
            "Nugget": st.column_config.TextColumn(width=320, max_chars=LONGEST_NUGGET),
            "Importance": st.column_config.SelectboxColumn(options=list(IMPORTANCE), required=True, width=125),
            "Question": st.column_config.TextColumn(width=210),
            "Reference answer": st.column_config.TextColumn(width=240),
        },
        alt="Proposed nuggets with their question and its reference answer; text, importance and tick can be changed",
    )  # fmt: skip


def _below(found: NuggetDraft, page: NuggetPage) -> None:
    """Say which questions these are, turn the page, put it back."""
    first = (page.number - 1) * PAGE_SIZE
    if page.n_pages > 1:
        key = f"nuggets-page-{found.id}"
        follow(key, page.number)
        st.pagination(page.n_pages, key=key, on_change=lambda: go(page=str(st.session_state[key])))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"Questions {first + 1:,} to {first + len(page.questions):,} of {found.n_questions:,}", width="content")
        st.button(
            "Put this page back", key="nuggets-put-back", icon=":material/restart_alt:", type="tertiary",
            help="Makes the nuggets of these questions what was proposed.",
            on_click=lambda: attempt(lambda: nugget_review.put_back(found.id, page.number)),
        )  # fmt: skip


def _add(found: NuggetDraft, page: NuggetPage) -> None:
    texts = {one.id: one.question for one in page.questions}
    chosen, typed = f"nuggets-add-to-{found.id}-{page.number}", f"nuggets-add-{found.id}-{page.number}"

    def take() -> None:
        state = st.session_state
        if attempt(lambda: nugget_review.add(found.id, page.number, state[chosen] or "", state[typed] or "")):
            state[typed] = ""

    with st.expander("Add a nugget", icon=":material/add:"):
        st.selectbox("To the question", list(texts), key=chosen, format_func=lambda one: texts.get(one, one))
        st.text_input("A fact that a full answer needs", key=typed, max_chars=LONGEST_NUGGET)
        st.button("Add it", key="nuggets-add", icon=":material/add:", on_click=take)


def _warning(found: NuggetDraft) -> str:
    return (
        f"The proposed nuggets of '{found.dataset}' are deleted, with everything that was changed in them. They can be "
        "proposed again as they were at first; your changes cannot be brought back."
    )


def _discard(found: NuggetDraft) -> None:
    nugget_review.discard(found.id)
    leave(name=found.dataset)
