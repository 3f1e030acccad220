"""How long a rerun of each page takes on the server, and a warm page in the browser, over a store of 5,000 questions
x 20 configurations x 13 relations. Budgets: 100 ms a rerun, 1.5 s a warm page.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.shared_files import RESULTS, ROOT
from benchmarks.synthetic_store import NAME, build

RERUNS = 15


def main() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        run = build(home)
        addresses = {
            "home": ("pages/start/home.py", {}),
            "datasets": ("pages/start/datasets.py", {"datasets_name": NAME}),
            "evaluate": ("pages/start/evaluate.py", {}),
            "logic": ("pages/lenses/logic.py", {"logic_run": run}),
            "logic, filtered": ("pages/lenses/logic.py", {"logic_run": run, "logic_split": "test"}),
            "logic, cell": (
                "pages/lenses/logic.py",
                {"logic_run": run, "logic_cell": "knn", "logic_cell_relation": "causal"},
            ),
            "coverage": ("pages/lenses/coverage.py", {"coverage_run": run}),
            "coverage, filtered": ("pages/lenses/coverage.py", {"coverage_run": run, "coverage_split": "test"}),
            "coverage, nuggets": (
                "pages/lenses/coverage.py",
                {"coverage_run": run, "coverage_cell": "knn", "coverage_part": "not_retrieved"},
            ),
            "granularity": ("pages/lenses/granularity.py", {"granularity_run": run}),
            "granularity, category": (
                "pages/lenses/granularity.py",
                {"granularity_run": run, "granularity_tree": "QC", "granularity_node": "simple"},
            ),
            "question": ("pages/lenses/question.py", {"question_run": run, "question_id": "q77"}),
            "settings": ("pages/more/settings.py", {}),
        }
        os.environ["TRILENS_HOME"] = str(home)
        result: dict[str, Any] = {"rerun_ms": {}, "warm_page_ms": _in_browser(home, addresses)}
        for name, (page, query) in addresses.items():
            result["rerun_ms"][name] = _rerun(page, query)
        result["other_choice_ms"] = {
            "logic, another cell": _anew(
                "logic_cell_relation", ["temporal", "fuzzy", "deductive"], addresses["logic, cell"]
            ),
            "coverage, another bar": _anew(
                "coverage_part", ["grounded", "retrieved_not_said", "nowhere"], addresses["coverage, nuggets"]
            ),
            "coverage, another measure": _anew(
                "coverage_measure", ["info_recall", "nugget_retrieval", "alpha_ndcg"], addresses["coverage"]
            ),
            "coverage, another pair": _anew(
                "coverage_x", ["subtopic_recall", "ndcg_binary", "ndcg_count"], addresses["coverage"]
            ),
            "granularity, another configuration": _anew(
                "granularity_configuration", ["bm25", "tfidf", "mmr"], addresses["granularity"]
            ),
            "granularity, another category": _anew(
                "granularity_node", ["complex", "one_fact", "inference"], addresses["granularity, category"]
            ),
            "logic, another search": _anew("logic_search", ["mill", "harbour", "rope"], addresses["logic, cell"]),
            "another question": _anew("question_id", ["q1", "q901", "q4444"], addresses["question"]),
        }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "pages.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def _rerun(page: str, query: dict[str, str]) -> dict[str, float]:
    """Time reruns in process, the first apart: it fills the caches."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params.update(query)
    app.switch_page(page)
    times = []
    for _ in range(RERUNS + 1):
        began = time.perf_counter()
        app.run()
        times.append((time.perf_counter() - began) * 1000)
        if app.exception:
            raise RuntimeError(f"{page}: {app.exception[0].value}")
    return {"first": round(times[0]), "median": round(statistics.median(times[1:])), "most": round(max(times[1:]))}


def _anew(parameter: str, values: list[str], address: tuple[str, dict[str, str]]) -> int:
    """Time the first view of choices that no cache knows yet, each in a session of its own: the median, in ms."""
    from streamlit.testing.v1 import AppTest

    page, query = address
    times = []
    for value in values:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params.update({**query, parameter: value})
        app.switch_page(page)
        began = time.perf_counter()
        app.run()
        times.append((time.perf_counter() - began) * 1000)
        if app.exception:
            raise RuntimeError(f"{page}: {app.exception[0].value}")
    return round(statistics.median(times))


def _in_browser(home: Path, addresses: dict[str, tuple[str, dict[str, str]]]) -> dict[str, int]:
    """Time from the request to the page at rest in Chromium, the second visit of each."""
    from urllib.parse import urlencode

    from playwright.sync_api import sync_playwright

    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT, env={**os.environ, "TRILENS_HOME": str(home)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    found = {}
    try:
        base = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{base}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            # one context: warm means that the browser has Streamlit's own files already
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            for name, (page, query) in addresses.items():
                path = Path(page).stem
                url = f"{base}/{'' if path == 'home' else path}?{urlencode(query)}"
                found[name] = [_visit(context, url) for _ in range(4)][1:]
            browser.close()
    finally:
        server.terminate()
        server.wait(timeout=20)
    return {name: round(statistics.median(times)) for name, times in found.items()}


def _visit(context: Any, url: str) -> float:
    page = context.new_page()
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid="stApp"]');
            return app && app.getAttribute('data-test-script-state') === 'notRunning' && document.querySelector('h1')
                && !document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]')
                && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].filter(e => e.offsetWidth)
                    .every(e => e.querySelector('.main-svg'));
        }""",
        timeout=60_000,
    )
    spent = (time.perf_counter() - began) * 1000
    page.close()
    return spent


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
