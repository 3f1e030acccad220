"""`study` on the command line: from making one to its export, and what goes wrong in words."""

from __future__ import annotations

import csv
import json
import shutil

import openpyxl
import pytest

from core.cli import main
from core.services.catalogue import runs
from core.services.rated import ratings
from core.services.studies import raters, studies
from tests.core.people.study_samples import make_study


def run(capsys, *words, status=0):
    assert main(["study", *words]) == status, capsys.readouterr()
    return capsys.readouterr()


@pytest.fixture
def marlow(marlow_once, home):
    shutil.copytree(marlow_once, home, dirs_exist_ok=True)
    return runs()[-1].id


def test_a_study_from_making_to_deleting(capsys, marlow, tmp_path):
    guidelines = tmp_path / "guidelines.md"
    guidelines.write_text("# Mind the *ferry* <b>\n", encoding="utf-8")
    gold = tmp_path / "gold.csv"
    gold.write_text("question,reference,answer,score\nWho?,Anna,Anna,1\n", encoding="utf-8")
    choices = ["Pilot", "--run", marlow, "--questions", "4", "--scale", "0,1", "--shared", "0.5", "--gold", str(gold),
               "--guidelines", str(guidelines), "--raters-per-item", "1", "--deadline", "2099-01-01"]  # fmt: skip
    assert "4 questions" in run(capsys, "create", *choices, "--estimate").out
    assert studies() == []
    made = json.loads(run(capsys, "create", *choices, "--json").out)
    study = made["id"]
    assert json.loads(run(capsys, "list", "--json").out)[0]["id"] == study
    assert f"{study}  open" in run(capsys, "list").out
    assert studies()[0].design.guidelines == "# Mind the *ferry* &lt;b>"

    for _ in range(2):
        assert "invited as Rater 1" in run(capsys, "invite", study, "ann@example.org", "--name", "Ann").out
    sheet = tmp_path / "ann.xlsx"
    run(capsys, "export-sheet", study, "ann@example.org", "--out", str(sheet), "--items", "2")
    book = openpyxl.load_workbook(sheet)
    column = {cell.value: cell.column for cell in book.worksheets[0][1]}
    book.worksheets[0].cell(2, column["score"], 1)
    book.worksheets[0].cell(3, column["score"], 9)
    book.save(sheet)
    # a sheet that may be filled is never written over
    assert "exists already" in run(capsys, "export-sheet", study, "ann@example.org", "--out", str(sheet), status=2).err
    told = run(capsys, "import-sheet", study, "ann@example.org", str(sheet), status=1).out
    assert "1 rows saved, 0 saved before, 0 empty, 1 wrong." in told
    assert "row 3: '9' is not on the scale: 0, 1" in told
    assert [one.value for one in ratings(study).ratings] == [1.0]

    shown = run(capsys, "show", study).out
    assert "Rater 1 (Ann): 1 scored" in shown
    assert json.loads(run(capsys, "show", study, "--json").out)["answered"] == 1
    for action, state in (("pause", "paused"), ("close", "closed"), ("resume", "open")):
        assert run(capsys, action, study).out == f"{study} is {state}.\n"
    out = tmp_path / "ratings.csv"
    run(capsys, "export", study, "--out", str(out))
    with out.open(encoding="utf-8", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == ["Ann"]
    run(capsys, "export", study, "--format", "json", "--out", str(out))
    assert json.loads(out.read_text(encoding="utf-8"))["history"][0]["action"] == "sheet"
    run(capsys, "export", study, "--history", "--out", str(out))
    assert "accepted" in out.read_text(encoding="utf-8")

    run(capsys, "remove", study, "ann@example.org")
    assert not raters(study)[0].is_active
    assert "add --yes" in run(capsys, "delete", study, status=2).err
    run(capsys, "delete", study, "--yes")
    assert studies() == []


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("create", "x"), "no run is chosen"),
        (("create", "x", "--run", "r", "--scale", "a,b"), "the scale is 'a,b'"),
        (("create", "x", "--run", "r"), "no run 'r' is stored"),
        (("show", "no-study"), "no study 'no-study' is stored"),
        (("delete", "no-study", "--yes"), "no study"),
        (("llm-rate", "study-one", "--endpoint", "nobody"), "settings do not name"),
        (("remove", "study-one", "z"), "nobody called 'z'"),
        (("import-sheet", "study-one", "rater1@example.org", "gone.csv"), "gone.csv"),
        (("export", "study-one", "--out", "no/such/folder.csv"), "is no folder"),
        (("bogus",), "invalid choice"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_status_two(capsys, words, says):
    make_study()
    try:
        status = main(["study", *words])
    except SystemExit as ended:
        status = ended.code
    told = capsys.readouterr()
    assert status == 2
    assert says in told.err
    assert len(told.err.splitlines()) == 1
