"""The dashboard in process over a real store with runs made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared import access
from tests.pages.conftest import APP


@pytest.fixture
def stored(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """Open a page of the dashboard over the store of ``home``; a list stands for a repeated parameter."""
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)

    def at(page: str, **query: Any) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=30)
        app.query_params.update(query)
        app.switch_page(page)
        return app.run()

    st.cache_data.clear()
    st.cache_resource.clear()
    yield at
    st.cache_data.clear()
    st.cache_resource.clear()


def html(app: AppTest) -> str:
    """All the HTML the page's main part shows but the product's style."""
    return "\n".join(e.value for e in app.main.get("html") if not e.value.startswith("<style>"))
