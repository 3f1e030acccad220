"""Step 3 of the import: what reading the whole file gave, the name, the import itself, and taking it back."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import wizard
from core.services.cautions import Finding
from core.services.dataset_tables import label_texts
from core.services.drafts import Draft, Report
from pages.shared import chrome, routes
from pages.shared.datasets_address import go, leave


def report(found: Draft) -> None:
    """Read the file where it has not been read as chosen, and draw what that gave."""
    st.header("Step 3 of 3: check and import", anchor=False)
    if problem := st.session_state.pop("wizard-problem", ""):
        chrome.problem(TrilensError(problem))
    seen = found.checked
    if seen is None:
        try:
            with st.spinner("Reading the whole file and checking every row", show_time=True):
                wizard.check(found.id)
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
    labels = {name: text or "none" for name, text in label_texts(seen.labels).items()}
    st.dataframe(
        pd.DataFrame(labels.items(), columns=["Label", "Found"]), hide_index=True, key="wizard-labels", width="content",
        alt="Which labels the questions have",
    )  # fmt: skip
    chrome.findings(
        "wizard-report",
        [
            *(Finding(note, "note") for note in seen.notes),
            *(Finding(text[:1].upper() + text[1:], "caution") for text in seen.warnings),
        ],
    )
    _skipped(seen)
    if seen.known:
        same = f"The same questions and documents are stored already, as '{seen.known}'"
        st.text(
            f"{same}, with another card: what this file says of itself can replace it."
            if seen.new_card
            else f"{same}: there is nothing to import."
        )
        with st.container(horizontal=True):
            if seen.new_card:
                st.button(
                    "Replace the card", key="wizard-take-card", icon=":material/badge:", on_click=_take_card,
                    args=(found,),
                )  # fmt: skip
            st.button(
                "Open the dataset", key="wizard-open-known", type="primary", on_click=leave, kwargs={"name": seen.known}
            )
            st.button(**back, key="wizard-back")
        return
    _import(found)
    st.button(**back, key="wizard-back", type="tertiary")


def _finding(seen: Report) -> str:
    size = f"{count(seen.labels['questions'], 'question')} over {count(seen.labels['documents'], 'document')}"
    skipped = f"; {count(seen.n_skipped, 'row')} left out" if seen.n_skipped else ""
    return f"{size} can be imported{skipped}."


def _take_card(found: Draft) -> None:
    try:
        name = wizard.take_card(found.id)
    except TrilensError as problem:
        st.session_state["wizard-problem"] = str(problem)
    else:
        st.toast("The card was replaced; questions, documents and runs are as they were.")
        leave(name=name)


def _skipped(seen: Report) -> None:
    if not seen.n_skipped:
        return
    shown = f" (the first {len(seen.skipped)})" if len(seen.skipped) < seen.n_skipped else ""
    st.text(f"{count(seen.n_skipped, 'row')} left out, with the reason{shown}:")
    st.dataframe(
        pd.DataFrame(seen.skipped, columns=["Line", "Field", "Why"]), hide_index=True, key="wizard-skipped",
        alt="Rows that were left out, with line, field and reason",
    )  # fmt: skip


def _import(found: Draft) -> None:
    key = f"wizard-name-{found.id}"
    st.session_state.setdefault(key, found.name)

    def keep() -> None:
        try:
            wizard.rename(found.id, st.session_state[key])
        except TrilensError as problem:
            st.session_state["wizard-problem"] = str(problem)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the dataset", max_chars=100, key=key, on_change=keep, width=420)
        wanted = st.button("Import", key="wizard-import", type="primary", icon=":material/download_done:")
    if not wanted:
        return
    try:
        with st.spinner("Storing it", show_time=True):
            wizard.rename(found.id, st.session_state[key])
            wizard.store(found.id)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    st.rerun()


def done(found: Draft) -> None:
    """Say what was imported, lead on, and offer to take it back."""
    st.header("Imported", anchor=False)
    seen = found.report
    size = "" if seen is None else f": {count(seen.labels['questions'], 'question')} over " + count(
        seen.labels["documents"], "document"
    )  # fmt: skip
    chrome.finding(f"'{found.stored}' is stored{size}.")
    evaluate = routes.route("evaluate")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Open the dataset", key="wizard-open", type="primary", icon=":material/database:", on_click=leave,
            kwargs={"name": found.stored},
        )  # fmt: skip
        st.page_link(
            evaluate.file, label="Evaluate it", icon=evaluate.icon, query_params={"evaluate_datasets": found.stored}
        )
        undone = st.button("Undo this import", key="wizard-undo", icon=":material/undo:")
    if undone:
        try:
            wizard.undo(found.id)
        except TrilensError as problem:
            chrome.problem(problem)
            return
        st.toast("The dataset was removed again; your file and what you chose are still here.")
        go(step="check")
        st.rerun()
