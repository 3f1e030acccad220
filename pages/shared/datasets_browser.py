"""A dataset's questions and documents: search, filter, page by page, the chosen one beside the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from core.errors import OptionError
from core.figures.notation import count
from core.services.browsing import LONGEST_SEARCH, PAGE_SIZE, Filter, Page, StoredDataset, trees
from core.services.dataset_tables import document_table, question_table
from core.taxonomy.trees import Tree
from pages.shared import chrome
from pages.shared import datasets_readers as readers
from pages.shared.datasets_address import PAGE, asked, choose, chosen_row, first_page, follow, go, number_asked
from pages.shared.datasets_opened import opened_document, opened_question

#: what is listed, as the URL says it, and as people do
_LISTS = {"": "Questions", "documents": "Documents"}
#: in the URL: questions that have no relation or split
_NONE = "(none)"
_ROW_HEIGHT, _SHOWN_ROWS = 66, 8


@st.fragment
def browser(dataset: StoredDataset) -> None:
    """Draw the list and what is open. A fragment: choosing in it does not draw the plots again."""
    st.header("Browse", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        what = _what()
        search = _search()
    if what:
        _documents(dataset, search)
    else:
        _questions(dataset, _filter(dataset, search))


def _what() -> str:
    key, value = f"{PAGE}-browse-choice", asked("browse")
    follow(key, value if value in _LISTS else "")
    st.segmented_control(
        "Browse", list(_LISTS), format_func=_LISTS.__getitem__, required=True, key=key, label_visibility="collapsed",
        on_change=lambda: first_page(browse=st.session_state[key] or ""),
    )  # fmt: skip
    return value if value in _LISTS else ""


def _search() -> str:
    key = f"{PAGE}-search-text"
    follow(key, asked("search")[:LONGEST_SEARCH])
    st.text_input(
        "Search", max_chars=LONGEST_SEARCH, type="search", key=key, live="300ms",
        placeholder="words or an id", width=340,
        on_change=lambda: first_page(search=st.session_state[key] or ""),
    )  # fmt: skip
    return asked("search")[:LONGEST_SEARCH]


def _questions(dataset: StoredDataset, wanted: Filter) -> None:
    page = readers.questions(dataset, wanted, number_asked("page"))
    left, right = st.columns([5, 6], gap="large")
    with left:
        _list(page, "question", wanted != Filter(), question_table)
    with right:
        _open(page, "question", lambda name: opened_question(readers.question(dataset, name), _open_document))


def _documents(dataset: StoredDataset, search: str) -> None:
    page = readers.documents(dataset, search, number_asked("page"))
    left, right = st.columns([5, 6], gap="large")
    with left:
        _list(page, "document", bool(search), document_table)
    with right:
        _open(page, "document", lambda name: opened_document(readers.document(dataset, name), _open_question))


def _open(page: Page, noun: str, draw: Callable[[str], None]) -> None:
    """Draw the one that the URL names, else the first of the page."""
    name = asked(noun) or (page.rows[0]["id"] if page.rows else "")
    if not name:
        return
    try:
        draw(name)
    except OptionError as problem:
        chrome.problem(problem)


def _filter(dataset: StoredDataset, search: str) -> Filter:
    """Let relation, split and category be chosen, each where the dataset has it."""
    labels = dataset.labels
    relations, splits, known = labels.get("relations", {}), labels.get("splits", {}), trees(dataset)
    n_filters = bool(relations) + bool(splits) + 2 * bool(known)
    places = iter(st.columns(n_filters) if n_filters else ())
    relation = split = dimension = node = ""
    if relations:
        with next(places):
            relation = _labelled("relation", "Relation", relations, dataset.n_questions)
    if splits:
        with next(places):
            split = _labelled("split", "Split", splits, dataset.n_questions)
    if known:
        with next(places):
            dimension = choose("dimension", "Categories", ["", *known], lambda one: one or "all", drops=["category"])
        with next(places):
            if dimension:
                tree = known[dimension]
                node = choose("category", "Category", ["", *tree.nodes], lambda one: _indented(tree, one))
    return Filter(search, _label(relation), _label(split), (dimension, node) if node else None)


def _labelled(name: str, label: str, counts: Mapping[str, int], n_questions: int) -> str:
    """Choose one label, those without one included where there are any."""
    without = n_questions - sum(counts.values())
    options = {**counts, **({_NONE: without} if without else {})}
    return choose(name, label, ["", *options], lambda one: f"{one} ({options[one]:,})" if one in options else "all")


def _label(value: str) -> str | None:
    return None if not value else "" if value == _NONE else value


def _indented(tree: Tree, node: str) -> str:
    return "\u2003" * tree.level_of(node) + node if node in tree.parents else "all"


def _list(page: Page, noun: str, narrowed: bool, table_of: Callable[[Page], pd.DataFrame]) -> None:
    """Draw one page of a list; the chosen row is open beside it."""
    ids: Sequence[str] = [row["id"] for row in page.rows]
    if not ids:
        st.text(f"No {noun} matches." if narrowed else f"There is no {noun}.")
        return
    first, last = (page.number - 1) * PAGE_SIZE + 1, (page.number - 1) * PAGE_SIZE + len(ids)
    st.text(f"{first:,} to {last:,} of {count(page.n, noun)}{' that match' if narrowed else ''}")
    name = asked(noun)
    at = ids.index(name) if name in ids else None if name else 0
    # another list is another table: nothing stays selected from the one before
    key = f"{PAGE}-{noun}-table-{page.number}-{asked('search')}-{ids[0]}-{ids[-1]}"

    def take() -> None:
        row = chosen_row(key, len(ids))
        if row is not None:
            go(**{noun: ids[row], "part": ""})

    table = table_of(page)
    st.dataframe(
        table, hide_index=True, key=key, on_select=take, selection_mode="single-cell",
        row_height=_ROW_HEIGHT, height=min(len(ids), _SHOWN_ROWS) * _ROW_HEIGHT + 38,
        selection_default={"selection": {"cells": [] if at is None else [(at, table.columns[0])]}},
        column_config={
            "Question": st.column_config.TextColumn(width=300),
            "Document": st.column_config.TextColumn(width=230),
            "Characters": st.column_config.NumberColumn(format="localized"),
        },
        alt=f"{noun.capitalize()}s {first} to {last} of {page.n}; choose one to read it",
    )  # fmt: skip
    if page.n_pages > 1:
        _pages(page)


def _pages(page: Page) -> None:
    key = f"{PAGE}-page-{page.n_pages}"
    follow(key, page.number)

    def turn() -> None:
        number = st.session_state[key]
        first_page(page="" if number == 1 else str(number))

    st.pagination(page.n_pages, key=key, on_change=turn)


def _open_document(name: str) -> None:
    """Show a document in the place of the questions. For callbacks."""
    first_page(browse="documents", search="", document=name)


def _open_question(name: str) -> None:
    """Show a question in the place of the documents. For callbacks."""
    first_page(browse="", search="", question=name, relation="", split="", dimension="", category="")
