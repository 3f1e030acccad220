"""How runs are shown that are going, have stopped, or are not there yet."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import streamlit as st

from core.figures.notation import count
from core.services import catalogue
from core.services.catalogue import RunSummary
from core.services.stages import STAGES, place_of
from pages.shared import chrome

#: runs a page follows at most: a sweep may have many that wait
_FOLLOWED = 5
#: reasons of failures that are told: those that quote a model are as many as its answers
_REASONS = 3
_ENDS = {
    "stopped": "was stopped",
    "paused": "is paused",
    "interrupted": "was interrupted: its process ended without a word",
    "failed": "failed",
}


def name(run: RunSummary) -> str:
    """Return a run's name for lists: dataset, scope and the choices that differ from the defaults."""
    if run.title:
        return run.title
    return " · ".join(part for part in (run.dataset_title or run.dataset, run.searched, run.options) if part)


def short_name(run: RunSummary) -> str:
    """Return the same for a narrow list: what tells runs of one dataset apart comes first, then the dataset."""
    if run.title:
        return run.title
    made = (run.finished or run.started)[11:16]
    return f"{run.searched} {made}{' ' + run.options if run.options else ''} · {run.dataset_title or run.dataset}"


def facts(run: RunSummary) -> tuple[str, ...]:
    """Return what a run covers, its choices, and when it was made."""
    made = (run.finished or run.started)[:16].replace("T", " ")
    covers = f"{count(run.n_questions, 'question')}, {count(run.n_configurations, 'configuration')}"
    where = "collection of judgments" if run.is_collection else f"{run.scope} scope"
    return covers, f"{where}, {run.options or 'default choices'}", f"{made} UTC"


def nothing_yet(runs: Sequence[RunSummary]) -> None:
    """Say that there are no scores to show and what to do; ``runs`` are those that have none yet."""
    if any(run.state in ("running", "queued") for run in runs):
        chrome.finding("The first scores are being computed.")
        follow()
        return
    if runs:
        chrome.finding("No run has finished yet.")
        for run in runs[:5]:
            broken(run)
        return
    chrome.finding("Nothing has been evaluated yet.")
    st.text("Evaluate the bundled benchmark with one button; it takes a few minutes and needs no key and no network.")
    _evaluate("Evaluate the bundled benchmark")
    st.text("The same from a terminal, and for your own file or folder of documents and questions:")
    st.code(".venv/bin/python -m core demo", language=None)
    st.code(".venv/bin/python -m core evaluate PATH", language=None)


@st.fragment(run_every="1s")
def follow() -> None:
    """Follow the runs that are going; when the last one ends the whole page is drawn anew."""
    going = catalogue.runs_under_way(_FOLLOWED)
    if not going:
        st.rerun(scope="app")
    chrome.beat()
    for run in going:
        progress(run)
    more = catalogue.n_under_way() - len(going) if len(going) == _FOLLOWED else 0
    if more > 0:
        chrome.small("more-going", f"and {count(more, 'run')} more that wait")


def progress(run: RunSummary) -> None:
    """Show a living run: stage, its place among all, done of total, speed, time left, failures by reason."""
    if run.state == "queued":
        st.text(f"{name(run)}: waits for its turn")
        return
    st.text(f"{name(run)}: {run.stage or 'starting'}")
    st.progress(min(run.done / run.total, 1.0) if run.total else 0.0)
    parts = [run.message] if run.message else []
    parts += [*steps(run), *failures(run)]
    if parts:
        chrome.small(f"progress-{run.id}", " · ".join(parts))


def steps(run: RunSummary) -> list[str]:
    """Return how far a living run is: its stage's place among all, done of total, speed and time left."""
    place = place_of(run.stage)
    parts = [f"step {place} of {len(STAGES)}"] if place else []
    parts += [f"{run.done:,} of {run.total:,}"] if run.total else []
    parts += [f"{run.rate:,.1f} a second"] if run.rate else []
    parts += [f"about {duration(run.seconds_left)} left in this stage"] if run.seconds_left is not None else []
    return parts


def failures(run: RunSummary) -> list[str]:
    """Return how many items of a run failed and why, the commonest reasons first and the rest as one."""
    ordered = sorted(run.failures.items(), key=lambda pair: -pair[1])
    told = [f"{count(number, 'failure')}: {reason}" for reason, number in ordered[:_REASONS]]
    rest = sum(number for _, number in ordered[_REASONS:])
    return [*told, f"{rest:,} more for {count(len(ordered) - _REASONS, 'other reason')}"] if rest else told


def broken(run: RunSummary) -> None:
    """Show a run that did not reach its end, why, and the command that goes on."""
    with st.container(border=True):
        why = f" ({run.message})" if run.message else ""
        st.text(f"{name(run)} {_ENDS.get(run.state, run.state)}{why}. What it had computed is kept; to go on:")
        _evaluate("Resume it on the Evaluate page", evaluate_search=run.id)
        st.code(f".venv/bin/python -m core evaluate --resume {shlex.quote(run.id)}", language=None, wrap_lines=True)


def _evaluate(label: str, **query: str) -> None:
    st.page_link("pages/start/evaluate.py", label=label, icon=":material/play_circle:", query_params=query or None)


def duration(seconds: float) -> str:
    """Return "40 s", "3 min" or "2 h 5 min"."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
