"""What is listed while a worker goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.spec import Request
from core.jobs.lock import hold
from core.services import catalogue, evaluation
from core.services.run_admin import rename
from core.services.workspace import workspace
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
