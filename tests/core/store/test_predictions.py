"""Predicted relations in the store: whole or not at all, one set a name, gone with their dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import OptionError
from core.schema import Card, Dataset, Document, Prediction, Question
from core.store.database import Store
from core.store.datasets import delete_dataset, save_dataset
from core.store.predictions import (
    delete_predictions,
    load_predictions,
    prediction_rows,
    predictions_fingerprint,
    save_predictions,
)

FIRST = Prediction("q1", "knn", "causal", "Yes.")
SECOND = Prediction("q1", "bm25", "temporal")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "trilens.db")
    dataset = Dataset(Card("d"), (Document("a", "Text."),), (Question("q1", "What?", "That.", ("a",)),))
    save_dataset(store, dataset, source="d.csv", source_hash="", format="table", labels={})
    return store


def test_what_is_saved_comes_back(store: Store) -> None:
    assert save_predictions(store, "d", "mine", [FIRST, SECOND], source="mine.csv")
    assert load_predictions(store, "d", "mine") == [SECOND, FIRST]
    (row,) = prediction_rows(store, "d")
    assert (row["name"], row["n_predictions"], row["source"]) == ("mine", 2, "mine.csv")
    assert row["fingerprint"] == predictions_fingerprint([SECOND, FIRST])
    assert prediction_rows(store, "other") == []


def test_the_same_again_is_known_and_others_need_a_name(store: Store) -> None:
    save_predictions(store, "d", "mine", [FIRST, SECOND], source="mine.csv")
    assert not save_predictions(store, "d", "mine", [SECOND, FIRST], source="again.csv")
    with pytest.raises(OptionError, match="choose another --name"):
        save_predictions(store, "d", "mine", [FIRST], source="mine.csv")
    assert len(load_predictions(store, "d", "mine")) == 2


def test_a_dataset_that_is_not_there(store: Store) -> None:
    with pytest.raises(OptionError, match="no dataset named 'x'"):
        save_predictions(store, "x", "mine", [FIRST], source="mine.csv")


def test_what_fails_midway_leaves_nothing(store: Store) -> None:
    with pytest.raises(Exception, match="UNIQUE"):
        save_predictions(store, "d", "mine", [FIRST, FIRST], source="mine.csv")
    assert prediction_rows(store) == []
    assert load_predictions(store, "d", "mine") == []


def test_deleted_alone_or_with_the_dataset(store: Store) -> None:
    save_predictions(store, "d", "mine", [FIRST], source="mine.csv")
    save_predictions(store, "d", "yours", [SECOND], source="yours.csv")
    assert delete_predictions(store, "d", "mine")
    assert not delete_predictions(store, "d", "mine")
    assert load_predictions(store, "d", "mine") == []
    assert delete_dataset(store, "d", [])
    assert store.rows("SELECT * FROM predictions") == store.rows("SELECT * FROM predicted_relations") == []
