"""Answers of another system step by step: every choice is kept, every fault is one sentence, undo leaves nothing."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.engine.spec import Request
from core.errors import BusyError, InputError, OptionError
from core.jobs.lock import hold
from core.services import dataset_admin, system_admin, system_wizard, uploads
from core.services.at_rest import starting
from core.services.evaluation import plan, run
from core.services.exporting import zipped
from core.services.importing import import_source
from core.services.system_drafts import SystemChoice, SystemDraft
from core.services.system_importing import import_system, systems
from core.services.workspace import workspace
from core.store.runs import update_run

FERRY = "The Marlow ferry runs every forty minutes in summer."
ROWS = [
    {"qid": "q1", "response": "Every forty minutes [1].", "passages": json.dumps([FERRY])},
    {"qid": "q2", "response": "I do not know.", "passages": json.dumps(["From elsewhere."])},
    {"qid": "q3", "response": "", "passages": "[]"},
    {"qid": "zz", "response": "Nobody asked.", "passages": "[]"},
]
BAD = "<script>alert(1)</script> **b** $x$ %s {0} \\1"


@pytest.fixture(autouse=True)
def _imported(home: Path, small_csv: Path) -> None:
    del home
    import_source(small_csv)


def table(rows: list[dict[str, Any]]) -> io.BytesIO:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return io.BytesIO(text.getvalue().encode())


def begun(rows: list[dict[str, Any]] = ROWS, name: str = "my rag.csv") -> SystemDraft:
    return system_wizard.upload(table(rows), name, "marlow")


def imported() -> SystemDraft:
    draft = begun()
    assert system_wizard.check(draft.id).problem == ""
    return system_wizard.store(draft.id)


def decided(draft: SystemDraft, **mapping: str) -> SystemDraft:
    return system_wizard.decide(draft.id, SystemChoice("marlow", {**draft.choice.mapping, **mapping}))


def test_an_upload_is_looked_at_and_its_columns_guessed() -> None:
    draft = begun(name="../my, rag.csv")
    assert (draft.called, draft.name, draft.choice.dataset) == ("my, rag.csv", "my- rag", "marlow")
    assert draft.choice.mapping == {
        "id": "qid", "question": "", "answer": "response", "contexts": "passages", "citations": ""
    }  # fmt: skip
    assert draft.columns[0].samples == ("q1", "q2", "q3")
    assert system_wizard.draft(draft.id) == draft
    assert systems() == []


def test_checked_stored_undone_and_stored_again() -> None:
    draft = begun()
    report = system_wizard.check(draft.id)
    assert (report.problem, report.n_rows, report.n_matched, report.n_questions) == ("", 4, 3, 6)
    assert (report.n_answers, report.n_refused, report.n_contexts, report.n_located) == (2, 1, 2, 1)
    assert report.skipped == ((5, "qid", "the dataset has no question 'zz'"),)
    assert any("questions without an answer" in note for note in report.notes)
    assert system_wizard.draft(draft.id).checked == report
    assert systems() == []
    draft = system_wizard.store(system_wizard.rename(draft.id, "ours").id)
    assert (draft.stored, draft.stored_for) == ("ours", "marlow")
    assert system_wizard.store(draft.id) == draft, "pressed twice"
    assert [(one.name, one.source, one.n_answers) for one in systems("marlow")] == [("ours", "my rag.csv", 2)]
    assert system_wizard.undo(draft.id).stored == ""
    assert systems() == []
    assert system_wizard.store(draft.id).stored == "ours", "and the way back"


def test_the_same_answers_as_the_command_line_stores(tmp_path: Path) -> None:
    path = tmp_path / "by command.csv"
    path.write_bytes(table(ROWS).read())
    import_system(path, "marlow")
    draft = begun()
    system_wizard.check(draft.id)
    assert system_wizard.draft(draft.id).checked.known == "by command"
    with pytest.raises(OptionError, match="stored already, as 'by command'"):
        system_wizard.store(draft.id)
    system_admin.delete("marlow", "by command")
    assert system_wizard.store(draft.id).stored == "my rag"


def test_columns_of_any_name_are_chosen() -> None:
    rows = [{"frage": "Who built the Marlow mill?", "sagt": "Anna Rusk (see 1).", "stelle": "From a book.", "zahl": 1}]
    draft = begun(rows, "de.csv")
    assert system_wizard.fault(draft.choice) == "Choose the column of the answer."
    assert system_wizard.check(draft.id).problem == "Choose the column of the answer."
    draft = decided(draft, answer="sagt")
    assert system_wizard.fault(draft.choice) == "Choose the column of the question id or of the question."
    draft = decided(draft, question="sagt")
    assert system_wizard.fault(draft.choice) == "Column 'sagt' is chosen more than once: leave one of them."
    draft = decided(draft, question="frage", contexts="stelle", citations="zahl")
    report = system_wizard.check(draft.id)
    assert (report.problem, report.n_matched, report.n_contexts) == ("", 1, 1)
    assert any("column 'zahl' was read as counting contexts from 1" in note for note in report.notes)


def test_a_column_that_is_taken_away_is_not_guessed_again() -> None:
    draft = decided(begun(), contexts="")
    assert system_wizard.check(draft.id).n_contexts == 0


def test_what_cannot_be_read_is_said_with_line_and_field_and_nothing_is_stored() -> None:
    draft = begun([*ROWS, {"qid": "q1", "response": "Again.", "passages": ""}])
    report = system_wizard.check(draft.id)
    assert report.problem.startswith("my rag.csv, line 6, field 'qid': question 'q1' has an answer on line 2 already")
    assert str(uploads.folder_of(draft.id)) not in report.problem
    with pytest.raises(OptionError, match="has not been checked"):
        system_wizard.store(draft.id)
    others = begun([{"qid": "x1", "response": "?", "passages": ""}], "others.csv")
    problem = system_wizard.check(others.id).problem
    assert problem.startswith("others.csv: none of its 1 rows is about a question of the dataset")
    assert systems() == []


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("by command", "with other answers is stored"),
        ("", "is empty"),
        (" x", "white space"),
        ("-x", "begins with a dash"),
        ("a,b", "holds a comma"),
        ("none", "means no system"),
        ("x" * 61, "is longer than 60 characters"),
    ],
)
def test_a_name_that_cannot_be_used_loses_nothing(name: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "by command.csv"
    path.write_bytes(table(ROWS[:1]).read())
    import_system(path, "marlow")
    draft = begun()
    system_wizard.check(draft.id)
    system_wizard.rename(draft.id, name)
    with pytest.raises(OptionError, match=fault):
        system_wizard.store(draft.id)
    assert system_wizard.store(system_wizard.rename(draft.id, "usable").id).stored == "usable"


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        (SystemChoice("../../etc", {}), "No dataset '../../etc' is stored"),
        (SystemChoice("trilens-demo", {}), "No dataset 'trilens-demo' is stored"),
        (SystemChoice("marlow", {"answer": "no such column"}), "no such field or column"),
        (SystemChoice("marlow", {"../../field": "qid"}), "no such field or column"),
    ],
)
def test_forged_choices_are_refused(choice: SystemChoice, fault: str) -> None:
    draft = begun()
    with pytest.raises(OptionError, match=fault):
        system_wizard.decide(draft.id, choice)
    assert system_wizard.draft(draft.id) == draft


@pytest.mark.parametrize(
    ("content", "name", "dataset", "fault"),
    [
        (b"\x00\x01\x02\x03" * 10, "a.csv", "marlow", "a.csv is a binary file"),
        (b"", "a.csv", "marlow", "is empty"),
        (b"qid,response\n", "a.csv", "marlow", "a.csv holds no rows"),
        (b"PK\x03\x04 no archive", "a.xlsx", "marlow", "ZIP archive cannot be read"),
        (b"qid,response\nq1,x\n", "a.csv", "gone", "No dataset 'gone'"),
        (b"qid,response\nq1,x\n", "a.csv", "../marlow.csv", "No dataset '../marlow.csv'"),
    ],
)
def test_what_cannot_begin_leaves_nothing(content: bytes, name: str, dataset: str, fault: str, home: Path) -> None:
    with pytest.raises((InputError, OptionError), match=fault):
        system_wizard.upload(io.BytesIO(content), name, dataset)
    assert not (home / "uploads").exists() or list((home / "uploads").iterdir()) == []


def test_a_folder_of_questions_is_no_table_of_answers(home: Path) -> None:
    with pytest.raises(InputError, match="is a Trilens folder, which holds questions"):
        system_wizard.upload(io.BytesIO(zipped("marlow")), "marlow.zip", "marlow")
    assert list((home / "uploads").iterdir()) == []


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "a.csv").write_bytes(table(ROWS).read())
    settings = tmp_path / "secrets.toml"
    settings.write_text(f'[trilens.import_roots]\nshelf = "{root}"\n', encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(settings))
    return root


def test_a_file_under_an_import_root_stays_where_it_is(shelf: Path) -> None:
    draft = system_wizard.choose("shelf", "a.csv", "marlow")
    assert [path.name for path in uploads.folder_of(draft.id).iterdir()] == ["answers.json"]
    assert system_wizard.check(draft.id).problem == ""
    (shelf / "a.csv").write_bytes(table(ROWS[:2]).read())
    with pytest.raises(OptionError, match="has changed since it was checked"):
        system_wizard.store(draft.id)
    (shelf / "a.csv").unlink()
    assert "is no file under the import root" in system_wizard.check(draft.id).problem
    assert systems() == []


@pytest.mark.parametrize(("root", "path"), [("shelf", "../secrets.toml"), ("..", "a.csv"), ("", "/etc/passwd")])
def test_no_path_leads_out_of_an_import_root(shelf: Path, home: Path, root: str, path: str) -> None:
    del shelf
    with pytest.raises(OptionError):
        system_wizard.choose(root, path, "marlow")
    assert not (home / "uploads").exists() or list((home / "uploads").iterdir()) == []


@pytest.mark.parametrize("identifier", ["", "..", "../../home", "0" * 16, "x" * 16, "<b>", "a" * 5000])
def test_an_unknown_draft_is_said(identifier: str) -> None:
    for use in (system_wizard.draft, system_wizard.check, system_wizard.store, system_wizard.undo):
        with pytest.raises(OptionError, match="no longer there"):
            use(identifier)


def test_a_damaged_draft_is_said_and_names_no_path() -> None:
    draft = begun()
    path = uploads.folder_of(draft.id) / "answers.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**values, "root": "/", "path": "etc/passwd"}), encoding="utf-8")
    assert "There is no import root" in system_wizard.check(draft.id).problem
    for text in ("", "[]", "{}", '{"id": 3}', "null"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(OptionError, match="choose the file again"):
            system_wizard.draft(draft.id)


def test_a_dataset_deleted_meanwhile_is_said_and_another_may_be_chosen(small_csv: Path) -> None:
    draft = begun()
    system_wizard.check(draft.id)
    dataset_admin.delete("marlow")
    with pytest.raises(OptionError, match="No dataset 'marlow' is stored here"):
        system_wizard.store(draft.id)
    cleared = system_wizard.decide(draft.id, replace(draft.choice, dataset=""))
    assert system_wizard.check(draft.id).problem == "Choose the dataset whose questions were answered."
    again = import_source(small_csv, name="marlow again").name
    system_wizard.decide(draft.id, replace(cleared.choice, dataset=again))
    system_wizard.check(draft.id)
    assert system_wizard.store(draft.id).stored_for == again


def test_undo_never_touches_what_took_the_name_since(tmp_path: Path) -> None:
    draft = imported()
    system_admin.delete("marlow", "my rag")
    path = tmp_path / "my rag.csv"
    path.write_bytes(table(ROWS[:1]).read())
    import_system(path, "marlow")
    assert system_wizard.draft(draft.id).stored == ""
    with pytest.raises(OptionError, match="nothing to undo"):
        system_wizard.undo(draft.id)
    assert [one.n_answers for one in systems("marlow")] == [1]


def test_a_system_that_runs_have_is_deleted_but_not_undone_and_never_under_way() -> None:
    draft = imported()
    assert system_admin.runs_having("marlow", "my rag") == []
    spec, dataset = plan(Request("marlow", retrievers="bm25", combinations="none", relations="none"))
    run(spec, dataset)
    assert system_admin.runs_having("marlow", "my rag") == [spec.run_id]
    assert system_admin.runs_having("marlow", "other") == []
    with pytest.raises(BusyError, match="has the system 'my rag'"):
        system_wizard.undo(draft.id)
    place, store = workspace()
    update_run(store, spec.run_id, state="running")
    with hold(place.lock(spec.run_id), "the run"), pytest.raises(BusyError, match="is being evaluated with it"):
        system_admin.delete("marlow", "my rag")
    with starting(), pytest.raises(BusyError, match="just being started"):
        system_admin.delete("marlow", "my rag")
    # it still says that it is going, and nobody holds it: it was interrupted
    system_admin.delete("marlow", "my rag")
    assert systems() == []
    with pytest.raises(OptionError, match="has no system"):
        system_admin.delete("marlow", "my rag")


def test_text_of_a_file_is_never_a_pattern_or_markup() -> None:
    rows = [{"qid": "q1", "response": BAD, "passages": BAD, BAD: BAD}]
    draft = begun(rows, f"{BAD}.csv")
    assert system_wizard.check(draft.id).problem == ""
    assert system_wizard.store(system_wizard.rename(draft.id, BAD).id).stored == BAD
