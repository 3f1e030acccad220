"""Every page with its address: the navigation, links between pages and the tests read this one list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.navigation.page import StreamlitPage


@dataclass(frozen=True, slots=True)
class Route:
    """``group`` is the navigation's heading; a page without one is reached by links only."""

    path: str
    title: str
    file: str
    icon: str
    group: str = ""


ROUTES = (
    Route("home", "Home", "pages/start/home.py", ":material/home:", "Start"),
    Route("datasets", "Datasets", "pages/start/datasets.py", ":material/database:", "Start"),
    Route("evaluate", "Evaluate", "pages/start/evaluate.py", ":material/play_circle:", "Start"),
    Route("logic", "Logic", "pages/lenses/logic.py", ":material/account_tree:", "Lenses"),
    Route("coverage", "Coverage", "pages/lenses/coverage.py", ":material/fact_check:", "Lenses"),
    Route("granularity", "Granularity", "pages/lenses/granularity.py", ":material/lan:", "Lenses"),
    Route("question", "Question", "pages/lenses/question.py", ":material/quiz:"),
    Route("generate", "Generate", "pages/more/generate.py", ":material/auto_awesome:", "More"),
    Route("settings", "Settings", "pages/more/settings.py", ":material/settings:", "More"),
)


def route(path: str) -> Route:
    """Return the page at ``path``."""
    return next(one for one in ROUTES if one.path == path)


def pages() -> dict[str, list[StreamlitPage]]:
    """Return the navigation for those who may look."""
    found: dict[str, list[StreamlitPage]] = {}
    for route in ROUTES:
        group = route.group or ROUTES[0].group
        page = st.Page(
            route.file, title=route.title, icon=route.icon, url_path=route.path, default=route is ROUTES[0],
            visibility="visible" if route.group else "hidden",
        )  # fmt: skip
        found.setdefault(group, []).append(page)
    return found


def refused(tell: Callable[[], None]) -> list[StreamlitPage]:
    """Return the same addresses, each drawn by ``tell``; no page's module is imported."""
    return [st.Page(tell, title="Not available", url_path=route.path, default=route is ROUTES[0]) for route in ROUTES]
