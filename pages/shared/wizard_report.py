"""Step 3 of the import: what reading the whole file gave, the name, the import itself, and taking it back."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures.notation import count
from core.services import wizard
from core.services.cautions import Finding
from core.services.dataset_tables import label_texts
from core.services.drafts import Draft, Report
from pages.shared import chrome, routes
from pages.shared.datasets_address import go, leave
from pages.shared.wizard_parts import attempt, named_import, read_whole, refused, say_problem, skipped, undo_button


def report(found: Draft) -> None:
    """Read the file where it has not been read as chosen, and draw what that gave."""
    st.header("Step 3 of 3: check and import", anchor=False)
    say_problem()
    seen = found.checked
    if seen is None:
        read_whole(lambda: wizard.check(found.id), "Reading the whole file and checking every row")
        return
    back = {"label": "Back to the columns", "icon": ":material/arrow_back:", "on_click": go, "kwargs": {"step": ""}}
    if seen.problem:
        refused(found.called, seen.problem)
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
    skipped(seen.skipped, seen.n_skipped)
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
    named_import(
        found.id, found.name, "dataset", 100,
        rename=lambda name: wizard.rename(found.id, name), store=lambda: wizard.store(found.id),
    )  # fmt: skip
    st.button(**back, key="wizard-back", type="tertiary")


def _finding(seen: Report) -> str:
    size = f"{count(seen.labels['questions'], 'question')} over {count(seen.labels['documents'], 'document')}"
    skipped = f"; {count(seen.n_skipped, 'row')} left out" if seen.n_skipped else ""
    return f"{size} can be imported{skipped}."


def _take_card(found: Draft) -> None:
    name = []
    if attempt(lambda: name.append(wizard.take_card(found.id))):
        st.toast("The card was replaced; questions, documents and runs are as they were.")
        leave(name=name[0])


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
        after = undo_button(lambda: wizard.undo(found.id), "dataset")
    after()
