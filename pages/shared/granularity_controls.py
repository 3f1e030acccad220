"""What one may choose on the Granularity page; each choice is in the URL under the page's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from core.errors import OptionError
from core.figures.granularity_tree import Layout
from core.services.granularity_companions import Companion
from core.services.granularity_crossed import Crossing
from core.services.granularity_scores import Quality
from core.services.trees import Dimension
from pages.shared import chrome
from pages.shared.selection import adopt, adopt_many, publish, publish_many

PAGE = "granularity"
_NONE = "none"
LAYOUTS: Mapping[str, str] = {"icicle": "icicle", "treemap": "treemap", "outline": "outline"}
_LEVELS = {"rolled": "rolled up", "own": "of their own"}


@dataclass(frozen=True, slots=True)
class Picked:
    """What the sidebar chose; ``second`` is "" for one configuration alone."""

    dimension: str
    quality: str
    configuration: str
    second: str
    layout: str


def pick(
    dimensions: Mapping[str, Dimension],
    qualities: Mapping[str, Quality],
    configurations: Mapping[str, str],
    best: str | None,
) -> Picked:
    """Let the sidebar choose tree, measure, one or two configurations, and the picture."""
    first = best if best in configurations else next(iter(configurations))
    unknown = _unknown(dimensions, qualities, configurations)
    with st.sidebar:
        titles = {name: one.title for name, one in dimensions.items()}
        dimension = _one("tree", "Tree", titles, next(iter(titles)))
        names = {name: one.name for name, one in qualities.items()}
        quality = _one("measure", "Measure", names, next(iter(names)))
        configuration = _one("configuration", "Configuration", configurations, first)
        others = {"": "nothing", **{name: label for name, label in configurations.items() if name != configuration}}
        second = _one("second", "Compared with", others, "")
        layout = _one("layout", "Picture", LAYOUTS, "icicle")
    for what in unknown:
        chrome.problem(OptionError(f"This run has no {what}: another one is shown instead."))
    return Picked(dimension, quality, configuration, second, layout)


def layout_of(picked: Picked) -> Layout:
    """Return the figure's layout; an outline is no figure."""
    return cast(Layout, picked.layout) if picked.layout in ("icicle", "treemap") else "icicle"


def pick_companion(found: Sequence[Companion]) -> str:
    """Let one choose the run whose questions are the parents' own; the newest at first, "" for none."""
    if not found:
        publish(f"{PAGE}_parents", None)
        return ""
    named = {
        **{one.run.id: f"{one.run.dataset_title or one.run.dataset} ({one.levels}), {one.run.id}" for one in found},
        _NONE: "nowhere",
    }
    with st.sidebar:
        picked = _one("parents", "Parents' own questions from", named, found[0].run.id)
    return "" if picked == _NONE else picked


def pick_levels(fallback: str) -> Literal["rolled", "own"]:
    """Let one choose which questions a level has."""
    with st.sidebar:
        return cast(Literal["rolled", "own"], _one("levels", "Questions of a level", _LEVELS, fallback))


def pick_crossing(crossable: Mapping[str, Sequence[str]], titles: Mapping[str, str], fallback: Crossing) -> Crossing:
    """Let one choose two trees and two categories of each; the default stands in where fewer are chosen."""
    left, right = st.columns(2, gap="medium")
    with left:
        named = {name: titles.get(name, name) for name in crossable}
        first = _one("first", "First tree", named, fallback.first)
        one = _pair("first_pair", crossable[first], fallback.first_pair if first == fallback.first else None)
    with right:
        rest = {name: title for name, title in named.items() if name != first}
        other = fallback.second if fallback.second != first else fallback.first
        second = _one("other", "Second tree", rest, other)
        known = {fallback.first: fallback.first_pair, fallback.second: fallback.second_pair}
        two = _pair("other_pair", crossable[second], known.get(second))
    return Crossing(first, one, second, two)


def _pair(name: str, nodes: Sequence[str], fallback: tuple[str, str] | None) -> tuple[str, str]:
    """Choose two categories."""
    usual = list(fallback or (nodes[0], nodes[1]))
    parameter = f"{PAGE}_{name}"
    picked = st.multiselect("Two categories", list(nodes), max_selections=2, key=adopt_many(parameter, nodes, usual, 2))
    chosen = [node for node in nodes if node in picked][:2]
    complete = chosen if len(chosen) == 2 else usual
    publish_many(parameter, complete, absent=usual)
    return complete[0], complete[1]


def _one(name: str, label: str, named: Mapping[str, str], fallback: str) -> str:
    parameter = f"{PAGE}_{name}"
    picked = st.selectbox(
        label, list(named), format_func=lambda i: named.get(i, str(i)), key=adopt(parameter, named, fallback)
    )
    found = picked if picked in named else fallback
    publish(parameter, None if found == fallback else found)
    return found


def _unknown(
    dimensions: Mapping[str, Dimension], qualities: Mapping[str, Quality], configurations: Mapping[str, str]
) -> list[str]:
    """Return what the URL asks for and the run does not have."""
    asked = st.query_params
    known = (
        ("tree", "tree", dimensions),
        ("measure", "measure", qualities),
        ("configuration", "configuration", configurations),
        ("second", "configuration", configurations),
    )
    return [
        f"{what} '{value[:80]}'"
        for name, what, options in known
        if (value := asked.get(f"{PAGE}_{name}", "")) and value not in options
    ]
