"""Imported relations on the page of their dataset: what each import is, and deleting one after asking."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.services.importing import import_source
from core.services.prediction_importing import import_predictions, predictions, remove_predictions
from pages.shared import access
from tests.pages.conftest import said
from tests.pages.datasets_opened import press

#: what must be shown as it is, and is short enough for a name
BAD = "**bold** <img src=x> :red[y] $z$"

At = Callable[..., AppTest]


@pytest.fixture
def predicted(home: Path, small_csv: Path, tmp_path: Path) -> str:
    """A dataset with two imports of predictions, one of them named in markup."""
    del home
    name = import_source(small_csv).name
    path = tmp_path / "theirs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "configuration", "relation"), ("q1", "bm25", "causal"), ("q2", "bm25", "causal")]
        )
    import_predictions(path, name)
    import_predictions(path, name, name=BAD)
    return name


def test_a_dataset_without_any_says_nothing_of_them(datasets: At, small_csv: Path) -> None:
    import_source(small_csv)
    app = datasets(name="marlow")
    assert "Predicted relations" not in [element.value for element in app.main.header]


def test_they_are_listed_and_deleted_when_that_is_confirmed(datasets: At, predicted: str) -> None:
    app = datasets(name=predicted)
    assert "Predicted relations" in [element.value for element in app.main.header]
    assert "2 predictions · theirs.csv · imported 20" in said(app)
    place = [one.name for one in predictions(predicted)].index("theirs")
    press(app, f"datasets-predictions-delete-{place}")
    assert any("'theirs' is deleted with its 2 predictions." in element.value for element in app.text)
    assert len(predictions(predicted)) == 2, "nothing before it is confirmed"
    # that a dialog of this kind deletes is clicked in tests/e2e/test_systems.py: in process, dialogs do not stay open
    remove_predictions(predicted, "theirs")
    assert "theirs.csv" in said(app.run()), "the other import of the same file stays"
    remove_predictions(predicted, BAD)
    assert "theirs.csv" not in said(app.run())


def test_names_are_text(datasets: At, predicted: str) -> None:
    app = datasets(name=predicted)
    assert "**bold**" in said(app)
    for kind in ("markdown", "caption", "header", "subheader"):
        assert not any("bold" in element.value for element in app.get(kind)), kind


def test_only_an_owner_deletes_them(datasets: At, predicted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "visitor", lambda: access.Visitor("viewer"))
    app = datasets(name=predicted)
    assert "theirs.csv" in said(app)
    assert not [button for button in app.button if (button.key or "").startswith("datasets-predictions")]
