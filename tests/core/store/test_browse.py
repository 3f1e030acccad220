"""Lists and counts of a stored dataset agree with the dataset itself, whatever it is filtered by."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from core.datasets.validation import labels
from core.schema import Dataset
from core.store import browse
from core.store.browse import Wanted
from core.store.database import Store
from core.store.datasets import (
    dataset_of_fingerprint,
    delete_dataset,
    document_of,
    load_dataset,
    question_of,
    save_dataset,
)
from tests.core.datasets.samples import DOCUMENTS, QUESTIONS, write_folder

NAME = "trial"
#: names that mean something to SQL, to JSON paths or to LIKE
AWKWARD = {
    "id": "odd", "question": "Straße 100% _sure_ ÇELİK?", "answer": "'; DROP TABLE questions; --",
    "documents": ["mill", "ferry"], "relation": "causal", "categories": {'a"].b$.c': "node '1'", "QC": "simple"},
    "split": "train",
}  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return read_dataset(write_folder(tmp_path / NAME, questions=[*QUESTIONS, AWKWARD])).dataset


@pytest.fixture
def store(tmp_path: Path, dataset: Dataset) -> Store:
    opened = Store(tmp_path / "trilens.db")
    for name in (NAME, "other"):
        save_dataset(opened, dataset, source="s", source_hash=name, format="trilens", labels=labels(dataset), name=name)
    return opened


def ids(store: Store, limit: int = 25, offset: int = 0, **wanted: object) -> list[str]:
    found = Wanted(NAME, **wanted)  # type: ignore[arg-type]
    rows = browse.question_page(store, found, limit, offset)
    if limit >= 25:
        assert browse.question_count(store, found) == len(rows)
    return [row["id"] for row in rows]


def test_a_page_is_a_slice_in_the_datasets_order(store: Store) -> None:
    assert ids(store) == ["q1", "2", "odd"]
    assert ids(store, 2, 1) == ["2", "odd"]
    assert ids(store, 2, 3) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"relation": "causal"}, ["q1", "odd"]),
        ({"relation": ""}, ["2"]),
        ({"relation": "none such"}, []),
        ({"split": "test"}, ["q1"]),
        ({"split": ""}, ["2"]),
        ({"dimension": "QC", "nodes": ("simple", "complex")}, ["q1", "odd"]),
        ({"dimension": "QC", "nodes": ("simple",), "relation": "causal"}, ["odd"]),
        ({"dimension": 'a"].b$.c', "nodes": ("node '1'",)}, ["odd"]),
        ({"dimension": "AT", "nodes": ("simple",)}, []),
    ],
)
def test_filters(store: Store, wanted: dict[str, object], found: list[str]) -> None:
    assert ids(store, **wanted) == found


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("NIGHT SHIFT", ["q1"]),
        ("strasse", ["odd"]),
        ("ＳＴＲＡＳＳＥ", ["odd"]),
        ("çelik", []),  # a capital dotted I is no plain i: as Unicode has it
        ("%", ["odd"]),
        ("_", ["odd"]),
        ("'; DROP", ["odd"]),
        ("q1", ["q1"]),
        ("in march", ["2"]),
        ("zebra", []),
    ],
)
def test_search_looks_for_text_in_any_script_and_is_no_pattern(store: Store, search: str, found: list[str]) -> None:
    assert ids(store, search=search) == found


def test_documents_are_searched_in_title_text_and_id(store: Store) -> None:
    def found(search: str) -> list[str]:
        rows = browse.document_page(store, NAME, search, 25, 0)
        assert browse.document_count(store, NAME, search) == len(rows)
        return [row["id"] for row in rows]

    assert found("") == ["mill", "ferry"]
    assert found("FOG") == ["ferry"]
    assert found("Mill") == ["mill"]
    assert found("%") == []
    (row,) = browse.document_page(store, NAME, "fog", 25, 0)
    assert row["beginning"] == DOCUMENTS[1]["text"][:300]
    assert row["characters"] == len(DOCUMENTS[1]["text"])


def test_counts_are_those_of_the_dataset(store: Store, dataset: Dataset) -> None:
    questions = dataset.questions
    assert browse.relation_splits(store, NAME) == Counter((q.relation or "", q.split or "") for q in questions)
    assert browse.nugget_counts(store, NAME) == Counter(len(q.nuggets) for q in questions)
    assert browse.vital_nuggets(store, NAME) == sum(n.importance == "vital" for q in questions for n in q.nuggets)
    assert browse.questions_by_document(store, NAME) == Counter(name for q in questions for name in q.document_ids)
    assert [row["id"] for row in browse.questions_on(store, NAME, "ferry", 25)] == ["2", "odd"]
    assert [row["id"] for row in browse.questions_on(store, NAME, "ferry", 1)] == ["2"]
    assert list(browse.document_texts(store, NAME)) == [d.text for d in dataset.documents]
    assert list(browse.question_texts(store, NAME)) == [(q.question, q.answer) for q in questions]


def test_one_question_and_one_document(store: Store, dataset: Dataset) -> None:
    assert question_of(store, NAME, "q1") == dataset.questions[0]
    assert document_of(store, NAME, "ferry") == dataset.documents[1]
    assert question_of(store, NAME, "ferry") is None
    assert document_of(store, NAME, "' OR 1=1 --") is None


def test_a_dataset_is_deleted_alone(store: Store, dataset: Dataset) -> None:
    assert not delete_dataset(store, NAME, [], fingerprint="another")
    assert delete_dataset(store, NAME, [])
    assert not delete_dataset(store, NAME, [])
    assert ids(store) == []
    assert browse.document_count(store, NAME) == 0
    assert load_dataset(store, "other").questions == dataset.questions
    left = store.rows("SELECT fingerprint FROM datasets")
    assert dataset_of_fingerprint(store, left[0]["fingerprint"]) == "other"
