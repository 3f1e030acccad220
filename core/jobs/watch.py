"""Requests to stop are states in the store; a thread of the evaluating process looks for them.

No signals: between looking up a process and signalling it a queue may have gone on to the next run, which would be
stopped in its place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress

from core.errors import TrilensError
from core.store.database import Store
from core.store.runs import run_states

_SECONDS = 0.4


@contextmanager
def watching(
    store: Store, states: Callable[[], Mapping[str, str]], changed: Callable[[str, str], None]
) -> Iterator[None]:
    """Call ``changed(name, state)`` from a thread whenever one of ``states()`` has become another.

    ``states`` reads them from ``store``, name by name; the thread's connection to it is closed at the end.
    """
    ended = threading.Event()

    def watch() -> None:
        known: dict[str, str] = {}
        while not ended.wait(_SECONDS):
            # a store that cannot be read now is looked at again: whoever writes to it will say what is wrong
            with suppress(TrilensError):
                for name, state in states().items():
                    if known.get(name) != state:
                        known[name] = state
                        changed(name, state)
        store.close()

    thread = threading.Thread(target=watch, name="watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def watching_runs(
    store: Store, run_ids: Sequence[str], changed: Callable[[str, str], None]
) -> AbstractContextManager[None]:
    """Watch the states of runs."""
    return watching(store, lambda: {row["id"]: row["state"] for row in run_states(store, run_ids)}, changed)
