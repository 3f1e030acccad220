"""Runs start together or the store is changed as a whole, never both: a lock file of the home keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from core.errors import BusyError
from core.jobs.lock import gate
from core.jobs.worker import is_alive
from core.services.workspace import workspace
from core.store.runs import run_summaries

#: no run's id: those end with a dash and ten digits
_STORE = "store"


def starting() -> AbstractContextManager[None]:
    """Hold this from before a run's lock is taken until it is held by whoever evaluates the run.

    Raises:
        BusyError: the store is being restored, cleared or thinned out.
    """
    home, _ = workspace()
    return gate(home.lock(_STORE), "the store is being changed: start the run again in a moment.", alone=False)


def nobody_starts() -> AbstractContextManager[None]:
    """Hold this while no run may start; those that go on already go on.

    Raises:
        BusyError: a run is just being started, or the store is being changed already.
    """
    home, _ = workspace()
    busy = "a run is just being started, or the store is being changed already: try again in a moment."
    return gate(home.lock(_STORE), busy, alone=True)


@contextmanager
def at_rest(then: str) -> Iterator[None]:
    """Hold this while no run may start or go on; ``then`` is what the caller wants to do ("restore").

    Raises:
        BusyError: a run is being evaluated or started, or the store is being changed already.
    """
    home, store = workspace()
    with nobody_starts():
        alive = next((row["id"] for row in run_summaries(store) if is_alive(home, row["id"])), None)
        if alive:
            raise BusyError(f"run '{alive}' is being evaluated: stop it or wait for it, then {then}.")
        yield
