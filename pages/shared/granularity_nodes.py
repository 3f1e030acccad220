"""The categories of a tree as an outline, and the questions of the one that was clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

import streamlit as st

from core.errors import OptionError
from core.figures.chart import shorten
from core.metrics.granularity import NodeMean
from core.services import granularity_list
from core.services.catalogue import RunSummary
from core.services.granularity import Choice
from core.services.granularity_list import ORDERS, NodeOrder, NodePage, NodeQuestions
from core.services.granularity_tables import told
from core.taxonomy.trees import Tree
from pages.shared import chrome, granularity_readers
from pages.shared import question_markup as markup
from pages.shared.granularity_controls import PAGE
from pages.shared.granularity_readers import Stamp
from pages.shared.question_list import QUESTION, list_query, question_address
from pages.shared.selection import adopt, list_page, publish

_ALL = ""
_DEFAULT_ORDER = "lowest"
#: characters that three lines of a cell hold
_SHOWN = 110
_ROW_HEIGHT, _SHOWN_ROWS = 66, 6


def choose(clicked: Any) -> None:
    """Take over the category that was clicked: [name], as the browser sent it.

    Whether there is such a category is seen when its questions are read.
    """
    if isinstance(clicked, Sequence) and len(clicked) == 1 and isinstance(clicked[0], str):
        st.session_state.pop(f"{PAGE}_node_choice", None)
        st.query_params[f"{PAGE}_node"] = clicked[0]


def chosen_node() -> str:
    """Return the category that the URL names, "" for none."""
    return st.query_params.get(f"{PAGE}_node", _ALL)


def outline(nodes: Sequence[NodeMean], symbol: str) -> None:
    """Draw the tree as boxes that open, each with its mean, interval and n; the coarsest level is open at first."""
    below: dict[str | None, list[NodeMean]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    chrome.small("outline", f"{symbol} with its 95 % interval, and n; too few: fewer than five questions")
    for node in below.get(None, []):
        _branch(node, below)


def _branch(node: NodeMean, below: Mapping[str | None, Sequence[NodeMean]]) -> None:
    children = below.get(node.name, ())
    numbers = f"{told(node.mean)} · n = {node.n:,}{' · too few' if node.too_small else ''}"
    if not children:
        _button(node, f"{chrome.as_label(node.name)}  {numbers}")
        return
    with st.expander(f"**{chrome.as_label(node.name)}**  {numbers}", expanded=node.level == 0):
        _button(node, f"All questions of {chrome.as_label(node.name)}")
        for child in children:
            _branch(child, below)


def _button(node: NodeMean, label: str) -> None:
    st.button(
        label,
        key=f"{PAGE}-node-{node.name}",
        type="tertiary",
        on_click=choose,
        args=([node.name],),
        icon=":material/quiz:",
    )


def question_list(
    run: RunSummary, choice: Choice, second: str, tree: Tree, nodes: Sequence[NodeMean], of: Stamp
) -> None:
    """Let one choose a category (a click chooses too) and list its questions."""
    counts = {node.name: node.n for node in nodes}
    title, which, order_by = st.columns([3, 2, 2], gap="medium", vertical_alignment="bottom")
    asked = chosen_node()
    with which:
        node = st.selectbox(
            "Category", list(counts), index=None, placeholder="click a category, or choose",
            format_func=lambda name: f"{chr(0x2003) * tree.level_of(name)}{name} ({counts[name]:,})"
            if name in counts else str(name),
            key=adopt(f"{PAGE}_node", counts),
        )  # fmt: skip
    with order_by:
        picked = st.selectbox(
            "Order", list(ORDERS), format_func=lambda name: ORDERS[name] if name in ORDERS else str(name),
            key=adopt(f"{PAGE}_order", ORDERS, _DEFAULT_ORDER),
        )  # fmt: skip
    order = picked if picked in ORDERS else _DEFAULT_ORDER
    publish(f"{PAGE}_node", node if node in counts else None)
    publish(f"{PAGE}_order", None if order == _DEFAULT_ORDER else order)
    if asked and asked not in counts and node not in counts:
        chrome.problem(OptionError(f"This tree has no category '{asked[:80]}': choose one that is listed."))
    if node not in counts:
        with title:
            markup.draw(markup.heading("The questions of a category", 3))
        chrome.small(f"{PAGE}-node", "Click a category of the tree, or choose one, to read its questions.")
        return
    with title:
        markup.draw(markup.heading(node, 3))
    chosen = NodeQuestions(
        run.id, choice.dimension, node, choice.configuration, choice.quality, second, cast(NodeOrder, order)
    )
    found = granularity_readers.questions(chosen, list_page(PAGE, chosen), of)
    st.text(found.sentence)
    if found.rows:
        _table(run, chosen, found)


def _table(run: RunSummary, chosen: NodeQuestions, found: NodePage) -> None:
    compared = [name for name in (chosen.configuration, chosen.second) if name]
    listed = list_query(PAGE)
    links = [question_address(run.id, row["question_id"], listed, question_compare=compared) for row in found.rows]
    table = granularity_list.rows_table(found.rows)
    for name in ("question", "reference", "answer"):  # whole texts stand on the question's page and in the CSV
        table[name] = [shorten(text, _SHOWN) for text in table[name]]
    table.insert(0, "open", [f"question?{urlencode(link)}" for link in links])
    first = (found.number - 1) * granularity_list.PAGE_SIZE + 1
    st.dataframe(
        table,
        hide_index=True,
        key=f"{PAGE}-questions-table",
        row_height=_ROW_HEIGHT,
        height=min(len(table), _SHOWN_ROWS) * _ROW_HEIGHT + 38,
        column_config={
            "open": st.column_config.LinkColumn("", display_text="Open", width=60),
            "question": st.column_config.TextColumn(width=240),
            "category": st.column_config.TextColumn(width=190),
            "reference": st.column_config.TextColumn(width=220),
            "answer": st.column_config.TextColumn(width=220),
            **{
                name: st.column_config.NumberColumn(format="%.3f", width=90) for name in table.select_dtypes("floating")
            },
        },
        alt=f"Questions {first} to {first + len(table) - 1} of {found.n} with their scores",
    )
    numbers = list(range(len(found.rows)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = st.selectbox(
            "Question to open", numbers, key=f"{PAGE}-question-open", width="stretch",
            format_func=lambda i: f"{first + i}. {found.rows[i]['question']}" if i < len(found.rows) else "",
        )  # fmt: skip
        st.page_link(
            QUESTION, label="Open this question", icon=":material/quiz:",
            query_params=links[at if at in numbers else 0],
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if found.n_pages > 1:
            st.pagination(found.n_pages, key=f"{PAGE}_page", bind="query-params")
        st.download_button(
            f"Download all {found.n:,} as CSV" if found.n_pages > 1 else "Download as CSV",
            lambda: granularity_list.node_csv(chosen), f"{run.id}-category.csv", "text/csv",
            key=f"{PAGE}-questions-download", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
