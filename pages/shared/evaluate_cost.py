"""What a form's choices cost, and the button that starts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from core.errors import OptionError, TrilensError
from core.figures.notation import count, listed
from core.services.estimating import Estimate
from core.services.sweeps import Sweep, start_sweep
from pages.shared import access, chrome, routes
from pages.shared.runs import duration

Result = TypeVar("Result")
#: commands that are shown of a sweep
_COMMANDS = 12


def finding(found: Estimate) -> str:
    """Return in a sentence what would be computed and how long it takes."""
    todo = [run for run in found.runs if not run.is_done]
    one = len(found.runs) == 1
    if not todo:
        return "This run is there already." if one else "All of these runs are there already."
    if all(run.is_going for run in todo):
        return "This run is being evaluated." if one else "These runs are being evaluated."
    sizes = {(run.n_questions, run.n_configurations) for run in todo}
    work = " and ".join(
        f"{count(questions, 'question')} × {count(configurations, 'configuration')}"
        for questions, configurations in sorted(sizes)
    )
    if len(sizes) > 2:
        work = count(found.answers, "answer")
    runs = "" if len(todo) == 1 else f"{len(todo):,} runs, one after the other: "
    return f"{runs}{work}{' each' if runs and len(sizes) == 1 else ''}, {_time(found)}. {_needs(found)}"


def costs(found: Estimate, n_before: int) -> None:
    """Show the parts of the cost; ``n_before`` runs are evaluated first."""
    todo = [run for run in found.runs if not run.is_done]
    lines = []
    if len(todo) < len(found.runs):
        lines.append(f"{len(found.runs) - len(todo):,} of {count(len(found.runs), 'run')} there already")
    if todo:
        texts = f"{count(found.texts, 'text')} to encode"
        more = f", up to {found.further:,} more depending on what is retrieved" if found.further else ""
        lines += [
            count(found.answers, "answer"),
            f"{texts if found.exact else 'about ' + texts + ' (from a part of the corpus)'}{more}",
            *_model_lines(found),
            f"{_time(found)}{', once ' + count(n_before, 'run') + ' before it ended' if n_before else ''}",
        ]
    for line in lines:
        st.text(line)
    if todo:
        chrome.small(
            "evaluate-basis",
            f"Time from {count(found.measured, 'finished run')} on this machine."
            if found.measured
            else "Time by a rule of thumb for two processors, until a run has finished here.",
        )
        for one in found.asked:
            if one.calls and not one.measured:
                chrome.small("evaluate-model-basis", f"No finished run tells how fast {one.model} is: a rule of thumb.")
                break


def _needs(found: Estimate) -> str:
    """What it takes besides this machine."""
    if not found.asked:
        return "No key, no network."
    models = listed(list(dict.fromkeys(one.model for one in found.asked)))
    return f"{_bound(found).capitalize()}{count(found.calls, 'call')} to {models}."


def _bound(found: Estimate) -> str:
    """How the number of calls is meant, to be followed by it."""
    if not all(one.exact for one in found.asked):
        return "up to "
    return "about " if any(one.sampled for one in found.asked) else ""


def _model_lines(found: Estimate) -> list[str]:
    """The language model's part: calls and those that are stored, tokens and how they were told, price."""
    if not found.asked:
        return ["0 calls to a language model, 0 tokens"]
    most = {"up to ": "at most "}.get(_bound(found), _bound(found))
    cached = f"{'about ' if any(one.sampled for one in found.asked) else ''}{sum(one.cached for one in found.asked):,}"
    told = "counted with its tokenizer" if all(one.counted for one in found.asked) else "estimated by a rule"
    prices = [one.price for one in found.asked]
    priced = [price for price in prices if price is not None]
    limits = dict.fromkeys(one.limit for one in found.asked if one.limit)
    return [
        f"{most}{count(found.calls, 'call')} to a language model, {cached} more answered before",
        f"about {found.tokens:,} tokens, {told}" if found.calls else "0 tokens",
        *limits,
        f"about {sum(priced):,.4g} by the prices in the settings"
        if len(priced) == len(prices)
        else "the settings name no price",
    ]


def as_commands(found: Estimate) -> None:
    """Offer the commands that do the same in a terminal."""
    with st.popover("As a command", icon=":material/terminal:", type="tertiary", key="evaluate-command"):
        st.text("The same in a terminal:")
        commands = [run.command for run in found.runs[:_COMMANDS]]
        commands += ["…"] if len(found.runs) > _COMMANDS else []
        st.code("\n".join(commands), language=None, wrap_lines=True)


def start_button(sweep: Sweep, found: Estimate | None, lens: str) -> None:
    """Offer to start what is missing, or to open what is there on the page of a ``lens`` (its path).

    Without an estimate the button cannot be pressed.
    """
    runs = found.runs if found else ()
    todo = [run for run in runs if not run.is_done]
    if found and not todo:
        page = routes.route(lens)
        if st.button(f"Open it on {page.title}", key="evaluate-open", type="primary", icon=page.icon, width="stretch"):
            st.switch_page(page.file, query_params={f"{lens}_run": runs[0].run_id})
        return
    to_start = sum(not run.is_going for run in todo)
    label = "Being evaluated" if todo and not to_start else f"Start {to_start:,} runs" if to_start > 1 else "Start"
    disabled = not to_start or not access.visitor().may("owner")
    if st.button(
        label, key="evaluate-start", type="primary", icon=":material/play_arrow:", disabled=disabled, width="stretch"
    ):
        with st.spinner("Starting …"):
            started = attempt(lambda: start_sweep(sweep))
        if started is None:
            return
        if started.started:
            st.toast(f"{count(len(started.started), 'run')} started.", icon=":material/play_circle:")
            st.rerun()
        chrome.problem(OptionError("All of this is being evaluated already, or is there: see the runs below."))


def attempt(action: Callable[[], Result]) -> Result | None:
    """Do what only an owner may do; show what goes wrong and return None then."""
    try:
        if not access.visitor().may("owner"):
            raise OptionError("Only an owner may start, stop or change runs.")
        return action()
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def _time(found: Estimate) -> str:
    low, high = (duration(seconds) for seconds in found.seconds)
    return f"about {low}" if low == high else f"{low} to {high}"
