"""What is being evaluated, drawn every second: any tab sees it, whoever started it, whatever was restarted since."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.figures.notation import count
from core.services import catalogue, queueing
from pages.shared import chrome, evaluate_readers
from pages.shared import runs as shown
from pages.shared.evaluate_cost import attempt

#: runs a panel shows at most: the one that is evaluated and the next of the queue
_SHOWN = 6


def live(versions: evaluate_readers.Versions) -> None:
    """Follow the runs; the page is drawn anew when another one has begun or ended than ``versions`` says."""
    alive = any(state in ("running", "queued") for _, state, _, _ in versions)
    # without a run one still looks: another tab or a terminal may start one
    st.fragment(_live, run_every="1s" if alive else "4s")(versions)


def _live(versions: evaluate_readers.Versions) -> None:
    if evaluate_readers.versions() != versions:
        st.rerun(scope="app")
    chrome.beat()
    going = catalogue.runs_under_way(_SHOWN)
    if not going:
        return
    running = [run for run in going if run.state == "running"]
    queued = [run for run in going if run.state == "queued"]
    with st.container(border=True):
        st.header("Running now" if running else "About to begin", anchor=False)
        for run in running:
            left, right = st.columns([5, 1], vertical_alignment="center")
            with left:
                shown.progress(run)
            if right.button(
                "Stop", key=f"stop-{run.id}", icon=":material/stop:", disabled=bool(run.message), width="stretch",
                help="Ends at the next safe point and keeps what is done; the next run of the queue begins.",
            ):  # fmt: skip
                _do(partial(queueing.stop, run.id))
        for run in queued:
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.text(f"{shown.name(run)}: waits for its turn")
            if right.button(
                "Take out", key=f"withdraw-{run.id}", icon=":material/playlist_remove:", width="stretch",
                help="Takes this run out of the queue; the others go on.",
            ):  # fmt: skip
                _do(partial(queueing.stop, run.id))
        more = catalogue.n_under_way() - len(going) if len(going) == _SHOWN else 0
        if more > 0:
            chrome.small("queue-rest", f"and {count(more, 'run')} more that wait")
        if len(going) > 1 and st.button("Stop all", key="stop-all", icon=":material/stop_circle:"):
            _do(queueing.stop_all)


def _do(action: Callable[[], object]) -> None:
    if attempt(action) is not None:
        st.rerun(scope="app")
