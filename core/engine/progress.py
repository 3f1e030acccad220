"""Progress of a run: written to the store a few times a second, told to whoever listens, and a place to stop."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.store.database import Store
from core.store.runs import update_run


@dataclass(frozen=True, slots=True)
class Event:
    """How far a stage is: ``rate`` is items a second, ``seconds_left`` of this stage; both None until known.

    ``kept`` of the items done were stored before and needed no work.
    ``failures`` counts the run's failed items so far by reason.
    """

    stage: str
    done: int
    total: int
    kept: int
    rate: float | None
    seconds_left: float | None
    failures: Mapping[str, int]


Listener = Callable[[Event], None]
_STORE_SECONDS = 0.5


class Stopped(Exception):  # noqa: N818 - not an error: somebody asked for it
    """The run was asked to stop; everything finished so far is stored."""


@dataclass
class Progress:
    """Counts one stage at a time. ``stop`` may be set from a signal handler or another thread."""

    store: Store
    run_id: str
    listener: Listener | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    #: seconds spent in each stage so far, and items it computed, for provenance, estimates and benchmarks
    seconds: dict[str, float] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    #: whether the store keeps the failures of results that are there already until this run has ended
    keeps_failures: bool = False
    _stage: str = ""
    _total: int = 0
    _skipped: int = 0
    _done: int = 0
    _began: float = 0.0
    _written: float = 0.0

    def begin(self, stage: str, total: int, *, stored: int = 0) -> None:
        """Start a stage of ``total`` items, ``stored`` of which need no work."""
        self._close()
        self._stage, self._total, self._skipped, self._done = stage, total, stored, stored
        self._began, self._written = time.perf_counter(), 0.0
        self.advance(stored)

    def found(self, stored: int) -> None:
        """Count ``stored`` further items of the stage as needing no work, which no rate may rest on."""
        self._skipped += stored

    def advance(self, done: int) -> None:
        """Report ``done`` of the stage's items.

        Raises:
            Stopped: the run was asked to stop.
        """
        if self.stop.is_set():
            raise Stopped
        self._done = done
        moment = time.perf_counter()
        elapsed = moment - self._began
        rate = (done - self._skipped) / elapsed if done > self._skipped and elapsed > 0 else None
        if self.listener:
            left = (self._total - done) / rate if rate else None
            self.listener(Event(self._stage, done, self._total, self._skipped, rate, left, dict(self.failures)))
        if moment - self._written >= _STORE_SECONDS:
            self._written = moment
            update_run(
                self.store,
                self.run_id,
                stage=self._stage,
                done=done,
                total=self._total,
                rate=rate,
                **({} if self.keeps_failures else {"failures": self.failures}),
            )

    def finish(self) -> None:
        """Close the last stage."""
        self._close()
        self._stage = ""

    def _close(self) -> None:
        if self._stage:
            spent = time.perf_counter() - self._began
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + spent
            self.items[self._stage] = self.items.get(self._stage, 0) + max(self._done - self._skipped, 0)
