"""The spine in one walk, by clicks alone: a file becomes a dataset, a run, a map, a question, an address to share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from core.figures.logic import AVERAGE
from tests.e2e.conftest import picture, serving, settled
from tests.e2e.test_datasets import EXCEPTION, RQ3, press, visible
from tests.e2e.test_drilldown import click_cell, query


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server over an empty home; it outlives the browser's pages, which fetch in the background."""
    with serving(tmp_path_factory.mktemp("journey")) as address:
        yield address


def choose_only(page: Any, label: str, *names: str) -> None:
    """Leave only those options of a multiselect."""
    box = page.locator("[data-testid=stMultiSelect]", has=page.get_by_text(label, exact=True))
    box.get_by_label("Clear all").click()
    settled(page)
    for name in names:
        # a rerun draws the list of options anew or closes it: a click may then choose nothing, or find no list
        for _ in range(6):
            box.locator("input").fill(name)
            with suppress(PlaywrightTimeout):
                page.get_by_role("option", name=name, exact=True).click(timeout=4_000)
            settled(page)
            if name in box.inner_text().split("\n"):
                break
            page.keyboard.press("Escape")
            box.locator("input").fill("")
        else:
            raise AssertionError(f"{name} cannot be chosen from {label}")
    page.keyboard.press("Escape")


@pytest.mark.slow
@pytest.mark.skipif(not RQ3.exists(), reason=f"the public data is not at {RQ3}")
def test_from_a_file_to_a_question_that_somebody_else_opens(fresh: str, open_page: Any) -> None:
    page = open_page(f"{fresh}/datasets", settle=False)
    press(page, "Import a file", "Step 1 of 3")
    page.locator("input[type=file]").set_input_files(RQ3)
    page.get_by_text("Step 2 of 3").wait_for()
    press(page, "Check the whole file", "1,000 questions over 20 documents can be imported.")
    press(page, "Import", "is stored: 1,000 questions over 20 documents.")

    page.get_by_role("link", name="Evaluate it").click()
    page.get_by_role("heading", level=1, name="Evaluate").wait_for()
    page.get_by_text("Random sample").click()
    page.get_by_label("How many").fill("12")
    page.keyboard.press("Enter")
    page.get_by_text("12 questions × 14 configurations").first.wait_for()
    page.get_by_text("More choices").click()
    # what ranks by meaning would first encode all documents
    choose_only(page, "Retrievers", "bm25", "tfidf")
    page.get_by_role("radio", name="None").or_(page.get_by_role("button", name="None", exact=True)).click()
    page.get_by_text(re.compile("no relations, seed 0")).wait_for()
    page.get_by_text(re.compile("With bm25 and tfidf and no combinations", re.IGNORECASE)).wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Open on Logic").first.wait_for(timeout=40_000)
    page.get_by_role("link", name="Open on Logic").first.click()

    page.get_by_role("heading", name="Which configuration answers best, by BERTSim?").wait_for()
    settled(page)
    click_cell(page, "bm25", AVERAGE)
    page.get_by_role("heading", name="BM25 · all questions").wait_for()
    page.get_by_text(re.compile(r"^12 questions: mean BERTSim over these 12 questions \.\d{3}")).wait_for()
    settled(page)
    page.get_by_role("link", name="Open this question").click()
    page.get_by_role("heading", level=1, name="Question").wait_for()
    settled(page)
    asked = page.get_by_role("heading", level=2).first.inner_text()
    assert page.locator("[id^=passage-]").count() >= 1
    assert not EXCEPTION.search(visible(page))
    picture(page, "journey-question")

    again = open_page(page.url, settle=False)
    again.locator("[id^=passage-]").first.wait_for()
    assert again.get_by_role("heading", level=2).first.inner_text() == asked
    assert query(again)["question_id"] == query(page)["question_id"]
    assert again.locator("[id^=passage-]").count() == page.locator("[id^=passage-]").count()
