"""The import step by step: every choice is kept, every fault is one sentence, undo leaves nothing behind."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.engine.spec import Request
from core.errors import BusyError, InputError, OptionError
from core.services import browsing, uploads, wizard
from core.services.dataset_admin import delete
from core.services.drafts import Choice, Draft
from core.services.evaluation import plan, run
from core.services.exporting import zipped
from core.services.importing import import_source
from core.services.workspace import workspace
from tests.core.datasets.samples import table_rows, write_folder

pytestmark = pytest.mark.usefixtures("home")
GERMAN = ("frage", "soll", "passage", "thema", "stufe")


def german_rows(n: int = 4) -> list[dict[str, Any]]:
    values = [(f"Was ist {i}?", f"Es ist {i}.", f"Die Sache {i} ist {i}.", f"t{i % 2}", i) for i in range(n)]
    return [dict(zip(GERMAN, row, strict=True)) for row in values]


def csv_of(rows: list[dict[str, Any]]) -> io.BytesIO:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return io.BytesIO(text.getvalue().encode())


def jsonl_of(rows: list[dict[str, Any]]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def decided(draft: Draft, *, format: str = "table", categories: tuple[str, ...] = (), **mapping: str) -> Draft:
    return wizard.decide(draft.id, Choice(format, {**dict.fromkeys(draft.choice.mapping, ""), **mapping}, categories))


def imported(content: io.BytesIO, name: str) -> Draft:
    draft = wizard.upload(content, name)
    assert wizard.check(draft.id).problem == ""
    return wizard.store(draft.id)


def test_an_upload_is_looked_at_and_nothing_is_stored() -> None:
    draft = wizard.upload(csv_of([{**row, "complexity": "simple"} for row in table_rows()]), "../my data.csv")
    assert (draft.called, draft.name, draft.choice.format) == ("my data.csv", "my data", "table")
    assert draft.choice.mapping == {
        "question": "question", "answer": "answer", "context": "context", "id": "id", "document_id": "",
        "relation": "", "evidence": "", "split": "",
    }  # fmt: skip
    assert draft.choice.categories == ("complexity",)
    assert [column.name for column in draft.columns] == ["id", "question", "answer", "context", "complexity"]
    assert draft.columns[1].samples == ("What is 0?", "What is 1?", "What is 2?")
    assert draft.columns[4].samples == ("simple",)
    assert wizard.draft(draft.id) == draft
    assert browsing.stored_datasets() == []


def test_columns_of_any_name_are_chosen_checked_stored_and_undone() -> None:
    draft = wizard.upload(csv_of(german_rows()), "fragen.csv")
    assert wizard.check(draft.id).problem == "No column is chosen for question and answer: choose one."
    draft = decided(draft, question="frage", answer="soll", context="passage", categories=("thema", "stufe"))
    assert draft.checked is None
    report = wizard.check(draft.id)
    assert report.problem == ""
    assert report.labels["questions"] == 4
    assert report.labels["categories"] == {
        "stufe": {"0": 1, "1": 1, "2": 1, "3": 1}, "thema": {"t0": 2, "t1": 2}
    }  # fmt: skip
    assert wizard.draft(draft.id).checked == report
    draft = wizard.store(wizard.rename(draft.id, "my questions").id)
    assert draft.stored == "my questions"
    assert wizard.store(draft.id) == draft, "pressed twice"
    view = browsing.question("my questions", "1")
    assert view.question.question == "Was ist 0?"
    assert browsing.stored_dataset("my questions").source == "fragen.csv"
    assert wizard.undo(draft.id).stored == ""
    assert browsing.stored_datasets() == []
    assert wizard.store(draft.id).stored == "my questions", "and the way back"


def test_the_same_content_is_there_already_whatever_the_file_is_called() -> None:
    first = imported(csv_of(table_rows()), "one.csv")
    again = wizard.upload(csv_of(table_rows()), "two.csv")
    assert wizard.check(again.id).problem == ""
    assert wizard.draft(again.id).checked.known == first.stored
    with pytest.raises(OptionError, match="stored already, as 'one'"):
        wizard.store(again.id)
    wizard.undo(first.id)
    assert wizard.draft(again.id).checked.known == ""
    assert wizard.store(again.id).stored == "two"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("one", "with other content is stored already"),
        ("", "is empty"),
        ("  ", "is empty"),
        ("../../x", "holds a slash"),
        ("-x", "begins with a dash"),
        ("x" * 101, "is longer than 100 characters"),
        ("a\x00b", "cannot be printed"),
    ],
)
def test_a_name_that_cannot_be_used_loses_nothing(name: str, fault: str) -> None:
    imported(csv_of(table_rows()), "one.csv")
    draft = wizard.upload(csv_of(table_rows(5)), "other.csv")
    wizard.check(draft.id)
    wizard.rename(draft.id, name)
    with pytest.raises(OptionError, match=fault):
        wizard.store(draft.id)
    assert wizard.store(wizard.rename(draft.id, "usable").id).stored == "usable"


def test_the_first_fatal_problem_is_said_with_its_line_and_field_and_nothing_is_stored() -> None:
    rows = table_rows()
    rows[1]["answer"] = ""
    draft = wizard.upload(csv_of(rows), "bad.csv")
    report = wizard.check(draft.id)
    assert report.problem == "bad.csv, line 3, field 'answer': the answer is empty; fill it in or remove the row."
    with pytest.raises(OptionError, match="has not been checked"):
        wizard.store(draft.id)
    assert browsing.stored_datasets() == []
    assert str(uploads.folder_of(draft.id)) not in report.problem


def test_rows_that_are_left_out_are_listed() -> None:
    rows = [{**row, "extracted_sentences": "[]", "logical_category": "causal"} for row in table_rows(5)]
    rows[2]["question"] = ""
    draft = wizard.upload(csv_of(rows), "rag.csv")
    assert draft.choice.format == "rag12000"
    report = wizard.check(draft.id)
    assert (report.n_skipped, report.skipped) == (1, ((4, "question", "the question is empty"),))


def test_a_field_may_have_no_column_although_one_bears_its_name() -> None:
    rows = [{**row, "id": "same", "split": "train"} for row in table_rows()]
    draft = wizard.upload(csv_of(rows), "ids.csv")
    assert "duplicate" in wizard.check(draft.id).problem
    draft = decided(draft, question="question", answer="answer", context="context")
    assert wizard.check(draft.id).labels["splits"] == {}
    wizard.store(draft.id)
    found = browsing.question("ids", "1").question
    assert found.meta == {"id": "same", "split": "train"}


def test_a_known_dimension_is_left_alone_where_it_is_not_chosen() -> None:
    draft = wizard.upload(csv_of([{**row, "complexity": "simple"} for row in table_rows()]), "c.csv")
    draft = decided(draft, question="question", answer="answer", context="context", id="id")
    assert wizard.check(draft.id).labels["categories"] == {}
    wizard.store(draft.id)
    assert browsing.question("c", "q0").question.meta == {"complexity": "simple"}


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        (Choice("no such format"), "cannot be read as"),
        (Choice("trilens"), "cannot be read as"),
        (Choice("table", {"question": "no such column"}), "no such field or column"),
        (Choice("table", {"../../field": "question"}), "no such field or column"),
        (Choice("table", {"question": "question"}, ("../../etc",)), "no such field or column"),
    ],
)
def test_forged_choices_are_refused(choice: Choice, fault: str) -> None:
    draft = wizard.upload(csv_of(table_rows()), "t.csv")
    with pytest.raises(OptionError, match=fault):
        wizard.decide(draft.id, choice)
    assert wizard.draft(draft.id) == draft


@pytest.mark.parametrize(
    ("mapping", "categories", "fault"),
    [
        ({"question": "question", "answer": "question", "context": "context"}, (), "chosen more than once"),
        ({"question": "question", "answer": "answer", "context": "context"}, ("answer",), "chosen more than once"),
        ({"question": "question", "answer": "answer", "context": "context"}, ("QC", "complexity"), "same categories"),
        ({"question": "question", "answer": "answer", "context": "context"}, ("list",), "which is not one text"),
    ],
)
def test_choices_that_do_not_go_together_are_said(
    mapping: dict[str, str], categories: tuple[str, ...], fault: str
) -> None:
    rows = [{**row, "QC": "a", "complexity": "b", "list": ["x", "y"]} for row in table_rows()]
    draft = decided(wizard.upload(jsonl_of(rows), "t.jsonl"), categories=categories, **mapping)
    assert fault in wizard.check(draft.id).problem
    assert "\n" not in wizard.check(draft.id).problem


@pytest.mark.parametrize(
    ("content", "name", "fault"),
    [
        (b"\x00\x01\x02\x03" * 10, "a.csv", "a.csv is a binary file"),
        (b"", "a.csv", "is empty"),
        (b"question,answer\n", "a.csv", "a.csv holds no rows"),
        (b'{"question": "?"', "a.jsonl", "a.jsonl, line 1: the file ends in the middle"),
        (b"PK\x03\x04 no archive", "a.zip", "ZIP archive cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_at_all_leaves_nothing(content: bytes, name: str, fault: str, home: Path) -> None:
    with pytest.raises(InputError, match=fault):
        wizard.upload(io.BytesIO(content), name)
    assert list((home / "uploads").iterdir()) == []


def test_an_export_comes_back_through_the_wizard(tmp_path: Path) -> None:
    name = import_source(write_folder(tmp_path / "trial", card="name: trial\ntitle: A trial\n")).name
    packed = zipped(name)
    assert zipped(name) == packed
    before = browsing.question(name, "q1").question
    draft = wizard.upload(io.BytesIO(packed), "trial.zip")
    assert (draft.formats, draft.name, draft.is_mapped) == (("trilens",), "trial", False)
    wizard.check(draft.id)
    assert wizard.draft(draft.id).checked.known == name
    assert not wizard.draft(draft.id).checked.new_card
    delete(name)
    assert wizard.store(draft.id).stored == "trial"
    assert browsing.question("trial", "q1").question == before
    assert browsing.stored_dataset("trial").title == "A trial"


def test_a_card_that_was_filled_in_replaces_the_stored_one(tmp_path: Path) -> None:
    name = import_source(write_folder(tmp_path / "trial", card="name: trial\n")).name
    told = import_source(write_folder(tmp_path / "told", card="name: told\nlicence: CC0\n"), name="told").name
    draft = wizard.upload(io.BytesIO(zipped(told)), "trial.zip")
    delete(told)
    wizard.check(draft.id)
    report = wizard.draft(draft.id).checked
    assert (report.known, report.new_card) == (name, True)
    with pytest.raises(OptionError, match="stored already"):
        wizard.store(draft.id)
    assert wizard.take_card(draft.id) == name
    assert browsing.stored_dataset(name).card.licence == "CC0"
    assert wizard.draft(draft.id).checked.new_card is False
    with pytest.raises(OptionError, match="nothing was changed"):
        wizard.take_card(draft.id)


def test_an_archive_without_a_card_is_called_after_its_file(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "x", card=None)
    packed = io.BytesIO()
    import zipfile

    with zipfile.ZipFile(packed, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    packed.seek(0)
    draft = wizard.upload(packed, "my set.zip")
    assert draft.name == "my set"
    (folder / "questions.jsonl").write_text('{"id": 1, "question": "?", "answer": "!", "documents": ["none"]}\n')
    bad = io.BytesIO()
    with zipfile.ZipFile(bad, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    bad.seek(0)
    assert wizard.check(wizard.upload(bad, "bad.zip").id).problem.startswith("bad.zip/questions.jsonl, line 1, field")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "a.csv").write_bytes(csv_of(table_rows()).read())
    settings = tmp_path / "secrets.toml"
    settings.write_text(f'[trilens.import_roots]\nshelf = "{root}"\n', encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(settings))
    return root


def test_a_file_under_an_import_root_stays_where_it_is(shelf: Path, home: Path) -> None:
    draft = wizard.choose("shelf", "a.csv")
    assert (draft.called, draft.root, draft.path, draft.size) == (
        "a.csv",
        "shelf",
        "a.csv",
        (shelf / "a.csv").stat().st_size,
    )
    assert [path.name for path in uploads.folder_of(draft.id).iterdir()] == ["draft.json"]
    assert wizard.check(draft.id).problem == ""
    (shelf / "a.csv").write_bytes(csv_of(table_rows(5)).read())
    with pytest.raises(OptionError, match="has changed since it was checked"):
        wizard.store(draft.id)
    (shelf / "a.csv").write_text('id,question,answer,context\n1,?,"",x\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"^a.csv, line 2, field 'answer'"):
        wizard.store(draft.id)
    (shelf / "a.csv").unlink()
    assert "is no file under the import root" in wizard.check(draft.id).problem
    assert browsing.stored_datasets() == []


@pytest.mark.parametrize(("root", "path"), [("shelf", "../secrets.toml"), ("..", "a.csv"), ("", "/etc/passwd")])
def test_no_path_leads_out_of_an_import_root(shelf: Path, home: Path, root: str, path: str) -> None:
    with pytest.raises(OptionError):
        wizard.choose(root, path)
    assert not (home / "uploads").exists() or list((home / "uploads").iterdir()) == []


@pytest.mark.parametrize("identifier", ["", "..", "../../home", "0" * 16, "x" * 16, "<b>", "a" * 5000])
def test_an_unknown_draft_is_said(identifier: str) -> None:
    for use in (wizard.draft, wizard.check, wizard.store, wizard.undo, wizard.forget, wizard.take_card):
        with pytest.raises(OptionError, match="no longer there"):
            use(identifier)


def test_a_damaged_draft_is_said() -> None:
    draft = wizard.upload(csv_of(table_rows()), "t.csv")
    for text in ("", "[]", "{}", '{"id": 3}', "null"):
        (uploads.folder_of(draft.id) / "draft.json").write_text(text, encoding="utf-8")
        with pytest.raises(OptionError, match="choose the file again"):
            wizard.draft(draft.id)


def test_a_draft_whose_own_file_names_a_path_still_leads_nowhere_else() -> None:
    draft = wizard.upload(csv_of(table_rows()), "t.csv")
    path = uploads.folder_of(draft.id) / "draft.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**values, "root": "/", "path": "etc/passwd"}), encoding="utf-8")
    assert "There is no import root" in wizard.check(draft.id).problem


def test_an_import_that_a_run_uses_is_not_undone() -> None:
    rows = [{**row, "context": f"Fact {i}. Another sentence {i}."} for i, row in enumerate(table_rows())]
    draft = imported(csv_of(rows), "used.csv")
    run(*plan(Request("used", retrievers="bm25", combinations="none", relations="none")))
    with pytest.raises(BusyError, match="uses dataset 'used'"):
        wizard.undo(draft.id)
    assert browsing.stored_dataset("used").n_runs == 1


def test_undo_never_touches_what_took_the_name_since(tmp_path: Path) -> None:
    draft = imported(csv_of(table_rows()), "name.csv")
    delete("name")
    with pytest.raises(OptionError, match="nothing to undo"):
        wizard.undo(draft.id)
    path = tmp_path / "name.csv"
    path.write_bytes(csv_of(table_rows(5)).read())
    import_source(path)
    assert wizard.draft(draft.id).stored == ""
    with pytest.raises(OptionError, match="nothing to undo"):
        wizard.undo(draft.id)
    assert browsing.stored_dataset("name").n_questions == 5


def test_text_of_a_file_is_never_a_pattern_or_markup() -> None:
    bad = "<script>alert(1)</script> **b** $x$ %s {0} \\1"
    rows = [{**row, "question": f"{bad} {i}", "answer": bad, "context": bad + " and more", bad: bad}
            for i, row in enumerate(table_rows())]  # fmt: skip
    draft = wizard.upload(jsonl_of(rows), f"{bad}.jsonl")
    assert wizard.check(draft.id).problem == ""
    draft = wizard.store(wizard.rename(draft.id, "safe").id)
    assert browsing.question("safe", "q0").question.meta == {bad: bad}
    _, store = workspace()
    assert store.rows("SELECT COUNT(*) AS n FROM questions")[0]["n"] == 3
