"""Labels that no category is called after, and trees of one's own: upload, look at them filled, keep, take away."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import tree_uploads, trees
from core.services.catalogue import RunSummary
from core.services.tree_uploads import UploadedTrees
from core.services.trees import Dimension
from core.taxonomy.labels import PlacedLabels
from core.taxonomy.trees import Tree
from pages.shared import chrome
from pages.shared.generate_parts import attempt, say_problem
from pages.shared.granularity_controls import PAGE

_PARAMETER = f"{PAGE}_upload"
_ASIDE = "set aside"
_EXAMPLE = """topic:              # the tree's name, and below it its categories
  science:
    - physics
    - biology:
        - botany
        - zoology
  arts: [music, painting]
"""
#: labels that can be mapped one by one on the page; a file can hold any number of corrections
_MOST_MAPPED = 20


def stray_labels(run: RunSummary, dimension: Dimension, placed: PlacedLabels) -> None:
    """Offer to read labels that the shown tree does not know as one of its categories."""
    if not placed.set_aside and not dimension.mapping:
        return
    st.header("Labels that the tree does not know", anchor=False)
    say_problem()
    st.text("They count nowhere until they are read as one of its categories.")
    mapping = _mapping(placed, dimension.tree, f"{PAGE}-stray-{dimension.name}", dimension.mapping)
    with st.container(horizontal=True):
        if st.button("Keep this reading", key=f"{PAGE}-mapping-keep", icon=":material/save:"):
            attempt(lambda: trees.keep_mapping(run.id, dimension.name, mapping))
            st.rerun()
        if dimension.mapping and st.button("Read labels as they are", key=f"{PAGE}-mapping-clear"):
            attempt(lambda: trees.keep_mapping(run.id, dimension.name, {}))
            st.rerun()


def own_trees(run: RunSummary) -> None:
    """Offer to bring a tree, and list those that were brought."""
    st.header("A tree of your own", anchor=False)
    st.text(
        "A YAML file with one tree or several, of any depth, over the labels that the questions have: categories and "
        "relations can be grouped in other ways."
    )
    with st.popover("How to write one", icon=":material/help:", type="tertiary", key=f"{PAGE}-tree-help"):
        st.code(_EXAMPLE, language="yaml")
    say_problem()
    st.file_uploader("Tree file", type=["yaml", "yml", "txt"], key=f"{PAGE}-tree-file", on_change=_uploaded)
    if identifier := st.query_params.get(_PARAMETER):
        _preview(run, identifier)
    _kept(run)


def _uploaded() -> None:
    file = st.session_state[f"{PAGE}-tree-file"]
    st.query_params.pop(_PARAMETER, None)
    if file is None:
        return
    kept: list[str] = []
    if attempt(lambda: kept.append(tree_uploads.keep_upload(file.name, file))):
        st.query_params[_PARAMETER] = kept[0]


def _preview(run: RunSummary, identifier: str) -> None:
    try:
        uploaded = tree_uploads.uploaded_trees(identifier)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    names = list(uploaded.trees)
    name = names[0]
    if len(names) > 1:
        name = st.selectbox("Tree of the file", names, key=f"{PAGE}-tree-name-{identifier}")
    _filled(run, uploaded, uploaded.trees[name if name in uploaded.trees else names[0]], identifier)


def _filled(run: RunSummary, uploaded: UploadedTrees, tree: Tree, identifier: str) -> None:
    """Show a tree with the run's questions in it, and offer to keep it."""
    key = f"{PAGE}-tree-{identifier}-{tree.dimension}"
    options = trees.label_dimensions(run.id)
    try:
        usual = trees.suggested_labels(run.id, tree)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    labels = st.selectbox(
        "Labels that stand in it", options, index=options.index(usual), key=f"{key}-labels",
        format_func=lambda one: trees.TITLES.get(one, str(one)),
    )  # fmt: skip
    labels = labels if labels in options else usual
    bare = tree_uploads.preview(run.id, tree, labels, {})
    mapping = _mapping(bare.placed, tree, f"{key}-{labels}", {}) if bare.placed.set_aside else {}
    found = tree_uploads.preview(run.id, tree, labels, mapping) if mapping else bare
    st.text(f"{found.n_placed:,} of {count(found.n_questions, 'question')} stand in '{tree.dimension}'.")
    for place, sentence in enumerate(found.placed.sentences()[:_MOST_MAPPED]):
        chrome.small(f"tree-note-{place}", sentence)
    st.dataframe(
        found.outline, hide_index=True, key=f"{key}-outline",
        alt="The categories of the tree with how many questions are labelled in each",
    )  # fmt: skip
    with st.container(horizontal=True):
        if st.button("Keep and use this tree", key=f"{key}-keep", type="primary", icon=":material/save:"):
            if attempt(lambda: trees.keep_tree(run.id, tree, labels, mapping, uploaded.file)):
                st.query_params.pop(_PARAMETER, None)
                st.query_params.pop(f"{PAGE}_node", None)
                st.query_params[f"{PAGE}_tree"] = tree.dimension
            st.rerun()
        if st.button("Leave it", key=f"{key}-leave"):
            st.query_params.pop(_PARAMETER, None)
            st.rerun()


def _kept(run: RunSummary) -> None:
    for place, one in enumerate(trees.own_trees(run.id)):
        if one.tree is None:
            continue
        with st.container(horizontal=True, vertical_alignment="center", key=f"{PAGE}-kept-{place}"):
            levels = count(len(one.tree.levels), "level")
            categories = count(len(one.tree.nodes), "category", "categories")
            source = f", from {one.source}" if one.source else ""
            st.text(f"{one.name}: {categories} in {levels} over {trees.TITLES.get(one.labels, one.labels)}{source}")
            st.button(
                "Take it away", key=f"{PAGE}-remove-{place}", icon=":material/delete:", on_click=_remove,
                args=(run.id, one.name),
            )  # fmt: skip


def _remove(run_id: str, name: str) -> None:
    attempt(lambda: trees.remove_tree(run_id, name))


def _mapping(placed: PlacedLabels, tree: Tree, key: str, before: Mapping[str, str | None]) -> dict[str, str | None]:
    """Let one say of each unknown label which category it means; the likeliest one is offered first."""
    unknown = {one.name: (one.n, one.suggestion) for one in placed.set_aside}
    unknown |= {one.name: (one.n, None) for one in placed.mapped if one.name in before}
    options = [_ASIDE, *tree.nodes]
    found: dict[str, str | None] = {}
    for place, (name, (n, suggestion)) in enumerate(list(unknown.items())[:_MOST_MAPPED]):
        usual = before.get(name, suggestion) or _ASIDE
        picked = st.selectbox(
            f"{chrome.as_label(name)} ({count(n, 'question')}) means", options, index=options.index(usual),
            key=f"{key}-{place}",
        )  # fmt: skip
        found[name] = picked if picked in tree.parents else None
    if len(unknown) > _MOST_MAPPED:
        chrome.small(f"{key}-more", f"and {len(unknown) - _MOST_MAPPED:,} more labels, which stay set aside")
    return found
