"""Files of other tools in the browser: the wizard's third path, from several files to a collection and back."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.services import judged_wizard
from core.services.catalogue import datasets
from core.services.importing import import_source
from core.services.judged_drafts import JudgedDraft
from core.services.system_importing import systems
from pages.shared import access
from tests.core.datasets.judged.written import SHARED, needs_coverage
from tests.pages.conftest import APP, said

DATASETS = "pages/start/datasets.py"
BAD = "**bold** <img src=x onerror=alert(1)> :red[y] $z$ [l](http://x)"
QRELS = "t1 1 d1 1\nt1 2 d2 1\nt2 1 d4 1\n"
RUN = "t1 Q0 d2 1 9 mine\nt1 Q0 d1 2 8 mine\nt9 Q0 d1 1 7 mine\n"

At = Callable[..., AppTest]


@pytest.fixture
def at(home: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[At]:
    """Open the Datasets page with its parameters."""
    del home
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)
    st.cache_data.clear()

    def opened(**query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params.update({f"datasets_{name}": value for name, value in query.items()})
        app.switch_page(DATASETS)
        return ran(app.run())

    yield opened
    st.cache_data.clear()


def ran(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def press(app: AppTest, key: str) -> AppTest:
    return ran(app.button(key=key).click().run())


def uploaded(**files: str) -> JudgedDraft:
    """Return a draft of these files; "_" in a name stands for its dot."""
    return judged_wizard.upload([(io.BytesIO(text.encode()), name.replace("_", ".")) for name, text in files.items()])


def test_the_third_path_is_offered_and_says_what_it_takes(at: At) -> None:
    app = at(view="import")
    ran(app.segmented_control(key="wizard-path").set_value("judged").run())
    assert app.main.header[0].value == "Step 1 of 3: choose the files"
    assert any("TREC runs and judgments" in one.value for one in app.text)
    assert at(view="import", path="judged").segmented_control(key="wizard-path").value == "judged"


def test_files_are_taken_from_the_browser(at: At) -> None:
    app = at(view="import", path="judged")
    app.file_uploader[0].set_value([("a.qrels", QRELS.encode(), "text/plain"), ("b.run", RUN.encode(), "text/plain")])
    ran(app.run())
    press(app, "wizard-judged-take")
    assert app.main.header[0].value == "Step 2 of 3: say what the files are"
    assert [app.selectbox(key=f"wizard-judged-format-{_id(app)}-{n}").value for n in range(2)] == [
        "diversity-qrels",
        "trec-run",
    ]


def _id(app: AppTest) -> str:
    value = app.query_params["datasets_draft"]
    return value if isinstance(value, str) else value[0]


def test_from_files_to_a_collection_and_back(at: At) -> None:
    found = uploaded(ferries_qrels=QRELS, best_run=RUN)
    app = at(view="import", path="judged", draft=found.id)
    assert "2 of 2 files will be read, as chosen here." in said(app)
    press(app, "wizard-check")
    assert "2 topics with 3 nuggets and 1 system can be imported as a new collection; 1 row left out." in said(app)
    assert datasets() == []
    ran(app.text_input(key=f"wizard-name-{found.id}").set_value("my ferries").run())
    press(app, "wizard-import")
    assert app.main.header[0].value == "Imported"
    assert [one.name for one in systems("my ferries")] == ["mine"]
    again = at(view="import", path="judged", draft=found.id)
    assert again.main.header[0].value == "Imported", "kept over a refresh"
    press(again, "wizard-undo")
    assert datasets() == []
    assert systems() == []
    assert again.main.header[0].value == "Step 3 of 3: check and import"


def test_a_ranking_is_added_to_a_stored_dataset(at: At, small_csv: Path) -> None:
    import_source(small_csv)
    found = uploaded(best_run="q1 Q0 d1 1 2 other\n")
    app = at(view="import", path="judged", draft=found.id)
    assert app.button(key="wizard-check").disabled
    assert "rankings and responses alone make no collection" in said(app)
    ran(app.selectbox(key=f"wizard-judged-of-{found.id}").set_value("marlow").run())
    ran(app.text_input(key=f"wizard-judged-system-{found.id}-0").set_value("renamed").run())
    press(app, "wizard-check")
    press(app, "wizard-import")
    assert app.main.header[0].value == "Imported"
    assert [one.name for one in systems("marlow")] == ["renamed"]
    assert not [one for one in app.button if one.key == "wizard-undo"], "what was there before stays"


def test_a_file_of_two_formats_is_asked(at: At) -> None:
    found = uploaded(a_qrels="t1 1 d1 1\nt2 1 d2 1\n")
    app = at(view="import", path="judged", draft=found.id)
    assert "a.qrels: its second column is the same on every line" in said(app)
    ran(app.selectbox(key=f"wizard-judged-format-{found.id}-0").set_value("trec-qrels").run())
    press(app, "wizard-check")
    assert "Topics of which only rankings can be scored, 2" in said(app)


def test_what_stops_the_import_is_said_and_can_be_mended(at: At) -> None:
    found = uploaded(a_qrels=QRELS, b_run="t1 Q0 other-1 1 9 mine\n")
    app = at(view="import", path="judged", draft=found.id)
    press(app, "wizard-check")
    assert "system 'mine' ranks no document that was judged" in said(app)
    press(app, "wizard-back")
    ran(app.selectbox(key=f"wizard-judged-format-{found.id}-1").set_value("").run())
    press(app, "wizard-check")
    assert "0 systems can be imported" in said(app)


def test_names_and_texts_of_files_are_shown_as_text(at: At) -> None:
    found = judged_wizard.upload([(io.BytesIO(b"a\tb\n"), BAD), (io.BytesIO(QRELS.encode()), f"{BAD}.qrels")])
    app = at(view="import", path="judged", draft=found.id)
    press(app, "wizard-check")
    assert not [one for one in app.markdown if "onerror" in one.value and "<img" in one.value and one.allow_html]


@pytest.mark.parametrize("draft", ["gone", "../../etc/passwd", "x" * 500])
def test_an_import_that_is_gone_is_said(at: At, draft: str) -> None:
    app = at(view="import", path="judged", draft=draft)
    assert app.main.header[0].value == "Step 1 of 3: choose the files"
    assert "no longer there" in said(app)


@needs_coverage
def test_the_real_lancer_files(at: At) -> None:
    paths = [path for path in sorted((SHARED / "lancer_neuclir24").rglob("*")) if path.is_file()]
    found = judged_wizard.upload([(io.BytesIO(path.read_bytes()), path.name) for path in paths])
    app = at(view="import", path="judged", draft=found.id)
    press(app, "wizard-check")
    assert "19 topics with 267 nuggets and 5 systems can be imported as a new collection." in said(app)
    press(app, "wizard-import")
    assert len(systems()) == 5
    name = systems()[0].dataset
    assert "labelled for Coverage alone" in said(at(name=name))
    opened = at(name=name, question="300")
    assert "documents judged for it" in " ".join(one.value for one in (*opened.main.text, *opened.main.markdown))
    at(name=name, browse="documents")
    at(name=name, view="systems")
