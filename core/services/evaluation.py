"""Use case *evaluate*: turn choices into a run, run it here or in a worker, stop it, resume it."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from core.engine.progress import Listener, Progress
from core.engine.run import Outcome, evaluate
from core.engine.spec import Request, RunSpec, resolve
from core.errors import BusyError, OptionError, TrilensError
from core.jobs import worker
from core.schema import Dataset
from core.services.importing import dataset_named
from core.services.workspace import workspace
from core.store.datasets import dataset_rows, load_dataset
from core.store.runs import create_run, run_row


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


def start(spec: RunSpec) -> bool:
    """Evaluate in a worker process that outlives this one; return False when the run is complete already.

    Raises:
        BusyError: another process is evaluating this very run.
        TrilensError: the worker ended before it began; the message is what it said.
    """
    home, store = workspace()
    create_run(store, spec.run_id, spec.request.dataset, spec.stored())
    if run_row(store, spec.run_id)["state"] == "done":
        return False
    if worker.is_alive(home, spec.run_id):
        raise BusyError(f"run '{spec.run_id}' is being evaluated already: `runs` shows how far it is.")
    process = worker.start(home, spec.run_id, ["--resume", spec.run_id])
    while not worker.is_alive(home, spec.run_id):
        try:
            status = process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        if status:
            said = home.log(spec.run_id).read_text(encoding="utf-8", errors="replace").splitlines()
            raise TrilensError(said[-1] if said else f"the worker of run '{spec.run_id}' ended without a word.")
        break
    return True


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
