"""The selection lives in the URL: parameters carry their page's name, because they are global."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

import streamlit as st

from core.errors import OptionError
from core.figures.logic import RowOrder
from core.figures.measures import NAMES, MeasureName
from core.figures.notation import beta_symbol
from core.services.catalogue import RunSummary
from pages.shared import chrome
from pages.shared import runs as run_texts

#: five steps a decade, as in the preferred numbers R5, and both limits
BETAS = (0.0, 0.1, 0.16, 0.25, 0.4, 0.63, 1.0, 1.6, 2.5, 4.0, 6.3, 10.0, float("inf"))
CONVENTIONS = {"formula": "as printed", "prose": "as described"}


#: what is said of a stored run whose scores are not there
_WITHOUT_SCORES = {
    "running": "is running",
    "queued": "waits for its turn",
    "stopped": "was stopped",
    "paused": "is paused",
    "interrupted": "was interrupted",
    "failed": "failed",
}


def pick_run(runs: Sequence[RunSummary], page: str, stored: Sequence[RunSummary] = ()) -> RunSummary:
    """Let the sidebar choose one of ``runs`` (at least one); the URL's ``<page>_run`` comes first, then the newest.

    ``stored`` are all runs. A run of the URL that cannot be shown stays there, and is said, until somebody chooses.
    """
    by_id = {run.id: run for run in runs}
    parameter = f"{page}_run"
    asked = st.query_params.get(parameter)
    widget = adopt(parameter, by_id, runs[0].id)
    picked = st.sidebar.selectbox(
        "Run", list(by_id), format_func=lambda i: run_texts.short_name(by_id[i]), key=widget,
        on_change=_chosen, args=(parameter, widget),
    )  # fmt: skip
    run = by_id.get(picked, runs[0])
    with st.sidebar:
        chrome.small("run-facts", "\n".join((run.id, *run_texts.facts(run))))
    if asked and asked not in by_id:
        chrome.problem(OptionError(_instead_of(asked, stored)))
    else:
        publish(parameter, run.id)
    return run


def _chosen(parameter: str, widget: str) -> None:
    st.query_params[parameter] = st.session_state[widget]


def _instead_of(asked: str, stored: Sequence[RunSummary]) -> str:
    state = next((run.state for run in stored if run.id == asked), None)
    if state is None:
        return f"No run with scores is called '{asked[:80]}' here: another one is shown instead."
    what = f"{_WITHOUT_SCORES[state]} and" if state in _WITHOUT_SCORES else "is done but"
    return f"Run '{asked[:80]}' {what} has no scores yet: another one is shown instead."


def adopt(parameter: str, options: Collection[str], fallback: str | None = None) -> str:
    """Return the key for a widget that chooses one id of ``options``; the URL's ``parameter`` comes first.

    Not for bound widgets: those write their label into the URL, and a label may change while its id does not. To be
    followed by ``publish``. ``fallback`` None: nothing is chosen at first.
    """
    widget = f"{parameter}_choice"
    asked = st.query_params.get(parameter)
    # leaving the page ends the widget's state but not what was shown: a link back brings the same value again
    fresh = widget not in st.session_state
    if asked in options and (fresh or asked != st.session_state.get(f"{parameter}_shown")):
        st.session_state[widget] = asked
    elif fresh or st.session_state[widget] not in options:
        st.session_state[widget] = fallback
    return widget


def publish(parameter: str, picked: str | None) -> None:
    """Write what was picked into the URL; nothing and "" leave it.

    Only where it differs: each write sends all parameters as this rerun knows them, and would undo what a bound
    widget has put into the URL since.
    """
    st.session_state[f"{parameter}_shown"] = picked
    if picked and picked != st.query_params.get(parameter):
        st.query_params[parameter] = picked
    elif not picked and parameter in st.query_params:
        del st.query_params[parameter]


def adopt_many(parameter: str, options: Collection[str], fallback: Sequence[str] = (), most: int | None = None) -> str:
    """Return the key for a widget that chooses several ids; the URL repeats ``parameter``. See ``adopt``.

    Of more than ``most`` the first are taken.
    """
    widget, shown = f"{parameter}_choice", f"{parameter}_shown"
    asked = [one for one in dict.fromkeys(st.query_params.get_all(parameter)) if one in options][:most]
    fresh = widget not in st.session_state
    if asked and (fresh or asked != st.session_state.get(shown)):
        st.session_state[widget] = asked
    elif fresh:
        st.session_state[widget] = list(fallback)
    else:
        st.session_state[widget] = [one for one in st.session_state[widget] if one in options]
    return widget


def publish_many(parameter: str, picked: Sequence[str], absent: Sequence[str] = ()) -> None:
    """Write several ids into the URL, none where they are ``absent`` (the default). See ``publish``."""
    st.session_state[f"{parameter}_shown"] = list(picked)
    wanted = [] if list(picked) == list(absent) else list(picked)
    if wanted != st.query_params.get_all(parameter):
        if wanted:
            st.query_params[parameter] = wanted
        else:
            del st.query_params[parameter]


def pick_measure(page: str) -> MeasureName:
    """Return the measure of the heatmap."""
    picked = st.segmented_control(
        "Measure", list(NAMES), format_func=lambda name: NAMES[name], default="opi", required=True,
        key=f"{page}_measure", bind="query-params",
    )  # fmt: skip
    return cast(MeasureName, picked) if picked in NAMES else "opi"


def pick_beta(page: str, convention: str) -> float:
    """Return beta; the words under the slider's ends say what they favour."""
    picked = st.select_slider(
        "Beta: what counts in the Overall Performance Index, OPI", BETAS, value=1.0, format_func=beta_symbol,
        key=f"{page}_beta", bind="query-params",
    )  # fmt: skip
    ends = ("0 = answers only (BERTSim)", "∞ = logic only (LRCR)")
    if convention == "prose":
        ends = ("0 = logic only (LRCR)", "∞ = answers only (BERTSim)")
    with st.container(horizontal=True, horizontal_alignment="distribute", key=f"small-{page}-beta-ends"):
        for end in ends:
            st.text(end)
    return picked if picked in BETAS else 1.0


def pick_convention(page: str) -> str:
    """Return which reading of beta counts: the paper's formula, or its prose, which says the opposite."""
    picked = st.segmented_control(
        "Reading of beta", list(CONVENTIONS), format_func=CONVENTIONS.__getitem__, default="formula", required=True,
        key=f"{page}_reading", bind="query-params",
        help="The paper's formula favours logic as beta grows; its text says beta above 1 favours answers. "
             "As described turns beta into 1/beta.",
    )  # fmt: skip
    return picked if picked in CONVENTIONS else "formula"


def pick_order(page: str) -> RowOrder:
    """Return how the heatmap's rows are ordered."""
    names: dict[RowOrder, str] = {"average": "by average", "fixed": "fixed"}
    picked = st.segmented_control(
        "Rows", list(names), format_func=names.__getitem__, default="average", required=True, key=f"{page}_rows",
        bind="query-params",
    )  # fmt: skip
    return cast(RowOrder, picked) if picked in names else "average"


def list_page(page: str, chosen: object) -> int:
    """Return the page asked for of a page's list of what was ``chosen``: another list begins at its first."""
    shown, key = f"{page}_list_shown", f"{page}_page"
    if st.session_state.get(shown, chosen) != chosen and key in st.session_state:
        st.session_state[key] = 1
    st.session_state[shown] = chosen
    number = st.session_state.get(key)
    if number is None:  # the widget that reads the URL is drawn below the list
        asked = st.query_params.get(key, "")
        number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else 1
    return int(number)
