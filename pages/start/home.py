"""Home: what this is, what the newest run found and how sure that is, what is running, where to go next."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

import streamlit as st

from core.figures.lenses import lenses_picture
from core.figures.ranking import ranking
from core.services.catalogue import RESUMABLE, RunSummary
from core.services.cautions import Finding
from core.services.findings import home_findings
from pages.shared import chrome, coverage_readers, granularity_readers, readers, routes
from pages.shared import runs as shown

chrome.require("viewer")

_ABOUT = (
    "Which retriever should you use for which kind of question, how sure can you be, and what would more data change? "
    "Trilens evaluates retrievers and their combinations on your questions, on this machine, and prints every number "
    "with its uncertainty."
)


def main() -> None:
    """Draw the page for whatever the store holds."""
    runs = readers.runs()
    st.text(_ABOUT)
    if not any(run.version > 0 for run in runs):
        lenses()
    going = {run.state for run in runs} & {"running", "queued"}
    if going:
        st.header("Running now" if "running" in going else "About to begin", anchor=False)
        shown.follow()
    newest = newest_finished(runs)
    if newest is not None:
        results(newest)
    elif not runs:
        begin()
    next_steps(newest)
    unfinished(runs)
    if newest is not None:
        lenses()


def newest_finished(runs: Sequence[RunSummary]) -> RunSummary | None:
    """Return the newest run with results over a whole corpus, else the newest with results, else None.

    What failed in one may be computed anew just now: the results it has stay until then.
    """
    done = [run for run in runs if run.version > 0]
    return next((run for run in done if run.scope == "corpus"), done[0] if done else None)


def results(run: RunSummary) -> None:
    """Show three findings of a run and the ranking they rest on."""
    lens = readers.logic(run, 1.0, "formula")
    st.header("The newest run says", anchor=False)
    chrome.small("newest", " · ".join((run.dataset_title or run.dataset, *shown.facts(run))))
    missing = [Finding(lens.missing, "caution")] if lens.missing else []
    chrome.findings("home", [*missing, *home_findings(lens)])
    if lens.scores.ranking.rows:
        theme = chrome.theme()
        what = "Overall Performance Index, OPI, at beta 1" if lens.scores.ranking.measure == "opi" else "BERTSim"
        chrome.figure(
            "home-ranking",
            f"Who leads over all questions? {what}",
            lambda narrow: ranking(lens.scores, theme, narrow=narrow, compact=True),
        )
    with st.container(horizontal=True):
        _link("logic", "Relation by relation on the Logic page", logic_run=run.id)
        if not coverage_readers.missing(run):
            _link("coverage", "Where needed facts are lost, on the Coverage page", coverage_run=run.id)
        if not granularity_readers.missing(run):
            _link("granularity", "Which categories differ, on the Granularity page", granularity_run=run.id)


def unfinished(runs: Sequence[RunSummary]) -> None:
    """List runs that stopped before their end, and how to go on; one that has results did reach it."""
    broken = [run for run in runs if run.state in RESUMABLE and run.version == 0]
    if not broken:
        return
    st.header("Not finished", anchor=False)
    for run in broken[:5]:
        shown.broken(run)
    if len(broken) > 5:
        chrome.small("more-broken", f"and {len(broken) - 5} more: .venv/bin/python -m core runs")


def lenses() -> None:
    """Explain the three lenses in one picture."""
    theme = chrome.theme()
    chrome.figure(
        "lenses", "One run, three lenses", lambda narrow: lenses_picture(theme, narrow=narrow),
        "All three read the same run, question by question.",
    )  # fmt: skip


def begin() -> None:
    """Say how to come to a first result."""
    st.header("Begin here", anchor=False)
    st.text(
        "Nothing has been evaluated yet. The bundled benchmark is there: evaluate it with one button, which needs no "
        "key and no network, or bring your own questions."
    )
    with st.container(horizontal=True):
        _link("evaluate", "Evaluate the bundled benchmark")
        _link("datasets", "Bring your own questions")
    st.text("The same from a terminal:")
    st.code(".venv/bin/python -m core demo", language=None)


def next_steps(run: RunSummary | None) -> None:
    """Say where to go next, for each kind of user."""
    st.header("Next", anchor=False)
    engineer, researcher, stakeholder = st.columns(3, gap="medium")
    with engineer, st.container(border=True):
        st.text("You choose a retriever")
        chrome.small("engineer", "Import your own questions, or the answers of a RAG you have, and evaluate them.")
        _link("datasets", "Import questions")
        _link("evaluate", "Evaluate")
    with researcher, st.container(border=True):
        st.text("You study evaluation")
        chrome.small("researcher", "Look at the labels and the checks of a dataset, or take every answer with you.")
        _link("datasets", "Look at a dataset")
        if run is not None:
            st.code(
                f".venv/bin/python -m core report {quote(run.id)} --format csv --out answers.csv",
                language=None,
                wrap_lines=True,
            )
    with stakeholder, st.container(border=True):
        st.text("You have two minutes")
        if run is None:
            chrome.small("stakeholder", "When a run has finished, its findings stand at the top of this page.")
        else:
            chrome.small("stakeholder", "Read the sentence on top of the Logic page first: it says how sure it is.")
            _link("logic", "Who leads where", logic_run=run.id)


def _link(path: str, label: str, **query: str) -> None:
    route = routes.route(path)
    st.page_link(route.file, label=label, icon=route.icon, query_params=query or None)


main()
