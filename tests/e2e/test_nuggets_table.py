"""Nuggets changed in a table as people do it, kept over paging and a reload, saved as a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.datasets.samples import write_jsonl
from tests.e2e.conftest import core, picture, serving, settled

BAD = "<img src=x onerror='window.hit=1'> **b**"
N = 30
TABLE = "[data-testid=stDataFrame]"
#: from the table's top left corner: the middle of a cell of its first row, and the height of a row
TICK, TEXT, ROW = (40, 69), (250, 69), 66


def cell(page: Any, place: tuple[int, int], row: int = 0) -> None:
    page.locator(TABLE).scroll_into_view_if_needed()
    box = page.locator(TABLE).bounding_box()
    page.mouse.click(box["x"] + place[0], box["y"] + place[1] + row * ROW)
    page.wait_for_timeout(300)


def press(page: Any, name: str, then: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_text(then).first.wait_for()
    settled(page)


@pytest.mark.slow
def test_nuggets_are_reviewed_in_a_table(tmp_path: Path, open_page: Any) -> None:
    home = tmp_path / "nuggets"
    rows = [
        {"id": f"q{i}", "question": f"What is {i} {BAD}?", "answer": f"The mill has {i} sails {BAD}.",
         "document_id": "d", "context": "The mill stands by the river."}
        for i in range(N)
    ]  # fmt: skip
    core(home, "import", str(write_jsonl(tmp_path / "mills.jsonl", rows)))
    with serving(home) as address:
        page = open_page(f"{address}/datasets?datasets_name=mills")
        press(page, "Propose nuggets", f"{N} of {N} nuggets kept, on {N} of {N} questions; 25 questions looked at")
        cell(page, TEXT)
        page.keyboard.press("Enter")
        page.locator("textarea.gdg-input").wait_for()
        page.keyboard.press("Control+a")
        page.keyboard.type("The mill has no sails at all.")
        # faster than any hand: the grid's own editor takes up what was typed a moment later
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        page.get_by_text(f"{N} of {N} nuggets kept, 1 of them rewritten").first.wait_for()
        cell(page, TICK, 1)
        page.get_by_text(f"{N - 1} of {N} nuggets kept, 1 of them rewritten").first.wait_for()
        settled(page)
        cell(page, TICK, 2)
        page.get_by_text(f"{N - 2} of {N} nuggets kept").first.wait_for()
        settled(page)
        picture(page, "nuggets-table")
        press(page, "Page 2", "Questions 26 to 30 of 30")
        cell(page, TICK)
        page.get_by_text(f"{N - 3} of {N} nuggets kept, 1 of them rewritten").first.wait_for()
        press(page, "Page 1", "Questions 1 to 25 of 30")
        page.reload()
        page.get_by_text(f"{N - 3} of {N} nuggets kept").first.wait_for()
        settled(page)
        press(page, "Save as a dataset", f"'mills-nuggets' is 'mills' with {N - 3} nuggets on {N - 3} questions.")
        press(page, "Open it", "reviewed in the browser")
        assert page.get_by_text("The mill has no sails at all.").first.is_visible()
        assert "3 nuggets dropped, 1 rewritten or added" in page.locator("[data-testid=stMain]").inner_text()
        assert page.evaluate("window.hit") is None
        phone = open_page(f"{address}/datasets?datasets_name=mills", width=390, scheme="dark")
        press(phone, "Propose nuggets", "Review the proposed nuggets")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        picture(phone, "nuggets-table-phone")
        phone.get_by_role("button", name="Discard the review", exact=True).click()
        phone.get_by_role("dialog").get_by_role("button", name="Discard the review", exact=True).click()
        phone.get_by_role("button", name="Propose nuggets", exact=True).wait_for()
