"""Use case *delete an imported system*: its answers go, the scores of runs that had it stay."""

from __future__ import annotations

from core.errors import BusyError
from core.services.system_importing import remove_system
from core.services.workspace import workspace
from core.store.runs import UNDER_WAY
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
    for row in runs_with(store, dataset, name):
        if row["state"] in UNDER_WAY:
            raise BusyError(
                f"Run '{row['title'] or row['id']}' is being evaluated with it: stop the run, or wait until it is done."
            )
    remove_system(dataset, name)
