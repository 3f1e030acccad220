"""Files of other tools step by step: every choice is kept, every fault is one sentence, undo leaves nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers.judged import looks_judged
from core.errors import BusyError, InputError, OptionError
from core.services import judged_wizard, roots, uploads
from core.services.catalogue import datasets
from core.services.judged_drafts import JudgedChoice, JudgedDraft
from core.services.system_importing import systems
from core.services.workspace import workspace
from core.store.runs import create_run

QRELS = "t1 1 d1 1\nt1 2 d2 1\nt2 1 d4 1\n"
RUN = "t1 Q0 d2 1 9 mine\nt1 Q0 d1 2 8 mine\nt9 Q0 d1 1 7 mine\n"


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    del home


def begun(**files: str) -> JudgedDraft:
    """Return a draft of these files; "_" in a name stands for its dot."""
    return judged_wizard.upload([(io.BytesIO(text.encode()), name.replace("_", ".")) for name, text in files.items()])


def decided(found: JudgedDraft, **changes: Any) -> JudgedDraft:
    values = {name: getattr(found.choice, name) for name in JudgedChoice.__dataclass_fields__}
    return judged_wizard.decide(found.id, JudgedChoice(**{**values, **changes}))


def imported(name: str = "ferries", **files: str) -> JudgedDraft:
    found = begun(**files or {"a_qrels": QRELS, "b_run": RUN})
    assert judged_wizard.check(found.id).problem == ""
    judged_wizard.rename(found.id, name)
    return judged_wizard.store(found.id)


def test_uploads_are_looked_at_and_kept() -> None:
    found = begun(**{"../x/a_qrels": QRELS, "b_run": RUN, "c_txt": "no format"})
    assert [(one.called, one.format) for one in found.files] == [
        ("a.qrels", "diversity-qrels"),
        ("b.run", "trec-run"),
        ("c.txt", ""),
    ]
    assert found.name == "a.qrels"
    assert judged_wizard.draft(found.id) == found
    assert judged_wizard.fault(found) == ""


def test_checked_stored_and_undone() -> None:
    found = begun(a_qrels=QRELS, b_run=RUN)
    report = judged_wizard.check(found.id)
    assert (report.problem, report.n_topics, report.n_nuggets, report.n_judged) == ("", 2, 3, 3)
    assert [(one.called, one.n_rows, one.n_skipped) for one in report.files] == [("a.qrels", 3, 0), ("b.run", 3, 1)]
    assert report.skipped == ((0, "b.run: topic", "the collection has no topic 't9'"),)
    assert datasets() == []
    judged_wizard.rename(found.id, "ferries")
    assert judged_wizard.store(found.id).stored == "ferries"
    assert judged_wizard.store(found.id).stored == "ferries", "twice is once"
    assert [one.name for one in systems("ferries")] == ["mine"]
    assert judged_wizard.undo(found.id).stored == ""
    assert datasets() == []
    assert systems() == []


def test_what_is_stored_already_is_said_and_added_to() -> None:
    first = imported()
    again = begun(a_qrels=QRELS, b_run=RUN)
    decided(again, dataset="ferries")
    assert judged_wizard.check(again.id).known
    with pytest.raises(OptionError, match="All of it is stored already in 'ferries'"):
        judged_wizard.store(again.id)
    more = begun(t_tsv="t1\tFerries?\n")
    decided(more, dataset="ferries")
    assert not judged_wizard.check(more.id).known
    judged_wizard.store(more.id)
    with pytest.raises(OptionError, match="'ferries' has been added to since"):
        judged_wizard.undo(first.id)
    with pytest.raises(OptionError, match="This import added to what was stored before"):
        judged_wizard.undo(more.id)


def test_names_are_checked() -> None:
    imported()
    found = begun(a_qrels=QRELS)
    judged_wizard.check(found.id)
    for name, message in (
        ("ferries", "A dataset named 'ferries' is stored already"),
        (" ", "is empty"),
        ("a/b", "slash"),
    ):
        judged_wizard.rename(found.id, name)
        with pytest.raises(OptionError, match=message):
            judged_wizard.store(found.id)


def test_only_what_was_checked_is_stored() -> None:
    found = begun(a_qrels=QRELS)
    with pytest.raises(OptionError, match="have not been checked"):
        judged_wizard.store(found.id)
    judged_wizard.check(found.id)
    decided(found, grade=2)
    with pytest.raises(OptionError, match="have not been checked"):
        judged_wizard.store(found.id)
    judged_wizard.check(found.id)
    next((uploads.folder_of(found.id) / "0").iterdir()).write_text(QRELS.replace("d1", "d9"))
    with pytest.raises(OptionError, match="have changed since they were checked"):
        judged_wizard.store(found.id)


def test_a_problem_names_files_as_their_owner_does() -> None:
    found = begun(a_qrels=QRELS, b_run="t1 Q0 d1 1 9 mine\nt1 Q0 d2 2 high mine\n")
    problem = judged_wizard.check(found.id).problem
    assert problem == "b.run, line 2, field 'score': 'high' is no number; correct the line."
    assert str(workspace()[0].path) not in problem


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "gone"}, "No dataset 'gone' is stored here"),
        ({"formats": ("csv", "trec-run")}, "There is no such format"),
        ({"formats": ("trec-run",)}, "These are not the files of this import"),
        ({"grade": -1}, "a number from 0 to 100"),
    ],
)
def test_what_is_not_offered_is_refused(changes: dict[str, Any], message: str) -> None:
    found = begun(a_qrels=QRELS, b_run=RUN)
    with pytest.raises(OptionError, match=message):
        decided(found, **changes)


def test_what_is_still_to_be_chosen() -> None:
    found = begun(b_run=RUN)
    assert judged_wizard.fault(found).startswith("Rankings and responses alone make no collection")
    assert judged_wizard.check(found.id).problem.startswith("Rankings and responses alone")
    assert judged_wizard.fault(decided(found, formats=("",))) == "Say of at least one file what it is."


def test_files_that_cannot_be_kept_leave_nothing() -> None:
    with pytest.raises(InputError, match="The file is empty"):
        begun(a_qrels=QRELS, b_run="")
    with pytest.raises(OptionError, match="Choose between 1 and 100 files"):
        judged_wizard.upload([])
    folder = workspace()[0].path / "uploads"
    assert list(folder.iterdir()) == []


def test_a_collection_that_a_run_uses_stays() -> None:
    found = imported()
    create_run(workspace()[1], "r1", "ferries", {"resolved": {}}, state="done")
    with pytest.raises(BusyError, match="Run 'r1' uses 'ferries'"):
        judged_wizard.undo(found.id)


def test_files_under_import_roots_stay_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "a.divqrels").write_text(QRELS)
    (shelf / "b.exe").write_text("x")
    settings = tmp_path / "secrets.toml"
    settings.write_text(f'[trilens.import_roots]\nshelf = "{shelf}"\n')
    monkeypatch.setenv("TRILENS_SETTINGS", str(settings))
    assert [one.path for one in roots.offered_files(looks_judged)] == ["a.divqrels"]
    found = judged_wizard.choose([("shelf", "a.divqrels")])
    assert found.files[0].format == "diversity-qrels"
    assert judged_wizard.check(found.id).n_topics == 2
    with pytest.raises(OptionError, match="is no file under the import root"):
        judged_wizard.choose([("shelf", "../secrets.toml")])
