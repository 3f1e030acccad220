"""A real browser against a real server with a real store."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
#: ignored by git; whoever changes a page looks at these
PICTURES = CHECKOUT / "test-results"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            # a click that meets a rerun of a busy server may be lost; what fails twice is broken
            item.add_marker(pytest.mark.flaky(reruns=1))
    # the longest files begin first, so that no worker is left alone with one at the end
    items.sort(key=lambda item: Path(__file__).parent not in item.path.parents)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(home: Path, *options: str) -> Iterator[str]:
    """Run ``streamlit run app.py`` on a free loopback port; its output is kept in ``home``."""
    port = free_port()
    with (home / f"server-{port}.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), *options],
            cwd=CHECKOUT, env={**os.environ, "TRILENS_HOME": str(home)}, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server ended by itself"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


def core(home: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "core", *arguments], cwd=CHECKOUT, env={**os.environ, "TRILENS_HOME": str(home)},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


@contextmanager
def started(home: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``python -m core`` beside the test."""
    with (home / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "core", *arguments], cwd=CHECKOUT, stdout=log, stderr=log,
            env={**os.environ, "TRILENS_HOME": str(home)},
        )  # fmt: skip
        try:
            yield worker
        finally:
            worker.terminate()
            worker.wait(timeout=30)


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory, demo_once: Path) -> Path:
    """A home in which six questions a relation of the benchmark were evaluated in both scopes, as the demo is."""
    return shutil.copytree(demo_once, tmp_path_factory.mktemp("demo") / "home")


@pytest.fixture(scope="session")
def demo(demo_home: Path) -> Iterator[str]:
    """The address of a server over the demo's runs."""
    with serving(demo_home) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of a file's own: while its driver runs, so does an event loop, and no other test could run one."""
    if not Path(CHROMIUM).exists():
        pytest.skip("no chromium: `apt-get install chromium` (Debian) provides the browser these tests drive")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open an address in a fresh context and wait until the page is drawn; console errors fail the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def opened(url: str, *, width: int = 1440, scheme: str = "light", settle: bool = True) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(f"failed: {request.url} {request.failure}"))
        page.goto(url)
        page.get_by_role("heading", level=1).wait_for(timeout=30_000)
        if settle:
            settled(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    # nothing may be fetched from elsewhere; aborted polls of a closing page are not failures
    assert [p for p in problems if not re.search(r"_stcore/|net::ERR_ABORTED", p)] == []


def settled(page: Any) -> None:
    """Wait until the script has finished and what the page shows has been the same for most of a second."""
    last, same = None, 0
    deadline = time.monotonic() + 40
    while same < 3:
        assert time.monotonic() < deadline, "the page does not come to rest"
        page.wait_for_timeout(200)
        now = page.evaluate(
            """() => {
                const app = document.querySelector('[data-testid="stApp"]');
                const busy = !app || app.getAttribute('data-test-script-state') !== 'notRunning'
                    || document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]');
                const charts = [...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
                    .filter(e => e.offsetWidth);
                if (busy || !charts.every(e => e.querySelector('.main-svg'))) return null;
                return app.innerText + charts.map(e => e.textContent).join('|');
            }"""
        )
        same = same + 1 if now is not None and now == last else 0
        last = now


def downloaded(page: Any, button: Any, folder: Path) -> Path:
    """Press a download button and return the file, saved in ``folder`` under the name that is suggested for it.

    A press that meets a rerun of a busy server is swallowed by the browser's side, as every click is: it is pressed
    again, as a person would.
    """
    from playwright.sync_api import TimeoutError as NothingCame

    tries = 0
    while True:
        settled(page)
        try:
            with page.expect_download(timeout=12_000) as download:
                button.click()
        except NothingCame:
            tries += 1
            if tries == 3:
                raise
        else:
            saved = folder / download.value.suggested_filename
            download.value.save_as(saved)
            return saved


def picture(page: Any, name: str) -> None:
    """Keep a screenshot of the whole page (Streamlit scrolls inside, so the window is made as tall as the content)."""
    PICTURES.mkdir(exist_ok=True)
    size = page.viewport_size
    page.screenshot(path=PICTURES / f"{name}-first-screen.png")
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": min(max(height, size["height"]), 6000)})
    page.wait_for_timeout(600)
    page.screenshot(path=PICTURES / f"{name}.png")
    page.set_viewport_size(size)
    page.wait_for_timeout(300)
