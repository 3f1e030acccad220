"""Nuggets in the browser: proposed on a dataset's page, changed in a table, saved as a dataset, taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.services import nugget_review
from core.services.catalogue import datasets as stored
from core.services.importing import import_source
from pages.shared import access
from tests.core.datasets.samples import write_folder, write_jsonl
from tests.pages.conftest import said
from tests.pages.datasets_opened import BAD, asked, html, press

At = Callable[..., AppTest]


def many(path: Path, n: int) -> str:
    rows = [
        {"id": f"q{i}", "question": f"What is {i}?", "answer": f"The mill has {i} sails. It was built of oak.",
         "document_id": "d", "context": "The mill stands by the river."}
        for i in range(n)
    ]  # fmt: skip
    return import_source(write_jsonl(path / "many.jsonl", rows)).name


def edited(app: AppTest, rows: dict[int, dict[str, Any]]) -> AppTest:
    """Type into the table as a browser does."""
    app.session_state[app.data_editor[0].key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def test_from_proposals_to_a_dataset_and_back(datasets: At, small_csv: Path) -> None:
    import_source(small_csv)
    app = press(datasets(name="marlow"), "datasets-nuggets")
    query = asked(app)
    assert (query["datasets_view"], query["datasets_name"]) == ("nuggets", "marlow")
    assert "6 of 6 nuggets kept, on 6 of 6 questions; 6 questions looked at so far." in said(app)
    table = app.data_editor[0]
    assert (table.editing_mode, table.value["Nugget"].iloc[0]) == ("fixed", "Every forty minutes.")
    edited(app, {0: {"Nugget": "The ferry runs every forty minutes."}, 1: {"Importance": "okay"}, 2: {"Keep": False}})
    assert "5 of 6 nuggets kept, 1 of them rewritten or added, on 5 of 6 questions" in said(app)
    # another tab, or a refresh: nothing of it lies in the session
    app = datasets(view="nuggets", name="marlow", draft=query["datasets_draft"])
    first = app.data_editor[0].value
    assert first["Nugget"].iloc[0] == "The ferry runs every forty minutes."
    assert (first["Importance"].iloc[1], bool(first["Keep"].iloc[2])) == ("okay", False)
    press(app, "wizard-import")
    assert "'marlow-nuggets' is 'marlow' with 5 nuggets on 5 questions." in said(app)
    press(app, "nuggets-undo")
    assert [one.name for one in stored()] == ["marlow"]
    assert "5 of 6 nuggets kept" in said(app)
    press(app, "wizard-import")
    press(app, "nuggets-open")
    assert asked(app) == {"datasets_name": "marlow-nuggets"}
    assert "derived from the reference answers by surface rules" in said(app)
    assert "datasets-nuggets" not in {button.key for button in app.button}


def test_a_review_that_was_begun_goes_on(datasets: At, small_csv: Path) -> None:
    name = import_source(small_csv).name
    app = press(datasets(name=name), "datasets-nuggets")
    identifier = asked(app)["datasets_draft"]
    press(app, "nuggets-leave")
    assert asked(app) == {"datasets_name": name}
    assert app.button(key="datasets-nuggets").label == "Review its nuggets"
    press(app, "datasets-nuggets")
    assert asked(app)["datasets_draft"] == identifier


def test_pages_are_turned_and_keep_what_was_changed(datasets: At, tmp_path: Path) -> None:
    found = nugget_review.begin(many(tmp_path, 60))
    app = datasets(view="nuggets", name="many", draft=found.id, page="2")
    assert "Questions 26 to 50 of 60" in said(app)
    assert len(app.data_editor[0].value) == 50
    edited(app, {0: {"Keep": False}, 49: {"Nugget": "Oak is what it is built of."}})
    assert "119 of 120 nuggets kept, 1 of them rewritten or added, on 60 of 60 questions; 25 questions looked" in said(
        app
    )
    app = datasets(view="nuggets", name="many", draft=found.id, page="99")
    assert "Questions 51 to 60 of 60" in said(app)
    app = datasets(view="nuggets", name="many", draft=found.id, page="2")
    assert list(app.data_editor[0].value["Nugget"])[49] == "Oak is what it is built of."
    press(app, "nuggets-put-back")
    assert "120 of 120 nuggets kept" in said(app)
    assert list(app.data_editor[0].value["Nugget"])[49] == "It was built of oak."


def test_a_nugget_is_added_below_the_others_of_its_question(datasets: At, small_csv: Path) -> None:
    found = nugget_review.begin(import_source(small_csv).name)
    app = datasets(view="nuggets", name="marlow", draft=found.id)
    edited(app, {1: {"Nugget": "It freezes."}})
    press(app, "nuggets-add")
    assert "The new nugget has no text" in said(app)
    app.text_input(key=f"nuggets-add-{found.id}-1").set_value("It is summer.")
    press(app, "nuggets-add")
    assert list(app.data_editor[0].value["Nugget"])[:3] == ["Every forty minutes.", "It is summer.", "It freezes."]
    assert app.text_input(key=f"nuggets-add-{found.id}-1").value == ""


@pytest.mark.parametrize(
    ("rows", "name", "message"),
    [
        ({0: {"Nugget": None}}, "new", "A nugget of question 'q1' on page 1 has no text"),
        ({row: {"Keep": False} for row in range(6)}, "new", "None of the 6 nuggets is kept"),
        ({}, "marlow", "A dataset named 'marlow' is stored already"),
        ({}, "", "The name is empty"),
    ],
)
def test_bad_input_is_one_sentence(
    datasets: At, small_csv: Path, rows: dict[int, dict[str, Any]], name: str, message: str
) -> None:
    found = nugget_review.begin(import_source(small_csv).name)
    app = datasets(view="nuggets", name="marlow", draft=found.id)
    if rows:
        edited(app, rows)
    app.text_input(key=f"wizard-name-{found.id}").set_value(name).run()
    press(app, "wizard-import")
    assert message in said(app)


@pytest.mark.parametrize(
    ("cells", "message"),
    [({"Nugget": "x" * 1_001}, "longer than 1,000 characters"), ({"Question": "?"}, "no such column")],
)
def test_what_the_table_itself_would_not_send_is_not_saved(
    datasets: At, small_csv: Path, cells: dict[str, Any], message: str
) -> None:
    found = nugget_review.begin(import_source(small_csv).name)
    app = edited(datasets(view="nuggets", name="marlow", draft=found.id), {0: cells})
    assert message in said(app)
    assert "wizard-import" not in {button.key for button in app.button}
    assert nugget_review.page(found.id, 1).rows[0].text == "Every forty minutes."


@pytest.mark.parametrize("draft", ["gone", "../../etc/passwd", "x" * 500, ""])
def test_a_review_that_is_gone_is_said_above_the_dataset(datasets: At, small_csv: Path, draft: str) -> None:
    import_source(small_csv)
    app = datasets(view="nuggets", name="marlow", draft=draft)
    assert "This review is no longer there" in said(app)
    assert "marlow: 6 questions" in said(app)


def test_texts_from_data_are_never_markup(datasets: At, tmp_path: Path) -> None:
    documents = [{"id": BAD, "title": BAD, "text": f"{BAD} and more"}]
    questions = [{"id": BAD, "question": BAD, "answer": f"{BAD} and more words.", "documents": [BAD]}]
    card = json.dumps({"name": "bad", "title": BAD})
    name = import_source(write_folder(tmp_path / "bad", card=card, documents=documents, questions=questions)).name
    app = press(datasets(name=name), "datasets-nuggets")
    assert "bold" in "".join(app.data_editor[0].value["Nugget"])
    edited(app, {0: {"Nugget": ""}})
    press(app, "wizard-import")
    assert "has no text" in said(app)
    for kind in ("markdown", "caption", "subheader", "header", "title", "warning", "info", "error", "success"):
        assert not any("bold" in element.value for element in app.get(kind)), kind
    for widget in (*app.button, *app.selectbox, *app.text_input, *app.expander):
        assert "bold" not in widget.label, widget
    assert "<img" not in html(app)


def test_only_an_owner_reviews(datasets: At, small_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = nugget_review.begin(import_source(small_csv).name)
    monkeypatch.setattr(access, "visitor", lambda: access.Visitor("viewer"))
    app = datasets(view="nuggets", name="marlow", draft=found.id)
    assert len(app.error) == 1
    assert not app.data_editor
    assert "datasets-nuggets" not in {button.key for button in datasets(name="marlow").button}
