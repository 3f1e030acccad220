"""Evaluate by clicks: started, watched in two tabs, killed and resumed, renamed and deleted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.jobs.lock import holder
from tests.e2e.conftest import CHECKOUT, core, free_port, picture, serving, settled, wait_for
from tests.made_once import evaluate_all

EXCEPTION = re.compile(r"Traceback|has encountered an error|Exception\b|Error:|Page not found|\bnan\b")
CHEAP = "evaluate_retrievers=bm25&evaluate_combinations=&evaluate_relations=None"


def visible(page: Any) -> str:
    return str(page.locator("[data-testid=stMain]").inner_text())


def badge(page: Any, state: str) -> Any:
    return page.locator(".stMarkdownBadge", has_text=state)


class Server:
    """A server that can be killed and started again at the same address."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)],
                cwd=CHECKOUT, env={**os.environ, "TRILENS_HOME": str(self.home)}, stdout=log, stderr=log,
            )  # fmt: skip
        wait_for(f"{self.address}/_stcore/health", self.process)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """A fresh home with one imported dataset; the encoder has everything still to do."""
    source = shared / "hierarag" / "rq3_interactions_all.jsonl"
    if not source.exists():
        pytest.skip(f"{source} is not there")
    path = tmp_path_factory.mktemp("evaluate")
    core(path, "import", str(source), "--name", "interactions")
    return path


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Server]:
    found = Server(home)
    yield found
    found.process.terminate()
    found.process.wait(timeout=20)


def worker_of(home: Path) -> int:
    (lock,) = [path for path in (home / "locks").glob("interactions-*.lock") if holder(path)]
    process = holder(lock)
    assert process is not None
    return process


@pytest.mark.slow
def test_a_run_survives_refresh_second_tab_and_kill_9_of_worker_and_server(home, server, open_page):
    page = open_page(f"{server.address}/evaluate")
    assert "Nothing has been evaluated yet" in visible(page)
    page.get_by_text("Random sample").click()
    number = page.get_by_label("How many")
    number.fill("160")
    number.press("Enter")
    page.get_by_text("160 questions × 14 configurations").first.wait_for()
    assert "evaluate_n=160" in page.url
    other = open_page(f"{server.address}/evaluate")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Running now").wait_for(timeout=45_000)
    # from the other tab too, which nobody has touched
    other.get_by_text("Running now").wait_for(timeout=45_000)
    other.get_by_text(re.compile(r"step \d+ of \d+ · [\d,]+ of [\d,]+")).wait_for(timeout=45_000)
    picture(other, "evaluate-running")
    page.reload()
    page.get_by_text("Running now").wait_for(timeout=45_000)
    settled(page)
    assert page.get_by_label("How many").input_value() == "160", page.url

    os.kill(worker_of(home), signal.SIGKILL)
    for tab in (page, other):
        tab.get_by_text("its process ended without a word").wait_for(timeout=45_000)
    page.get_by_role("button", name="Resume").click()
    page.get_by_text("Running now").wait_for(timeout=45_000)
    other.get_by_text("Running now").wait_for(timeout=45_000)

    worker = worker_of(home)
    server.kill()
    os.kill(worker, 0)
    server.start()
    os.kill(worker, 0)
    # the tab connects again by itself
    page.get_by_text("Running now").wait_for(timeout=120_000)
    page.get_by_text("This run is there already.").wait_for(timeout=120_000)
    settled(page)
    assert "Running now" not in visible(page)
    page.get_by_role("link", name="Open on Logic").click()
    page.get_by_role("heading", level=1, name="Logic").wait_for()
    settled(page)
    assert not EXCEPTION.search(visible(page))


