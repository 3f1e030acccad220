"""The import of questions and documents on the Datasets page: its steps, what stops it, what is kept."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.services import browsing, dataset_admin, uploads, wizard
from core.services.exporting import zipped
from core.services.importing import import_source
from tests.core.datasets.samples import table_rows, write_csv, write_folder
from tests.pages.conftest import said
from tests.pages.datasets_opened import BAD, asked, press


def test_wizard_from_upload_to_undo(datasets: Callable[..., AppTest], tmp_path: Path) -> None:
    app = datasets(view="import")
    assert "Step 1 of 3: choose a file" in [element.value for element in app.main.header]
    draft = wizard.upload(
        write_csv(tmp_path / "t.csv", [{"frage": "?", "answer": "!", "text": "A text."}]).open("rb"), "t.csv"
    )
    app = datasets(view="import", draft=draft.id)
    assert "t.csv (" in said(app)
    assert "choose the column of the question" in said(app)
    assert app.button(key="wizard-check").disabled
    app.selectbox(key=f"wizard-field-{draft.id}-question").set_value("frage").run()
    assert not app.button(key="wizard-check").disabled
    again = datasets(view="import", draft=draft.id)
    assert again.selectbox(key=f"wizard-field-{draft.id}-question").value == "frage", "kept over a refresh"
    press(again, "wizard-check")
    assert asked(again)["datasets_step"] == "check"
    assert "1 question over 1 document can be imported." in said(again)
    again.text_input(key=f"wizard-name-{draft.id}").set_value("a/b").run()
    press(again, "wizard-import")
    assert "holds a slash" in said(again)
    again.text_input(key=f"wizard-name-{draft.id}").set_value("mine").run()
    press(again, "wizard-import")
    assert "'mine' is stored: 1 question over 1 document." in said(again)
    assert "'mine' is stored" in said(datasets(view="import", draft=draft.id)), "kept over a refresh"
    press(again, "wizard-undo")
    assert "1 question over 1 document can be imported." in said(again)
    assert browsing.stored_datasets() == []


def test_a_file_that_fails_says_where_and_leads_back(datasets: Callable[..., AppTest], tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", [*table_rows(), {"id": "x", "question": BAD, "answer": "", "context": "c"}])
    draft = wizard.upload(path.open("rb"), f"{BAD}.csv")
    app = datasets(view="import", draft=draft.id, step="check")
    assert "line 5, field 'answer': the answer is empty" in said(app)
    assert "nothing was stored" in said(app)
    press(app, "wizard-back")
    assert "datasets_step" not in asked(app)
    assert browsing.stored_datasets() == []


def test_what_is_there_already_is_said(datasets: Callable[..., AppTest], tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", table_rows())
    import_source(path)
    draft = wizard.upload(path.open("rb"), "again.csv")
    app = datasets(view="import", draft=draft.id, step="check")
    assert "stored already, as 't'" in said(app)
    press(app, "wizard-open-known")
    assert asked(app) == {"datasets_name": "t"}


@pytest.mark.parametrize("draft", ["0" * 16, "../../locks", "<script>", "x" * 3000])
def test_an_unknown_upload_begins_anew(datasets: Callable[..., AppTest], draft: str) -> None:
    app = datasets(view="import", draft=draft, step="check")
    assert "This upload is no longer there" in said(app)
    assert "Step 1 of 3: choose a file" in [element.value for element in app.main.header]


def test_files_under_import_roots_are_offered(
    datasets: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "shelf"
    root.mkdir()
    write_csv(root / "a.csv", table_rows())
    settings = tmp_path / "secrets.toml"
    settings.write_text(f'[trilens.import_roots]\nshelf = "{root}"\n', encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(settings))
    app = datasets(view="import")
    press(app, "wizard-root-take")
    draft = wizard.draft(asked(app)["datasets_draft"])
    assert (draft.root, draft.path) == ("shelf", "a.csv")
    assert [path.name for path in uploads.folder_of(draft.id).iterdir()] == ["draft.json"]
    write_csv(root / "b.csv", table_rows())
    app = datasets(view="import")
    app.selectbox(key="wizard-root-file").set_value(("shelf", "b.csv")).run()
    write_csv(root / "a1.csv", table_rows())
    press(app, "wizard-root-take")
    assert wizard.draft(asked(app)["datasets_draft"]).path == "b.csv", "as chosen, whatever has appeared since"


def test_a_card_that_was_filled_in_is_taken(datasets: Callable[..., AppTest], tmp_path: Path) -> None:
    import_source(write_folder(tmp_path / "trial", card="name: trial\n"))
    assert "CC0" not in said(datasets(name="trial"))
    told = import_source(write_folder(tmp_path / "told", card="name: told\nlicence: CC0\n"), name="told").name
    draft = wizard.upload(io.BytesIO(zipped(told)), "trial.zip")
    dataset_admin.delete(told)
    app = datasets(view="import", draft=draft.id, step="check")
    assert "stored already, as 'trial', with another card" in said(app)
    press(app, "wizard-take-card")
    assert asked(app) == {"datasets_name": "trial"}
    assert "CC0" in said(app)


def test_an_upload_that_is_gone_is_said_wherever_it_is_used(datasets: Callable[..., AppTest], tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", table_rows())
    draft = wizard.upload(path.open("rb"), "t.csv")
    app = datasets(view="import", draft=draft.id, step="check")
    uploads.remove(draft.id)
    app.text_input(key=f"wizard-name-{draft.id}").set_value("mine").run()
    assert not app.exception
    assert "This upload is no longer there" in said(app)
    bad = write_csv(tmp_path / "bad.csv", [{**table_rows(1)[0], "answer": ""}])
    draft = wizard.upload(bad.open("rb"), "bad.csv")
    wizard.check(draft.id)
    app = datasets(view="import", draft=draft.id)
    uploads.remove(draft.id)
    press(app, "wizard-check")
    assert "This upload is no longer there" in said(app)
