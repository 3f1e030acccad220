"""How far a question set is, drawn every second while somebody works at it: counts, reasons, stop and resume."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.figures.notation import count
from core.services import generating_run
from core.services.generating_run import Generation
from pages.shared import chrome
from pages.shared.generate_parts import attempt, say_problem

_WORDS = {
    "queued": "begins", "running": "is being generated", "stopping": "stops after the calls under way",
    "stopped": "was stopped", "interrupted": "was interrupted", "paused": "waits for its language model",
    "failed": "failed", "done": "is complete",
}  # fmt: skip


def live(found: Generation) -> None:
    """Follow one set; the page is drawn anew when nobody works at it any more."""
    st.fragment(partial(_live, found.id, found.is_going), run_every="1s" if found.is_going else None)()


def _live(identifier: str, was_going: bool) -> None:
    found = generating_run.generation(identifier)
    if found.is_going != was_going:
        st.rerun(scope="app")
    if found.is_going:
        chrome.beat()
    rejected = found.produced - found.done
    chrome.finding(
        f"The set about {found.title} {_WORDS[found.state]}: {found.done:,} of "
        f"{count(found.wanted, 'question')} accepted, {rejected:,} of {found.produced:,} results rejected."
    )
    say_problem()
    if found.message:
        st.text(found.message)
    st.progress(min(found.done / found.wanted, 1.0) if found.wanted else 0.0)
    facts = [found.model]
    if found.cost:
        facts.append(f"{count(found.cost['calls'], 'call')}, {found.cost['cached']:,} of them answered before")
        facts.append(f"{found.cost['input_tokens']:,} tokens in, {found.cost['output_tokens']:,} out")
        if found.cost.get("spent") is not None:
            facts.append(f"spent {found.cost['spent']:.4f}")
    chrome.small("generate-facts", " · ".join(facts))
    if found.is_going:
        if st.button("Stop", key="generate-stop", icon=":material/stop:", disabled=found.state == "stopping",
                     help="Ends after the calls under way and keeps what is accepted."):  # fmt: skip
            attempt(partial(generating_run.stop, identifier))
            st.rerun(scope="app")
    elif found.state != "done" and st.button("Resume", key="generate-resume", icon=":material/play_arrow:"):
        attempt(partial(generating_run.start, identifier))
        st.rerun(scope="app")
    if found.is_going:
        cells(found, "live")


def cells(found: Generation, key: str = "page") -> None:
    """Show accepted questions by category, and why others were rejected."""
    if found.is_going and key == "page":
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.header("How many of each category", anchor=False)
        rows = [
            (cell.question_set or "all", cell.category or "drawn", cell.accepted, cell.wanted) for cell in found.cells
        ]
        st.dataframe(
            pd.DataFrame(rows, columns=["Set", "Category", "Accepted", "Wanted"]), hide_index=True,
            key=f"generate-cells-{key}", alt="Accepted and wanted questions by category",
        )  # fmt: skip
    with right:
        st.header("Why results were rejected", anchor=False)
        if not found.rejected:
            st.text("None was rejected so far.")
            return
        st.dataframe(
            pd.DataFrame(found.rejected.items(), columns=["Reason", "Results"]), hide_index=True,
            key=f"generate-reasons-{key}", alt="Rejected results by reason",
        )  # fmt: skip
