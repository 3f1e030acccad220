"""Asking before something is lost."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from pages.shared import access, chrome


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
                _as_owner(action)
            except TrilensError as problem:
                chrome.problem(problem)
            else:
                st.rerun()

    if st.button(label, key=key, icon=f":material/{icon}:"):
        ask()


def _as_owner(action: Callable[[], object]) -> None:
    # asked again: a dialog is drawn anew without its page, and so without the page's own check
    if not access.visitor().may("owner"):
        raise TrilensError("Only the owner of this store may do that: nothing was changed.")
    action()
