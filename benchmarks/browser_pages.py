"""How long a page takes in the browser: opened anew, and visited again in a tab that is open.

python -m benchmarks.browser_pages [HOME]     HOME holds evaluated runs (default .trilens)
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.e2e.conftest import FLAGS, serving

PAGES = {"Home": "", "Datasets": "datasets", "Evaluate": "evaluate", "Logic": "logic", "Settings": "settings"}
VISITS = 7
#: heading there, nothing running, no skeleton, every visible chart drawn
_AT_REST = """heading => {
    const shown = [...document.querySelectorAll("h1")].some(one => one.innerText.trim() === heading);
    const running = document.querySelector('[data-testid="stApp"]').dataset.testScriptState !== "notRunning";
    const waiting = document.querySelector('[data-testid="stSkeleton"]');
    const charts = [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].filter(one => one.offsetParent);
    return shown && !running && !waiting && charts.every(one => one.querySelector(".main-svg"));
}"""
_CLOCK = "() => performance.now()"


def main(home: Path) -> dict[str, dict[str, float]]:
    """Return by page the median seconds until it is at rest, ``opened`` anew and ``again`` within an open tab."""
    from playwright.sync_api import sync_playwright

    found: dict[str, dict[str, float]] = {}
    with serving(home) as address, sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        headings = {name: "Trilens" if name == "Home" else name for name in PAGES}
        for name, path in PAGES.items():
            page.goto(f"{address}/{path}")
            page.wait_for_selector("h1")
            page.wait_for_timeout(4000)
            headings[name] = page.locator("h1").first.inner_text().strip()
            opened = [_timed(page, headings[name], lambda url=f"{address}/{path}": page.goto(url)) for _ in range(3)]
            found[name] = {"opened": round(median(opened), 2)}
        again: dict[str, list[float]] = {name: [] for name in PAGES}
        for _ in range(VISITS):
            for name in PAGES:
                link = page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True)
                again[name].append(_timed(page, headings[name], link.click))
        for name in PAGES:
            # the first visit in this tab loads what the page is drawn with
            found[name]["again"] = round(median(again[name][1:]), 2)
        chromium.close()
    return found


def _timed(page: Any, heading: str, act: Callable[[], object]) -> float:
    import time

    began = time.perf_counter()
    act()
    page.wait_for_function(_AT_REST, arg=heading, polling=20, timeout=60_000)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".trilens").resolve()), indent=2))
