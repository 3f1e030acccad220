"""Use case *generate*, while it goes: in this process or a worker, watched, stopped, resumed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.engine.generation import Ending, generate
from core.engine.progress import Listener
from core.errors import BusyError, OptionError, TrilensError
from core.generation.plan import plan_of
from core.jobs import worker
from core.jobs.lock import Lock
from core.jobs.watch import watching
from core.services.evaluation import stoppable
from core.services.workspace import workspace
from core.store.database import Store
from core.store.generation import (
    change_generation_state,
    delete_generation,
    generation_row,
    generation_rows,
    pair_counts,
    update_generation,
)

_GOING = ("queued", "running", "stopping")


@dataclass(frozen=True, slots=True)
class Cell:
    """One category of a set (both "" in a plan without sets): how many are accepted of how many wanted."""

    question_set: str
    category: str
    accepted: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Generation:
    """A stored question set under way.

    ``state``: "queued", "running", "stopping", "stopped", "interrupted" (its process died), "paused" (its model could
    not go on: ``message``), "failed" or "done". ``produced`` = ``done`` accepted and those rejected by reason. ``cost``
    sums calls, tokens and price so far; {} before the first. ``version`` is another one whenever something changed.
    """

    id: str
    title: str
    state: str
    message: str
    done: int
    wanted: int
    produced: int
    rejected: Mapping[str, int]
    cells: tuple[Cell, ...]
    cost: Mapping[str, Any]
    seconds: float
    endpoint: str
    model: str
    left_out: tuple[str, ...]
    created: str
    dataset: str
    version: int

    @property
    def is_going(self) -> bool:
        """Whether some process works at it."""
        return self.state in _GOING


def generations() -> list[Generation]:
    """Return all question sets under way, newest first."""
    _, store = workspace()
    return [_generation(store, row) for row in generation_rows(store)]


def generation(identifier: str) -> Generation:
    """Return one. Raises OptionError where there is none of that id."""
    _, store = workspace()
    return _generation(store, generation_row(store, identifier))


def run(identifier: str, listener: Listener | None = None) -> tuple[Ending, str]:
    """Go on with a stored question set in this process; return how it ended, and why where something hindered it.

    Raises:
        OptionError: there is none of that id, or its model or prompts changed since.
        BusyError: another process works at it.
    """
    home, store = workspace()
    generation_row(store, identifier)
    inherited = worker.inherited_locks(home, [identifier])
    lock = inherited.get(identifier) or _taken(identifier)
    stop = threading.Event()
    try:
        lock.sign()
        if not inherited:
            # whatever a process that died has left behind
            update_generation(store, identifier, state="queued", message="")
        if not change_generation_state(store, identifier, ["queued"], "running"):
            # asked to stop before it began
            update_generation(store, identifier, state="stopped")
            return "stopped", ""

        def state() -> dict[str, str]:
            return {identifier: generation_row(store, identifier)["state"]}

        def look(_: str, now: str) -> None:
            if now == "stopping":
                stop.set()

        with stoppable(stop.set), watching(store, state, look):
            return generate(store, home, identifier, stop=stop, listener=listener)
    except Exception as error:
        # whoever looks at the page sees why, whoever typed the command reads it
        with suppress(TrilensError):
            update_generation(store, identifier, state="failed", message=str(error))
        raise
    finally:
        lock.close()


def start(identifier: str) -> None:
    """Go on with a stored question set in a worker process that outlives this one.

    Raises:
        OptionError: there is none of that id.
        BusyError: a process works at it already.
        TrilensError: the worker ended before it began; the message is what it said.
    """
    home, store = workspace()
    generation_row(store, identifier)
    lock = _taken(identifier)
    try:
        update_generation(store, identifier, state="queued", message="")
        worker.start(home, ["--resume", identifier, "--review"], {identifier: lock}, command="generate")
    except TrilensError as error:
        update_generation(store, identifier, state="failed", message=str(error))
        raise
    finally:
        lock.close()


def stop(identifier: str) -> None:
    """Ask whoever works at a question set to stop; calls under way are waited for and stored.

    Raises:
        OptionError: there is none of that id, or nobody works at it.
    """
    home, store = workspace()
    generation_row(store, identifier)
    if not worker.is_alive(home, identifier) or not change_generation_state(
        store, identifier, ["queued", "running", "stopping"], "stopping"
    ):
        raise OptionError(f"nobody works at question set '{identifier}', so there is nothing to stop.")


def discard(identifier: str) -> None:
    """Delete a question set under way; datasets that were saved of it stay.

    Raises:
        OptionError: there is none of that id.
        BusyError: a process works at it.
    """
    _, store = workspace()
    generation_row(store, identifier)
    lock = _taken(identifier)
    try:
        delete_generation(store, identifier)
    finally:
        lock.close()


def _taken(identifier: str) -> Lock:
    home, _ = workspace()
    try:
        return Lock.take(home.lock(identifier), f"question set '{identifier}'")
    except BusyError:
        raise BusyError(
            f"question set '{identifier}' is being generated by another process: wait for it, or stop it with "
            f"`generate --stop {identifier}`."
        ) from None


def _generation(store: Store, row: Mapping[str, Any]) -> Generation:
    home, _ = workspace()
    state = row["state"]
    if state in _GOING and not worker.is_alive(home, row["id"]):
        state = "interrupted"
    counts = pair_counts(store, row["id"])
    rejected: dict[str, int] = {}
    accepted: dict[tuple[str, str], int] = {}
    for one in counts:
        if one["reason"]:
            rejected[one["reason"]] = rejected.get(one["reason"], 0) + one["n"]
        else:
            accepted[one["question_set"], one["category"]] = one["n"]
    return Generation(
        id=row["id"],
        title=row["title"],
        state=state,
        message=row["message"],
        done=row["done"],
        wanted=row["wanted"],
        produced=sum(one["n"] for one in counts),
        rejected=dict(sorted(rejected.items(), key=lambda pair: -pair[1])),
        cells=_cells(row, accepted),
        cost=row["cost"],
        seconds=row["seconds"],
        endpoint=row["request"]["endpoint"],
        model=row["model"]["model"],
        left_out=tuple(row["left_out"]),
        created=row["created"],
        dataset=row["dataset"],
        version=row["version"],
    )


def _cells(row: Mapping[str, Any], accepted: Mapping[tuple[str, str], int]) -> tuple[Cell, ...]:
    plan = plan_of(row["plan"])
    if not plan.sets:
        return (Cell("", "", accepted.get(("", ""), 0), plan.questions),)
    return tuple(
        Cell(one.label, category.name, accepted.get((one.label, category.name), 0), plan.per_category)
        for one in plan.sets
        for category in one.categories
    )
