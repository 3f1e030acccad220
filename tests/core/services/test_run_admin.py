"""Renaming and deleting: ids are checked, living runs are left alone, two at once do it once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.cli import main
from core.engine.spec import Request
from core.errors import BusyError, OptionError
from core.jobs.lock import hold
from core.services import catalogue, run_admin
from core.services.evaluation import plan, run
from core.services.lenses import logic
from core.services.workspace import workspace
from core.store.runs import update_run


@pytest.fixture
def run_id(home: Path, small_csv: Path) -> str:
    del home
    spec, dataset = plan(Request(str(small_csv), retrievers="bm25", combinations="none", relations="none"))
    return run(spec, dataset).run_id


def test_a_title_is_stored_as_text_and_taken_away_again(run_id: str) -> None:
    before = catalogue.run(run_id)
    assert run_admin.rename(run_id, "  **bold**\n<b>x</b>  渡船 ") == "**bold** <b>x</b> 渡船"
    after = catalogue.run(run_id)
    assert after.title == "**bold** <b>x</b> 渡船"
    assert (after.id, after.state, after.version, after.options) == (
        before.id,
        before.state,
        before.version,
        before.options,
    )
    assert logic(run_id).command.startswith(".venv/bin/python -m core evaluate marlow")
    assert run_admin.rename(run_id, "") == ""


@pytest.mark.parametrize("title", ["x" * 81, "a\x00b", "a\u202eb", "\ud800", "bell\x07"])
def test_titles_that_cannot_be_shown(run_id: str, title: str) -> None:
    with pytest.raises(OptionError, match="the title"):
        run_admin.rename(run_id, title)
    assert catalogue.run(run_id).title == ""


def test_of_two_tabs_the_second_is_told_of_the_first_ones_title(run_id: str) -> None:
    assert run_admin.rename(run_id, "first", before="") == "first"
    with pytest.raises(OptionError, match="somebody else has renamed this run meanwhile"):
        run_admin.rename(run_id, "second", before="")
    assert catalogue.run(run_id).title == "first"
    assert run_admin.rename(run_id, "second", before="first") == "second"


def test_eighty_characters_are_not_too_many(run_id: str) -> None:
    assert run_admin.rename(run_id, "x" * 80) == "x" * 80


@pytest.mark.parametrize("forged", ["", "gone-0000000000", "../../etc/passwd", "' OR 1=1 --", "%", "\ud800"])
def test_unknown_ids(run_id: str, forged: str) -> None:
    for act in (run_admin.delete, lambda name: run_admin.rename(name, "x")):
        with pytest.raises(OptionError, match="no run"):
            act(forged)
    assert [found.id for found in catalogue.runs()] == [run_id]


def test_delete_takes_the_rows_and_leaves_what_stages_computed(run_id: str) -> None:
    home, store = workspace()
    home.log(run_id).write_text("said", encoding="utf-8")
    stages = store.rows("SELECT COUNT(*) AS n FROM stage_results")
    run_admin.delete(run_id)
    assert catalogue.runs() == []
    assert store.rows("SELECT COUNT(*) AS n FROM run_items") == [{"n": 0}]
    assert store.rows("SELECT COUNT(*) AS n FROM stage_results") == stages
    assert not home.log(run_id).exists()
    with pytest.raises(OptionError, match="no run"):
        run_admin.delete(run_id)


def test_a_living_run_is_not_deleted(run_id: str) -> None:
    home, store = workspace()
    update_run(store, run_id, state="running")
    with hold(home.lock(run_id), "the run"), pytest.raises(BusyError, match="being evaluated"):
        run_admin.delete(run_id)
    assert catalogue.run(run_id).state == "interrupted"
    run_admin.delete(run_id)
    assert catalogue.runs() == []


def test_two_tabs_that_delete_at_once(run_id: str) -> None:
    said: list[str] = []

    def delete() -> None:
        try:
            run_admin.delete(run_id)
        except (OptionError, BusyError) as error:
            said.append(str(error))

    tabs = [threading.Thread(target=delete) for _ in range(2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert len(said) == 1
    assert catalogue.runs() == []


def test_commands(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rename", run_id, "first try"]) == 0
    assert main(["runs"]) == 0
    assert "'first try'" in capsys.readouterr().out
    assert main(["delete", run_id]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main(["rename", run_id, "x" * 81]) == 2
    assert main(["delete", "gone"]) == 2
    assert main(["delete", run_id, "--yes"]) == 0
    assert main(["delete", run_id, "--yes"]) == 2
    assert "no run" in capsys.readouterr().err
    assert catalogue.runs() == []
