"""What can be done with a dataset: evaluate it, take it away, have everything checked, give it nuggets, delete it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.datasets.validation import Finding
from core.errors import TrilensError
from core.figures.notation import count
from core.services import browsing, dataset_admin, exporting
from core.services.browsing import StoredDataset
from pages.shared import access, chrome, nuggets_review, routes
from pages.shared import datasets_readers as readers
from pages.shared.confirm import confirmed
from pages.shared.datasets_address import leave

#: ids and runs named at most
_MOST_IDS, _MOST_RUNS = 12, 5


def actions(dataset: StoredDataset) -> None:
    """Draw the buttons, in a row that is there already."""
    evaluate = routes.route("evaluate")
    st.page_link(
        evaluate.file, label="Evaluate it", icon=evaluate.icon, query_params={"evaluate_datasets": dataset.name}
    )
    with st.popover("Export", icon=":material/download:", key="datasets-export"):
        _exports(dataset.name)
    if not access.visitor().may("owner"):
        return
    with st.popover("Check the labels", icon=":material/fact_check:", key="datasets-check"):
        _checks(dataset)
    if not dataset.labels.get("with_nuggets"):
        nuggets_review.offer(dataset)
    confirmed(
        "datasets-delete", "Delete dataset", _warning(dataset),
        lambda: (dataset_admin.delete(dataset.name, fingerprint=dataset.fingerprint), leave()),
    )  # fmt: skip


def _exports(name: str) -> None:
    st.download_button(
        "Trilens folder (ZIP)", lambda: exporting.zipped(name), exporting.file_name(name, ".zip"), "application/zip",
        key="datasets-export-zip", on_click="ignore", icon=":material/folder_zip:", width="stretch",
    )  # fmt: skip
    st.download_button(
        "Questions (CSV)", lambda: exporting.questions_csv(name), exporting.file_name(name, "-questions.csv"),
        "text/csv", key="datasets-export-questions", on_click="ignore", icon=":material/table:", width="stretch",
    )  # fmt: skip
    st.download_button(
        "Documents (CSV)", lambda: exporting.documents_csv(name), exporting.file_name(name, "-documents.csv"),
        "text/csv", key="datasets-export-documents", on_click="ignore", icon=":material/table:", width="stretch",
    )  # fmt: skip
    chrome.small("datasets-export", "The folder holds everything and can be imported again.")


def _checks(dataset: StoredDataset) -> None:
    st.text("Looks for weak evidence and nuggets, copied answers and near-duplicates.")
    chrome.small("datasets-check", "Texts are encoded for it: about 400 a second, once.")
    key = "datasets-checked"
    if st.button("Run all checks", key="datasets-check-run", icon=":material/play_arrow:"):
        st.session_state[key] = dataset.version
    if st.session_state.get(key) != dataset.version:
        return
    try:
        with st.spinner("Comparing words and encodings"):
            found = readers.checks(dataset.name, dataset.version)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    _findings(found)


def _findings(found: Sequence[Finding]) -> None:
    st.text(f"{count(len(found), 'finding')}:" if found else "Nothing to say against it.")
    for one in found:
        st.text(one.message[:1].upper() + one.message[1:])
        if one.ids:
            more = f" and {len(one.ids) - _MOST_IDS:,} more" if len(one.ids) > _MOST_IDS else ""
            chrome.small(f"datasets-check-{one.check}", ", ".join(one.ids[:_MOST_IDS]) + more)


def _warning(dataset: StoredDataset) -> str:
    runs = browsing.runs(dataset.name)
    what = (
        f"'{dataset.title}' is deleted with its {count(dataset.n_documents, 'document')} and "
        f"{count(dataset.n_questions, 'question')}. "
    )
    if not runs:
        return f"{what}No run uses it. It cannot be brought back, except from a backup or by importing it again."
    names = [f"• {run['title'] or run['id']} ({run['state']})" for run in runs[:_MOST_RUNS]]
    more = [f"• and {len(runs) - _MOST_RUNS} more"] if len(runs) > _MOST_RUNS else []
    return (
        f"{what}With it {'goes its run' if len(runs) == 1 else f'go its {len(runs)} runs'}, answers and scores "
        "included:\n" + "\n".join([*names, *more]) + "\nThey cannot be brought back, except from a backup."
    )
