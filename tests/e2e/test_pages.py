"""Home and Logic over the evaluated demo, as a person sees them."""

from __future__ import annotations

import re
import time

import pytest

from pages.shared.routes import ROUTES
from tests.e2e.conftest import downloaded, picture, serving, settled, started
from tests.made_once import lend_encodings

PAGES = {"home": "/", "logic": "/logic"}
EXCEPTION = re.compile(r"Traceback|has encountered an error|Exception\b|Error:|Page not found|\bnan\b")


def shown_texts(page, key):
    """The texts drawn in the visible figure of that key."""
    return page.eval_on_selector_all(
        f".st-key-wide-{key}, .st-key-narrow-{key}",
        """boxes => boxes.filter(b => b.offsetWidth)
            .flatMap(b => [...b.querySelectorAll('svg text')].map(t => t.textContent))""",
    )


def visible(page):
    return page.locator("[data-testid=stMain]").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_drawn_without_error_or_sideways_scrolling(name, width, scheme, demo, open_page):
    page = open_page(demo + PAGES[name], width=width, scheme=scheme)
    assert not EXCEPTION.search(visible(page))
    overflow = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
            .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(overflow) <= 0, overflow
    charts = page.locator("[data-testid=stPlotlyChart]:visible")
    assert charts.count() >= 1
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert ground == ("rgb(20, 23, 28)" if scheme == "dark" else "rgb(255, 255, 255)")
    picture(page, f"{name}-{width}-{scheme}")


@pytest.mark.parametrize("width", [1440, 760, 390])
def test_no_label_is_cut_or_written_over_another(width, demo, open_page):
    page = open_page(f"{demo}/logic", width=width)
    for key in ("heatmap", "ranking", "confusion"):
        cut = page.evaluate(
            """key => {
                const box = [...document.querySelectorAll(`.st-key-wide-${key}, .st-key-narrow-${key}`)]
                    .find(b => b.offsetWidth);
                const frame = box.querySelector('.main-svg').getBoundingClientRect();
                return [...box.querySelectorAll('svg text')].filter(t => {
                    const r = t.getBoundingClientRect();
                    return r.width && (r.left < frame.left - 1 || r.right > frame.right + 1
                        || r.top < frame.top - 1 || r.bottom > frame.bottom + 1);
                }).map(t => t.textContent);
            }""",
            key,
        )
        assert cut == [], (key, cut)
        over = page.evaluate(
            """key => {
                const box = [...document.querySelectorAll(`.st-key-wide-${key}, .st-key-narrow-${key}`)]
                    .find(b => b.offsetWidth);
                // slanted heads have boxes that overlap although their letters do not: judged by the eye
                const level = t => !t.closest('g[transform*="rotate(-35"]');
                const all = [...box.querySelectorAll('svg text')].filter(t => t.textContent.trim() && level(t))
                    .map(t => [t.textContent, t.getBoundingClientRect()]).filter(e => e[1].width);
                const hits = [];
                for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) {
                    const [a, b] = [all[i][1], all[j][1]];
                    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
                        hits.push([all[i][0], all[j][0]]);
                }
                return hits.slice(0, 5);
            }""",
            key,
        )
        assert over == [], (key, over)


def test_with_six_questions_a_relation_the_headline_is_too_few(demo, open_page):
    for path in PAGES.values():
        assert "Too few questions to compare retrievers relation by relation: " in visible(open_page(demo + path))


def test_the_map_is_in_the_first_screen_of_a_laptop(demo, open_page):
    page = open_page(f"{demo}/logic")
    box = page.locator(".st-key-wide-heatmap").bounding_box()
    assert box["y"] < 420
    assert box["y"] + 28 * 12 < 900


def test_the_slider_changes_the_numbers_and_the_url_brings_them_back(demo, open_page):
    page = open_page(f"{demo}/logic")
    before = shown_texts(page, "heatmap")
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("logic_beta=4"))
    page.get_by_text("OPI(4) (right is better)").locator("visible=true").wait_for()
    settled(page)
    after = shown_texts(page, "heatmap")
    assert after != before
    page.get_by_text("BERTSim", exact=True).first.click()
    page.wait_for_url(re.compile("logic_measure=BERTSim"))
    page.get_by_text("best, by BERTSim?").wait_for()
    page.get_by_text("fixed", exact=True).click()
    page.wait_for_url(re.compile("logic_rows=fixed"))
    settled(page)
    third = shown_texts(page, "heatmap")
    assert third != after
    again = open_page(page.url)
    assert shown_texts(again, "heatmap") == third
    assert shown_texts(again, "ranking") == shown_texts(page, "ranking")
    assert again.get_by_role("slider").get_attribute("aria-valuetext") == "4"


@pytest.mark.slow
def test_beta_zero_shows_bertsim_and_infinity_lrcr(demo, open_page):
    """The paper's formula, seen through the whole product: its prose says the opposite."""

    def cells(query):
        return shown_texts(open_page(f"{demo}/logic?logic_rows=fixed&{query}"), "heatmap")

    at_zero, bertsim = cells("logic_beta=0"), cells("logic_measure=BERTSim")
    # a mean BERTSim below 0 enters OPI as 0, and so do the averages over it
    assert [x for x, y in zip(at_zero, bertsim, strict=True) if x != y and not y.startswith("−")] == []
    at_infinity, lrcr = cells("logic_beta=∞"), cells("logic_measure=LRCR")
    assert at_infinity == lrcr
    assert at_zero != lrcr


