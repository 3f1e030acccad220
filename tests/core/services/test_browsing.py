"""What the Datasets page reads: checked ids, pages that exist, evidence in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.datasets.bundled import bundled_names
from core.errors import OptionError
from core.services import browsing
from core.services.browsing import Filter
from core.services.dataset_admin import delete
from core.services.evidence import Piece, shortened
from core.services.importing import import_bundled, import_source
from tests.core.datasets.samples import DOCUMENTS, MILL, QUESTIONS, table_rows, write_folder, write_jsonl

pytestmark = pytest.mark.usefixtures("home")
CARD = """name: trial
title: A trial
trees:
  QC: {hard: [complex, deep], easy: [plain]}
"""


@pytest.fixture
def trial(tmp_path: Path) -> str:
    return import_source(write_folder(tmp_path / "trial", card=CARD)).name


def test_the_shelf_shows_what_is_stored_newest_first(trial: str, small_csv: Path) -> None:
    other = import_source(small_csv).name
    found = browsing.stored_datasets()
    assert [one.name for one in found] == [other, trial]
    assert (found[1].title, found[1].n_questions, found[1].n_documents, found[1].n_runs) == ("A trial", 2, 2, 0)
    assert found[1].card.trees == {"QC": {"hard": ["complex", "deep"], "easy": ["plain"]}}
    assert browsing.stored_dataset(trial).labels["with_nuggets"] == 1


@pytest.mark.parametrize("name", ["", "gone", "../trial", "trial' OR 1=1", "x" * 5000])
def test_an_unknown_dataset_is_said(trial: str, name: str) -> None:
    for read in (
        browsing.stored_dataset, lambda n: browsing.questions(n, Filter()), browsing.documents,
        lambda n: browsing.question(n, "q1"), lambda n: browsing.document(n, "mill"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match="No dataset"):
            read(name)


def test_a_bundled_dataset_is_offered_until_it_is_stored() -> None:
    offers = browsing.bundled_offers()
    assert tuple(offer.name for offer in offers) == bundled_names()
    assert all(offer.title and offer.description for offer in offers)
    assert import_bundled(offers[0].name).name
    assert browsing.bundled_offers() == offers[1:]


def test_pages_are_clamped_to_those_there_are(tmp_path: Path) -> None:
    name = import_source(write_jsonl(tmp_path / "many.jsonl", table_rows(60))).name
    page = browsing.questions(name, Filter(), 3)
    assert (page.n, page.n_pages, page.number, len(page.rows)) == (60, 3, 3, 10)
    assert browsing.questions(name, Filter(), 999) == page
    assert browsing.questions(name, Filter(), -5).number == 1
    none = browsing.questions(name, Filter(search="zebra"), 2)
    assert (none.n, none.n_pages, none.number, none.rows) == (0, 1, 1, ())
    assert browsing.questions(name, Filter(search="  WHAT   is 7? "), 1).rows[0]["id"] == "q7"
    documents = browsing.documents(name)
    assert [(row["id"], row["questions"]) for row in documents.rows] == [(row["id"], 30) for row in documents.rows]


def test_a_category_stands_for_all_below_it(trial: str) -> None:
    assert browsing.questions(trial, Filter(category=("QC", "hard"))).n == 1
    assert browsing.questions(trial, Filter(category=("QC", "easy"))).n == 0
    with pytest.raises(OptionError, match="has no categories 'AT'"):
        browsing.questions(trial, Filter(category=("AT", "hard")))
    with pytest.raises(OptionError, match="is no category of 'QC'"):
        browsing.questions(trial, Filter(category=("QC", "nothing")))


def test_a_question_opens_with_its_evidence_marked_in_its_document(trial: str) -> None:
    view = browsing.question(trial, "q1")
    assert view.question.answer == QUESTIONS[0]["answer"]
    (opened,) = view.documents
    assert "".join(piece.text for piece in opened.pieces) == MILL
    assert [piece.text for piece in opened.pieces if piece.marked] == [MILL[42:51], "the river fell to three feet"]
    assert view.trees["QC"].ancestors("complex") == ("hard",)
    with pytest.raises(OptionError, match="has no question"):
        browsing.question(trial, "mill")


def test_a_document_opens_with_the_questions_on_it(trial: str) -> None:
    view = browsing.document(trial, "ferry")
    assert view.document.text == DOCUMENTS[1]["text"]
    assert (view.n_questions, [row["id"] for row in view.questions]) == (1, ["2"])
    with pytest.raises(OptionError, match="has no document"):
        browsing.document(trial, "q1")


def test_a_dataset_that_took_a_name_is_not_taken_for_the_one_before(tmp_path: Path) -> None:
    first = import_source(write_folder(tmp_path / "trial")).name
    assert browsing.documents(first).rows[0]["questions"] == 1
    delete(first)
    questions = [{**QUESTIONS[1], "id": i, "question": f"{i}?"} for i in range(3)]
    second = import_source(write_folder(tmp_path / "trial", questions=questions)).name
    assert second == first
    assert [row["questions"] for row in browsing.documents(second).rows] == [0, 3]


def test_labels_that_the_cards_tree_does_not_know_stand_at_its_top(tmp_path: Path) -> None:
    rows = [{**row, "complexity": "odd", "mood": 3} for row in table_rows()]
    source = write_jsonl(tmp_path / "t.jsonl", rows)
    name = import_source(source, mapping={}, categories=["complexity", "mood"]).name
    trees = browsing.trees(browsing.stored_dataset(name))
    assert {dimension: tree.nodes for dimension, tree in trees.items()} == {"QC": ("odd",), "mood": ("3",)}


def test_a_long_text_keeps_its_marks_and_says_what_is_left_out() -> None:
    whole = (Piece("a" * 1000), Piece("EVIDENCE", True), Piece("b" * 1000))
    assert shortened(whole, 5000) == (whole, 0)
    kept, left_out = shortened(whole, 120)
    assert [piece.text for piece in kept] == [f" […] {'a' * 20}", "EVIDENCE", f"{'b' * 20} […] "]
    assert left_out == 2 * 980
    kept, left_out = shortened((Piece("a"), Piece("E" * 1000, True), Piece("b")), 120)
    assert (len(kept[1].text), left_out) == (120, 880)
    (beginning,), left_out = shortened((Piece("abc" * 100),), 30)
    assert (beginning.text, left_out) == ("abc" * 10, 270)


def test_many_documents_with_languages(tmp_path: Path) -> None:
    documents = [{"id": str(i), "text": f"Text number {i}.", "language": "en" if i % 2 else "de"} for i in range(30)]
    questions = [{"id": "1", "question": "?", "answer": "!", "documents": ["0"]}]
    name = import_source(write_folder(tmp_path / "d", card=None, documents=documents, questions=questions)).name
    page = browsing.documents(name, "", 2)
    assert [row["language"] for row in page.rows] == ["en", "de", "en", "de", "en"]
    assert browsing.documents(name, "NUMBER 7").rows[0]["id"] == "7"
