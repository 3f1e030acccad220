"""Step 3 of the import of other tools' files: what reading them gave, the name, the import, taking it back."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from core.figures.notation import count
from core.services import judged_wizard
from core.services.cautions import Finding
from core.services.judged_drafts import JudgedDraft, JudgedReport
from pages.shared import chrome, routes
from pages.shared.datasets_address import go, leave
from pages.shared.wizard_parts import named_import, read_whole, refused, say_problem, skipped, undo_button

_LONGEST_NAME = 100


def report(found: JudgedDraft) -> None:
    """Read the files where they have not been read as chosen, and draw what that gave."""
    st.header("Step 3 of 3: check and import", anchor=False)
    say_problem()
    seen = found.checked
    if seen is None:
        read_whole(lambda: judged_wizard.check(found.id), "Reading all files and joining what they say")
        return
    back = {"label": "Back to the files", "icon": ":material/arrow_back:", "on_click": go, "kwargs": {"step": ""}}
    if seen.problem:
        refused("What was chosen", seen.problem)
        st.button(**back, key="wizard-back", type="primary")
        return
    chrome.finding(_finding(seen))
    _tables(seen)
    # a file's name stays as it is
    notes = [note[:1].upper() + note[1:] for note in seen.notes]
    notes += [f"{one.called}: {note}" for one in seen.files for note in one.notes]
    chrome.findings("wizard-report", [Finding(note, "note") for note in notes])
    skipped(seen.skipped, sum(one.n_skipped for one in seen.files))
    if seen.known:
        st.text(f"All of it is stored already in '{seen.choice.dataset}': there is nothing to import.")
        with st.container(horizontal=True, vertical_alignment="center"):
            _ways_on(seen.choice.dataset)
            st.button(**back, key="wizard-back")
        return
    if seen.choice.dataset:
        _into(found, seen.choice.dataset)
    else:
        named_import(
            found.id, found.name, "collection", _LONGEST_NAME,
            rename=lambda name: judged_wizard.rename(found.id, name), store=lambda: judged_wizard.store(found.id),
        )  # fmt: skip
    st.button(**back, key="wizard-back", type="tertiary")


def done(found: JudgedDraft) -> None:
    """Say what was stored, offer the ways on and, of what the import made, the way back."""
    st.header("Imported", anchor=False)
    systems = count(len(found.report.systems), "system") if found.report else "its systems"
    chrome.finding(f"'{found.stored}' has what the files hold now, with {systems}.")
    st.text("Every new run on it has its systems as configurations; runs that are there stay as they are.")
    after = None
    with st.container(horizontal=True, vertical_alignment="center"):
        _ways_on(found.stored)
        if found.stored_fingerprint:
            after = undo_button(lambda: judged_wizard.undo(found.id), "collection")
    if after is not None:
        after()


def _finding(seen: JudgedReport) -> str:
    left_out = sum(one.n_skipped for one in seen.files)
    into = f"for '{seen.choice.dataset}'" if seen.choice.dataset else "as a new collection"
    without = f"; {count(left_out, 'row')} left out" if left_out else ""
    held = f"{count(seen.n_topics, 'topic')} with {count(seen.n_nuggets, 'nugget')}"
    return f"{held} and {count(len(seen.systems), 'system')} can be imported {into}{without}."


def _tables(seen: JudgedReport) -> None:
    files = [(one.called, one.about, one.n_rows, one.n_skipped) for one in seen.files]
    st.dataframe(
        pd.DataFrame(files, columns=["File", "Read as", "Rows read", "Left out"]), hide_index=True, key="wizard-files",
        alt="What each file was read as, how many rows were read and how many left out",
    )  # fmt: skip
    if not seen.systems:
        return
    systems = pd.DataFrame.from_records([asdict(one) for one in seen.systems])
    systems["known"] = systems["known"].map({True: "yes", False: ""})
    systems.columns = ["System", "Topics ranked", "Topics answered", "Refusals among them", "Labels", "Stored already"]
    st.dataframe(
        systems, hide_index=True, key="wizard-judged-systems", width="content",
        alt="How many topics each system ranks and answers, and how many labels of nuggets it has",
    )  # fmt: skip


def _into(found: JudgedDraft, dataset: str) -> None:
    """Import into what is stored; what cannot be done is said by the rerun."""
    if st.button(
        f"Import into '{chrome.as_label(dataset)}'",
        key="wizard-import",
        type="primary",
        icon=":material/download_done:",
    ):
        read_whole(lambda: judged_wizard.store(found.id), "Storing it")


def _ways_on(dataset: str) -> None:
    evaluate = routes.route("evaluate")
    st.button(
        "Open it", key="wizard-open", type="primary", icon=":material/database:", on_click=leave,
        kwargs={"name": dataset},
    )  # fmt: skip
    st.page_link(evaluate.file, label="Evaluate it", icon=evaluate.icon, query_params={"evaluate_datasets": dataset})
