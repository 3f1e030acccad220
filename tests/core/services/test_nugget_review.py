"""Proposed nuggets under review: every change is kept, what cannot be saved is said, undo leaves nothing."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from core.errors import BusyError, OptionError
from core.services import nugget_review, uploads
from core.services.catalogue import datasets
from core.services.importing import import_source
from core.services.nugget_drafts import NuggetDraft
from core.services.workspace import workspace
from core.store.datasets import load_dataset
from core.store.runs import create_run
from tests.core.datasets.samples import write_jsonl


def many(path: Path, n: int) -> str:
    """Store ``n`` questions whose reference answers state two facts each."""
    text = "The mill stands by the river. The ferry leaves at noon from the quay."
    rows = [
        {"id": f"q{i}", "question": f"What is {i}?", "answer": f"The mill has {i} sails. It was built of oak.",
         "document_id": "d", "context": text}
        for i in range(n)
    ]  # fmt: skip
    return import_source(write_jsonl(path / "many.jsonl", rows)).name


@pytest.fixture
def marlow(home: Path, small_csv: Path) -> str:
    del home
    return import_source(small_csv).name


def test_facts_of_every_answer_are_proposed_page_by_page(home: Path, tmp_path: Path) -> None:
    del home
    found = nugget_review.begin(many(tmp_path, 60))
    assert (found.n_questions, found.n_pages, found.name) == (60, 3, "many-nuggets")
    page = nugget_review.page(found.id, 3)
    assert [one.id for one in page.questions] == [f"q{i}" for i in range(50, 60)]
    assert [(row.question, row.text) for row in page.rows[:3]] == [
        ("q50", "The mill has 50 sails."),
        ("q50", "It was built of oak."),
        ("q51", "The mill has 51 sails."),
    ]
    assert all(row.keep and row.importance == "vital" for row in page.rows)
    assert nugget_review.page(found.id, 99).number == 3
    assert nugget_review.page(found.id, -1).number == 1
    tally = nugget_review.progress(found.id)
    assert (tally.n_rows, tally.n_kept, tally.n_covered, tally.n_seen) == (120, 120, 60, 35)


def test_reviewed_saved_and_undone(marlow: str) -> None:
    found = nugget_review.begin(marlow)
    assert nugget_review.page(found.id, 1).rows[0].text == "Every forty minutes."
    text = "  The ferry runs  every forty minutes. "
    nugget_review.change(found.id, 1, {0: {"text": text}, 1: {"importance": "okay"}, 2: {"keep": False}})
    nugget_review.add(found.id, 1, "q1", "It is summer.")
    nugget_review.add(found.id, 1, "q1", "It is summer.")
    again = nugget_review.draft(found.id)
    assert again == found, "what is reviewed is the same, its pages changed"
    saved = nugget_review.store(found.id)
    assert saved.stored == "marlow-nuggets"
    assert nugget_review.store(found.id) == saved, "twice is once"
    _, store = workspace()
    made = load_dataset(store, "marlow-nuggets")
    assert [(one.id, one.text, one.importance) for one in made.questions[0].nuggets] == [
        ("q1-n1", "The ferry runs every forty minutes.", "vital"),
        ("q1-n2", "It is summer.", "vital"),
    ]
    assert made.questions[1].nuggets[0].importance == "okay"
    assert made.questions[2].nuggets == ()
    assert made.card.notes["nuggets"] == (
        "derived from the reference answers by surface rules and reviewed in the browser: 6 of 6 questions looked at, "
        "1 nugget dropped, 3 rewritten or added"
    )
    assert load_dataset(store, marlow).questions[0].nuggets == ()
    assert nugget_review.undo(found.id).stored == ""
    assert [one.name for one in datasets()] == [marlow]
    assert nugget_review.page(found.id, 1).rows[0].text == "The ferry runs every forty minutes."
    with pytest.raises(OptionError, match="nothing to undo"):
        nugget_review.undo(found.id)


def test_a_page_is_put_back_as_it_was_proposed(marlow: str) -> None:
    found = nugget_review.begin(marlow)
    before = nugget_review.page(found.id, 1)
    nugget_review.change(found.id, 1, {0: {"text": ""}, 1: {"keep": False}})
    nugget_review.add(found.id, 1, "q2", "One more.")
    assert nugget_review.page(found.id, 1).rows != before.rows
    nugget_review.put_back(found.id, 1)
    after = nugget_review.page(found.id, 1)
    assert after.rows == before.rows
    assert after.version == before.version + 2, "a table in a browser must forget the numbers of its rows"


def test_what_cannot_be_saved_is_said(marlow: str) -> None:
    found = nugget_review.begin(marlow)

    def refused(message: str) -> None:
        with pytest.raises(OptionError, match=message):
            nugget_review.store(found.id)

    nugget_review.change(found.id, 1, {1: {"text": None}})
    assert nugget_review.progress(found.id).first_empty == 1
    refused("A nugget of question 'q2' on page 1 has no text: write one, or take its tick away")
    nugget_review.change(found.id, 1, {1: {"keep": False}})
    assert nugget_review.progress(found.id).n_without_text == 0
    nugget_review.change(found.id, 1, {row: {"keep": False} for row in range(6)})
    refused("None of the 6 nuggets is kept")
    nugget_review.put_back(found.id, 1)
    for name, message in (
        (marlow, f"A dataset named '{marlow}' is stored already"),
        (" ", "is empty"),
        ("a/b", "slash"),
    ):
        nugget_review.rename(found.id, name)
        refused(message)
    assert [one.name for one in datasets()] == [marlow]


def test_what_the_browser_sends_is_checked(marlow: str) -> None:
    found = nugget_review.begin(marlow)
    before = nugget_review.page(found.id, 1)
    for changes, message in (
        ({99: {"keep": False}}, "no such row"),
        ({-1: {"keep": False}}, "no such row"),
        ({0: {"importance": "central"}}, "either vital or okay"),
        ({0: {"question": "q2"}}, "no such column"),
        ({0: {"text": "x" * 1_001}}, "longer than 1,000 characters"),
        ({0: {"keep": False}, 1: {"": 1}}, "no such column"),
    ):
        with pytest.raises(OptionError, match=message):
            nugget_review.change(found.id, 1, changes)
    with pytest.raises(OptionError, match="has no text"):
        nugget_review.add(found.id, 1, "q1", " \n")
    with pytest.raises(OptionError, match="no such question"):
        nugget_review.add(found.id, 1, "zz", "A fact.")
    assert nugget_review.page(found.id, 1) == before
    for identifier in ("gone", "../../etc", "0" * 16):
        with pytest.raises(OptionError, match="This review is no longer there"):
            nugget_review.draft(identifier)


def test_a_dataset_that_has_changed_is_not_mixed_with_old_nuggets(marlow: str, tmp_path: Path) -> None:
    found = nugget_review.begin(marlow)
    _, store = workspace()
    with store.write() as db:
        db.conn.execute("UPDATE datasets SET fingerprint = 'another' WHERE name = ?", (marlow,))
    with pytest.raises(OptionError, match="no longer what these nuggets were proposed for"):
        nugget_review.store(found.id)
    assert nugget_review.under_way(marlow, "another") == ""


def test_a_run_keeps_its_dataset(marlow: str) -> None:
    found = nugget_review.store(nugget_review.begin(marlow).id)
    _, store = workspace()
    create_run(store, "r", found.stored, {"request": {"dataset": found.stored}, "resolved": {}, "configurations": []})
    with pytest.raises(BusyError, match="uses 'marlow-nuggets'"):
        nugget_review.undo(found.id)


def test_a_dataset_with_nuggets_is_refused(marlow: str) -> None:
    nugget_review.store(nugget_review.begin(marlow).id)
    with pytest.raises(OptionError, match="without nuggets: there is nothing to do"):
        nugget_review.begin("marlow-nuggets")
    assert nugget_review.begin(marlow).name == "marlow-nuggets-2"


def test_the_review_touched_last_goes_on_until_it_is_saved_or_discarded(marlow: str) -> None:
    def begun() -> NuggetDraft:
        time.sleep(0.02)
        return nugget_review.begin(marlow)

    first, second = begun(), begun()
    assert nugget_review.under_way(marlow, first.fingerprint) == second.id
    time.sleep(0.02)
    nugget_review.change(first.id, 1, {0: {"keep": False}})
    assert nugget_review.under_way(marlow, first.fingerprint) == first.id
    nugget_review.store(first.id)
    assert nugget_review.under_way(marlow, first.fingerprint) == second.id
    nugget_review.discard(second.id)
    assert nugget_review.under_way(marlow, first.fingerprint) == ""
    with pytest.raises(OptionError, match="no longer there"):
        nugget_review.page(second.id, 1)


def test_a_review_outlives_uploads(marlow: str) -> None:
    found = nugget_review.begin(marlow)
    upload, folder = uploads.new_folder()
    now = time.time()
    os.utime(folder, (now, now))
    uploads.clean(now + 2 * 24 * 3600)
    with pytest.raises(OptionError, match="no longer there"):
        uploads.folder_of(upload)
    assert nugget_review.draft(found.id) == found
    uploads.clean(now + 31 * 24 * 3600)
    with pytest.raises(OptionError, match="not touched for 30 days"):
        nugget_review.draft(found.id)


def test_a_change_writes_one_page_alone(home: Path, tmp_path: Path) -> None:
    found = nugget_review.begin(many(tmp_path, 60))
    folder = home / "uploads" / found.id
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    nugget_review.change(found.id, 2, {0: {"keep": False}})
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert [name for name in before if before[name] != after[name]] == ["nuggets-0002.json"]
    written = (folder / "nuggets-0002.json").stat().st_mtime_ns
    nugget_review.change(found.id, 2, {0: {"keep": False}})
    assert (folder / "nuggets-0002.json").stat().st_mtime_ns == written, "what is so already is not written again"
    assert json.loads((folder / "nuggets-0002.json").read_text())["rows"][0]["keep"] is False
