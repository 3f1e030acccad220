"""The runs that are there: searched, paged, each with what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil

import streamlit as st

from core.figures.notation import count
from core.services import catalogue, queueing, run_admin
from core.services.catalogue import RESUMABLE, RunState, RunSummary
from core.services.costs import cost_so_far
from pages.shared import chrome, evaluate_readers, routes
from pages.shared import runs as shown
from pages.shared.confirm import confirmed
from pages.shared.evaluate_cost import attempt

_SIZE = 10
_RENAME = "evaluate-rename"
_BADGES: dict[RunState, tuple[str, str]] = {
    "done": (":material/check:", "green"),
    "running": (":material/play_circle:", "blue"),
    "queued": (":material/schedule:", "blue"),
    "stopped": (":material/stop_circle:", "gray"),
    "paused": (":material/pause_circle:", "orange"),
    "interrupted": (":material/power_off:", "orange"),
    "failed": (":material/error:", "red"),
}


def run_list(versions: evaluate_readers.Versions) -> None:
    """Draw the runs, newest first."""
    st.header("Runs", anchor=False)
    if not versions:
        st.text("Nothing has been evaluated yet: the first run appears here.")
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        search = st.text_input(
            "Search", key="evaluate_search", placeholder="dataset, title or id", max_chars=80, bind="query-params",
            icon=":material/search:",
        )  # fmt: skip
    # those that ended for no fault of their own and that nobody asked to end
    broken = [run_id for run_id, state, _, _ in versions if state in ("interrupted", "paused")]
    problems = st.container()
    if _RENAME in st.session_state:
        _do(problems, st.session_state.pop(_RENAME))
    if len(broken) > 1 and right.button(
        f"Resume all {len(broken):,} interrupted or paused", key="resume-all", icon=":material/resume:"
    ):
        _do(problems, partial(queueing.resume_all, broken))
    rows = st.container()
    n_pages = ceil(catalogue.n_runs(search or "") / _SIZE)
    page = st.pagination(n_pages, key="evaluate_page", bind="query-params") if n_pages > 1 else 1
    with rows:
        for run in catalogue.run_page(search or "", page=page, size=_SIZE):
            _row(run, problems)
        if not n_pages:
            st.text("No run, title or dataset is called so.")


def _row(run: RunSummary, problems: st.delta_generator.DeltaGenerator) -> None:
    with st.container(border=True, key=f"run-{run.id}", gap="small"):
        icon, colour = _BADGES[run.state]
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.badge(run.state, icon=icon, color=colour)
            st.text(shown.name(run), width="stretch")
        chrome.small(f"run-{run.id}", _facts(run))
        if run.state == "running":
            st.fragment(_going, run_every="1s")(run.id)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            _actions(run, problems)


def _going(run_id: str) -> None:
    """Follow a run in its card; the page is drawn anew when it ends."""
    run = catalogue.run(run_id)
    if run.state != "running":
        return
    st.progress(min(run.done / run.total, 1.0) if run.total else 0.0)
    chrome.small(f"going-{run.id}", " · ".join([run.stage or "starting", *shown.steps(run)]))


def _facts(run: RunSummary) -> str:
    parts = [run.dataset_title or run.dataset, run.searched, run.options or "default choices"] if run.title else []
    parts += [f"{count(run.n_questions, 'question')} × {count(run.n_configurations, 'configuration')}"]
    parts += [shown.duration(run.seconds)] if run.seconds and run.state != "running" else []
    parts += [f"{(run.finished or run.started)[:16].replace('T', ' ')} UTC"]
    parts += shown.failures(run)
    why = {"interrupted": "its process ended without a word; what it had computed is kept"}.get(run.state, "")
    so_far = cost_so_far(run) if run.state in RESUMABLE else ""
    parts += [text for text in (run.message, why, so_far) if text]
    return " · ".join((*parts, run.id))


def _actions(run: RunSummary, problems: st.delta_generator.DeltaGenerator) -> None:
    if run.version > 0:
        lens = routes.route("coverage" if run.is_collection else "logic")
        st.page_link(
            lens.file, label=f"Open on {lens.title}", icon=lens.icon, query_params={f"{lens.path}_run": run.id}
        )
    alive = run.state in ("running", "queued")
    if alive and st.button("Stop", key=f"row-stop-{run.id}", icon=":material/stop:", disabled=bool(run.message)):
        _do(problems, partial(queueing.stop, run.id))
    limit = run_admin.reached_limit(run.id) if run.limit else None
    if limit:
        _raise(run, limit, problems)
    elif run.state in RESUMABLE and st.button("Resume", key=f"resume-{run.id}", icon=":material/resume:"):
        _do(problems, partial(queueing.resume_all, [run.id]))
    failed = sum(run.failures.values())
    if (
        run.version > 0
        and not alive
        and failed
        and st.button(f"Retry {failed:,} failed", key=f"retry-{run.id}", icon=":material/replay:")
    ):
        _do(problems, partial(queueing.resume_all, [run.id], retry_failed=True))
    # a new title is a new popover, which is closed, and a new field, which holds it
    with (
        st.popover("Rename", icon=":material/edit:", key=f"rename-{run.id}-{run.title}"),
        st.form(f"rename-form-{run.id}-{run.title}", border=False),
    ):
        st.text_input(
            "Title", run.title, max_chars=run_admin.LONGEST_TITLE, key=f"title-{run.id}-{run.title}",
            help="Shown in place of dataset and choices. Empty: as at first. The id and the command stay.",
        )  # fmt: skip
        st.form_submit_button("Save", on_click=_keep_request, args=(run.id, run.title))
    if not alive:
        confirmed(
            f"delete-{run.id}",
            "Delete run",
            f"{shown.name(run)}\n{run.id}\n\nIts scores are deleted for good. What its stages computed is kept, so "
            "that the same evaluation again is quick.",
            partial(run_admin.delete, run.id),
        )


def _raise(run: RunSummary, limit: run_admin.ReachedLimit, problems: st.delta_generator.DeltaGenerator) -> None:
    """Offer to go on with a run that its spending limit has stopped: under the same limit it would stop again."""
    # another limit is another popover, which is closed
    with st.popover("Raise the limit", icon=":material/resume:", key=f"raise-{run.id}-{limit.most}"):
        if not limit.can_be_raised:
            st.text(
                f"The settings allow {limit.most:,} {limit.what} a run ({limit.name}): whoever keeps them can raise "
                "that; then this run goes on here."
            )
            return
        with st.form(f"raise-form-{run.id}-{limit.most}", border=False):
            most = st.number_input(
                f"{limit.what.capitalize()} at most", min_value=limit.most + 1, max_value=limit.ceiling or 10**12,
                value=min(2 * limit.most, limit.ceiling or 10**12), step=1, key=f"most-{run.id}-{limit.most}",
                help="All that this run has used before is counted in.",
            )  # fmt: skip
            if st.form_submit_button("Resume"):
                _do(problems, partial(run_admin.resume_with, run.id, limit.name, int(most)))


def _keep_request(run_id: str, before: str) -> None:
    """Keep what was asked for of the title that was seen: the form is another one where the run has got a new one."""
    title = st.session_state.get(f"title-{run_id}-{before}") or ""
    st.session_state[_RENAME] = partial(run_admin.rename, run_id, title, before)


def _do(problems: st.delta_generator.DeltaGenerator, action: Callable[[], object]) -> None:
    with problems:
        done = attempt(action)
    if done is not None:
        st.rerun()
