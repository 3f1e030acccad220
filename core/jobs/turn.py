"""Workers take turns: those started later wait until the earlier ones have finished, as one expects of a queue.

Two at once would share the processors and the memory of one machine, and each would take longer than its estimate
says. An evaluation that a person runs in a terminal waits for nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from core.errors import BusyError
from core.jobs.lock import Lock
from core.jobs.worker import is_alive
from core.settings import Home
from core.store.database import Store
from core.store.runs import run_states

_SECONDS = 0.3
#: no run has this name: theirs end in a dash and ten hexadecimal digits
_TURN = ".turn"


def wait_for_turn(home: Home, store: Store, mine: Collection[str], give_up: Callable[[], bool]) -> Lock | None:
    """Return the turn, to be closed when all is done, or None when ``give_up`` said so first."""
    while not give_up():
        if _is_first(home, store, mine):
            try:
                return Lock.take(home.lock(_TURN), "another run")
            except BusyError:
                pass
        time.sleep(_SECONDS)
    return None


def _is_first(home: Home, store: Store, mine: Collection[str]) -> bool:
    """Whether no living run of another worker has waited longer."""
    queued = [row["id"] for row in run_states(store) if row["state"] == "queued"]
    first = next((run_id for run_id in queued if run_id in mine or is_alive(home, run_id)), None)
    return first is None or first in mine