def test_hovering_a_cell_gives_interval_and_n(demo, open_page):
    page = open_page(f"{demo}/logic")
    box = page.locator(".st-key-wide-heatmap-plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    hover = page.locator(".st-key-wide-heatmap-plot .hoverlayer")
    hover.locator("text").first.wait_for(timeout=5000)
    assert re.search(r"OPI\(1\) [.\d]+ \([.\d]+ to [.\d]+\)", hover.text_content())
    assert re.search(r"\d+ of \d+ questions scored", hover.text_content())


def test_definitions_table_download_and_command(demo, open_page, tmp_path):
    page = open_page(f"{demo}/logic")
    page.get_by_role("button", name="What are these?").click()
    page.get_by_text("Overall Performance Index, OPI(β)").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("The ranking as a table").click()
    text = downloaded(page, page.locator(".st-key-ranking-download button"), tmp_path)
    lines = text.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("place,configuration,OPI,OPI low,OPI high")
    assert len(lines) == 15
    page.get_by_role("button", name="Reproduce").click()
    page.get_by_text(re.compile(r"^.venv/bin/python -m core evaluate ")).first.wait_for()


def test_home_leads_to_the_same_run_on_logic(demo, open_page):
    page = open_page(f"{demo}/")
    page.get_by_text("Relation by relation on the Logic page").click()
    page.wait_for_url(re.compile(r"/logic\?logic_run="))
    page.get_by_role("heading", level=1, name="Logic").wait_for()
    settled(page)
    assert page.get_by_role("combobox", name="Run").input_value().startswith("corpus ")


def test_an_unknown_run_in_the_url_is_said(demo, open_page):
    page = open_page(f"{demo}/logic?logic_run=gone&logic_beta=banana")
    assert "No run with scores is called 'gone' here" in visible(page)
    assert not EXCEPTION.search(visible(page))


def test_everything_is_reached_by_keyboard(demo, open_page):
    page = open_page(f"{demo}/logic")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("(e => (e.getAttribute('aria-label') || '') + e.innerText)(document.activeElement)")
        )
    # inside a group of choices the arrow keys move on, so Tab reaches only one of each
    for name in ("Home", "Run", "OPI", "What are these?", "Beta: ", "as a table", "Reproduce"):
        assert any(name in text for text in reached), name


def test_a_run_is_followed_to_its_end_without_reloading(tmp_path, demo_once, open_page):
    # long enough to be seen: an encoder is loaded for what is left out
    lend_encodings(demo_once, tmp_path, without=12)
    with serving(tmp_path) as address, started(tmp_path, "evaluate", "trilens-demo", "--limit", "12") as worker:
        page = open_page(address, settle=False)
        deadline = time.monotonic() + 60
        while "Running now" not in visible(page):
            assert worker.poll() is None, "the run ended before it was seen"
            assert time.monotonic() < deadline
            page.wait_for_timeout(500)
            page.reload()
            page.get_by_role("heading", level=1).wait_for()
        page.get_by_role("progressbar").first.wait_for()
        picture(page, "home-running")
        page.get_by_text("The newest run says").wait_for(timeout=120_000)
        settled(page)
        assert "Running now" not in visible(page)
        assert "12 questions" in visible(page)


@pytest.mark.parametrize("path", ["/", "/logic"])
def test_the_first_request_to_a_fresh_server(path, demo_home, open_page):
    with serving(demo_home) as address:
        page = open_page(address + path)
        assert page.get_by_role("dialog").count() == 0
        heading = page.get_by_role("heading", level=1).inner_text()
        assert heading == ("Logic" if path == "/logic" else "Trilens")
        assert not EXCEPTION.search(visible(page))


def test_an_empty_store(tmp_path, open_page):
    with serving(tmp_path) as address:
        for path in PAGES.values():
            page = open_page(address + path)
            assert "Nothing has been evaluated yet." in visible(page)
            assert ".venv/bin/python -m core demo" in visible(page)
            picture(page, f"empty{path.replace('/', '-')}")


def test_a_server_bound_to_all_interfaces_shows_nothing(demo_home, open_page):
    with serving(demo_home, "--server.address", "0.0.0.0") as address:
        for path in ("/logic", "/"):  # the first request is the dangerous one
            page = open_page(address + path)
            assert "others can reach it, and it has no sign-in" in visible(page)
            assert page.locator("[data-testid=stPlotlyChart]").count() == 0
            assert "Home" not in page.locator("body").inner_text()
        picture(page, "refused")


@pytest.mark.slow
@pytest.mark.parametrize("path", [route.path for route in ROUTES])
def test_the_first_request_of_a_fresh_server_is_refused_on_every_address(path, demo_home, open_page):
    """Until it has called st.navigation once, Streamlit might run a page's file by itself."""
    with serving(demo_home, "--server.address", "0.0.0.0") as address:
        page = open_page(f"{address}/{path}")
        assert "others can reach it, and it has no sign-in" in visible(page)
        assert page.locator("[data-testid=stPlotlyChart], [data-testid=stDataFrame]").count() == 0


def test_a_strange_host_name_is_turned_away(demo):
    """Against pages elsewhere that point a name of theirs at this machine."""
    import http.client
    from urllib.parse import urlsplit

    place = urlsplit(demo).netloc
    for host, expected in ((place, 101), ("evil.example:80", 403)):
        connection = http.client.HTTPConnection(place, timeout=10)
        connection.request(
            "GET", "/_stcore/stream",
            headers={
                "Host": host, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": f"http://{host}",
            },
        )  # fmt: skip
        assert connection.getresponse().status == expected
        connection.close()
