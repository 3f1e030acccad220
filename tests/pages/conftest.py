"""The dashboard in process, reading runs made by hand instead of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.errors import OptionError

# drilldown too: imported first while a test replaces parts of its neighbours, it would keep them
from core.services import catalogue, drilldown, lenses  # noqa: F401
from pages.shared import access
from tests.pages.samples import lens, logic_scores, run_summary

APP = Path(__file__).parents[2] / "app.py"
LOGIC = "pages/lenses/logic.py"
HOME = "pages/start/home.py"
DATASETS = "pages/start/datasets.py"


class Shelf:
    """What the services return: ``runs`` newest first, and a function of (run id, beta, convention) to a lens."""

    def __init__(self) -> None:
        self.runs: list[Any] = [run_summary()]
        self.lens: Callable[[str, float, str], Any] = lambda _run, beta, _convention: lens(logic_scores(beta=beta))
        self.read: list[tuple[str, float, str]] = []

    def logic(self, run_id: str, beta: float = 1.0, convention: str = "formula") -> Any:
        self.read.append((run_id, beta, convention))
        if run_id not in {run.id for run in self.runs}:
            raise OptionError(f"no run '{run_id}' is stored")
        return self.lens(run_id, beta, convention)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    found = Shelf()
    monkeypatch.setattr(catalogue, "runs", lambda: list(found.runs))
    alive = ("running", "queued")
    going = lambda limit=None: [run for run in found.runs if run.state in alive][:limit]  # noqa: E731
    monkeypatch.setattr(catalogue, "runs_under_way", going)
    monkeypatch.setattr(catalogue, "n_under_way", lambda: len(going()))
    monkeypatch.setattr(lenses, "logic", found.logic)
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)
    # AppTest shares the process's caches
    st.cache_data.clear()
    st.cache_resource.clear()
    yield found
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def dashboard(shelf: Shelf) -> Callable[..., AppTest]:
    def at(page: str = HOME, **query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=30)
        app.query_params.update(query)
        if page != HOME:
            app.switch_page(page)
        return app.run()

    return at


def said(app: AppTest) -> str:
    """All text the page shows in its main part, in order."""
    return "\n".join(element.value for element in app.main.text)


@pytest.fixture
def datasets(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Open the Datasets page at an address, over a real store."""
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)
    st.cache_data.clear()
    st.cache_resource.clear()

    def at(**query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params.update({f"datasets_{name}": value for name, value in query.items()})
        app.switch_page(DATASETS)
        app.run()
        assert not app.exception, app.exception[0].value
        return app

    yield at
    st.cache_data.clear()
    st.cache_resource.clear()
