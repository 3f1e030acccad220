from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import OptionError
from core.schema import Card, Dataset, Document, Question, SystemAnswer, SystemContext
from core.store.database import Store
from core.store.datasets import save_dataset
from core.store.systems import (
    delete_system,
    save_system,
    system_answer,
    system_answers,
    system_fingerprint,
    system_rows,
)

ANSWERS = {
    "q1": SystemAnswer(
        ("It fell.", "It rose."),
        (SystemContext("The river fell.", "mill", 3, 18), SystemContext("Elsewhere."), SystemContext("")),
        ((0, 0), (1, 1)),
    ),
    "q2": SystemAnswer(()),
    "q3": SystemAnswer(("I do not know.",), refused=True),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store.db")
    questions = tuple(Question(f"q{i}", f"What is {i}?", "That.", ("mill",)) for i in (1, 2, 3))
    for name in ("trial", "other"):
        dataset = Dataset(Card(name), (Document("mill", f"In {name} the river fell."),), questions)
        save_dataset(store, dataset, source="x", source_hash=name, format="table", labels={})
    return store


def test_what_is_stored_comes_back(store: Store) -> None:
    assert save_system(store, "trial", "own", ANSWERS, source="own.csv")
    assert system_answers(store, "trial", "own") == ANSWERS
    assert system_answer(store, "trial", "own", "q1") == ANSWERS["q1"]
    assert system_answer(store, "trial", "own", "q9") is None
    assert system_answers(store, "other", "own") == {}
    (row,) = system_rows(store, "trial")
    assert (row["name"], row["source"], row["n_answers"]) == ("own", "own.csv", 2)
    assert row["fingerprint"] == system_fingerprint(ANSWERS)
    assert system_rows(store, "other") == []


def test_the_same_again_is_known_and_other_answers_need_another_name(store: Store) -> None:
    assert save_system(store, "trial", "own", ANSWERS, source="own.csv")
    assert not save_system(store, "trial", "own", ANSWERS, source="again.csv")
    changed = {**ANSWERS, "q2": SystemAnswer(("Now.",))}
    with pytest.raises(OptionError, match="'own' with other answers is stored for 'trial' already: choose another"):
        save_system(store, "trial", "own", changed, source="own.csv")
    assert system_answers(store, "trial", "own") == ANSWERS
    assert save_system(store, "trial", "newer", changed, source="own.csv")
    assert save_system(store, "other", "own", changed, source="own.csv")
    assert [(row["dataset"], row["name"]) for row in system_rows(store)] == [
        ("other", "own"), ("trial", "newer"), ("trial", "own"),
    ]  # fmt: skip


def test_a_dataset_that_is_gone(store: Store) -> None:
    with pytest.raises(OptionError, match="no dataset named 'gone' is stored"):
        save_system(store, "gone", "own", ANSWERS, source="own.csv")
    assert system_rows(store) == []


def test_deleting_one_leaves_the_others(store: Store) -> None:
    for dataset, name in (("trial", "a"), ("trial", "b"), ("other", "a")):
        save_system(store, dataset, name, ANSWERS, source="x")
    assert delete_system(store, "trial", "a")
    assert not delete_system(store, "trial", "a")
    assert [(row["dataset"], row["name"]) for row in system_rows(store)] == [("other", "a"), ("trial", "b")]
    assert system_answers(store, "trial", "a") == {}
    assert system_answers(store, "other", "a") == ANSWERS


def test_deleting_a_dataset_takes_its_systems(store: Store) -> None:
    from core.store.datasets import delete_dataset

    for dataset in ("trial", "other"):
        save_system(store, dataset, "a", ANSWERS, source="x")
    assert delete_dataset(store, "trial", [])
    assert [row["dataset"] for row in system_rows(store)] == ["other"]
    assert store.rows("SELECT DISTINCT dataset FROM system_answers") == [{"dataset": "other"}]
