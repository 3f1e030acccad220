"""The nuggets behind a bar, cell, line or point: which list, page by page, and one question of it in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.errors import OptionError
from core.figures.chart import shorten
from core.figures.logic import AVERAGE
from core.metrics.coverage_observations import Importance
from core.services import coverage_list
from core.services.catalogue import RunSummary
from core.services.coverage_list import ASKABLE, NuggetCell, NuggetPage
from core.services.question_filter import Where
from pages.shared import chrome, coverage_matrix, coverage_readers
from pages.shared import question_markup as markup
from pages.shared.coverage_controls import PAGE
from pages.shared.question_list import QUESTION, list_query, question_address
from pages.shared.selection import adopt, list_page, publish

#: figures that a list may stand under, the first one by default
PLACES = ("bars", "map", "points", "curves", "scatter")
_ALL = ""
#: characters that three lines of a cell hold
_SHOWN = {"nugget": 130, "question": 90}
_ROW_HEIGHT, _SHOWN_ROWS = 66, 6


def choose(place: str, clicked: Any) -> None:
    """Take over what was clicked in a figure: [configuration id, part, kind or question], as the browser sent it.

    Whether there is such a thing is seen when its nuggets are read.
    """
    if not isinstance(clicked, Sequence) or isinstance(clicked, str) or not clicked:
        return
    if not all(isinstance(part, str) for part in clicked):
        return
    second = clicked[1] if len(clicked) > 1 else _ALL
    wanted = {
        "cell": clicked[0],
        "part": second if place == "bars" else _ALL,
        "group": second if place == "map" and second != AVERAGE else _ALL,
        "question": second if place == "scatter" else _ALL,
        "at": place if place != PLACES[0] else _ALL,
    }
    for name, value in wanted.items():
        # what is no longer chosen must not be adopted again from the widget that showed it
        st.session_state.pop(f"{PAGE}_{name}_choice", None)
        if value:
            st.query_params[f"{PAGE}_{name}"] = value
        else:
            st.query_params.pop(f"{PAGE}_{name}", None)


def place_of_list() -> str:
    """Return the figure that the list stands under."""
    at = st.query_params.get(f"{PAGE}_at", PLACES[0])
    return at if at in PLACES else PLACES[0]


def chosen_segment() -> tuple[str, str] | None:
    """Return (configuration id, part) of the chosen segment of a bar."""
    asked = st.query_params
    return (asked[f"{PAGE}_cell"], asked.get(f"{PAGE}_part", _ALL)) if f"{PAGE}_cell" in asked else None


def chosen_cell() -> tuple[str, str] | None:
    """Return (configuration id, column) of the chosen cell of the map; a chosen segment of a bar is none."""
    asked = st.query_params
    if f"{PAGE}_cell" not in asked or f"{PAGE}_part" in asked:
        return None
    return asked[f"{PAGE}_cell"], asked.get(f"{PAGE}_group") or AVERAGE


def shown_configuration(fallback: str) -> str:
    """Return the configuration that figures put in front."""
    return st.query_params.get(f"{PAGE}_cell", fallback)


def nugget_list(
    run: RunSummary,
    labels: Mapping[str, str],
    dimension: str,
    groups: Sequence[str],
    importance: Importance,
    where: Where,
) -> None:
    """Let one choose a configuration, a part and a kind of question (a click chooses too) and list the nuggets."""
    unknown = _unknown(labels, groups)
    first, second, third = st.columns(3, gap="medium", vertical_alignment="bottom")
    with first:
        configuration = st.selectbox(
            "Configuration", list(labels), index=None, format_func=lambda i: labels.get(i, str(i)),
            placeholder="click a bar or cell, or choose", key=adopt(f"{PAGE}_cell", labels),
        )  # fmt: skip
    with second:
        options = [_ALL, *ASKABLE]
        part = st.selectbox(
            "What became of the nugget", options, format_func=lambda name: ASKABLE.get(name, "all of them"),
            key=adopt(f"{PAGE}_part", options, _ALL),
        )  # fmt: skip
    group = _ALL
    if groups:
        with third:
            options = [_ALL, *groups]
            key = adopt(f"{PAGE}_group", options, _ALL)
            group = st.selectbox("Kind of question", options, format_func=lambda name: name or "all of them", key=key)
    publish(f"{PAGE}_cell", configuration)
    publish(f"{PAGE}_part", part if configuration else None)
    publish(f"{PAGE}_group", group if configuration else None)
    if unknown:
        chrome.problem(OptionError(unknown))
    if configuration not in labels:
        chrome.small(
            f"{PAGE}-cell", "Click a bar, cell, line or point, or choose a configuration, to read its nuggets."
        )
        return
    heading = " · ".join(part for part in (labels[configuration], ASKABLE.get(part, ""), group) if part)
    markup.draw(markup.heading(heading, 3))
    chosen = NuggetCell(
        run.id, configuration, part or _ALL, dimension if group else _ALL, group or _ALL, importance, where
    )
    found = coverage_readers.nuggets(run, chosen, list_page(PAGE, chosen))
    st.text(found.sentence)
    if found.rows:
        _table(run, configuration, found)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if found.n_pages > 1:
                st.pagination(found.n_pages, key=f"{PAGE}_page", bind="query-params")
            st.download_button(
                f"Download all {found.n:,} as CSV" if found.n_pages > 1 else "Download as CSV",
                lambda: coverage_list.nugget_csv(chosen), f"{run.id}-nuggets.csv", "text/csv",
                key=f"{PAGE}-nuggets-download", on_click="ignore", icon=":material/download:",
            )  # fmt: skip
    _question(run, configuration, found)


def _unknown(labels: Mapping[str, str], groups: Sequence[str]) -> str:
    asked = st.query_params
    cell, part, group = (asked.get(f"{PAGE}_{name}", _ALL) for name in ("cell", "part", "group"))
    if cell and cell not in labels:
        return f"This run has no configuration '{cell[:80]}': choose one here, or click a bar."
    if part and part not in ASKABLE:
        return f"Nuggets have no part '{part[:80]}': all of them are listed instead."
    if group and group not in groups:
        return f"No question shown here is of the kind '{group[:80]}': all of them are listed instead."
    return ""


def _table(run: RunSummary, configuration: str, found: NuggetPage) -> None:
    table = coverage_list.rows_table(found.rows).drop(columns=["question id"])
    for name, most in _SHOWN.items():  # whole texts stand in the matrix below, on the question's page and in the CSV
        table[name] = [shorten(text, most) for text in table[name]]
    links = [question_link(run, row.question_id, configuration) for row in found.rows]
    table.insert(0, "open", [f"question?{urlencode(link)}" for link in links])
    st.dataframe(
        table,
        hide_index=True,
        key=f"{PAGE}-nuggets-table",
        row_height=_ROW_HEIGHT,
        height=min(len(table), _SHOWN_ROWS) * _ROW_HEIGHT + 38,
        column_config={
            "open": st.column_config.LinkColumn("", display_text="Open", width=60),
            "nugget": st.column_config.TextColumn(width=340),
            "question": st.column_config.TextColumn(width=260),
            "importance": st.column_config.TextColumn(width=80),
            "outcome": st.column_config.TextColumn(width=170),
            "first rank that holds it": st.column_config.NumberColumn("rank", width=60),
        },
        column_order=["open", "nugget", "outcome", "first rank that holds it", "importance", "question"],
        alt=f"Nuggets {(found.number - 1) * coverage_list.PAGE_SIZE + 1} and following of {found.n}, with outcomes",
    )


def question_link(run: RunSummary, question_id: str, configuration: str) -> list[tuple[str, str]]:
    """Return the parameters of a question's page that compare this configuration and lead back here."""
    return question_address(run.id, question_id, list_query(PAGE), question_compare=configuration)


def _question(run: RunSummary, configuration: str, found: NuggetPage) -> None:
    """Show one question of the list in full, the first one until another is chosen."""
    texts = {row.question_id: row.question for row in found.rows}
    asked = st.query_params.get(f"{PAGE}_question")
    if asked and asked not in texts:
        texts = {asked: asked, **texts}
    if not texts:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Question to look at", list(texts), format_func=lambda i: texts.get(i, str(i)), width="stretch",
            key=adopt(f"{PAGE}_question", texts, next(iter(texts))),
        )  # fmt: skip
        question_id = picked if picked in texts else next(iter(texts))
        st.page_link(
            QUESTION, label="Open this question", icon=":material/quiz:",
            query_params=question_link(run, question_id, configuration),
        )  # fmt: skip
    if question_id != next(iter(texts)) or asked:
        publish(f"{PAGE}_question", question_id)
    try:
        there = coverage_matrix.draw(run, question_id, configuration, PAGE)
    except OptionError as problem:
        chrome.problem(problem)
        return
    if not there:
        chrome.small(f"{PAGE}-no-nuggets", "This question has no nuggets.")
