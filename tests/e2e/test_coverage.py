"""From a segment of the loss bars to a nugget, to its question and back, in a real browser."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.core.services.coverage_samples import covered_run
from tests.e2e.conftest import picture, serving, settled

BARS = ".st-key-wide-losses"
SCATTER = ".st-key-wide-scatter"


@pytest.fixture(scope="module")
def covered(tmp_path_factory):
    """A server over a run with coverage made by hand: (address, run)."""
    before = os.environ.get("TRILENS_HOME")
    home = tmp_path_factory.mktemp("covered")
    try:
        os.environ["TRILENS_HOME"] = str(home)
        run = covered_run()
    finally:
        os.environ.pop("TRILENS_HOME") if before is None else os.environ.update(TRILENS_HOME=before)
    with serving(home) as address:
        yield address, run


def query(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def click_segment(page, configuration, part):
    """Click the middle of a segment of a configuration's bar."""
    page.locator(f"{BARS} .main-svg").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    place = page.evaluate(
        """([where, configuration, part]) => {
            const plot = document.querySelector(`${where} .js-plotly-plot`);
            const bars = plot.data.filter(trace => trace.type === 'bar');
            const row = bars[0].customdata.findIndex(one => one[0] === configuration);
            let left = 0;
            for (const bar of bars) {
                if (bar.customdata[row][1] === part) {
                    const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
                    return [
                        box.left + xaxis._offset + xaxis.c2p(left + bar.x[row] / 2),
                        box.top + yaxis._offset + yaxis.c2p(bar.y[row]),
                    ];
                }
                left += bar.x[row];
            }
        }""",
        [BARS, configuration, part],
    )
    page.mouse.click(*place)


def click_point(page, trace, customdata):
    """Click a point of the scatter."""
    page.locator(f"{SCATTER} .main-svg").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    place = page.evaluate(
        """([where, name, wanted]) => {
            const plot = document.querySelector(`${where} .js-plotly-plot`);
            for (const trace of plot._fullData.filter(one => one.name === name)) {
                const at = trace.customdata.findIndex(one => one[0] === wanted[0] && one[1] === wanted[1]);
                if (at < 0) continue;
                const {xaxis, yaxis} = plot._fullLayout, box = plot.getBoundingClientRect();
                return [
                    box.left + xaxis._offset + xaxis.c2p(trace.x[at]), box.top + yaxis._offset + yaxis.c2p(trace.y[at])
                ];
            }
        }""",
        [SCATTER, trace, customdata],
    )
    page.mouse.click(*place)


def test_from_the_loss_bar_to_a_nugget_and_back(covered, open_page):
    address, run = covered
    page = open_page(f"{address}/coverage")
    click_segment(page, "knn", "retrieved_not_said")
    page.wait_for_url(re.compile("coverage_part=retrieved_not_said"))
    settled(page)
    assert query(page) == {"coverage_run": run, "coverage_cell": "knn", "coverage_part": "retrieved_not_said"}
    page.get_by_role("heading", name="kNN · retrieved, not said").wait_for()
    page.get_by_text("1 nugget retrieved, not said, of 1 question.").wait_for()
    page.locator("p", has_text="Why or how often in winter.").first.wait_for()
    page.get_by_role("heading", name="Which passage holds which nugget?").wait_for()
    picture(page, "coverage-nuggets")
    # a second browser opens the same
    again = open_page(page.url)
    assert again.get_by_role("heading", name="kNN · retrieved, not said").count() == 1
    # another segment, then the same as before: a second click is a click
    click_segment(page, "bm25", "grounded")
    page.get_by_role("heading", name="BM25 · grounded").wait_for()
    settled(page)
    click_segment(page, "knn", "retrieved_not_said")
    page.get_by_role("heading", name="kNN · retrieved, not said").wait_for()
    settled(page)
    page.get_by_role("link", name="Open this question").click()
    page.get_by_role("heading", level=2, name="How often does the ferry run?").wait_for()
    settled(page)
    page.get_by_role("heading", name="Which sentence of the answer says which nugget?").wait_for()
    assert "Why or how often in winter." in page.locator("[data-testid=stMain]").inner_text()
    page.get_by_role("link", name="Back to the nuggets").click()
    page.get_by_role("heading", name="kNN · retrieved, not said").wait_for()
    settled(page)
    assert query(page)["coverage_part"] == "retrieved_not_said"


@pytest.mark.slow
def test_a_point_leads_to_its_question(covered, open_page):
    address, _ = covered
    page = open_page(f"{address}/coverage")
    click_point(page, "pairs", ["bm25", "q3"])
    page.wait_for_url(re.compile("coverage_question=q3"))
    settled(page)
    assert query(page)["coverage_at"] == "scatter"
    page.get_by_text("BM25: the passages it was given hold").wait_for()
    click_point(page, "means", ["knn", ""])
    page.get_by_role("heading", name="kNN", exact=True).wait_for()


def test_bars_keep_their_colour_when_one_is_clicked(covered, open_page):
    address, _ = covered
    page = open_page(f"{address}/coverage")
    click_segment(page, "knn", "grounded")
    page.get_by_role("heading", name="kNN · grounded").wait_for()
    settled(page)
    faded = page.evaluate(
        """where => [...document.querySelectorAll(`${where} .js-plotly-plot .bars .point path`)]
            .filter(path => parseFloat(getComputedStyle(path).opacity) < 0.99).length""",
        BARS,
    )
    assert faded == 0


def test_a_phone_and_the_dark_show_the_same(covered, open_page):
    address, _ = covered
    page = open_page(f"{address}/coverage?coverage_cell=knn", width=390, scheme="dark")
    assert page.locator(".st-key-narrow-losses .main-svg").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "coverage-phone")