@pytest.mark.slow
def test_a_run_is_renamed_and_deleted_by_keyboard(home, server, open_page):
    cheap = ("interactions", "--retrievers", "bm25", "--combinations", "none", "--relations", "none")
    evaluate_all(home, [[*cheap, "--limit", limit] for limit in ("2", "3")])
    page = open_page(f"{server.address}/evaluate?evaluate_search=limit")
    page.get_by_label("Search").fill("interactions")
    page.get_by_label("Search").press("Enter")
    settled(page)
    n_before = page.get_by_role("button", name="Delete run").count()
    page.get_by_role("button", name="Rename").first.focus()
    page.keyboard.press("Enter")
    title = page.get_by_role("textbox", name="Title")
    title.fill("**Only words** <b>x</b> :red[y]")
    title.press("Enter")
    page.get_by_text("**Only words** <b>x</b> :red[y]").first.wait_for()
    settled(page)
    assert page.get_by_role("textbox", name="Title").count() == 0, "the popover closes"
    page.get_by_label("Search").fill("ONLY WORDS")
    page.get_by_label("Search").press("Enter")
    settled(page)
    assert page.get_by_role("button", name="Delete run").count() == 1
    picture(page, "evaluate-renamed")

    page.get_by_role("button", name="Delete run").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Its scores are deleted for good.").wait_for()
    dialog.get_by_role("button", name="Delete run").focus()
    page.keyboard.press("Enter")
    page.get_by_text("No run, title or dataset is called so.").wait_for()
    page.get_by_label("Search").fill("")
    page.get_by_label("Search").press("Enter")
    settled(page)
    assert page.get_by_role("button", name="Delete run").count() == n_before - 1


@pytest.mark.slow
def test_a_sweep_waits_in_a_queue_and_is_taken_out_of_it(home, server, open_page):
    page = open_page(
        f"{server.address}/evaluate?{CHEAP}&evaluate_questions=Random+sample&evaluate_n=4&evaluate_k=2&evaluate_k=3"
        "&evaluate_k=5&evaluate_k=7"
    )
    assert "4 runs, one after the other: 4 questions × 2 configurations each" in visible(page)
    page.get_by_role("button", name="Start 4 runs").click()
    page.get_by_role("button", name="Stop all").wait_for(timeout=45_000)
    page.get_by_role("button", name="Take out").last.click()
    badge(page, "stopped").wait_for(timeout=45_000)
    deadline = time.monotonic() + 40
    while badge(page, "done").count() < 3:
        assert time.monotonic() < deadline, visible(page)
        page.wait_for_timeout(200)
    settled(page)
    assert badge(page, "stopped").count() == 1
    picture(page, "evaluate-after-a-sweep")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_drawn_without_error_or_sideways_scrolling(width, scheme, server, open_page):
    page = open_page(f"{server.address}/evaluate", width=width, scheme=scheme)
    page.get_by_text("More choices").click()
    settled(page)
    assert not EXCEPTION.search(visible(page))
    overflow = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
            .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(overflow) <= 0, overflow
    picture(page, f"evaluate-{width}-{scheme}")


def test_a_fresh_home_needs_one_button(tmp_path, open_page):
    with serving(tmp_path) as address:
        page = open_page(f"{address}/evaluate")
        button = page.get_by_role("button", name="Start")
        assert button.is_enabled()
        box = button.bounding_box()
        assert box["y"] + box["height"] < 900, "on the first screen"
        assert "No key, no network." in visible(page)
        assert "evaluate_datasets=" in page.url
        picture(page, "evaluate-empty")


def test_what_cannot_be_evaluated_is_said_and_the_button_is_off(server, open_page):
    page = open_page(f"{server.address}/evaluate?evaluate_questions=Balanced+sample&evaluate_datasets=gone")
    assert "There is no dataset 'gone' here" in visible(page)
    assert "needs relation labels" in visible(page)
    assert page.get_by_role("button", name="Start").is_disabled()
    page = open_page(f"{server.address}/evaluate?evaluate_words=banana")
    assert "The chunk size 'banana' cannot be used" in visible(page)
    assert page.get_by_role("button", name="Start").is_disabled()
