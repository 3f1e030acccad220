"""Generating in a browser: two documents in, watched, reviewed, saved, listed and ready to be evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.core.generation.marlow import LIGHT, MILL
from tests.e2e.conftest import core, picture, serving, settled
from tests.endpoints.named import name_endpoint
from tests.endpoints.questions import behaves
from tests.endpoints.server import MisbehavingServer

WAIT = 60_000


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    home = tmp_path / "home"
    home.mkdir()
    with MisbehavingServer(answer=behaves) as server:
        name_endpoint(server, tmp_path, monkeypatch)
        with serving(home) as found:
            yield found


@pytest.mark.slow
def test_two_documents_become_a_dataset(address, open_page, tmp_path):
    page = open_page(f"{address}/generate?generate_model=test&generate_each=3")
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": "mill.txt", "mimeType": "text/plain", "buffer": MILL.encode()},
            {"name": "light.md", "mimeType": "text/markdown", "buffer": LIGHT.encode()},
        ]
    )
    page.get_by_text("6 questions about 2 documents").first.wait_for(timeout=WAIT)
    settled(page)
    picture(page, "generate-form")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_text("questions accepted").first.wait_for(timeout=WAIT)
    expect(page.get_by_text("is complete: 6 of 6 questions accepted")).to_be_visible(timeout=WAIT)
    settled(page)
    picture(page, "generate-review")
    # what is stored survives a refresh
    page.reload()
    expect(page.get_by_text("is complete: 6 of 6 questions accepted")).to_be_visible(timeout=WAIT)
    settled(page)
    # the first row's tick: cells are painted, there is nothing to find them by
    box = page.locator('[data-testid="stDataFrame"]').first.bounding_box()
    page.mouse.click(box["x"] + 35, box["y"] + 70)
    expect(page.get_by_text("5 of 6 pairs kept")).to_be_visible(timeout=WAIT)
    settled(page)
    name = page.get_by_label("Name of the new dataset")
    name.fill("mine")
    name.press("Enter")
    settled(page)
    page.get_by_role("button", name="Save as a dataset").click()
    expect(page.get_by_text("Saved as mine.")).to_be_visible(timeout=WAIT)
    settled(page)
    page.get_by_role("link", name="Evaluate it").click()
    expect(page.get_by_role("heading", level=1, name="Evaluate")).to_be_visible(timeout=WAIT)
    expect(page.get_by_text("mine").first).to_be_visible(timeout=WAIT)
    core(tmp_path / "home", "evaluate", "mine", "--retrievers", "bm25", "--combinations", "none", "--relations", "none")


@pytest.mark.slow
def test_the_page_on_a_phone_in_the_dark(address, open_page):
    page = open_page(f"{address}/generate", width=390, scheme="dark")
    expect(page.get_by_text("Choose documents")).to_be_visible()
    picture(page, "generate-phone")
