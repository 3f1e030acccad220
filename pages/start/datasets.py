"""Datasets: what is stored and which labels it has, one of them from its distributions to its texts, the import."""

from __future__ import annotations

import streamlit as st

from core.errors import OptionError
from core.services import browsing
from core.services.browsing import StoredDataset
from pages.shared import chrome, nuggets_review, wizard
from pages.shared.datasets_address import asked, follow, leave
from pages.shared.datasets_browser import browser
from pages.shared.datasets_list import shelf
from pages.shared.datasets_overview import card, overview

chrome.require("viewer")


def main() -> None:
    """Draw what the URL asks for: the import, a review of nuggets, one dataset, or the list of all."""
    datasets = browsing.stored_datasets()
    if asked("view") == "import":
        chrome.require("owner")
        wizard.draw()
        return
    dataset = pick(datasets)
    if asked("view") == nuggets_review.VIEW:
        chrome.require("owner")
        if (review := nuggets_review.draft()) is not None:
            nuggets_review.draw(review)
            return
    if dataset is None:
        shelf(datasets)
        return
    overview(dataset)
    browser(dataset)
    card(dataset)


def pick(datasets: list[StoredDataset]) -> StoredDataset | None:
    """Let the sidebar choose a dataset and return the one the URL names, None for the list of all."""
    by_name = {one.name: one for one in datasets}
    name = asked("name")
    key = "datasets-name-choice"
    follow(key, name if name in by_name else "")
    if by_name:
        st.sidebar.selectbox(
            "Dataset", ["", *by_name], key=key, format_func=lambda one: by_name[one].title if one in by_name else "all",
            on_change=lambda: leave(name=st.session_state[key]),
        )  # fmt: skip
    if name and name not in by_name:
        chrome.problem(OptionError(f"No dataset '{name[:80]}' is stored here: choose one of those listed."))
    return by_name.get(name)


main()
