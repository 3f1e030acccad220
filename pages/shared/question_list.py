"""The questions behind a cell of the map: which cell, in which order, page by page, each with a link to its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from core.errors import OptionError
from core.figures.chart import shorten
from core.figures.logic import AVERAGE
from core.services import drilldown
from core.services.catalogue import RunSummary
from core.services.drilldown import ORDERS, Cell, CellPage
from core.services.question_filter import Where
from pages.shared import chrome, question_readers
from pages.shared import question_markup as markup
from pages.shared.filters import where_of
from pages.shared.selection import adopt, list_page, publish

QUESTION = "pages/lenses/question.py"
_ALL = ""
_DEFAULT_ORDER = "lowest"
_ROW_HEIGHT = 84
_SHOWN_ROWS = 6
#: as many as four lines of a row hold
_SHOWN_CHARACTERS = 110


def choose(page: str, clicked: Any) -> None:
    """Take over the cell that was clicked in a map: [configuration id, relation], as the browser sent it.

    Whether there is such a cell is seen when its questions are read.
    """
    if isinstance(clicked, Sequence) and len(clicked) == 2 and all(isinstance(part, str) for part in clicked):
        configuration, relation = clicked
        st.query_params[f"{page}_cell"] = configuration
        # a relation before the URL's is adopted only where it differs from the one that was shown
        st.session_state.pop(f"{page}_cell_relation_choice", None)
        if relation == AVERAGE:
            st.query_params.pop(f"{page}_cell_relation", None)
        else:
            st.query_params[f"{page}_cell_relation"] = relation


def chosen_cell(page: str) -> tuple[str, str] | None:
    """Return (configuration id, relation or ``AVERAGE``) of the chosen cell as the map knows it."""
    configuration = st.query_params.get(f"{page}_cell")
    return (configuration, st.query_params.get(f"{page}_cell_relation") or AVERAGE) if configuration else None


def cell_of(run_id: str, query: str, page: str) -> Cell | None:
    """Return the list that a page's query string describes, unchecked; None where it names no cell."""
    values = dict(parse_qsl(query))
    configuration = values.get(f"{page}_cell")
    if not configuration:
        return None
    order = cast(drilldown.Order, values.get(f"{page}_order", _DEFAULT_ORDER))
    relation, search = values.get(f"{page}_cell_relation", _ALL), values.get(f"{page}_search", "")
    return Cell(run_id, configuration, relation, where_of(query, page), order, search)


def question_list(
    run: RunSummary, page: str, labels: Mapping[str, str], relations: Sequence[str], where: Where
) -> None:
    """Let one choose a cell (a click in the map chooses too) and list its questions."""
    title, first, second = st.columns([3, 2, 2], gap="medium", vertical_alignment="bottom")
    whole = "all relations" if relations else "all questions"
    unknown = _unknown(page, labels, relations)
    with first:
        key = adopt(f"{page}_cell", labels)
        configuration = st.selectbox(
            "Configuration", list(labels), index=None, format_func=lambda i: labels.get(i, str(i)),
            placeholder="click a cell, or choose", key=key,
        )  # fmt: skip
    with second:
        options = [_ALL, *relations]
        key = adopt(f"{page}_cell_relation", options, _ALL)
        relation = st.selectbox("Relation", options, format_func=lambda name: name or whole, key=key)
    publish(f"{page}_cell", configuration)
    publish(f"{page}_cell_relation", relation if configuration else None)
    if unknown:
        chrome.problem(OptionError(unknown))
    if configuration not in labels:
        with title:
            markup.draw(markup.heading("The questions behind a cell", 3))
        chrome.small(f"{page}-cell", "Click a cell of the map, or choose a configuration, to read its questions.")
        return
    with title:
        markup.draw(markup.heading(f"{labels[configuration]} · {relation or whole}", 3))
    _list(run, page, configuration, relation or _ALL, where)


def _unknown(page: str, labels: Mapping[str, str], relations: Sequence[str]) -> str:
    cell, relation = st.query_params.get(f"{page}_cell"), st.query_params.get(f"{page}_cell_relation")
    if cell and cell not in labels:
        return f"This run has no configuration '{cell[:80]}': choose one here, or click a cell of the map."
    if relation and relation not in relations:
        return f"No question shown here has the relation '{relation[:80]}': all of them are listed instead."
    return ""


