"""Showing a run's progress: a bar on a terminal, a line a stage elsewhere, JSON lines for machines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from core.cli_print import print_outcome
from core.engine.progress import Listener
from core.engine.run import Outcome

_JSON_SECONDS = 0.5


def evaluate_and_print(start: Callable[[Listener], Outcome], as_json: bool) -> int:
    """Run ``start`` with a listener, print how it ended and return the exit status."""
    if as_json:
        outcome = start(_json_listener())
        print(json.dumps({"event": outcome.state, "run": outcome.run_id, "worked": outcome.worked}), flush=True)
    else:
        bars = _Bars()
        try:
            outcome = start(bars.listen)
        finally:
            bars.close()
        print_outcome(outcome)
    return 0 if outcome.state == "done" else 130


def _json_listener() -> Listener:
    last: dict[str, Any] = {"stage": None, "moment": 0.0}

    def listen(stage: str, done: int, total: int, rate: float | None) -> None:
        moment = time.monotonic()
        if stage == last["stage"] and done < total and moment - last["moment"] < _JSON_SECONDS:
            return
        last.update(stage=stage, moment=moment)
        event = {"event": "progress", "stage": stage, "done": done, "total": total, "rate": rate}
        print(json.dumps(event), flush=True)

    return listen


class _Bars:
    """One bar a stage on standard error; without a terminal, one line when a stage is complete."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""
        self._finished = ""

    def listen(self, stage: str, done: int, total: int, rate: float | None) -> None:
        del rate
        if sys.stderr.isatty():
            self._draw(stage, done, total)
        elif done >= total and self._finished != stage:
            self._finished = stage
            print(f"{stage}: {total:,}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _draw(self, stage: str, done: int, total: int) -> None:
        from tqdm import tqdm

        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            self._bar = tqdm(total=total, desc=f"{stage:<24}", initial=done, file=sys.stderr, dynamic_ncols=True)
        self._bar.update(done - self._bar.n)
