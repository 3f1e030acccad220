"""How runs are shown that are going, have stopped, or are not there yet."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.figures.notation import count
from core.services.catalogue import RunSummary
from pages.shared import chrome, readers

_ENDS = {
    "stopped": "was stopped",
    "interrupted": "was interrupted: its process ended without a word",
    "failed": "failed",
}


def name(run: RunSummary) -> str:
    """Return a run's name for lists: dataset, scope and the choices that differ from the defaults."""
    return " · ".join(part for part in (run.dataset_title or run.dataset, run.scope, run.options) if part)


def short_name(run: RunSummary) -> str:
    """Return the same for a narrow list: what tells runs of one dataset apart comes first, then the dataset."""
    made = (run.finished or run.started)[11:16]
    return f"{run.scope} {made}{' ' + run.options if run.options else ''} · {run.dataset_title or run.dataset}"


def facts(run: RunSummary) -> tuple[str, ...]:
    """Return what a run covers, its choices, and when it was made."""
    made = (run.finished or run.started)[:16].replace("T", " ")
    covers = f"{count(run.n_questions, 'question')}, {count(run.n_configurations, 'configuration')}"
    return covers, f"{run.scope} scope, {run.options or 'default choices'}", f"{made} UTC"


def nothing_yet(runs: Sequence[RunSummary]) -> None:
    """Say that there are no scores to show and what to do; ``runs`` are those that have none yet."""
    if any(run.state == "running" for run in runs):
        chrome.finding("The first scores are being computed.")
        follow()
        return
    if runs:
        chrome.finding("No run has finished yet.")
        for run in runs[:5]:
            broken(run)
        return
    chrome.finding("Nothing has been evaluated yet.")
    st.text("Evaluate the bundled benchmark; it takes a few minutes and needs no key and no network:")
    st.code(".venv/bin/python -m core demo", language=None)
    st.text("or your own file or folder of documents and questions:")
    st.code(".venv/bin/python -m core evaluate PATH", language=None)
    st.text("This page shows the result as soon as you load it again.")


@st.fragment(run_every="1s")
def follow() -> None:
    """Follow the runs that are going; when the last one ends the whole page is drawn anew."""
    going = [run for run in readers.runs() if run.state == "running"]
    if not going:
        st.rerun(scope="app")
    for run in going:
        progress(run)


def progress(run: RunSummary) -> None:
    """Show a living run: stage, done of total, speed, time left, failures by reason."""
    share = min(run.done / run.total, 1.0) if run.total else 0.0
    st.text(f"{name(run)}: {run.stage or 'starting'}")
    st.progress(share)
    parts = [f"{run.done:,} of {run.total:,}"] if run.total else []
    parts += [f"{run.rate:,.1f} a second"] if run.rate else []
    parts += [f"about {duration(run.seconds_left)} left in this stage"] if run.seconds_left is not None else []
    parts += [f"{count(number, 'failure')}: {reason}" for reason, number in run.failures.items()]
    if parts:
        chrome.small(f"progress-{run.id}", " · ".join(parts))


def broken(run: RunSummary) -> None:
    """Show a run that did not reach its end, why, and the command that goes on."""
    with st.container(border=True):
        why = f" ({run.message})" if run.message else ""
        st.text(f"{name(run)} {_ENDS.get(run.state, run.state)}{why}. What it had computed is kept; to go on:")
        st.code(f".venv/bin/python -m core evaluate --resume {run.id}", language=None, wrap_lines=True)


def duration(seconds: float) -> str:
    """Return "40 s", "3 min" or "2 h 5 min"."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
