"""Step 3 of the import of answers: what reading the whole file gave, the system's name, the import, taking it back."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import system_wizard
from core.services.cautions import Finding
from core.services.system_drafts import SystemDraft, SystemReport
from core.services.system_importing import LONGEST_NAME
from pages.shared import chrome, routes
from pages.shared.datasets_address import go, leave


def report(found: SystemDraft) -> None:
    """Read the file where it has not been read as chosen, and draw what that gave."""
    st.header("Step 3 of 3: check and import", anchor=False)
    seen = found.checked
    if seen is None:
        try:
            with st.spinner("Reading the whole file and looking up every question and context", show_time=True):
                system_wizard.check(found.id)
        except TrilensError as problem:
            chrome.problem(problem)
            return
        # what was read belongs to the draft now
        st.rerun()
    back = {"label": "Back to the columns", "icon": ":material/arrow_back:", "on_click": go, "kwargs": {"step": ""}}
    if seen.problem:
        chrome.finding(f"{found.called} cannot be imported as it is; nothing was stored.")
        chrome.problem(TrilensError(seen.problem))
        st.button(**back, key="wizard-back", type="primary")
        return
    chrome.finding(_finding(seen))
    st.dataframe(
        _table(seen), hide_index=True, key="wizard-counts", width="content",
        alt="How many rows, answers and contexts were read, and how many of them could be used",
    )  # fmt: skip
    chrome.findings("wizard-report", [Finding(note[:1].upper() + note[1:], "note") for note in seen.notes])
    _skipped(seen)
    if seen.known:
        st.text(f"The same answers are stored already, as system '{seen.known}': there is nothing to import.")
        with st.container(horizontal=True, vertical_alignment="center"):
            _ways_on(seen.choice.dataset)
            st.button(**back, key="wizard-back")
        return
    _import(found)
    st.button(**back, key="wizard-back", type="tertiary")


def done(found: SystemDraft) -> None:
    """Say what was stored, offer the ways on and the way back."""
    st.header("Imported", anchor=False)
    seen = found.report
    size = "" if seen is None else f", with {count(seen.n_answers, 'answer')}"
    chrome.finding(f"'{found.stored}' is a system of '{found.stored_for}' now{size}.")
    st.text("Every new run on the dataset has it as one more configuration; runs that are there stay as they are.")
    with st.container(horizontal=True, vertical_alignment="center"):
        _ways_on(found.stored_for)
        undone = st.button("Undo this import", key="wizard-undo", icon=":material/undo:")
    if undone:
        try:
            system_wizard.undo(found.id)
        except TrilensError as problem:
            chrome.problem(problem)
            return
        st.toast("The system was removed again; your file and what you chose are still here.")
        go(step="check")
        st.rerun()


def _ways_on(dataset: str) -> None:
    evaluate = routes.route("evaluate")
    st.button(
        "Open the dataset", key="wizard-open", type="primary", icon=":material/database:", on_click=leave,
        kwargs={"name": dataset},
    )  # fmt: skip
    st.page_link(evaluate.file, label="Evaluate it", icon=evaluate.icon, query_params={"evaluate_datasets": dataset})


def _finding(seen: SystemReport) -> str:
    skipped = f"; {count(seen.n_skipped, 'row')} left out" if seen.n_skipped else ""
    return (
        f"{count(seen.n_answers, 'answer')} to {seen.n_matched:,} of {count(seen.n_questions, 'question')} of "
        f"'{seen.choice.dataset}' can be imported{skipped}."
    )


def _table(seen: SystemReport) -> pd.DataFrame:
    rows = [
        ("Rows read", seen.n_rows),
        ("Rows about a question of the dataset", seen.n_matched),
        ("Rows left out", seen.n_skipped),
        ("Answers", seen.n_answers),
        ("Refusals among them", seen.n_refused),
        ("Contexts", seen.n_contexts),
        ("Contexts found in a document", seen.n_located),
    ]
    return pd.DataFrame(rows, columns=["What was read", "Number"])


def _skipped(seen: SystemReport) -> None:
    if not seen.n_skipped:
        return
    shown = f" (the first {len(seen.skipped)})" if len(seen.skipped) < seen.n_skipped else ""
    st.text(f"{count(seen.n_skipped, 'row')} left out, with the reason{shown}:")
    st.dataframe(
        pd.DataFrame(seen.skipped, columns=["Line", "Field", "Why"]), hide_index=True, key="wizard-skipped",
        alt="Rows that were left out, with line, field and reason",
    )  # fmt: skip


def _import(found: SystemDraft) -> None:
    key = f"wizard-name-{found.id}"
    st.session_state.setdefault(key, found.name)

    def keep() -> None:
        try:
            system_wizard.rename(found.id, st.session_state[key] or "")
        except TrilensError:
            return  # the upload is gone, which the rerun says

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the system", max_chars=LONGEST_NAME, key=key, on_change=keep, width=420)
        wanted = st.button("Import", key="wizard-import", type="primary", icon=":material/download_done:")
    chrome.small("wizard-name", "It stands beside the retrievers in every table and figure.")
    if not wanted:
        return
    try:
        with st.spinner("Storing it", show_time=True):
            system_wizard.rename(found.id, st.session_state[key] or "")
            system_wizard.store(found.id)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    st.rerun()
