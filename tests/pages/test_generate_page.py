"""The Generate page: cost first, review in the store, saved as a dataset; bad addresses and empty stores in words."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.services import generating_review, generating_run, generating_uploads
from tests.core.generation.marlow import LIGHT, MILL, folder_of, generated
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.questions import MISBEHAVIOURS, behaves
from tests.endpoints.server import MisbehavingServer
from tests.pages.conftest import said
from tests.pages.stored import stored
from tests.pages.test_evaluate_page import button

__all__ = ["stored"]

GENERATE = "pages/more/generate.py"


@pytest.fixture
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer(answer=behaves) as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, price_input=2.0, price_output=10.0)
        yield found


def _upload() -> str:
    files = [("mill.txt", io.BytesIO(MILL.encode())), ("light.md", io.BytesIO(LIGHT.encode()))]
    return generating_uploads.keep_documents(files)


def test_an_empty_store_says_how_to_begin(server, stored):
    app = stored(GENERATE)
    assert not app.exception
    assert "Choose documents" in said(app)
    app = stored(GENERATE, generate_from="Documents of a dataset")
    assert not app.exception
    assert "No dataset with documents" in said(app)


def test_the_cost_of_an_upload_is_seen_first(server, stored):
    app = stored(GENERATE, generate_upload=_upload(), generate_model="test")
    assert not app.exception
    text = said(app)
    assert "10 questions about 2 documents: 10 to 30 calls to test-model." in text
    assert "Price:" in text
    assert "2 documents of the last upload" in text
    assert server.requests == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"generate_set": "../../etc"}, "No question set"),
        ({"generate_upload": "../../etc"}, "no longer there"),
        ({"generate_upload": "0" * 16, "generate_model": "http://elsewhere"}, "no longer there"),
    ],
)
def test_a_bad_address_says_so(server, stored, query, words):
    app = stored(GENERATE, **query)
    assert not app.exception
    assert words in said(app)


def test_a_set_is_reviewed_and_saved(server, stored, tmp_path):
    found = generated(folder_of(tmp_path))
    app = stored(GENERATE, generate_set=found.id)
    assert not app.exception
    text = said(app)
    assert "is complete: 4 of 4 questions accepted" in text
    assert "Distinct n-grams" in text
    assert "4 of 4 pairs kept, 0 edited" in text
    app.text_input(key=f"generate-name-{found.id}").set_value("mine").run()
    button(app, "Save as a dataset").click().run()
    assert not app.exception
    assert generating_run.generation(found.id).dataset == "mine"
    assert "Saved as mine." in said(app)


def test_an_edit_is_in_the_store_and_a_bad_one_is_refused(server, stored, tmp_path):
    found = generated(folder_of(tmp_path))
    app = stored(GENERATE, generate_set=found.id)
    key = f"generate-table-{found.id}-1"
    app.session_state[key] = {"edited_rows": {0: {"Keep": False}, 1: {"Question": "Why?"}}}
    rows = generating_review.review_rows(found.id)
    assert all(row.keep for row in rows)
    app.run()
    rows = generating_review.review_rows(found.id)
    assert [row.keep for row in rows] == [False, True, True, True]
    assert rows[1].question != "Why?"
    assert "write 8 to 600" in said(app)


def test_a_set_without_any_accepted_pair_says_why(server, stored, tmp_path):
    server.answer = MISBEHAVIOURS["empty list"]
    found = generated(folder_of(tmp_path), attempts=1)
    app = stored(GENERATE, generate_set=found.id)
    assert not app.exception
    assert "No pair was accepted" in said(app)
    frames = [frame.value for frame in app.dataframe if "Reason" in frame.value.columns]
    assert frames[0]["Results"].tolist() == [4]


def test_an_interrupted_set_offers_to_resume(server, stored, tmp_path):
    def listen(event):
        raise KeyboardInterrupt

    from core.services import generating
    from tests.core.generation.marlow import prepared

    identifier = generating.register(prepared(folder_of(tmp_path)))
    with pytest.raises(KeyboardInterrupt):
        generating_run.run(identifier, listen)
    app = stored(GENERATE, generate_set=identifier)
    assert not app.exception
    assert "was interrupted" in said(app)
    button(app, "Resume")
    assert "interrupted" in said(stored(GENERATE))
