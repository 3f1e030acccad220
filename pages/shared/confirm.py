"""Asking before something is lost."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from pages.shared import chrome


def confirmed(key: str, label: str, question: str, action: Callable[[], object], *, icon: str = "delete") -> None:
    """Offer a button which asks ``question`` and then runs ``action``; what goes wrong is said in the dialog.

    ``label`` is ours, never a dataset's text; ``question`` may hold any text.
    """

    @st.dialog(label, width="small")
    def ask() -> None:
        st.text(question)
        yes, no = st.columns(2)
        if no.button("Keep", key=f"{key}-keep", width="stretch"):
            st.rerun()
        if yes.button(label, key=f"{key}-yes", type="primary", width="stretch"):
            try:
                action()
            except TrilensError as problem:
                chrome.problem(problem)
            else:
                st.rerun()

    if st.button(label, key=key, icon=f":material/{icon}:"):
        ask()
