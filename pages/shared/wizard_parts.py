"""What step 3 of every import draws alike: the reading of the whole file, what it left out, the name, the undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from pages.shared import chrome
from pages.shared.datasets_address import go

#: what a callback could not do, said by the rerun that follows it
PROBLEM = "wizard-problem"


def say_problem() -> None:
    """Say what the last callback could not do."""
    if problem := st.session_state.pop(PROBLEM, ""):
        chrome.problem(TrilensError(problem))


def attempt(action: Callable[[], object]) -> bool:
    """Do something in a callback and return whether it went well; what did not is said by ``say_problem``."""
    try:
        action()
    except TrilensError as problem:
        st.session_state[PROBLEM] = str(problem)
        return False
    return True


def go_to_check(forget: Callable[[], object] | None) -> None:
    """Go on to the check; ``forget`` drops the last one where a problem stopped it: it may have been mended since."""
    if forget is None or attempt(forget):
        go(step="check")


def read_whole(check: Callable[[], object], words: str) -> None:
    """Read the whole file under a spinner that says ``words``, then draw the page anew with what the draft has now."""
    try:
        with st.spinner(words, show_time=True):
            check()
    except TrilensError as problem:
        chrome.problem(problem)
        return
    st.rerun()


def refused(called: str, problem: str) -> None:
    """Say why a file cannot be imported."""
    chrome.finding(f"{called} cannot be imported as it is; nothing was stored.")
    chrome.problem(TrilensError(problem))


def skipped(rows: Sequence[tuple[int, str, str]], n_rows: int) -> None:
    """List (line, field, reason) of rows that were left out, ``n_rows`` in all."""
    if not n_rows:
        return
    shown = f" (the first {len(rows)})" if len(rows) < n_rows else ""
    st.text(f"{count(n_rows, 'row')} left out, with the reason{shown}:")
    st.dataframe(
        pd.DataFrame(rows, columns=["Line", "Field", "Why"]), hide_index=True, key="wizard-skipped",
        alt="Rows that were left out, with line, field and reason",
    )  # fmt: skip


def named_import(
    identifier: str,
    name: str,
    what: str,
    longest: int,
    rename: Callable[[str], object],
    store: Callable[[], object],
    *,
    label: str = "Import",
) -> None:
    """Offer the name and the import itself (or what ``label`` calls it); the name is kept as it is typed."""
    key = f"wizard-name-{identifier}"
    st.session_state.setdefault(key, name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Name of the {what}", max_chars=longest, key=key, width=420,
            on_change=lambda: attempt(lambda: rename(st.session_state[key] or "")),
        )  # fmt: skip
        wanted = st.button(label, key="wizard-import", type="primary", icon=":material/download_done:")
    if not wanted:
        return
    try:
        with st.spinner("Storing it", show_time=True):
            rename(st.session_state[key] or "")
            store()
    except TrilensError as problem:
        chrome.problem(problem)
        return
    st.rerun()


def undo_button(undo: Callable[[], object], what: str) -> Callable[[], None]:
    """Draw the button and return what follows a press, to be called below the row it stands in."""
    undone = st.button("Undo this import", key="wizard-undo", icon=":material/undo:")

    def follow_up() -> None:
        if not undone:
            return
        try:
            undo()
        except TrilensError as problem:
            chrome.problem(problem)
            return
        st.toast(f"The {what} was removed again; your file and what you chose are still here.")
        go(step="check")
        st.rerun()

    return follow_up
