"""Settings over a real, empty home."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.services import backup
from core.services.importing import import_source
from pages.shared import access
from tests.pages.conftest import APP, said

SETTINGS = "pages/more/settings.py"


@pytest.fixture
def settings(home, monkeypatch):
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)
    monkeypatch.setenv("TRILENS_SETTINGS", str(home.parent / "secrets.toml"))
    (home.parent / "secrets.toml").write_text("", encoding="utf-8")
    st.cache_data.clear()

    def at() -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.switch_page(SETTINGS)
        return app.run()

    yield at
    st.cache_data.clear()


def test_an_empty_store_is_in_order(settings):
    app = settings()
    assert not app.exception
    assert "Everything this installation needs is in order." in said(app)
    assert "None yet." in said(app)
    sizes, choices, found = (element.value for element in app.dataframe)
    assert sizes["Holds"].tolist()[0] == "0 datasets, 0 runs"
    assert choices["Name"].tolist() == ["all-MiniLM-L6-v2", "local"]
    assert set(found["State"]) == {"in order"}


def test_a_broken_settings_file_is_named_and_the_rest_still_drawn(settings, home):
    (home.parent / "secrets.toml").write_text("[trilens", encoding="utf-8")
    app = settings()
    assert not app.exception
    assert "1 thing of" in said(app)
    assert "secrets.toml cannot be read" in said(app)
    assert "Backups" in [element.value for element in app.header]


def test_what_the_settings_allow_is_listed(settings, home):
    (home.parent / "secrets.toml").write_text(
        f'[trilens.import_roots]\n"**shelf**" = "{home.parent}"\n[trilens.retrievers]\nmine = "a.b:make"\n',
        encoding="utf-8",
    )
    choices = settings().dataframe[1].value
    assert choices["Name"].tolist() == ["all-MiniLM-L6-v2", "local", "mine", "**shelf**"]
    assert choices["Is"].tolist()[2:] == ["a.b:make", str(home.parent)]


def test_a_backup_is_made_and_listed(settings, small_csv):
    import_source(small_csv, name="first")
    app = settings()
    app.button(key="settings-backup").click().run()
    assert not app.exception
    (made,) = backup.backups()
    assert app.selectbox(key="settings-backup-name").value == made.name
    assert "1 backup, newest first" in app.selectbox(key="settings-backup-name").label


def test_nothing_is_cleared_before_the_question_is_answered(settings, small_csv):
    app = settings()
    app.button(key="settings-clear-encodings").click().run()
    assert "Nothing is lost" in "\n".join(t.value for t in app.text)
    assert not app.exception
