"""Another system's answers by clicks: imported, evaluated, compared on Logic, opened on Question, deleted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import core, picture, serving, settled

EXCEPTION = re.compile(r"Traceback|has encountered an error|Page not found|\bnan\b")
#: a run without relations: nothing but the encoder has to be loaded
CHEAP = "evaluate_retrievers=bm25&evaluate_combinations=&evaluate_relations=None"
BAD = "<img src=x onerror='window.hit=1'> **b**"
ROWS = [
    ("q1", "Every forty minutes [1].", ["The Marlow ferry runs every forty minutes in summer."]),
    ("q2", f"Because of ice {BAD} [1].", [f"A page from elsewhere {BAD}."]),
    ("q3", "Anna Rusk built it [1].", ["The Marlow mill was built in 1871 by Anna Rusk."]),
    ("zz", "Nobody asked.", []),
]


def visible(page: Any) -> str:
    return str(page.locator("[data-testid=stMain]").inner_text())


def press(page: Any, name: str, then: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_text(then).first.wait_for()
    settled(page)


@pytest.mark.slow
def test_a_system_from_its_file_to_a_question_and_away_again(tmp_path: Path, small_csv: Path, open_page: Any) -> None:
    home = tmp_path / "systems"
    core(home, "import", str(small_csv))
    rows = [{"id": i, "answer": answer, "contexts": contexts} for i, answer, contexts in ROWS]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    with serving(home) as address:
        page = open_page(f"{address}/datasets?datasets_name=marlow")
        press(page, "Import answers", "Step 1 of 3")
        page.locator("input[type=file]").set_input_files(
            {"name": "../../my rag.jsonl", "mimeType": "application/json", "buffer": content}
        )
        page.get_by_text("Step 2 of 3").wait_for()
        press(
            page, "Check the whole file", "3 answers to 3 of 6 questions of 'marlow' can be imported; 1 row left out."
        )
        page.reload()
        settled(page)
        picture(page, "systems-report")
        name = page.get_by_role("textbox", name="Name of the system")
        assert name.input_value() == "my rag"
        name.fill("a,b")
        press(page, "Import", "holds a comma")
        name.fill("ours")
        press(page, "Import", "'ours' is a system of 'marlow' now, with 3 answers.")
        press(page, "Undo this import", "3 answers to 3 of 6 questions of 'marlow' can be imported")
        press(page, "Import", "'ours' is a system of 'marlow' now")

        page.get_by_role("link", name="Evaluate it").click()
        page.get_by_role("heading", level=1, name="Evaluate").wait_for()
        page.get_by_text("6 questions × ").first.wait_for()
        assert "evaluate_datasets=marlow" in page.url
        page.goto(f"{page.url}&{CHEAP}")
        page.get_by_text("6 questions × 3 configurations").first.wait_for()
        page.get_by_text("More choices").click()
        settled(page)
        picture(page, "systems-evaluate")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Open it on Logic").click(timeout=60_000)
        page.get_by_role("heading", level=1, name="Logic").wait_for()
        settled(page)
        assert "ours" in page.locator("[data-testid=stMain]").inner_text() + "".join(
            page.locator("[data-testid=stPlotlyChart]").all_text_contents()
        )

        run = re.search(r"logic_run=([\w-]+)", page.url)[1]
        page.goto(f"{address}/question?question_run={run}&question_id=q2")
        page.get_by_text("A page from elsewhere").first.wait_for()
        settled(page)
        page.get_by_role("link", name="[1]").first.wait_for()
        assert page.evaluate("window.hit") is None
        assert BAD in visible(page)
        assert not EXCEPTION.search(visible(page))

        page.goto(f"{address}/datasets?datasets_name=marlow")
        page.get_by_text("3 answers · my rag.jsonl").wait_for()
        page.get_by_role("button", name="Delete system").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("Its scores stay in its run").wait_for()
        dialog.get_by_role("button", name="Delete system").click()
        page.get_by_text("can stand beside the retrievers").wait_for()
        assert not EXCEPTION.search(visible(page))
