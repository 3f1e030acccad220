"""Use case *evaluate*: turn choices into a run and run it here, whole or what is missing of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from core.engine.imported import system_specs
from core.engine.progress import Listener, Progress
from core.engine.run import Outcome, evaluate
from core.engine.spec import Request, RunSpec
from core.engine.systems import choice_of, systems_made_with
from core.errors import OptionError
from core.jobs.watch import watching_runs
from core.schema import Dataset
from core.services.importing import dataset_named
from core.services.planning import planned
from core.services.workspace import workspace
from core.store.datasets import dataset_rows, load_dataset
from core.store.runs import run_row


def plan(request: Request) -> tuple[RunSpec, Dataset]:
    """Import the dataset if it is a path, check every choice, and return the run they mean with its data.

    Raises:
        InputError, OptionError: something cannot be used; nothing was started.
    """
    _, store = workspace()
    request = replace(request, dataset=dataset_named(request.dataset))
    dataset = load_dataset(store, request.dataset)
    row = next(row for row in dataset_rows(store) if row["name"] == request.dataset)
    return planned(request, dataset, row["fingerprint"]), dataset


def plan_again(run_id: str) -> tuple[RunSpec, Dataset]:
    """Return a stored run with its data.

    Raises:
        OptionError: there is no such run, or its data or the code that defines it changed since.
    """
    _, store = workspace()
    row = run_row(store, run_id)
    made_with = systems_made_with(run_id, row["spec"]["resolved"], system_specs(store, row["dataset"]))
    spec, dataset = plan(replace(Request(**row["spec"]["request"]), systems=choice_of(made_with)))
    if spec.run_id != run_id:
        raise OptionError(
            f"run '{run_id}' was made by another version of Trilens, its retrievers or its language model: "
            f"evaluate it anew with `{spec.request.command()}`."
        )
    return spec, dataset


def run(spec: RunSpec, dataset: Dataset, *, listener: Listener | None = None, retry_failed: bool = False) -> Outcome:
    """Evaluate in this process, which a request to stop, Ctrl-C and SIGTERM end at the next safe point.

    A second Ctrl-C or SIGTERM ends it at once.

    Raises:
        BusyError: another process is evaluating this very run.
    """
    home, store = workspace()
    progress = Progress(store, spec.run_id, listener)

    def look(_: str, state: str) -> None:
        if state == "stopping":
            progress.stop.set()

    with stoppable(progress.stop.set), watching_runs(store, [spec.run_id], look):
        return evaluate(store, home, spec, dataset, progress=progress, retry_failed=retry_failed)


def resume(run_id: str, *, listener: Listener | None = None, retry_failed: bool = False) -> Outcome:
    """Do what is missing of a stored run in this process.

    Raises:
        OptionError: there is no such run, or its data or the code that defines it changed since.
        BusyError: another process is evaluating it.
    """
    return run(*plan_again(run_id), listener=listener, retry_failed=retry_failed)


@contextmanager
def stoppable(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first Ctrl-C or SIGTERM; raise KeyboardInterrupt at the second. Main thread only."""
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        del number, frame
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
