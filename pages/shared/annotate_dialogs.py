"""The note and the guidelines: dialogs, so that the keys of the page rest while one is open and come back after it.

A text field on the page itself would keep the focus after Escape, and the page's keys would be dead.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from pages.shared import chrome

_OPEN = "annotate-dialog"


def open_dialog(name: str) -> None:
    """Open a dialog with the next drawing of the page; for a button's callback."""
    st.session_state[_OPEN] = name


def close_dialog() -> None:
    """Close the dialog that is open."""
    st.session_state.pop(_OPEN, None)


def opened() -> str | None:
    """Return the dialog that is open: the page's buttons have no keys meanwhile."""
    name: str | None = st.session_state.get(_OPEN)
    return name


@st.dialog("Note", on_dismiss=close_dialog)
def note(key: str, written: str, save: Callable[[str], object]) -> None:
    """Ask for a note on one item; Ctrl+Enter in the field saves it and gives the keys back to the page.

    What ``save`` refuses is said in the dialog, which keeps what was typed.
    """
    with st.form(f"{key}-form", border=False):
        text = st.text_area(
            "Your note on this answer", written, key=key, height=160, help="Ctrl+Enter saves. Escape leaves it unsaved."
        )
        saved = st.form_submit_button("Save note", type="primary", width="stretch")
    if saved:
        try:
            save(text or "")
        except TrilensError as problem:
            chrome.problem(problem)
        else:
            close_dialog()
            st.rerun()


@st.dialog("Guidelines", width="medium", on_dismiss=close_dialog)
def guidelines(text: str) -> None:
    """Show guidelines: Markdown that was sanitised when the study was made."""
    st.markdown(text)
    if st.button("Close", key="annotate-guidelines-close", width="stretch", shortcut="g"):
        close_dialog()
        st.rerun()
