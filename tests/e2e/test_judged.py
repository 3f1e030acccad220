"""Real rankings, judgments and answers of others: in through the browser, evaluated by clicks, read on Coverage."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import CHECKOUT, downloaded, picture, serving, settled

SHARED = CHECKOUT.parent / "shared" / "data" / "coverage"
LANCER = SHARED / "lancer_neuclir24"
MIRAGE = SHARED / "mirage_wikivideo"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED.exists(), reason=f"the public data is not at {SHARED}"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("judged")) as found:
        yield found


def files_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".run", ".divqrels", ".json", ".jsonl")]


def brought_in(page: Any, files: list[Path], name: str, finding: str) -> None:
    """Upload files, check them, import them under a name and evaluate with what is chosen already."""
    page.get_by_text("Step 1 of 3").wait_for()
    page.locator("input[type=file]").set_input_files(files)
    page.get_by_role("button", name="Take these files").click()
    page.get_by_text("Step 2 of 3").wait_for()
    settled(page)
    picture(page, f"judged-{name}-files")
    page.get_by_role("button", name="Check all files").click()
    page.get_by_text(finding).wait_for(timeout=60_000)
    settled(page)
    page.get_by_role("textbox", name="Name of the collection").fill(name)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text(f"'{name}' has what the files hold now").wait_for()
    settled(page)
    picture(page, f"judged-{name}-imported")
    page.get_by_role("link", name="Evaluate it").click()
    page.get_by_role("heading", name="Evaluate", level=1).wait_for()
    settled(page)
    page.get_by_text("nothing is searched or answered anew").wait_for()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Open it on Coverage").wait_for(timeout=90_000)
    settled(page)
    page.get_by_text(f"{name} · collection", exact=True).wait_for()


def rows_of(page: Any, expander: str, folder: Path) -> list[dict[str, str]]:
    """Open a table, download it and return its rows."""
    page.get_by_text(expander).click()
    saved = downloaded(page, page.get_by_role("button", name="Download").first, folder)
    return list(csv.DictReader(saved.read_text(encoding="utf-8-sig").splitlines()))


def test_real_rankings_show_the_expected_numbers(address: str, open_page: Any, tmp_path: Path) -> None:
    page = open_page(f"{address}/datasets?datasets_view=import&datasets_path=judged")
    finding = "19 topics with 267 nuggets and 5 systems can be imported as a new collection."
    brought_in(page, files_of(LANCER), "neuclir", finding)
    page = open_page(f"{address}/coverage")
    expected = json.loads((LANCER / "expected.json").read_text())["neuclir24"]
    rows = {row["configuration"]: row for row in rows_of(page, "Every configuration as a table", tmp_path)}
    assert len(rows) == 5
    for run, values in expected.items():
        # the systems are called as the files' tags say, which begin alike
        row = rows[{"bm25": "bm25", "lsr-": "lsr-neuclir", "plai": "plaidx-neuclir"}[run[:4]]]
        for name, value in values.items():
            column = name.replace("alpha", "α").replace("strec", "StRecall")
            assert float(row[column]) == pytest.approx(value, abs=2e-6), (run, name)
    picture(page, "judged-neuclir-coverage")


def test_real_answers_with_labels_and_citations(address: str, open_page: Any) -> None:
    page = open_page(f"{address}/datasets?datasets_view=import&datasets_path=judged")
    brought_in(page, files_of(MIRAGE), "mirage", "10 topics with 316 nuggets and 3 systems")
    page = open_page(f"{address}/coverage")
    assert "Where are needed facts lost?" in page.locator("[data-testid=stMain]").inner_text()
    picture(page, "judged-mirage-coverage")
