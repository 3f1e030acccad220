"""Requests to stop are states in the store; a thread of the evaluating process looks for them.

No signals: between looking up a process and signalling it a queue may have gone on to the next run, which would be
stopped in its place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from core.errors import TrilensError
from core.store.database import Store
from core.store.runs import run_states

_SECONDS = 0.4


@contextmanager
def watching(store: Store, run_ids: Sequence[str], changed: Callable[[str, str], None]) -> Iterator[None]:
    """Call ``changed(run, state)`` from a thread whenever the state of one of the runs has become another."""
    ended = threading.Event()

    def watch() -> None:
        known: dict[str, str] = {}
        while not ended.wait(_SECONDS):
            # a store that cannot be read now is looked at again: whoever writes to it will say what is wrong
            with suppress(TrilensError):
                for row in run_states(store, run_ids):
                    if known.get(row["id"]) != row["state"]:
                        known[row["id"]] = row["state"]
                        changed(row["id"], row["state"])
        store.close()

    thread = threading.Thread(target=watch, name="watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
