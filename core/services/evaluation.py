"""Use case *evaluate*: turn choices into a run, run it here or in a worker, stop it, resume it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from core.engine.progress import Listener, Progress
from core.engine.run import Outcome, evaluate
from core.engine.spec import Request, RunSpec, resolve
from core.errors import OptionError
from core.jobs import worker
from core.schema import Dataset
from core.services.importing import dataset_named
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
    return resolve(request, dataset, row["fingerprint"]), dataset


def request_of(run_id: str) -> Request:
    """Return the choices a stored run was made with.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    return Request(**run_row(store, run_id)["spec"]["request"])


def run(spec: RunSpec, dataset: Dataset, *, listener: Listener | None = None, retry_failed: bool = False) -> Outcome:
    """Evaluate in this process. Ctrl-C and SIGTERM stop at the next safe point; a second one ends at once."""
    home, store = workspace()
    progress = Progress(store, spec.run_id, listener)
    with _stoppable(progress.stop):
        return evaluate(store, home, spec, dataset, progress=progress, retry_failed=retry_failed)


def resume(run_id: str, *, listener: Listener | None = None, retry_failed: bool = False) -> Outcome:
    """Do what is missing of a stored run.

    Raises:
        OptionError: there is no such run, or its data or the code that defines it changed since.
    """
    spec, dataset = plan(request_of(run_id))
    if spec.run_id != run_id:
        raise OptionError(
            f"run '{run_id}' was made by another version of Trilens or of its retrievers: "
            f"evaluate it anew with `{spec.request.command()}`."
        )
    return run(spec, dataset, listener=listener, retry_failed=retry_failed)


def stop(run_id: str) -> None:
    """Ask whoever evaluates ``run_id`` to stop.

    Raises:
        OptionError: there is no such run, or nobody evaluates it.
    """
    home, store = workspace()
    run_row(store, run_id)
    worker.stop(home, run_id)


@contextmanager
def _stoppable(event: threading.Event) -> Iterator[None]:
    def ask(number: int, frame: FrameType | None) -> None:
        del number, frame
        if event.is_set():
            raise KeyboardInterrupt
        event.set()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
