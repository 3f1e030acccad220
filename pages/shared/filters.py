"""Which of a run's questions a lens looks at: by relation, split and category, from the sidebar or the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

import streamlit as st

from core.errors import OptionError
from core.services.question_filter import RunQuestions, Where
from core.taxonomy.trees import Tree
from pages.shared import chrome
from pages.shared.selection import adopt, adopt_many, publish, publish_many

_ALL = ""
#: parameters after the page's name
_RELATIONS, _SPLIT, _DIMENSION, _NODE = "relations", "split", "dimension", "category"


def pick_filters(questions: RunQuestions, page: str) -> Where:
    """Let the sidebar choose questions by the labels that a run's questions have."""
    unknown = _unknown(questions, page)
    if len(questions.relations) < 2 and not questions.splits and not questions.trees:
        return Where()
    with st.sidebar:
        st.header("Which questions", anchor=False)
        relations = _relations(questions, page) if len(questions.relations) > 1 else ()
        split = _one(f"{page}_{_SPLIT}", "Split", questions.splits) if questions.splits else _ALL
        categories = _category(questions, page) if questions.trees else ()
        for problem in questions.problems:
            chrome.small(f"{page}-tree", problem)
    for name in unknown:
        chrome.problem(OptionError(f"No question of this run has {name}: this filter of the link is left out."))
    return Where(relations, split, categories)


def clear(page: str) -> None:
    """Take all filters away; to be called before the rerun that draws them."""
    for name in (_RELATIONS, _SPLIT, _DIMENSION, _NODE):
        st.session_state.pop(f"{page}_{name}_choice", None)
        if f"{page}_{name}" in st.query_params:
            del st.query_params[f"{page}_{name}"]


def where_of(query: str, page: str) -> Where:
    """Return the filters that a page's query string holds, unchecked: services say what is wrong with them."""
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(query):
        values.setdefault(name, []).append(value)

    def first(name: str) -> str:
        return values.get(f"{page}_{name}", [_ALL])[0]

    dimension, node = first(_DIMENSION), first(_NODE)
    return Where(
        tuple(values.get(f"{page}_{_RELATIONS}", ())), first(_SPLIT), ((dimension, node),) if dimension and node else ()
    )


def _relations(questions: RunQuestions, page: str) -> tuple[str, ...]:
    parameter = f"{page}_{_RELATIONS}"
    picked = st.multiselect(
        "Relations", list(questions.relations), placeholder="all", key=adopt_many(parameter, questions.relations),
        format_func=lambda name: f"{name} ({questions.relations.get(name, 0):,})",
    )  # fmt: skip
    # in the order of every page, whatever the order of clicks
    relations = tuple(name for name in questions.relations if name in picked)
    publish_many(parameter, relations)
    return relations


def _category(questions: RunQuestions, page: str) -> tuple[tuple[str, str], ...]:
    dimension = _one(f"{page}_{_DIMENSION}", "Categories", dict.fromkeys(questions.trees))
    parameter = f"{page}_{_NODE}"
    if not dimension:
        publish(parameter, None)
        return ()
    tree, counts = questions.trees[dimension], questions.nodes[dimension]
    nodes = [node for node in tree.nodes if counts[node]]
    node = _one(parameter, "Category", {name: counts[name] for name in nodes}, indents=_indents(tree, nodes))
    return ((dimension, node),) if node else ()


def _one(parameter: str, label: str, counts: Mapping[str, int | None], indents: Mapping[str, str] | None = None) -> str:
    """Choose one of the names, or all."""

    def shown(name: str) -> str:
        number = counts.get(name)
        return f"{(indents or {}).get(name, '')}{name}{'' if number is None else f' ({number:,})'}" if name else "all"

    options = [_ALL, *counts]
    picked = st.selectbox(label, options, format_func=shown, key=adopt(parameter, options, _ALL))
    name = picked if picked in counts else _ALL
    publish(parameter, name)
    return name


def _indents(tree: Tree, nodes: Sequence[str]) -> dict[str, str]:
    return {node: "\u2003" * tree.level_of(node) for node in nodes}


def _unknown(questions: RunQuestions, page: str) -> list[str]:
    """Return what the URL asks for and no question of the run has."""
    asked = st.query_params
    found = [
        f"the relation '{name[:80]}'"
        for name in asked.get_all(f"{page}_{_RELATIONS}")
        if name not in questions.relations
    ]
    if (split := asked.get(f"{page}_{_SPLIT}", _ALL)) and split not in questions.splits:
        found.append(f"the split '{split[:80]}'")
    dimension, node = asked.get(f"{page}_{_DIMENSION}", _ALL), asked.get(f"{page}_{_NODE}", _ALL)
    if dimension and dimension not in questions.trees:
        found.append(f"a category of '{dimension[:80]}'")
    elif dimension and node and not questions.nodes[dimension].get(node):
        found.append(f"the category '{node[:80]}' of '{dimension[:80]}'")
    return found
