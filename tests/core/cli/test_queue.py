"""Several runs, one worker: in order, each stopped by itself, none lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import main
from core.engine.spec import Request, RunSpec
from core.errors import BusyError, OptionError
from core.jobs.lock import holder
from core.services import catalogue, queueing
from core.services.evaluation import plan
from core.services.workspace import workspace
from core.store.runs import run_row, update_run
from tests.made_once import lend_encodings

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def _encoded_once(home: Path, marlow_once: Path) -> None:
    """All tests are about the same six questions, and none about their encoding."""
    lend_encodings(marlow_once, home)


def _spec(source: Path, **choices: object) -> RunSpec:
    cheap = {"retrievers": "bm25", "combinations": "none", "relations": "none"}
    return plan(Request(str(source), **{**cheap, **choices}))[0]  # type: ignore[arg-type]


def _wait(holds: Callable[[], bool], seconds: float = 60) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, [(r.id, r.state, r.message, r.stage) for r in catalogue.runs()]
        time.sleep(0.05)


def _states(*specs: RunSpec) -> list[str]:
    return [catalogue.run(spec.run_id).state for spec in specs]


def _seen_by_the_worker() -> None:
    """A run that ends before its worker looks for requests again is done and not stopped."""
    time.sleep(1)


def _slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path) -> tuple[RunSpec, Path]:
    """A run that goes on until a file is there."""
    (tmp_path / "waiting_retriever.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "from tests.core.retrieval.factories import backwards\n"
        "def waits(documents):\n"
        f"    while not Path({str(tmp_path / 'go')!r}).exists():\n"
        "        time.sleep(0.05)\n"
        "    return backwards(documents)\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), str(Path(__file__).resolve().parents[3]))))
    monkeypatch.syspath_prepend(str(tmp_path))
    # another test's, from its own folder
    monkeypatch.delitem(sys.modules, "waiting_retriever", raising=False)
    return _spec(source, retrievers="bm25,waiting_retriever:waits"), tmp_path / "go"


def test_a_queue_goes_on_after_a_stop_and_leaves_out_what_was_withdrawn(
    tmp_path: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, go = _slow(tmp_path, monkeypatch, small_csv)
    second, third, fourth = (_spec(small_csv, k=k) for k in (1, 2, 3))
    started = queueing.start_all([first, second, third])
    assert started == queueing.Started((first.run_id, second.run_id, third.run_id), (), ())
    _wait(lambda: catalogue.run(first.run_id).stage == "retrieve")
    assert _states(first, second, third) == ["running", "queued", "queued"]
    assert [run.id for run in catalogue.runs_under_way()] == [first.run_id, second.run_id, third.run_id]

    # the same again from another tab: nothing is started twice
    assert queueing.start_all([first, third]).going == (first.run_id, third.run_id)
    with pytest.raises(BusyError, match="already"):
        queueing.start(second)
    assert queueing.stop(second.run_id) == "withdrawn"
    with pytest.raises(OptionError, match="nothing to stop"):
        # its lock is let go by the worker within a moment
        _wait(lambda: queueing.stop(second.run_id) == "", 5)
    # resumed while the worker lives: a worker of its own, which waits for its turn
    assert queueing.start_all([second, fourth]).started == (second.run_id, fourth.run_id)
    time.sleep(1)
    assert _states(first, second, third, fourth) == ["running", "queued", "queued", "queued"]

    assert queueing.stop(first.run_id) == "asked"
    assert queueing.stop(first.run_id) == "asked"
    assert catalogue.run(first.run_id).state == "running"
    assert "asked to stop" in catalogue.run(first.run_id).message
    _seen_by_the_worker()
    go.touch()
    _wait(lambda: _states(first, second, third, fourth) == ["stopped", "done", "done", "done"])
    _, store = workspace()
    ended = {spec.k: run_row(store, spec.run_id)["finished"] for spec in (second, third, fourth)}
    assert ended[third.k] < ended[second.k] < ended[fourth.k]
    assert main(["evaluate", "--resume", first.run_id, second.run_id]) == 0
    assert _states(first) == ["done"]


@pytest.mark.slow
def test_kill_9_interrupts_the_whole_queue_and_resume_does_all_of_it(
    tmp_path: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, go = _slow(tmp_path, monkeypatch, small_csv)
    second = _spec(small_csv, k=2)
    queueing.start_all([first, second])
    _wait(lambda: catalogue.run(first.run_id).stage == "retrieve")
    place, _ = workspace()
    process = holder(place.lock(second.run_id))
    assert process == holder(place.lock(first.run_id))
    assert process is not None
    os.kill(process, signal.SIGKILL)
    _wait(lambda: _states(first, second) == ["interrupted", "interrupted"])
    assert catalogue.runs_under_way() == []
    go.touch()
    assert queueing.resume_all([first.run_id, second.run_id]).started == (first.run_id, second.run_id)
    _wait(lambda: _states(first, second) == ["done", "done"])
    assert queueing.resume_all([first.run_id]) == queueing.Started((), (first.run_id,), ())


@pytest.mark.slow
def test_stop_all_and_sigterm_leave_nothing_waiting(
    tmp_path: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, go = _slow(tmp_path, monkeypatch, small_csv)
    second = _spec(small_csv, k=2)
    place, _ = workspace()
    for way in ("stop all", "SIGTERM"):
        go.unlink(missing_ok=True)
        queueing.start_all([first, second])
        _wait(lambda: catalogue.run(first.run_id).stage == "retrieve")
        if way == "stop all":
            assert queueing.stop_all() == 2
        else:
            process = holder(place.lock(first.run_id))
            assert process is not None
            os.kill(process, signal.SIGTERM)
        _seen_by_the_worker()
        go.touch()
        _wait(lambda: _states(first, second) == ["stopped", "stopped"])
    assert queueing.stop_all() == 0


def test_one_that_cannot_be_evaluated_does_not_stop_the_rest(
    small_csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = _spec(small_csv, k=1), _spec(small_csv, k=2)
    queueing.start_all([bad, good])
    _wait(lambda: _states(bad, good) == ["done", "done"])
    _, store = workspace()
    for spec in (bad, good):
        update_run(store, spec.run_id, state="stopped")
    stored = run_row(store, bad.run_id)["spec"]
    update_run(store, bad.run_id, spec={**stored, "request": {**stored["request"], "k": 99}})
    assert main(["evaluate", "--resume", bad.run_id, good.run_id]) == 2
    assert "--k is 99" in capsys.readouterr().err
    assert _states(good) == ["done"]
    assert run_row(store, bad.run_id)["state"] == "failed"
    assert "--k is 99" in run_row(store, bad.run_id)["message"]


def test_a_retry_that_is_taken_out_leaves_the_run_as_it_was(
    tmp_path: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = _spec(small_csv)
    queueing.start_all([done])
    _wait(lambda: _states(done) == ["done"])
    _, store = workspace()
    update_run(store, done.run_id, failures={"the index is away": 2})
    before = catalogue.run(done.run_id)
    slow, go = _slow(tmp_path, monkeypatch, small_csv)
    queueing.start_all([slow])
    _wait(lambda: catalogue.run(slow.run_id).stage == "retrieve")
    assert queueing.resume_all([done.run_id], retry_failed=True).started == (done.run_id,)
    assert _states(done) == ["queued"]
    assert queueing.stop(done.run_id) == "withdrawn"
    after = catalogue.run(done.run_id)
    assert (after.state, after.version, after.finished, after.failures) == (
        "done",
        1,
        before.finished,
        {"the index is away": 2},
    )
    # and may be retried at once, though its worker lets its lock go a moment later
    assert queueing.resume_all([done.run_id], retry_failed=True).started == (done.run_id,)
    go.touch()
    _wait(lambda: _states(slow, done) == ["done", "done"])
    assert (catalogue.run(done.run_id).version, catalogue.run(done.run_id).failures) == (2, {})


def test_a_dataset_deleted_meanwhile_starts_none_of_the_runs(small_csv: Path) -> None:
    specs = [_spec(small_csv, k=k) for k in (1, 2)]
    gone = replace(specs[1], request=replace(specs[1].request, dataset="gone"))
    with pytest.raises(OptionError, match="'gone' has been deleted meanwhile"):
        queueing.start_all([specs[0], gone])
    assert catalogue.runs() == []


def test_unknown_runs_start_nothing(small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = _spec(small_csv)
    queueing.start_all([good])
    _wait(lambda: _states(good) == ["done"])
    assert main(["evaluate", "--resume", good.run_id, "gone-0000000000"]) == 2
    assert "no run 'gone-0000000000'" in capsys.readouterr().err
    for wrong in ("gone", "../../etc/passwd", "", "a\nb"):
        for action in (queueing.stop, lambda run_id: queueing.resume_all([run_id])):
            with pytest.raises(OptionError, match="no run"):
                action(wrong)


def test_two_tabs_press_start_at_once(small_csv: Path) -> None:
    specs = [_spec(small_csv, k=k) for k in (1, 2)]
    found: list[queueing.Started] = []
    tabs = [threading.Thread(target=lambda: found.append(queueing.start_all(specs))) for _ in range(2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    # each run is handed to one worker, whichever tab was first
    assert sorted(run_id for one in found for run_id in one.started) == sorted(spec.run_id for spec in specs)
    _wait(lambda: _states(*specs) == ["done", "done"])
