"""The review of generated pairs: keep, edit or drop each, see what the set is like, save it as a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import generating_review as review
from core.services import generating_run
from core.services.generating_run import Generation
from pages.shared import routes, tables
from pages.shared.confirm import confirmed
from pages.shared.generate_parts import PARAMETER, attempt, say_problem

PAGE_SIZE = 50
_FIELDS = {"Keep": "keep", "Question": "question", "Answer": "answer"}
_ROW_HEIGHT, _MOST_HEIGHT = 66, 520


def draw(found: Generation) -> None:
    """Draw the table, the checks, and the ways on."""
    rows = review.review_rows(found.id)
    st.header("Review", anchor=False)
    if rows:
        _table(found, rows)
        say_problem()
        rows = review.review_rows(found.id)
        kept = sum(row.keep for row in rows)
        changed = sum(row.changed for row in rows)
        st.text(f"{kept:,} of {count(len(rows), 'pair')} kept, {changed:,} edited. Every change is stored at once.")
        _save(found)
        st.header("What the kept questions are like", anchor=False)
        for sentence in review.check_sentences(review.checks(found.id)):
            st.text(sentence)
    else:
        st.text("No pair was accepted so far. Below stands why others were rejected.")
    tables.lazy_table("generate-rejected", "Rejected results", partial(_rejected, found.id), "rejected.csv")
    confirmed(
        "generate-discard", "Discard this set",
        f"The pairs of {found.title} are deleted, with every edit. Datasets that were saved of them stay.",
        partial(_discard, found.id),
    )  # fmt: skip


def listed(found: Sequence[Generation]) -> None:
    """List the question sets under way."""
    if not found:
        return
    st.header("Question sets", anchor=False)
    for one in found:
        with st.container(horizontal=True, vertical_alignment="center"):
            saved = f", saved as {one.dataset}" if one.dataset else ""
            st.text(f"{one.title}: {one.state}, {one.done:,} of {one.wanted:,} accepted, {one.created[:10]}{saved}")
            st.button("Open", key=f"generate-open-{one.id}", on_click=partial(_open, one.id))


def _table(found: Generation, rows: Sequence[review.ReviewRow]) -> None:
    pages = -(-len(rows) // PAGE_SIZE)
    number = st.pagination(pages, key=f"generate-page-{found.id}") if pages > 1 else 1
    shown = rows[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    key = f"generate-table-{found.id}-{number}"
    # what was typed is in the table's state: stored before anything is counted
    for place, cells in _typed(key).items():
        if place < len(shown):
            row = shown[place]
            new = {_FIELDS[name]: value for name, value in cells.items() if name in _FIELDS}
            new = {name: value for name, value in new.items() if value != getattr(row, name)}
            if new:
                attempt(partial(review.change, found.id, row.key, new))
    shown = review.review_rows(found.id)[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    table = pd.DataFrame(
        {
            "Keep": [row.keep for row in shown],
            "Question": [row.question for row in shown],
            "Answer": [row.answer for row in shown],
            "Categories": [", ".join(row.categories.values()) for row in shown],
            "Document": [row.document for row in shown],
        }
    )
    st.data_editor(
        table, key=key, hide_index=True, num_rows="fixed", row_height=_ROW_HEIGHT,
        height=min(len(table) * _ROW_HEIGHT + 38, _MOST_HEIGHT), disabled=["Categories", "Document"],
        column_config={
            "Keep": st.column_config.CheckboxColumn(width=70),
            "Question": st.column_config.TextColumn(width=320),
            "Answer": st.column_config.TextColumn(width=320),
            "Categories": st.column_config.TextColumn(width=180),
            "Document": st.column_config.TextColumn(width=130),
        },
        alt="Accepted pairs with their categories and document; tick, question and answer can be changed",
    )  # fmt: skip


def _typed(key: str) -> dict[int, dict[str, Any]]:
    state = st.session_state.get(key)
    return dict(state["edited_rows"]) if state else {}


def _save(found: Generation) -> None:
    key = f"generate-name-{found.id}"
    st.session_state.setdefault(key, found.dataset or review.proposed_name(found.title))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the new dataset", key=key, max_chars=100, width=360)
        if st.button("Save as a dataset", key="generate-save", type="primary", icon=":material/download_done:"):
            if attempt(partial(review.save, found.id, name or "")):
                st.toast("Saved.")
            st.rerun()
        try:
            lines = review.as_morgana(found.id)
        except TrilensError:
            # nothing is kept: there is nothing to download
            return
        st.download_button(
            "Download for DataMorgana", lines, "questions.jsonl", "application/jsonl", key="generate-download",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    if found.dataset:
        evaluate = routes.route("evaluate")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"Saved as {found.dataset}.", width="content")
            st.page_link(
                evaluate.file, label="Evaluate it", icon=evaluate.icon,
                query_params={"evaluate_datasets": found.dataset},
            )  # fmt: skip


def _rejected(identifier: str) -> pd.DataFrame:
    rows = [(one.reason, one.question, one.answer, one.document) for one in review.rejected(identifier)]
    return pd.DataFrame(rows, columns=["Reason", "Question", "Answer", "Document"])


def _open(identifier: str) -> None:
    st.query_params[PARAMETER] = identifier


def _discard(identifier: str) -> None:
    generating_run.discard(identifier)
    st.query_params.pop(PARAMETER, None)
