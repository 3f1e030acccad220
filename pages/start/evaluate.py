"""Evaluate: choose what to evaluate, see what it costs, start it, watch it, and find what was evaluated before."""

from __future__ import annotations

import streamlit as st

from core.errors import TrilensError
from core.services.sweeps import Sweep
from pages.shared import chrome, evaluate_cost, evaluate_form, evaluate_readers
from pages.shared.evaluate_live import live
from pages.shared.evaluate_runs import run_list

chrome.require("viewer")


def main() -> None:
    """Draw what is going, the form with its cost, and the runs."""
    versions = evaluate_readers.versions()
    live(versions)
    answer = st.container()
    form, cost = st.columns([3, 2], gap="large")
    offered = evaluate_readers.datasets()
    with form:
        first = evaluate_form.first_choices(offered)
    summary = st.container()
    sweep = Sweep(**first, **evaluate_form.more_choices(offered, first["datasets"], first["answers"]))
    with summary:
        chrome.small("evaluate-summary", evaluate_form.in_a_sentence(sweep, offered))
    found = None
    with cost, st.container(border=True):
        try:
            found = evaluate_readers.estimate(sweep, offered, versions)
        except TrilensError as problem:
            chrome.problem(problem)
        else:
            with answer:
                chrome.finding(evaluate_cost.finding(found))
            before = [run for run, state, _, _ in versions if state in ("running", "queued")]
            mine = {run.run_id for run in found.runs}
            evaluate_cost.costs(found, len([run for run in before if run not in mine]))
        collections = {offer.name for offer in offered if offer.is_collection}
        evaluate_cost.start_button(sweep, found, "coverage" if {*sweep.datasets} <= collections else "logic")
        if found is not None:
            evaluate_cost.as_commands(found)
    run_list(versions)


main()
