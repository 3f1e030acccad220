"""Step 3 of the import of answers: what reading the whole file gave, the system's name, the import, taking it back."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures.notation import count
from core.services import system_wizard
from core.services.cautions import Finding
from core.services.system_drafts import SystemDraft, SystemReport
from core.services.system_importing import LONGEST_NAME
from pages.shared import chrome, routes
from pages.shared.datasets_address import go, leave
from pages.shared.wizard_parts import named_import, read_whole, refused, say_problem, skipped, undo_button


def report(found: SystemDraft) -> None:
    """Read the file where it has not been read as chosen, and draw what that gave."""
    st.header("Step 3 of 3: check and import", anchor=False)
    say_problem()
    seen = found.checked
    if seen is None:
        read_whole(
            lambda: system_wizard.check(found.id), "Reading the whole file and looking up every question and context"
        )
        return
    back = {"label": "Back to the columns", "icon": ":material/arrow_back:", "on_click": go, "kwargs": {"step": ""}}
    if seen.problem:
        refused(found.called, seen.problem)
        st.button(**back, key="wizard-back", type="primary")
        return
    chrome.finding(_finding(seen))
    st.dataframe(
        _table(seen), hide_index=True, key="wizard-counts", width="content",
        alt="How many rows, answers and contexts were read, and how many of them could be used",
    )  # fmt: skip
    chrome.findings("wizard-report", [Finding(note[:1].upper() + note[1:], "note") for note in seen.notes])
    skipped(seen.skipped, seen.n_skipped)
    if seen.known:
        st.text(f"The same answers are stored already, as system '{seen.known}': there is nothing to import.")
        with st.container(horizontal=True, vertical_alignment="center"):
            _ways_on(seen.choice.dataset)
            st.button(**back, key="wizard-back")
        return
    named_import(
        found.id, found.name, "system", LONGEST_NAME,
        rename=lambda name: system_wizard.rename(found.id, name), store=lambda: system_wizard.store(found.id),
    )  # fmt: skip
    chrome.small("wizard-name", "It stands beside the retrievers in every table and figure.")
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
        after = undo_button(lambda: system_wizard.undo(found.id), "system")
    after()


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
