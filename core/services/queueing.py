"""Use case *evaluate in the background*: runs wait in a queue, a worker goes through it, anybody may stop them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from core.engine.progress import Listener, Progress
from core.engine.run import Outcome, evaluate, record_failure
from core.engine.spec import RunSpec
from core.errors import BusyError, OptionError, TrilensError
from core.jobs import worker
from core.jobs.lock import Lock
from core.jobs.turn import wait_for_turn
from core.jobs.watch import watching_runs
from core.services.at_rest import starting
from core.services.evaluation import plan_again, stoppable
from core.services.workspace import workspace
from core.store.runs import (
    UNDER_WAY,
    change_state,
    create_runs,
    queue_runs,
    run_row,
    run_states,
    update_run,
    withdraw_runs,
)

#: within this time a worker has seen that a run was taken out of its queue
_LET_GO_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Started:
    """Ids of the runs that were handed to a worker, of those that are complete, and of those that go on already."""

    started: tuple[str, ...]
    complete: tuple[str, ...]
    going: tuple[str, ...]


def start(spec: RunSpec) -> bool:
    """Evaluate in a worker process that outlives this one; return False when the run is complete already.

    Raises:
        BusyError: another process is evaluating this very run.
        TrilensError: the worker ended before it began; the message is what it said.
    """
    found = start_all([spec])
    if found.going:
        raise BusyError(f"run '{spec.run_id}' is being evaluated already: `runs` shows how far it is.")
    return bool(found.started)


def start_all(specs: Sequence[RunSpec]) -> Started:
    """Queue the runs that are not complete and start one worker, which evaluates them one after the other.

    Where another worker is going, this one waits until it has finished.

    Raises:
        OptionError: a dataset has been deleted meanwhile; nothing was started.
        TrilensError: the worker ended before it began; the message is what it said.
    """
    by_id = {spec.run_id: spec for spec in specs}
    _, store = workspace()

    def register(run_ids: Sequence[str]) -> None:
        new = [(run_id, by_id[run_id].request.dataset, by_id[run_id].stored()) for run_id in run_ids]
        create_runs(store, new, state="queued")

    return _start(list(by_id), register, retry_failed=False)


def resume_all(run_ids: Sequence[str], *, retry_failed: bool = False) -> Started:
    """Do the same for stored runs; ``retry_failed`` computes anew what failed before, in finished ones too.

    Raises:
        OptionError: there is no such run, or it was made by another version.
        TrilensError: the worker ended before it began; the message is what it said.
    """
    for run_id in run_ids:
        plan_again(run_id)
    # one that has been deleted since is found missing before any other has been changed
    return _start(list(dict.fromkeys(run_ids)), lambda _: None, retry_failed=retry_failed)


def _start(run_ids: Sequence[str], register: Callable[[Sequence[str]], None], *, retry_failed: bool) -> Started:
    home, store = workspace()
    going = []
    with ExitStack() as stack:
        stack.enter_context(starting())
        locks: dict[str, Lock] = {}
        for run_id in run_ids:
            try:
                lock = take_lock(run_id)
            except BusyError:
                going.append(run_id)
                continue
            stack.callback(lock.close)
            locks[run_id] = lock
        register(list(locks))
        complete = [run_id for run_id in locks if is_complete(run_id, retry_failed=retry_failed)]
        for run_id in complete:
            del locks[run_id]
        if locks:
            queue_runs(store, list(locks))
            try:
                worker.start(home, ["--resume", *locks, *(["--retry-failed"] if retry_failed else [])], locks)
            except TrilensError as error:
                for run_id in locks:
                    update_run(store, run_id, state="failed", message=str(error))
                raise
        return Started(tuple(locks), tuple(complete), tuple(going))


def take_lock(run_id: str) -> Lock:
    """Take the lock of a run that nobody evaluates; one just taken out of a queue is waited for a moment.

    Raises:
        BusyError: it is being evaluated, or waits for it.
    """
    home, store = workspace()
    give_up = time.monotonic() + _LET_GO_SECONDS
    while True:
        try:
            return Lock.take(home.lock(run_id), f"run '{run_id}'")
        except BusyError:
            states = [row["state"] for row in run_states(store, [run_id])]
            if states not in (["stopped"], ["done"]) or time.monotonic() > give_up:
                raise


def is_complete(run_id: str, *, retry_failed: bool = False) -> bool:
    """Return whether nothing is left to do of a stored run."""
    _, store = workspace()
    row = run_row(store, run_id)
    return row["state"] == "done" and not (retry_failed and row["failures"])


def stop(run_id: str) -> Literal["withdrawn", "asked"]:
    """Take a run out of the queue, or ask whoever evaluates it to stop at the next safe point.

    One that has results already is done as before then, with the failures it had. The rest of its queue goes on.

    Raises:
        OptionError: there is no such run, or nobody evaluates it.
    """
    home, store = workspace()
    run_row(store, run_id)
    if worker.is_alive(home, run_id):
        if withdraw_runs(store, [run_id]):
            return "withdrawn"
        if change_state(store, [run_id], ["running", "stopping"], "stopping"):
            return "asked"
    raise OptionError(f"run '{run_id}' is not being evaluated, so there is nothing to stop.")


def stop_all() -> int:
    """Empty the queue and ask whatever is being evaluated to stop; return how many runs that concerns."""
    home, store = workspace()
    alive = [row["id"] for row in run_states(store) if row["state"] in UNDER_WAY and worker.is_alive(home, row["id"])]
    withdrawn = withdraw_runs(store, alive)
    return len({*withdrawn, *change_state(store, alive, ["running", "stopping"], "stopping")})


class Queue:
    """Runs that this process evaluates one after the other; it holds the lock of each until that one has ended."""

    def __init__(self, locks: dict[str, Lock], *, is_worker: bool, retry_failed: bool) -> None:
        self._home, self._store = workspace()
        self._locks, self._is_worker, self._retry = locks, is_worker, retry_failed
        self._turn: Lock | None = None
        self._mutex = threading.Lock()
        # an event a run: a request that comes too late for one must not stop the next
        self._current: tuple[str, threading.Event] = ("", threading.Event())
        self._ended = threading.Event()

    def evaluate(self, run_id: str, listener: Listener) -> Outcome:
        """Evaluate one of the runs, in a worker when it is its turn; a run that was taken out of the queue is stopped.

        Raises:
            TrilensError: it cannot be evaluated; the others can.
        """
        try:
            if is_complete(run_id, retry_failed=self._retry):
                return Outcome(run_id, "done", worked=False)
            self._await_turn(run_id)
            if not self._claim(run_id):
                return Outcome(run_id, "stopped", worked=False)
            return self._evaluate(run_id, listener)
        finally:
            self._free(run_id)

    def _evaluate(self, run_id: str, listener: Listener) -> Outcome:
        progress = Progress(self._store, run_id, listener, self._current[1])
        try:
            spec, dataset = plan_again(run_id)
            return evaluate(
                self._store, self._home, spec, dataset, progress=progress, retry_failed=self._retry, claimed=True
            )
        except Exception as error:
            record_failure(self._store, run_id, error)
            raise

    def look(self, run_id: str, state: str) -> None:
        """Do what a state asks for that somebody else has set."""
        current, stop = self._current
        if state == "stopping" and run_id == current:
            stop.set()
        elif state in ("stopped", "done") and run_id != current:
            self._free(run_id)

    def end(self) -> None:
        """Stop the run that is being evaluated and begin no other."""
        self._ended.set()
        self._current[1].set()

    def close(self) -> None:
        """Give everything back; runs that were not begun count as stopped."""
        if self._ended.is_set():
            withdraw_runs(self._store, list(self._locks))
        for run_id in list(self._locks):
            self._free(run_id)
        if self._turn:
            self._turn.close()

    def _await_turn(self, run_id: str) -> None:
        if self._is_worker and not self._turn:
            self._turn = wait_for_turn(
                self._home,
                self._store,
                list(self._locks),
                lambda: self._ended.is_set() or run_id not in self._locks,
            )

    def _claim(self, run_id: str) -> bool:
        """Set the run going, or leave it where this process was asked to end; False where it is not to begin."""
        with self._mutex:
            # one that was taken out of this queue may wait in another by now
            if run_id not in self._locks:
                return False
            self._current = run_id, threading.Event()
            if self._ended.is_set():
                withdraw_runs(self._store, [run_id])
                return False
            return bool(change_state(self._store, [run_id], ["queued"], "running"))

    def _free(self, run_id: str) -> None:
        with self._mutex:
            lock = self._locks.pop(run_id, None)
        if lock:
            lock.close()


@contextmanager
def opened(run_ids: Sequence[str], *, retry_failed: bool = False) -> Iterator[Queue]:
    """Take the locks of stored runs, or those handed to this worker, and yield the queue that they are.

    Raises:
        OptionError: there is no such run.
        BusyError: another process is evaluating one of them.
    """
    home, store = workspace()
    for run_id in run_ids:
        run_row(store, run_id)
    locks = worker.inherited_locks(home, run_ids)
    is_worker = bool(locks)
    with ExitStack() as stack:
        if not is_worker:
            with starting():
                for run_id in dict.fromkeys(run_ids):
                    locks[run_id] = Lock.take(home.lock(run_id), f"run '{run_id}'")
                    stack.callback(locks[run_id].close)
                queue_runs(store, [one for one in locks if not is_complete(one, retry_failed=retry_failed)])
        for lock in locks.values():
            lock.sign()
        queue = Queue(locks, is_worker=is_worker, retry_failed=retry_failed)
        stack.callback(queue.close)
        with stoppable(queue.end), watching_runs(store, list(run_ids), queue.look):
            yield queue
