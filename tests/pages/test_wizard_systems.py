"""Answers of another system in the browser: the wizard's second path, a dataset's systems, the choice on Evaluate."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.services import dataset_admin, system_admin, system_wizard, uploads
from core.services.importing import import_source
from core.services.system_importing import LONGEST_NAME, import_system, systems
from pages.shared import access
from tests.core.datasets.samples import table_rows, write_csv, write_folder
from tests.pages.conftest import APP, said

DATASETS, EVALUATE = "pages/start/datasets.py", "pages/start/evaluate.py"
BAD = "**bold** <img src=x onerror=alert(1)> :red[y] $z$ [l](http://x)"
ROWS = [("q1", "Every forty minutes.", ["A page from elsewhere."]), ("zz", "Nobody asked.", [])]

At = Callable[..., AppTest]


@pytest.fixture
def at(home: Any, small_csv: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[At]:
    """Open a page over a store with one dataset, with parameters of the page."""
    del home
    monkeypatch.setattr(access.st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else None)
    st.cache_data.clear()
    import_source(small_csv)

    def opened(page: str = DATASETS, **query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        prefix = "datasets" if page == DATASETS else "evaluate"
        app.query_params.update({f"{prefix}_{name}": value for name, value in query.items()})
        app.switch_page(page)
        return ran(app.run())

    yield opened
    st.cache_data.clear()


def ran(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def press(app: AppTest, key: str) -> AppTest:
    return ran(app.button(key=key).click().run())


def asked(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def answers(rows: Any = ROWS, columns: tuple[str, ...] = ("qid", "response", "contexts")) -> io.BytesIO:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([*(one if isinstance(one, str) else json.dumps(one) for one in row)] for row in rows)
    return io.BytesIO(text.getvalue().encode())


def test_the_second_path_is_offered_and_says_what_it_needs(at: At) -> None:
    app = at(view="import")
    assert app.main.header[0].value == "Step 1 of 3: choose a file"
    ran(app.segmented_control(key="wizard-path").set_value("systems").run())
    assert asked(app) == {"datasets_view": "import", "datasets_path": "systems"}
    assert app.main.header[0].value == "Step 1 of 3: choose a dataset and a file"
    assert app.selectbox(key="wizard-answers-of").value == "marlow"
    again = at(view="import", path="systems", of="marlow")
    assert again.segmented_control(key="wizard-path").value == "systems", "kept over a refresh"


@pytest.mark.parametrize("name", ["gone", "../../etc/passwd", "<b>x</b>", "x" * 5000])
def test_an_unknown_dataset_is_said(at: At, name: str) -> None:
    app = at(view="import", path="systems", of=name)
    assert f"No dataset '{name[:80]}' is stored here" in said(app)
    assert app.selectbox(key="wizard-answers-of").value == "marlow"


@pytest.mark.parametrize("path", ["gone", "<b>", "Systems"])
def test_an_unknown_path_is_the_first_one(at: At, path: str) -> None:
    assert at(view="import", path=path).main.header[0].value == "Step 1 of 3: choose a file"


@pytest.mark.parametrize("draft", ["0" * 16, "../../locks", "<script>", "x" * 3000])
def test_an_unknown_upload_begins_anew(at: At, draft: str) -> None:
    app = at(view="import", path="systems", draft=draft, step="check")
    assert "This upload is no longer there" in said(app)
    assert app.main.header[0].value == "Step 1 of 3: choose a dataset and a file"


def test_the_draft_of_one_path_is_none_of_the_other(at: At) -> None:
    draft = system_wizard.upload(answers(), "a.csv", "marlow")
    assert "This upload cannot be continued" in said(at(view="import", draft=draft.id))


def test_from_upload_to_undo(at: At) -> None:
    draft = system_wizard.upload(answers(columns=("qid", "sagt", "contexts")), "my rag.csv", "marlow")
    app = at(view="import", path="systems", draft=draft.id)
    assert "choose the column of the answer" in said(app)
    assert app.button(key="wizard-check").disabled
    ran(app.selectbox(key=f"wizard-field-{draft.id}-answer").set_value("sagt").run())
    assert not app.button(key="wizard-check").disabled
    again = at(view="import", path="systems", draft=draft.id)
    assert again.selectbox(key=f"wizard-field-{draft.id}-answer").value == "sagt", "kept over a refresh"
    press(again, "wizard-check")
    assert "1 answer to 1 of 6 questions of 'marlow' can be imported; 1 row left out." in said(again)
    assert list(again.main.dataframe[0].value["Number"]) == [2, 1, 1, 1, 0, 1, 0]
    assert list(again.main.dataframe[1].value["Why"]) == ["the dataset has no question 'zz'"]
    ran(again.text_input(key=f"wizard-name-{draft.id}").set_value("a,b").run())
    press(again, "wizard-import")
    assert "holds a comma" in said(again)
    ran(again.text_input(key=f"wizard-name-{draft.id}").set_value("ours").run())
    press(again, "wizard-import")
    assert "'ours' is a system of 'marlow' now, with 1 answer." in said(again)
    link = again.main.get("page_link")[0].proto
    assert (link.page, link.query_string) == ("evaluate", "evaluate_datasets=marlow")
    assert "'ours' is a system" in said(at(view="import", path="systems", draft=draft.id)), "kept over a refresh"
    press(again, "wizard-undo")
    assert "1 answer to 1 of 6 questions of 'marlow' can be imported" in said(again)
    assert systems() == []


def test_a_file_that_fails_says_where_and_leads_back(at: At) -> None:
    draft = system_wizard.upload(answers([*ROWS, ("q1", BAD, [])]), f"{BAD}.csv", "marlow")
    app = at(view="import", path="systems", draft=draft.id, step="check")
    assert "line 4, field 'qid': question 'q1' has an answer on line 2 already" in said(app)
    press(app, "wizard-back")
    assert app.main.header[0].value == "Step 2 of 3: say what the columns hold"
    assert systems() == []


def test_what_is_there_already_is_said(at: At, tmp_path: Any) -> None:
    path = tmp_path / "first.csv"
    path.write_bytes(answers().read())
    import_system(path, "marlow")
    draft = system_wizard.upload(answers(), "again.csv", "marlow")
    app = at(view="import", path="systems", draft=draft.id, step="check")
    assert "stored already, as system 'first'" in said(app)
    press(app, "wizard-open")
    assert asked(app) == {"datasets_name": "marlow"}


def test_an_upload_that_is_gone_is_said_at_the_next_click(at: At) -> None:
    draft = system_wizard.upload(answers(), "a.csv", "marlow")
    app = at(view="import", path="systems", draft=draft.id)
    uploads.remove(draft.id)
    press(app, "wizard-check")
    assert "This upload is no longer there" in said(app)


def test_without_a_dataset_the_way_is_said(at: At) -> None:
    dataset_admin.delete("marlow")
    assert "No dataset is stored yet" in said(at(view="import", path="systems"))


def test_texts_of_a_file_are_never_markup(at: At, tmp_path: Any) -> None:
    rows = [("q1", BAD, [BAD]), (BAD, BAD, [])]
    draft = system_wizard.upload(answers(rows, ("qid", "response", BAD)), f"{BAD}.csv", "marlow")
    system_wizard.rename(draft.id, BAD[:LONGEST_NAME].strip())
    import_source(write_folder(tmp_path / "bad", card=json.dumps({"name": "bad", "title": BAD})))
    for step in ("", "check", "stored", "dataset", "evaluate"):
        if step == "stored":
            system_wizard.store(draft.id)
        if step == "evaluate":
            app = at(EVALUATE, datasets="marlow")
        elif step == "dataset":
            app = at(name="marlow")
            assert BAD[:LONGEST_NAME].strip() in said(app)
        else:
            app = at(view="import", path="systems", draft=draft.id, step="check" if step == "check" else "")
        for kind in ("markdown", "caption", "subheader", "header", "title", "warning", "info", "error", "success"):
            assert not any("bold" in element.value for element in app.get(kind)), (step, kind)
        for widget in (*app.button, *app.selectbox, *app.text_input, *app.expander, *app.multiselect):
            assert "bold" not in widget.label, (step, widget)


def test_a_dataset_lists_its_systems_and_leads_to_the_import(at: At, tmp_path: Any) -> None:
    app = at(name="marlow")
    assert "Systems" in [one.value for one in app.main.header]
    press(app, "datasets-import-answers")
    assert asked(app) == {"datasets_view": "import", "datasets_path": "systems", "datasets_of": "marlow"}
    path = tmp_path / "first.csv"
    path.write_bytes(answers().read())
    import_system(path, "marlow")
    app = at(name="marlow")
    assert "1 system whose answers were imported" in said(app)
    assert "1 answer · first.csv · imported " in said(app)
    press(app, "datasets-system-delete-0")
    assert "'first' is deleted with its 1 answer" in "\n".join(one.value for one in app.text)
    # that the dialog deletes is clicked in tests/e2e/test_systems.py: in process, dialogs do not stay open
    system_admin.delete("marlow", "first")
    assert "can stand beside the retrievers" in said(at(name="marlow"))


def test_only_an_owner_imports_or_deletes_systems(at: At, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "visitor", lambda: access.Visitor("viewer"))
    assert "Systems" not in [one.value for one in at(name="marlow").main.header]
    path = tmp_path / "first.csv"
    path.write_bytes(answers().read())
    import_system(path, "marlow")
    app = at(name="marlow")
    assert "1 answer · first.csv" in said(app)
    assert not [one.key for one in app.button if "answers" in str(one.key) or "system-delete" in str(one.key)]
    assert len(at(view="import", path="systems").error) == 1


def test_evaluate_asks_which_systems_take_part_where_there_are_any(at: At, tmp_path: Any) -> None:
    import_source(write_csv(tmp_path / "other.csv", table_rows()))
    cheap = {"retrievers": "bm25", "combinations": "", "relations": "None"}
    assert "Imported systems" not in [one.label for one in at(EVALUATE, datasets="marlow", **cheap).multiselect]
    for name in ("first", "second"):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(answers([("q1", name, [])]).read())
        import_system(path, "marlow")
    app = at(EVALUATE, datasets="marlow", **cheap)
    assert "6 questions × 4 configurations" in said(app), "bm25, the reference and both systems"
    key = "evaluate_systems_choice"
    assert app.multiselect(key=key).value == ["first", "second"]
    assert "evaluate_systems" not in asked(app)
    ran(app.multiselect(key=key).set_value(["second"]).run())
    assert asked(app)["evaluate_systems"] == "second"
    assert "6 questions × 3 configurations" in said(app)
    assert "imported second, extractive answers" in said(app)
    ran(app.multiselect(key=key).set_value([]).run())
    assert asked(app)["evaluate_systems"] == "none"
    assert "6 questions × 2 configurations" in said(app)
    again = at(EVALUATE, datasets="marlow", systems="none", **cheap)
    assert again.multiselect(key=key).value == []
    again = at(EVALUATE, datasets="marlow", systems="<b>gone</b>", **cheap)
    assert "No dataset has an imported system '<b>gone</b>'" in said(again)
    assert "6 questions × 4 configurations" in said(again)
    assert key not in [one.key for one in at(EVALUATE, datasets="other", systems="first", **cheap).multiselect]
