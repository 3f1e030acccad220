"""What the parts of the Generate page share: which set is open, and what a callback could not do."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from pages.shared import access, chrome

PARAMETER = "generate_set"
_PROBLEM = "generate-problem"


def opened() -> str:
    """Return the id of the set that the address names, "" for none."""
    return str(st.query_params.get(PARAMETER, ""))


def attempt(action: Callable[[], object]) -> bool:
    """Do something as the owner and return whether it went well; what did not is said by ``say_problem``."""
    try:
        if not access.visitor().may("owner"):
            raise TrilensError("Only the owner of this store may do that: nothing was changed.")
        action()
    except TrilensError as problem:
        st.session_state[_PROBLEM] = str(problem)
        return False
    return True


def say_problem() -> None:
    """Say what the last action could not do."""
    if problem := st.session_state.pop(_PROBLEM, ""):
        chrome.problem(TrilensError(problem))
