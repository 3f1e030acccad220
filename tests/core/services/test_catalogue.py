"""What is listed while a worker goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.spec import Request
from core.services import catalogue, evaluation
from core.services.workspace import workspace
from core.store.runs import update_run

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
