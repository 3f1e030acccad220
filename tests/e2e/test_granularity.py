"""From a category of the tree to its questions and back, and a tree of one's own, in a real browser."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.core.services.granularity_samples import coarse_run, parents_run
from tests.e2e.conftest import downloaded, picture, serving, settled

MINE = """reading:
  short: [extractive_span, entity_extraction]
  long: [multi_span_aggregation, multi_hop_reasoning]
"""


@pytest.fixture(scope="module")
def grove(tmp_path_factory):
    """A server over two runs made by hand, the second with questions of coarser levels: (address, first run)."""
    before = os.environ.get("TRILENS_HOME")
    home = tmp_path_factory.mktemp("grove")
    try:
        os.environ["TRILENS_HOME"] = str(home)
        run = coarse_run()
        parents_run()
    finally:
        os.environ.pop("TRILENS_HOME") if before is None else os.environ.update(TRILENS_HOME=before)
    with serving(home) as address:
        yield address, run


def query(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def click_category(page, name, width="wide"):
    """Click the middle of a category's area, below its own name where others lie on it."""
    where = f".st-key-{width}-tree"
    page.locator(f"{where} .main-svg").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    place = page.evaluate(
        """([where, name]) => {
            const plot = document.querySelector(`${where} .js-plotly-plot`);
            for (const bar of plot.data.filter(trace => trace.type === 'bar')) {
                const at = bar.customdata.findIndex(one => one[0] === name);
                if (at < 0) continue;
                const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
                return [
                    box.left + xaxis._offset + xaxis.c2p(bar.x[at]),
                    box.top + yaxis._offset + yaxis.c2p(bar.base[at] + Math.min(bar.y[at] / 2, 12)),
                ];
            }
        }""",
        [where, name],
    )
    page.mouse.click(*place)


def test_from_a_category_to_its_questions_and_back(grove, open_page):
    address, run = grove
    page = open_page(f"{address}/granularity?granularity_run={run}")
    page.get_by_text("By question complexity (QC), BERTSim of kNN: report at coarse").first.wait_for()
    click_category(page, "comparative_analysis")
    page.wait_for_url(re.compile("granularity_node=comparative_analysis"))
    settled(page)
    page.get_by_role("heading", name="comparative_analysis").wait_for()
    page.get_by_text("20 questions: mean BERTSim").wait_for()
    picture(page, "granularity-category")
    # a second browser opens the same
    again = open_page(page.url)
    assert again.get_by_role("heading", name="comparative_analysis").count() == 1
    # another category: a second click is a click
    click_category(page, "entity_extraction")
    page.get_by_role("heading", name="entity_extraction").wait_for()
    settled(page)
    page.get_by_role("link", name="Open this question").click()
    page.get_by_role("heading", level=2, name=re.compile(r"What is number \d+\?")).wait_for()
    settled(page)
    page.get_by_role("link", name="Back to the category").click()
    page.get_by_role("heading", name="entity_extraction").wait_for()
    settled(page)
    assert query(page)["granularity_node"] == "entity_extraction"
    assert query(page)["granularity_run"] == run


@pytest.mark.slow
def test_a_tree_of_ones_own_is_uploaded_and_used(grove, open_page, tmp_path):
    address, run = grove
    broken, mine = tmp_path / "broken.yaml", tmp_path / "mine.yaml"
    broken.write_text("t:\n  - {name: a, parent: b}\n  - {name: b, parent: a}\n", encoding="utf-8")
    mine.write_text(MINE, encoding="utf-8")
    page = open_page(f"{address}/granularity?granularity_run={run}")
    file = page.locator("[data-testid=stFileUploader] input[type=file]")
    file.set_input_files(str(broken))
    page.get_by_text("runs in a circle: 'a' below 'b' below 'a'").wait_for()
    settled(page)
    file.set_input_files(str(mine))
    page.get_by_text("40 of 80 questions stand in 'reading'.").wait_for()
    settled(page)
    assert "granularity_upload" in query(page)
    page.get_by_role("button", name="Keep and use this tree").click()
    page.get_by_text("By reading, BERTSim of kNN").first.wait_for()
    settled(page)
    assert query(page)["granularity_tree"] == "reading"
    picture(page, "granularity-own-tree")
    click_category(page, "long")
    page.get_by_text("20 questions: mean BERTSim").wait_for()
    settled(page)
    page.get_by_role("button", name="Take it away").click()
    page.get_by_text("By question complexity (QC), BERTSim of kNN").first.wait_for()


@pytest.mark.slow
def test_a_phone_in_the_dark(grove, open_page):
    address, run = grove
    page = open_page(f"{address}/granularity?granularity_run={run}", width=390, scheme="dark")
    assert page.locator(".st-key-narrow-tree").is_visible()
    assert not page.locator(".st-key-wide-tree").is_visible()
    click_category(page, "cross_section_synthesis", "narrow")
    page.wait_for_url(re.compile("granularity_node=cross_section_synthesis"))
    settled(page)
    page.get_by_text("20 questions: mean BERTSim").wait_for()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    picture(page, "granularity-phone-dark")


@pytest.mark.slow
def test_pictures_of_the_tree_and_a_download(grove, open_page, tmp_path):
    address, run = grove
    page = open_page(f"{address}/granularity?granularity_run={run}&granularity_layout=treemap&granularity_second=bm25")
    page.get_by_role("heading", name="Where is kNN better than BM25, by BERTSim?").wait_for()
    click_category(page, "simple")
    page.get_by_text("40 questions: mean difference in BERTSim").wait_for()
    settled(page)
    saved = downloaded(page, page.get_by_role("button", name="Download all 40 as CSV"), tmp_path)
    assert len(saved.read_text(encoding="utf-8").splitlines()) == 41
    outline = open_page(f"{address}/granularity?granularity_run={run}&granularity_layout=outline")
    outline.get_by_text("single_fact").first.click()
    outline.get_by_role("button", name=re.compile("^entity_extraction")).first.click()
    outline.get_by_text("10 questions: mean BERTSim").wait_for()
    assert "granularity_node=entity_extraction" in outline.url
