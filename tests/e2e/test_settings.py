"""Settings as a person uses it: backup, restore, delete, clear, each after a question."""

from __future__ import annotations

import csv
import json
import sqlite3

import pytest

from tests.e2e.conftest import core, downloaded, picture, serving, settled
from tests.made_once import lend_encodings


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home"
    path.mkdir()
    return path


def imported(home, folder, name):
    source = folder / f"{name}.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["question", "answer", "context"], [f"What is {name}?", "A mill.", f"{name} is a mill."]])
    core(home, "import", str(source), "--name", name)


def datasets(home):
    store = sqlite3.connect(home / "trilens.db")
    names = [row[0] for row in store.execute("SELECT name FROM datasets ORDER BY name")]
    store.close()
    return names


def answer(page, button):
    page.get_by_role("dialog").get_by_role("button", name=button, exact=True).click()
    page.get_by_role("dialog").wait_for(state="detached")
    settled(page)


@pytest.mark.slow
def test_backup_restore_delete_and_clear(home, tmp_path, open_page):
    imported(home, tmp_path, "first")
    with serving(home) as address:
        page = open_page(f"{address}/settings")
        assert "None yet." in page.inner_text("[data-testid=stMain]")
        page.get_by_role("button", name="Make a backup now").click()
        page.get_by_text("1 backup, newest first").wait_for()
        imported(home, tmp_path, "second")
        assert datasets(home) == ["first", "second"]

        page.get_by_role("button", name="Restore").click()
        answer(page, "Keep")
        assert datasets(home) == ["first", "second"]
        page.get_by_role("button", name="Restore").click()
        answer(page, "Restore")
        assert datasets(home) == ["first"]
        page.get_by_text("2 backups, newest first").wait_for()

        saved = downloaded(page, page.get_by_role("button", name="Download", exact=True), tmp_path)
        assert saved.name.startswith("trilens-")
        core(home, "restore", str(saved))

        page.get_by_role("button", name="Delete backup").click()
        answer(page, "Delete backup")
        # the restore by command line has kept what was there before as a third
        page.get_by_text("2 backups, newest first").wait_for()
        page.get_by_role("button", name="Clear encodings").click()
        answer(page, "Clear encodings")
        page.keyboard.press("Escape")
        picture(page, "settings-1440-light")


def test_what_cannot_be_done_is_said_in_the_dialog(home, small_csv, marlow_once, open_page):
    lend_encodings(marlow_once, home)
    core(home, "evaluate", str(small_csv), "--retrievers", "bm25", "--combinations", "none", "--relations", "none")
    with sqlite3.connect(home / "trilens.db") as store:
        run = json.loads(json.dumps(store.execute("SELECT id FROM runs").fetchone()[0]))
    store.close()
    with serving(home) as address, (home / "locks" / f"{run}.lock").open("a+") as lock:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        page = open_page(f"{address}/settings", width=390, scheme="dark")
        page.get_by_role("button", name="Clear intermediate results").click()
        page.get_by_role("dialog").get_by_role("button", name="Clear intermediate results").click()
        page.get_by_role("dialog").get_by_text("is being evaluated: stop it or wait for it").wait_for()
        picture(page, "settings-390-dark")