def _list(run: RunSummary, page: str, configuration: str, relation: str, where: Where) -> None:
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        key = adopt(f"{page}_order", ORDERS, _DEFAULT_ORDER)
        picked = st.selectbox("Order", list(ORDERS), format_func=lambda order: ORDERS[order], key=key)
        publish(f"{page}_order", None if picked == _DEFAULT_ORDER else picked)
    with right:
        search = st.text_input(
            "Search question, answer and reference", max_chars=drilldown.LONGEST_SEARCH, type="search",
            key=f"{page}_search", bind="query-params",
        )  # fmt: skip
    chosen = Cell(run.id, configuration, relation, where, picked, search or "")
    number = list_page(page, chosen)
    found = question_readers.cell(run, chosen, number)
    st.text(found.sentence)
    if not found.rows:
        return
    _table(run, page, found, bool(relation))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if found.n_pages > 1:
            st.pagination(found.n_pages, key=f"{page}_page", bind="query-params")
        st.download_button(
            f"Download all {found.n:,} as CSV" if found.n_pages > 1 else "Download as CSV",
            lambda: drilldown.cell_csv(chosen), f"{run.id}-questions.csv", "text/csv", key=f"{page}-cell-download",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip


def _table(run: RunSummary, page: str, found: CellPage, one_relation: bool) -> None:
    first = (found.number - 1) * drilldown.PAGE_SIZE + 1
    listed = list_query(page)
    links = [question_address(run.id, row["question_id"], listed) for row in found.rows]
    table = drilldown.rows_table(found.rows)
    for name in ("question", "reference", "answer"):  # the whole texts stand on the question's page and in the CSV
        table[name] = [shorten(text, _SHOWN_CHARACTERS) for text in table[name]]
    table.insert(0, "open", [f"question?{urlencode(link)}" for link in links])
    if one_relation:
        table = table.drop(columns=["relation"])
    st.dataframe(
        table,
        hide_index=True,
        key=f"{page}-cell-table",
        row_height=_ROW_HEIGHT,
        height=min(len(table), _SHOWN_ROWS) * _ROW_HEIGHT + 38,
        column_config={
            "open": st.column_config.LinkColumn("", display_text="Open", width=60),
            "question": st.column_config.TextColumn(width=230),
            "BERTSim": st.column_config.NumberColumn(format="%.3f", width=80),
            "relation": st.column_config.TextColumn(width=105),
            "predicted relation": st.column_config.TextColumn("predicted", width=105),
            "relation is": st.column_config.TextColumn(width=80),
            "reference": st.column_config.TextColumn(width=230),
            "answer": st.column_config.TextColumn(width=230),
        },
        alt=f"Questions {first} to {first + len(table) - 1} of {found.n}, with reference, answer and scores",
    )
    numbers = list(range(len(found.rows)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Question to open", numbers, key=f"{page}-cell-open", width="stretch",
            format_func=lambda i: f"{first + i}. {found.rows[i]['question']}" if i < len(found.rows) else "",
        )  # fmt: skip
        at = picked if picked in numbers else 0
        st.page_link(QUESTION, label="Open this question", icon=":material/quiz:", query_params=links[at])


def list_query(page: str) -> str:
    """Return a page's own parameters as a query string, its run left out: what leads back to the list as it is."""
    pairs = [
        (name, value)
        for name in st.query_params
        if name.startswith(f"{page}_") and name != f"{page}_run"
        for value in st.query_params.get_all(name)
    ]
    return urlencode(pairs)


def question_address(run_id: str, question_id: str, listed: str, **more: str | Sequence[str]) -> list[tuple[str, str]]:
    """Return the parameters of a question's page; ``listed`` describes the list it is reached from."""
    pairs = [("question_run", run_id), ("question_id", question_id)]
    pairs += [("question_list", listed)] if listed else []
    for name, values in more.items():
        pairs += [(name, value) for value in ([values] if isinstance(values, str) else values)]
    return pairs


def back_to_list(run_id: str, listed: str) -> list[tuple[str, str]]:
    """Return the parameters that bring the list back on the page it stands on."""
    return [(f"{lens_of(listed)}_run", run_id), *parse_qsl(listed)]


def lens_of(listed: str) -> str:
    """Return the page that a list stands on, by its parameters: "coverage", "granularity" or "logic"."""
    pages = {name.partition("_")[0] for name, _ in parse_qsl(listed)}
    return next((page for page in ("coverage", "granularity") if page in pages), "logic")
