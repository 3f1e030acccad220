"""What one may choose on the Coverage page; each choice is in the URL under the page's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import streamlit as st

from core.figures.coverage_measures import NAMES, card_id, full_name
from core.metrics.coverage_observations import ANSWER, CUTOFFS, Importance
from core.services.coverage import RELATION
from core.services.retrieval_coverage import RETRIEVAL
from pages.shared.selection import adopt, publish

PAGE = "coverage"
#: measures of the map that stand at the cutoff, and those that do not
_PLAIN = ("grounded", "said", "retrieved")
_AT_K = ("alpha_ndcg", "strec")
_IMPORTANCE: Mapping[Importance, str] = {"all": "all", "vital": "vital only"}
_K = 10


def pick_importance() -> Importance:
    """Return which nuggets count."""
    picked = st.segmented_control(
        "Nuggets", list(_IMPORTANCE), format_func=lambda name: _IMPORTANCE[name], default="all", required=True,
        key=f"{PAGE}_importance", bind="query-params",
    )  # fmt: skip
    return cast(Importance, picked) if picked in _IMPORTANCE else "all"


def pick_k() -> int:
    """Return the cutoff at which rankings are read."""
    picked = st.segmented_control(
        "Rankings read at k", CUTOFFS, format_func=str, default=_K, required=True, key=f"{PAGE}_k", bind="query-params"
    )
    return picked if picked in CUTOFFS else _K


def pick_measure(k: int, fallback: str) -> str:
    """Return the measure of the map, ``fallback`` where nothing was chosen."""
    named = {name: full_name(f"{name}@{k}" if name in _AT_K else name) for name in (*_PLAIN, *_AT_K)}
    picked = _one("measure", "Measure of the map", named, fallback)
    return f"{picked}@{k}" if picked in _AT_K else picked


def pick_dimension(dimensions: Sequence[str]) -> str:
    """Return what the map's columns are: relations, or the categories of a dimension."""
    named = {name: "logical relation" if name == RELATION else f"category of {name}" for name in dimensions}
    return _one("by", "Columns of the map", named, dimensions[0])


def pick_axes(k: int) -> tuple[str, str]:
    """Return the measures of the scatter: of the ranking, of the answer."""
    left, right = st.columns(2, gap="medium")
    with left:
        x = _one("x", "Retrieval", {name: full_name(f"{name}@{k}") for name in RETRIEVAL}, RETRIEVAL[0])
    with right:
        y = _one("y", "Coverage", {name: NAMES[name][0] for name in ANSWER}, ANSWER[0])
    return f"{x}@{k}", y


def _one(name: str, label: str, named: Mapping[str, str], fallback: str) -> str:
    parameter = f"{PAGE}_{name}"
    by_card = {card_id(one): one for one in named}
    picked = st.selectbox(
        label, list(by_card), format_func=lambda i: named[by_card[i]] if i in by_card else str(i),
        key=adopt(parameter, by_card, card_id(fallback)),
    )  # fmt: skip
    found = by_card.get(picked or "", fallback)
    publish(parameter, None if found == fallback else card_id(found))
    return found
