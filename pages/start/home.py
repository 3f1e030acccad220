"""Home: what this is, what the newest run found and how sure that is, what is running, where to go next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.figures.ranking import ranking
from core.services.catalogue import RunSummary
from core.services.cautions import Finding
from core.services.findings import home_findings
from pages.shared import chrome, readers
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
    if not runs:
        shown.nothing_yet(runs)
        return
    if any(run.state == "running" for run in runs):
        st.subheader("Running now", anchor=False)
        shown.follow()
    newest = newest_finished(runs)
    if newest is None:
        unfinished(runs)
        return
    results(newest)
    next_steps(newest)
    unfinished(runs)


def newest_finished(runs: Sequence[RunSummary]) -> RunSummary | None:
    """Return the newest finished run over a whole corpus, else the newest finished one, else None."""
    done = [run for run in runs if run.state == "done" and run.version > 0]
    return next((run for run in done if run.scope == "corpus"), done[0] if done else None)


def results(run: RunSummary) -> None:
    """Show three findings of a run and the ranking they rest on."""
    lens = readers.logic(run, 1.0, "formula")
    st.subheader("The newest run says", anchor=False)
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
    st.page_link(
        "pages/lenses/logic.py", label="Relation by relation on the Logic page", icon=":material/account_tree:",
        query_params={"logic_run": run.id},
    )  # fmt: skip


def unfinished(runs: Sequence[RunSummary]) -> None:
    """List runs that stopped before their end, and how to go on."""
    broken = [run for run in runs if run.state in ("stopped", "interrupted", "failed")]
    if not broken:
        return
    st.subheader("Not finished", anchor=False)
    for run in broken[:5]:
        shown.broken(run)
    if len(broken) > 5:
        chrome.small("more-broken", f"and {len(broken) - 5} more: .venv/bin/python -m core runs")


def next_steps(run: RunSummary) -> None:
    """Say what one can do now."""
    st.subheader("Next", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        st.text("Evaluate your own questions: a file or folder, no key and no network needed.")
        st.code(".venv/bin/python -m core evaluate PATH", language=None, wrap_lines=True)
    with right:
        st.text("Take this run with you, a row an answer, or use its scores in a script.")
        core = ".venv/bin/python -m core"
        commands = (f"{core} report {run.id} --format csv --out answers.csv", f"{core} score {run.id} --json")
        st.code("\n".join(commands), language=None, wrap_lines=True)


main()
