"""Datasets as a person uses them: bring a file, look at it, take it away, undo, delete; hostile texts stay texts."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.datasets.bundled import bundled_names, bundled_path
from tests.conftest import SHARED
from tests.core.datasets.samples import write_folder, write_jsonl
from tests.e2e.conftest import core, downloaded, picture, serving, settled

BUNDLED = bundled_names()[0]
RQ3 = SHARED / "hierarag" / "rq3_interactions_all.jsonl"
BAD = "<img src=x onerror='window.hit=1'><script>window.hit=1</script>**b** [l](javascript:window.hit=1) $x$ :red[r]"
EXCEPTION = re.compile(r"Traceback|has encountered an error|Page not found|\bnan\b")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the bundled dataset and, newer, one whose every text is an attack."""
    home = tmp_path_factory.mktemp("datasets")
    core(home, "import", str(bundled_path(BUNDLED)))
    texts = dict.fromkeys(("title", "description", "licence", "source"), BAD)
    card = {"name": "hostile", **texts, "notes": {"made": BAD}, "relations": {BAD: BAD}, "trees": {BAD: {BAD: ["x"]}}}
    documents = [{"id": BAD, "title": BAD, "text": f"{BAD} and more text.", "meta": {BAD: BAD}}]
    questions = [
        {"id": f"{BAD}{i}", "question": f"{BAD}{i}", "answer": BAD, "documents": [BAD], "relation": BAD,
         "categories": {BAD: BAD}, "evidence": [[{"text": BAD}]], "nuggets": [{"text": BAD}], "meta": {BAD: BAD}}
        for i in range(3)
    ]  # fmt: skip
    core(home, "import", str(write_folder(home / "hostile", card=json.dumps(card), documents=documents,
                                          questions=questions)))  # fmt: skip
    return home


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with serving(home) as found:
        yield found


def visible(page: Any) -> str:
    return str(page.locator("[data-testid=stMain]").inner_text())


