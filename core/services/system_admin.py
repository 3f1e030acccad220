"""Use case *delete an imported system*: its answers go, the scores of runs that had it stay."""

from __future__ import annotations

from contextlib import ExitStack

from core.errors import BusyError
from core.services.at_rest import nobody_starts
from core.services.queueing import take_lock
from core.services.system_importing import remove_system
from core.services.workspace import workspace
from core.store.systems import runs_with


def runs_having(dataset: str, name: str) -> list[str]:
    """Return what the runs are called that have the system as a configuration, newest first."""
    _, store = workspace()
    return [row["title"] or row["id"] for row in runs_with(store, dataset, name)]


def delete(dataset: str, name: str) -> None:
    """Delete a system unless a run that has it is going or waits for its turn.

    Raises:
        OptionError: the dataset has no such system (any more).
        BusyError: a run that has it is going or waits.
    """
    _, store = workspace()
    with nobody_starts(), ExitStack() as held:
        # whoever wants to go on with one of the runs needs its lock
        for row in runs_with(store, dataset, name):
            try:
                held.callback(take_lock(row["id"]).close)
            except BusyError as error:
                called = row["title"] or row["id"]
                raise BusyError(
                    f"Run '{called}' is being evaluated with it, or waits for that: stop the run, or wait until it is "
                    "done."
                ) from error
        remove_system(dataset, name)
