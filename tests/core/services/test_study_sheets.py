"""Sheets out and back: what a rater may change, what hides, and every row that cannot be what it says."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

from core.errors import InputError, OptionError
from core.people.records import Gold
from core.people.roles import AccessError
from core.services import annotating, studies
from core.services.annotating import Accepted, Assigned
from core.services.rated import ratings
from core.services.study_sheets import LEASE, SheetReport, export_sheet, import_sheet
from tests.core.people.study_samples import OWNER, Clock, make_study, rater

ONE, TWO = rater(1), rater(2)
pytestmark = pytest.mark.usefixtures("home")


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def as_file(rows: list[dict[str, str]], delimiter: str = ",") -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def exported(study, n=100):
    return rows_of(export_sheet(OWNER, study.id, ONE.id, "csv", n))


def imported(study, rows, delimiter=","):
    return import_sheet(OWNER, study.id, ONE.id, "mine.csv", as_file(rows, delimiter))


def saved(study):
    return sorted((one.value, one.note) for one in ratings(study.id).ratings if one.value is not None)


def test_a_workbook_hides_ids_closes_texts_and_lists_choices():
    study = make_study(second_question="Supported?", gold=(Gold("=1+1", "@x", "-3", 7.0),))
    book = openpyxl.load_workbook(io.BytesIO(export_sheet(OWNER, study.id, ONE.id, "xlsx")))
    sheet = book.worksheets[0]
    names = {cell.value: cell.column_letter for cell in sheet[1]}
    assert [name for name, letter in names.items() if sheet.column_dimensions[letter].hidden] == [
        "study", "rater", "assignment", "token"]  # fmt: skip
    assert sheet.protection.sheet
    assert {name: sheet[f"{letter}2"].protection.locked for name, letter in names.items()} == {
        name: name not in ("score", "second", "note") for name in names
    }
    lists = {
        str(rule.sqref)[0]: [cell.value for row in book["Choices"][rule.formula1.split("!")[1]] for cell in row]
        for rule in sheet.data_validations.dataValidation
    }
    assert lists == {names["score"]: [0, 3, 7, "cannot judge"], names["second"]: ["yes", "no"]}
    # nothing of it runs, nothing tells whose answer it is
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}
    assert "'=1+1" in {cell.value for cell in cells}
    assert not any("System" in str(cell.value) or "run-1" in str(cell.value) for cell in cells)


def test_a_filled_workbook_comes_back():
    study = make_study(n_items=3)
    book = openpyxl.load_workbook(io.BytesIO(export_sheet(OWNER, study.id, ONE.id, "xlsx")))
    sheet = book.worksheets[0]
    column = {cell.value: cell.column for cell in sheet[1]}
    for line, (score, note) in enumerate([(7, "=fine"), ("cannot judge", ""), (None, "later")], start=2):
        sheet.cell(line, column["score"], score)
        cell = sheet.cell(line, column["note"], note)
        cell.data_type = "s"
    file = io.BytesIO()
    book.save(file)
    assert import_sheet(ONE, study.id, ONE.id, "mine.xlsx", file.getvalue()) == SheetReport(2, 0, 1, ())
    assert saved(study) == [(7.0, "=fine")]
    assert [one.status for one in ratings(study.id).ratings].count("cannot_judge") == 1
    assert [press.action for press in annotating.history(ONE, study.id)] == ["sheet", "cannot_judge"]
    # what was left empty is still in hand, with its note
    shown = annotating.next_assignment(ONE, study.id)
    assert isinstance(shown, Assigned)
    assert shown.note == "later"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_as_spreadsheets_write_it_comes_back(delimiter):
    study = make_study(n_items=2, scale=(0.0, 0.5, 1.0))
    rows = exported(study)
    rows[0]["score"], rows[1]["score"] = "0,5", "1.0"
    assert imported(study, rows, delimiter) == SheetReport(2, 0, 0, ())
    assert [value for value, _ in saved(study)] == [0.5, 1.0]
    # the same again changes nothing and is no fault
    assert imported(study, rows, delimiter) == SheetReport(0, 2, 0, ())
    assert len(annotating.history(ONE, study.id)) == 2


def test_each_wrong_row_is_named_and_the_others_are_saved():
    study = make_study(n_items=8, second_question="Supported?")
    other = make_study(identifier="study-two")
    rows = exported(study)
    for row in rows:
        row["score"], row["second"] = "7", "yes"
    rows[0]["score"] = "5"
    rows[1]["score"] = "much"
    rows[2]["second"] = ""
    rows[3]["study"] = other.id
    rows[4]["rater"] = TWO.id
    rows[5]["assignment"] = "0123456789abcdef"
    rows[6]["token"] = "forged"
    twin = {**rows[7], "score": "3"}
    report = imported(study, [*rows, twin])
    assert report.saved == 0
    assert [line for line, _ in report.faults] == list(range(2, 11))
    says = [what for _, what in report.faults]
    for what, words in zip(says, [
        "'5' is not on the scale: 0, 3, 7", "'much' is not on the scale", "needs yes or no", "of study 'study-two'",
        "the sheet of 'rater2@example.org'", "hidden ids were changed", "this showing of the item is over",
        "row 10 too", "row 9 too",
    ], strict=True):  # fmt: skip
        assert words in what
    assert saved(study) == []
    good = exported(study)
    assert len(good) == 8
    good[0].update(score="7", second="no")
    assert imported(study, good) == SheetReport(1, 0, 7, ())


def test_a_whole_sheet_of_another_study_or_no_sheet_at_all_saves_nothing():
    study, other = make_study(), make_study(identifier="study-two")
    rows = exported(other)
    rows[0]["score"] = "7"
    assert imported(study, rows).saved == 0
    for content, says in (
        (b"", "mine.csv is empty"), (b"question,answer\na,b\n", "mine.csv has no column"),
        (b"PK\x03\x04nonsense", "mine.csv is no XLSX"), (b"score\n" + b"x" * 20_000_001, "at most 20,000,000"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=says) as problem:
            import_sheet(OWNER, study.id, ONE.id, "../mine.csv", content)
        assert "/tmp" not in str(problem.value)
    assert ratings(study.id).ratings == ()


def test_a_note_that_is_too_long_keeps_its_row_out_and_loses_nothing():
    study = make_study(n_items=1)
    rows = exported(study)
    rows[0].update(score="7", note="x" * 100_000)
    ((line, what),) = imported(study, rows).faults
    assert (line, "100,000 characters" in what) == (2, True)
    rows[0]["note"] = "short"
    assert imported(study, rows).saved == 1


def test_a_sheets_items_stay_in_hand_for_long_and_the_page_may_answer_them(monkeypatch):
    clock = Clock(monkeypatch)
    study = make_study(n_items=2)
    rows = exported(study)
    clock.move(20 * 24 * 3600)
    assert annotating.next_assignment(TWO, study.id).reason == "finished"
    shown = annotating.next_assignment(ONE, study.id)
    assert isinstance(annotating.vote(ONE, shown.assignment, shown.token, 3), Accepted)
    for row in rows:
        row["score"] = "7"
    report = imported(study, rows)
    assert (report.saved, len(report.faults)) == (1, 1)
    assert [value for value, _ in saved(study)] == [3.0, 7.0]
    # time away from the page is no time on the item
    assert sorted(one.seconds for one in ratings(study.id).ratings) == [0, 300]
    late = make_study(n_items=1, identifier="study-two")
    rows = exported(late)
    rows[0]["score"] = "7"
    clock.move(LEASE + 1)
    assert isinstance(annotating.next_assignment(TWO, late.id), Assigned)
    assert "went back" in imported(late, rows).faults[0][1]


def test_who_gets_a_sheet():
    study = make_study()
    with pytest.raises(AccessError):
        export_sheet(TWO, study.id, ONE.id, "csv")
    with pytest.raises(AccessError):
        import_sheet(TWO, study.id, ONE.id, "mine.csv", b"")
    with pytest.raises(OptionError, match="no rater of this study"):
        export_sheet(OWNER, study.id, "z@example.org", "csv")
    with pytest.raises(OptionError, match="xlsx or csv"):
        export_sheet(OWNER, study.id, ONE.id, "ods")
    assert len(rows_of(export_sheet(ONE, study.id, ONE.id, "csv", 4))) == 4
    # asked again: the same items first, in the same order, with new tokens
    again = exported(study)
    assert len(again) == 6
    studies.pause(OWNER, study.id)
    with pytest.raises(OptionError, match="paused"):
        export_sheet(ONE, study.id, ONE.id, "csv")


def test_generated_questions_have_their_aspects_as_columns():
    study = make_study(n_items=1, template="questions", dataset="d", runs=(), options=("who", "why"))
    rows = exported(study)
    assert "reference" not in rows[0]
    rows[0].update(score="3", invention="0", answerable="2", category="why")
    assert imported(study, rows) == SheetReport(1, 0, 0, ())
    assert ratings(study.id).ratings[0].further == {"invention": 0.0, "answerable": 2.0, "category": "why"}
