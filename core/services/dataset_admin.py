"""Use case *delete a dataset*: with its runs, unless one of them is being evaluated."""

from __future__ import annotations

from contextlib import ExitStack

from core.errors import OptionError
from core.services.queueing import take_lock
from core.services.workspace import workspace
from core.store.browse import runs_on
from core.store.datasets import delete_dataset


def delete(name: str, *, fingerprint: str | None = None, only_unused: bool = False) -> None:
    """Delete a dataset with its documents, questions, runs and their scores; encodings stay until they are cleared.

    ``fingerprint`` is what the dataset must hold, None for anything; ``only_unused`` deletes no run.

    Raises:
        OptionError: there is no such dataset (any more).
        BusyError: one of its runs is being evaluated or waits for it, or there is one and there should be none.
    """
    home, store = workspace()
    runs = [] if only_unused else [row["id"] for row in runs_on(store, name)]
    with ExitStack() as held:
        # whoever wants to go on with one of the runs needs its lock
        for run_id in runs:
            held.callback(take_lock(run_id).close)
        if not delete_dataset(store, name, runs, fingerprint):
            raise OptionError(f"No dataset '{name[:80]}' is stored here any more: nothing was deleted.")
        for run_id in runs:
            home.log(run_id).unlink(missing_ok=True)