def press(page: Any, name: str, then: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_text(then).first.wait_for()
    settled(page)


def cell(page: Any, key: str, row: int, x: int, height: int) -> None:
    """Click into a row of a table, which is painted and has no elements of its own."""
    table = page.locator(f"[class*=st-key-{key}] canvas").first
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    page.mouse.click(box["x"] + x, box["y"] + 36 + height * row + height / 2)


def nothing_ran(page: Any) -> None:
    assert page.evaluate("window.hit") is None
    made = page.locator("[data-testid=stMain] :is(img[src='x'], script:has-text('hit'), a[href^='javascript'])")
    assert made.count() == 0
    assert not EXCEPTION.search(visible(page))


@pytest.mark.slow
@pytest.mark.skipif(not RQ3.exists(), reason=f"the public data is not at {RQ3}")
def test_a_thousand_questions_through_the_wizard_and_out_again(address: str, open_page: Any, tmp_path: Path) -> None:
    page = open_page(f"{address}/datasets")
    press(page, "Import a file", "Step 1 of 3")
    page.locator("input[type=file]").set_input_files(RQ3)
    page.get_by_text("Step 2 of 3").wait_for()
    settled(page)
    assert "rq3_interactions_all.jsonl (3.5 MB, 9 columns) is DataMorgana" in visible(page)
    picture(page, "datasets-columns")
    page.reload()
    press(page, "Check the whole file", "1,000 questions over 20 documents can be imported.")
    picture(page, "datasets-report")
    page.get_by_role("textbox", name="Name of the dataset").fill("a/b")
    press(page, "Import", "holds a slash")
    page.get_by_role("textbox", name="Name of the dataset").fill("hiera rag")
    press(page, "Import", "'hiera rag' is stored: 1,000 questions over 20 documents.")
    press(page, "Undo this import", "1,000 questions over 20 documents can be imported.")
    press(page, "Import", "'hiera rag' is stored")
    page.reload()
    press(page, "Open the dataset", "1 to 25 of 1,000 questions")
    assert "hiera rag: 1,000 questions over 20 documents, labelled for Granularity alone." in visible(page)

    page.get_by_role("searchbox", name="Search").fill("LOSARTAN")
    page.get_by_text("1 to 25 of 38 questions that match").wait_for()
    settled(page)
    cell(page, "datasets-question-table", 2, 150, 66)
    page.wait_for_url(re.compile("datasets_question="))
    settled(page)
    heading = "What are the technical specifications and recall parameters"
    page.get_by_role("heading", name=heading).wait_for()
    again = open_page(page.url)
    again.get_by_role("heading", name=heading).wait_for()
    assert "1 to 25 of 38 questions that match" in visible(again)
    press(page, "Open the document", "50 questions on it")
    assert "datasets_browse=documents" in page.url
    page.go_back()
    page.get_by_text("1 to 25 of 38 questions that match").wait_for()

    page.get_by_role("button", name="Export").click()
    saved = downloaded(page, page.get_by_role("button", name="Trilens folder (ZIP)"), tmp_path)
    with zipfile.ZipFile(saved) as archive:
        assert archive.namelist() == ["dataset.yaml", "documents.jsonl", "questions.jsonl"]
        assert len(archive.read("questions.jsonl").splitlines()) == 1000
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Delete dataset").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("is deleted with its 20 documents and 1,000 questions").wait_for()
    dialog.get_by_role("button", name="Delete dataset").click()
    page.get_by_text("2 datasets with").wait_for()
    settled(page)
    assert "datasets_name" not in page.url


def test_a_row_of_the_list_opens_its_dataset(address: str, open_page: Any) -> None:
    page = open_page(f"{address}/datasets")
    cell(page, "datasets-shelf", 0, 16, 35)
    page.wait_for_url(re.compile("datasets_name=hostile"))
    page.get_by_text("1 to 3 of 3 questions").wait_for()


@pytest.mark.slow
def test_texts_of_a_dataset_make_no_elements(address: str, open_page: Any) -> None:
    for query in ("", "?datasets_name=hostile", "?datasets_name=hostile&datasets_browse=documents"):
        page = open_page(f"{address}/datasets{query}")
        nothing_ran(page)
    assert "<img src=x" in visible(page)


@pytest.mark.slow
def test_texts_of_an_upload_make_no_elements(address: str, open_page: Any, tmp_path: Path) -> None:
    rows = [{"question": f"{BAD}{i}", "answer": BAD, "context": BAD, BAD: BAD} for i in range(2)]
    page = open_page(f"{address}/datasets?datasets_view=import")
    name = "<img src=x onerror=window.hit=1> **b**.jsonl"
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": write_jsonl(tmp_path / "t", rows).read_bytes()}
    )
    page.get_by_text("Step 2 of 3").wait_for()
    settled(page)
    assert name in visible(page)
    nothing_ran(page)
    press(page, "Check the whole file", "2 questions over 1 document can be imported.")
    nothing_ran(page)
    press(page, "Import", "is stored: 2 questions")
    nothing_ran(page)
    press(page, "Undo this import", "2 questions over 1 document can be imported.")


def test_a_file_name_that_is_a_path_stays_in_the_home(address: str, home: Path, open_page: Any) -> None:
    before = set(home.parent.rglob("*.csv"))
    page = open_page(f"{address}/datasets?datasets_view=import")
    content = b"question,answer,context\n?,!,A text.\n"
    page.locator("input[type=file]").set_input_files({"name": "../../x.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_text("Step 2 of 3").wait_for()
    settled(page)
    assert "x.csv (" in visible(page)
    (new,) = set(home.parent.rglob("*.csv")) - before
    assert new.parent.parent == home / "uploads"
    assert os.path.basename(new) == "uploaded-file.csv"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_it_fits_a_phone_and_the_dark(width: int, scheme: str, address: str, open_page: Any) -> None:
    for name, query in (("list", ""), ("dataset", f"?datasets_name={BUNDLED}"), ("import", "?datasets_view=import")):
        page = open_page(f"{address}/datasets{query}", width=width, scheme=scheme)
        overflow = page.evaluate(
            """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
                .map(e => e.scrollWidth - e.clientWidth)"""
        )
        assert max(overflow) <= 0, (name, overflow)
        assert not EXCEPTION.search(visible(page))
        if width == 390:
            picture(page, f"datasets-{name}-{width}-{scheme}")
