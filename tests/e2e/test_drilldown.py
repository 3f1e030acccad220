"""From a cell of the map to its questions, to a question, to its passages and back, in a real browser."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from core.figures.logic import AVERAGE
from tests.core.services.drilldown_samples import HOSTILE, hostile_run, make_run
from tests.e2e.conftest import downloaded, picture, serving, settled
from tests.e2e.test_accessibility import THEIRS

#: Streamlit writes white on the accent colour in the chips of a multiselect, which is light in the dark theme
EXCLUDED = THEIRS
MAP = ".st-key-wide-heatmap"


@pytest.fixture(scope="module")
def drilled(tmp_path_factory):
    """A server over two runs made by hand, one of them with hostile texts everywhere: (address, run, hostile run)."""
    before = os.environ.get("TRILENS_HOME")
    homes = [tmp_path_factory.mktemp(name) for name in ("drilled", "hostile")]
    runs = []
    try:
        for home, make in zip(homes, (make_run, hostile_run), strict=True):
            os.environ["TRILENS_HOME"] = str(home)
            runs.append(make())
    finally:
        os.environ.pop("TRILENS_HOME") if before is None else os.environ.update(TRILENS_HOME=before)
    with serving(homes[0]) as plain, serving(homes[1]) as hostile:
        yield (plain, runs[0]), (hostile, runs[1])


@pytest.fixture
def marlow(drilled):
    return drilled[0]


def query(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def click_cell(page, configuration, relation, where=MAP):
    """Click a cell where the figure has it."""
    page.locator(f"{where} .main-svg").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    place = page.evaluate(
        """([where, wanted]) => {
            const plot = document.querySelector(`${where} .js-plotly-plot`);
            const cells = plot.data.find(trace => trace.name === 'cells');
            const at = cells.customdata.findIndex(one => one[0] === wanted[0] && one[1] === wanted[1]);
            const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
            const x = xaxis._offset + xaxis.c2p(cells.x[at]), y = yaxis._offset + yaxis.c2p(cells.y[at]);
            return [box.left + x, box.top + y];
        }""",
        [where, [configuration, relation]],
    )
    page.mouse.click(*place)


def visible(page):
    return page.locator("[data-testid=stMain]").inner_text()


def test_from_a_cell_to_its_passages_and_back(marlow, open_page):
    address, run = marlow
    page = open_page(f"{address}/logic?logic_rows=fixed")
    click_cell(page, "knn", "temporal")
    page.wait_for_url(re.compile("logic_cell_relation=temporal"))
    settled(page)
    assert query(page) == {
        "logic_run": run, "logic_rows": "fixed", "logic_cell": "knn", "logic_cell_relation": "temporal",
    }  # fmt: skip
    page.get_by_role("heading", name="kNN · temporal").wait_for()
    page.get_by_text("2 questions: relation right for 1").wait_for()
    picture(page, "logic-cell")
    # a second browser opens the same
    again = open_page(page.url)
    assert again.get_by_role("heading", name="kNN · temporal").count() == 1
    # the average, then the same cell as before: a second click is a click
    click_cell(page, "knn", AVERAGE)
    page.get_by_role("heading", name="kNN · all relations").wait_for()
    settled(page)
    click_cell(page, "knn", "temporal")
    page.get_by_role("heading", name="kNN · temporal").wait_for()
    settled(page)
    page.get_by_role("link", name="Open this question").click()
    page.get_by_role("heading", level=2, name="How often does the ferry run?").wait_for()
    settled(page)
    assert query(page)["question_id"] == "q1"
    assert page.locator("mark").count() >= 2
    assert page.locator("mark").first.evaluate("e => getComputedStyle(e.firstChild).textDecorationLine") == "underline"
    # a citation leads to its passage, and the address stays the question's
    page.set_viewport_size({"width": 1440, "height": 500})
    page.locator('a[href="#passage-0-2"]').first.click()
    page.wait_for_function("document.getElementById('passage-0-2').getBoundingClientRect().top < 400")
    assert query(page)["question_id"] == "q1"
    # the next of the list; the address follows, so a reload and the browser's own way back show the same
    page.get_by_role("link", name="Next question").click()
    page.get_by_role("heading", level=2, name=re.compile("^Who built it")).wait_for()
    page.wait_for_url(re.compile("question_id=q5"))
    page.go_back()
    page.get_by_role("heading", level=2, name="How often does the ferry run?").wait_for()
    settled(page)
    page.get_by_role("link", name="Back to the list").click()
    page.get_by_role("heading", name="kNN · temporal").wait_for()
    settled(page)
    assert query(page) == {
        "logic_run": run, "logic_rows": "fixed", "logic_cell": "knn", "logic_cell_relation": "temporal",
    }  # fmt: skip


@pytest.mark.slow
def test_by_keyboard_alone(marlow, open_page):
    address, _ = marlow
    page = open_page(f"{address}/logic")
    for key, typed, title in (
        ("logic_cell_choice", "BM25", "BM25 · all relations"),
        ("logic_cell_relation_choice", "causal", "BM25 · causal"),
    ):
        page.locator(f".st-key-{key} input").focus()
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=title).wait_for()
        settled(page)
    page.get_by_role("link", name="Open this question").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Question").wait_for()
    settled(page)
    # the comparison is chosen by keyboard too, and is in the address
    page.locator(".st-key-question_compare_choice input").focus()
    page.keyboard.press("Backspace")
    page.wait_for_url(re.compile("question_compare="))
    settled(page)
    assert page.locator(".st-key-question_compare_choice").inner_text().count("Gold evidence") == 0


def test_a_row_opens_its_question_and_the_list_downloads(marlow, open_page, tmp_path):
    address, run = marlow
    page = open_page(f"{address}/logic?logic_cell=knn")
    page.get_by_role("heading", name="kNN · all relations").scroll_into_view_if_needed()
    table = page.locator("[data-testid=stDataFrame]:visible").first
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(800)
    box = table.bounding_box()
    page.mouse.move(box["x"] + 28, box["y"] + 80)  # a canvas: the link is what lies under the pointer
    page.wait_for_timeout(300)
    with page.context.expect_page() as opened:
        page.mouse.click(box["x"] + 28, box["y"] + 80)
    opened.value.get_by_role("heading", level=2, name="Was steht auf dem Schild?").wait_for(timeout=20_000)
    assert query(opened.value)["question_run"] == run
    cell = downloaded(page, page.locator(".st-key-logic-cell-download button"), tmp_path)
    lines = cell.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("question id,configuration,question,BERTSim")
    assert len(lines) == 7


@pytest.mark.slow
def test_filters_are_in_the_address(marlow, open_page):
    address, _ = marlow
    page = open_page(f"{address}/logic")
    page.locator(".st-key-logic_split_choice input").focus()
    page.keyboard.type("test")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("logic_split=test"))
    page.get_by_text("3 of 6 questions: split test. A filtered view").wait_for()
    settled(page)
    again = open_page(page.url)
    assert "3 of 6 questions: split test." in visible(again)
    again.get_by_role("button", name="Show all questions").click()
    again.wait_for_function("!location.search.includes('logic_split')")
    settled(again)
    assert "of 6 questions: split test" not in visible(again)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("question", 390, "light"), ("logic-filtered", 1440, "dark"), ("logic-filtered", 390, "light")],
)
def test_the_pages_fit_and_axe_finds_nothing_serious(name, width, scheme, marlow, open_page):
    address, run = marlow
    path = f"/question?question_run={run}&question_id=q1&question_list=logic_cell%3Dknn"
    if name == "logic-filtered":
        path = "/logic?logic_cell=knn&logic_split=test"
    page = open_page(address + path, width=width, scheme=scheme)
    overflow = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
            .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(overflow) <= 0, overflow
    found = Axe().run(page, context=EXCLUDED).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in serious] == []
    picture(page, f"{name}-{width}-{scheme}")
    if name == "logic-filtered" and width == 390:
        click_cell(page, "bm25", "causal", where=".st-key-narrow-heatmap")
        page.get_by_role("heading", name="BM25 · causal").wait_for()


def test_nothing_in_a_dataset_runs(drilled, open_page):
    address, run = drilled[1]
    ran = []
    for path in (
        f"/question?question_run={run}&question_id=q5&question_list=logic_cell%3Dknn",
        f"/logic?logic_run={run}&logic_cell=knn&logic_search=script",
    ):
        page = open_page(address + path)
        page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
        if "question_run" in path:
            page.get_by_text("The whole source document").click()
            settled(page)
            main = page.locator("[data-testid=stMain]")
            assert visible(page).count(HOSTILE[:40]) >= 6
            assert main.locator("img, script, iframe, a[href*='evil.example']").count() == 0
            assert main.locator("strong:has-text('bold'), b b, .katex").count() == 0
            picture(page, "question-hostile")
            page.reload()
            settled(page)
    assert ran == []
