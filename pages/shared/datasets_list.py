"""The shelf: every stored dataset with its labels, the bundled ones that are not stored yet, the way to import."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import browsing
from core.services.browsing import Offer, StoredDataset
from core.services.dataset_tables import dataset_table
from core.services.distributions import lenses
from core.services.importing import import_bundled
from pages.shared import access, chrome
from pages.shared.datasets_address import chosen_row, leave

_MOST_ROWS = 15


def shelf(datasets: Sequence[StoredDataset]) -> None:
    """List the datasets, newest first, and offer more."""
    chrome.finding(_finding(datasets))
    if datasets:
        _table(datasets)
        _own()
    for place, offer in enumerate(browsing.bundled_offers()):
        _offer(offer, first=not datasets and place == 0)
    if not datasets:
        _own()


def _own() -> None:
    with st.container(border=True):
        st.text("Your own questions, answers and documents: CSV, Excel, JSON, Parquet or a Trilens folder.")
        st.button(
            "Import a file", key="datasets-import", icon=":material/upload_file:", on_click=leave,
            kwargs={"view": "import"},
        )  # fmt: skip


def _finding(datasets: Sequence[StoredDataset]) -> str:
    if not datasets:
        return "No dataset is stored yet: take a bundled one, or bring your own."
    size = f"{count(len(datasets), 'dataset')} with {count(sum(one.n_questions for one in datasets), 'question')}"
    whole = sum(len(lenses(one)) == 3 for one in datasets)
    if whole == len(datasets):
        return f"{size}, labelled for all three lenses."
    return f"{size}, {whole or 'none'} of them labelled for all three lenses."


def _table(datasets: Sequence[StoredDataset]) -> None:
    key = "datasets-shelf"

    def open_row() -> None:
        row = chosen_row(key, len(datasets))
        if row is not None:
            leave(name=datasets[row].name)

    table = dataset_table(datasets)
    st.dataframe(
        table, hide_index=True, key=key, on_select=open_row, selection_mode="single-row",
        height=min(len(table), _MOST_ROWS) * 35 + 38,
        column_config={
            "Dataset": st.column_config.TextColumn(width=200),
            "Questions": st.column_config.NumberColumn(format="localized"),
            "Documents": st.column_config.NumberColumn(format="localized"),
        },
        alt="Stored datasets, newest first, with their size and the labels each has",
    )  # fmt: skip
    chrome.small("datasets-open", "Tick a row to open a dataset, or choose it in the sidebar.")


def _offer(offer: Offer, *, first: bool) -> None:
    with st.container(border=True):
        st.text(f"{offer.title} (bundled)")
        chrome.small(f"offer-{offer.name}", offer.description)
        # judged on the rerun that a press causes too
        if not access.visitor().may("owner"):
            return
        if st.button(
            "Import this dataset", key=f"datasets-bundled-{offer.name}", icon=":material/download:",
            type="primary" if first else "secondary",
        ):  # fmt: skip
            try:
                with st.spinner("Reading, checking and storing it"):
                    imported = import_bundled(offer.name)
            except TrilensError as problem:
                chrome.problem(problem)
                return
            leave(name=imported.name)
            st.rerun()
