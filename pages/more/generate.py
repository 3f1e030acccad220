"""Generate: a question set over category trees from one's documents, its cost first, reviewed before it is saved."""

from __future__ import annotations

import streamlit as st

from core.errors import TrilensError
from core.services import generating_run
from pages.shared import chrome, generate_form, generate_review
from pages.shared.generate_live import cells, live
from pages.shared.generate_parts import PARAMETER, opened

chrome.require("owner")


def main() -> None:
    """Draw the set that the address names, else the form and the list of sets."""
    identifier = opened()
    if identifier:
        try:
            found = generating_run.generation(identifier)
        except TrilensError as problem:
            chrome.problem(problem)
            st.button("All question sets", key="generate-all", on_click=_leave, icon=":material/arrow_back:")
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "All question sets", key="generate-all", on_click=_leave, icon=":material/arrow_back:", type="tertiary"
            )
        live(found)
        if not found.is_going:
            generate_review.draw(found)
        cells(found)
        return
    generate_form.draw()
    generate_review.listed(generating_run.generations())


def _leave() -> None:
    st.query_params.pop(PARAMETER, None)


main()
