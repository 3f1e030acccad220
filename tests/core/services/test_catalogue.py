"""What is listed while a worker goes on."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from core.engine.spec import Request
from core.errors import OptionError
from core.jobs.lock import hold
from core.services import catalogue, evaluation
from core.services.run_admin import rename
from core.services.workspace import workspace
from core.store.datasets import delete_dataset
from core.store.runs import create_run, run_row, update_run

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def run_id(small_csv: Path) -> str:
    spec, dataset = evaluation.plan(Request(str(small_csv), retrievers="bm25", combinations="none", relations="none"))
    return evaluation.run(spec, dataset).run_id


def test_a_worker_that_ends_while_a_page_reads_is_not_interrupted(run_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, store = workspace()
    update_run(store, run_id, state="running")

    def ended_meanwhile(home: object, name: str) -> bool:
        update_run(store, name, state="done")
        return False

    monkeypatch.setattr(catalogue, "is_alive", ended_meanwhile)
    assert catalogue.run(run_id).state == "done"


def test_a_killed_worker_is_interrupted(run_id: str) -> None:
    _, store = workspace()
    update_run(store, run_id, state="running")
    assert catalogue.run(run_id).state == "interrupted"
    assert [run.state for run in catalogue.runs()] == ["interrupted"]


def test_who_waits_is_queued_only_as_long_as_somebody_holds_its_lock(run_id: str) -> None:
    home, store = workspace()
    for stored, alive in (("queued", "queued"), ("running", "running"), ("stopping", "running")):
        update_run(store, run_id, state=stored)
        with hold(home.lock(run_id), "the run"):
            assert catalogue.run(run_id).state == alive
            assert [run.id for run in catalogue.runs_under_way()] == [run_id]
            assert catalogue.states_of([run_id, "gone"]) == {run_id: alive}
        assert catalogue.run(run_id).state == "interrupted"
        assert catalogue.runs_under_way() == []
    assert catalogue.run_versions() == ((run_id, "interrupted", 1, ""),)


def test_what_is_shown_of_a_queue_and_how_many_there_are(run_id: str) -> None:
    home, store = workspace()
    row = run_row(store, run_id)
    names = [f"marlow-{number:010d}" for number in range(4)]
    with ExitStack() as locks:
        for name in names:
            create_run(store, name, "marlow", row["spec"], state="queued")
            locks.enter_context(hold(home.lock(name), "the run"))
        update_run(store, names[2], state="running")
        create_run(store, "marlow-dead", "marlow", row["spec"], state="running")
        assert [run.id for run in catalogue.runs_under_way(2)] == [names[2], names[0]]
        assert [run.id for run in catalogue.runs_under_way()] == [names[2], names[0], names[1], names[3]]
        assert catalogue.n_under_way() == 4


def test_lists_read_columns_that_say_what_the_spec_says(run_id: str) -> None:
    _, store = workspace()
    row, listed = run_row(store, run_id), catalogue.run(run_id)
    resolved = row["spec"]["resolved"]
    assert (listed.scope, listed.n_questions) == (resolved["scope"], len(resolved["questions"]))
    assert listed.n_configurations == len(row["spec"]["configurations"]) > 0
    assert (listed.options, listed.dataset_title) == (
        "--retrievers bm25 --combinations none --relations none",
        "marlow",
    )
    assert (listed.has_relations, listed.has_lrcr) == (True, False)


def test_a_run_that_is_deleted_between_two_reads(run_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, store = workspace()
    update_run(store, run_id, state="running")

    def deleted_meanwhile(home: object, name: str) -> bool:
        delete_dataset(store, "marlow", [run_id])
        return False

    monkeypatch.setattr(catalogue, "is_alive", deleted_meanwhile)
    assert [run.state for run in catalogue.runs()] == ["interrupted"]
    assert catalogue.runs() == []
    for name in (run_id, "\ud800"):
        with pytest.raises(OptionError, match="no run"):
            catalogue.run(name)


def test_pages_and_search(run_id: str) -> None:
    _, store = workspace()
    spec = run_row(store, run_id)["spec"]
    for number in range(12):
        create_run(store, f"marlow-{number:010d}", "marlow", spec, state="done")
    rename(f"marlow-{3:010d}", "100 % of_it")
    assert [catalogue.n_runs(search) for search in ("", "marlow", "MARLOW", "000003", "  100 %  ", "f_i")] == [
        13,
        13,
        13,
        1,
        1,
        1,
    ]
    assert catalogue.n_runs("%") == 1
    assert catalogue.n_runs("gone") == 0
    pages = [[run.id for run in catalogue.run_page(page=page, size=5)] for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [5, 5, 3, 0]
    assert [name for page in pages for name in page] == [run.id for run in catalogue.runs()]
    assert len({name for page in pages for name in page}) == 13
