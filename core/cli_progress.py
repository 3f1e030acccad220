"""Showing a run's progress: a bar on a terminal, a line a stage elsewhere, JSON lines for machines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from core.cli_print import discard, print_outcome
from core.engine.progress import Event, Listener, Stopped
from core.engine.run import Outcome

_JSON_SECONDS = 0.5
#: reasons of failures that are printed one by one
_REASONS = 10
_STOPPED, _HINDERED = 130, 1


def evaluate_and_print(start: Callable[[Listener], Outcome], as_json: bool) -> int:
    """Run ``start`` with a listener, print how it ended and return the exit status.

    That is 0 when it is done, 130 when somebody stopped it, 1 when its language model could not or must not go on.
    """
    if as_json:
        outcome = start(_json_listener())
    else:
        bars = _Bars()
        try:
            outcome = start(bars.listen)
        finally:
            bars.close()
            bars.say_failures()
    try:
        if as_json:
            ended = {"event": outcome.state, "run": outcome.run_id, "worked": outcome.worked}
            said = {"message": outcome.message} if outcome.message else {}
            print(json.dumps(ended | said, ensure_ascii=False), flush=True)
        else:
            print_outcome(outcome)
    except BrokenPipeError:
        discard(sys.stdout)
    if outcome.state == "done":
        return 0
    return _HINDERED if outcome.message else _STOPPED


def _json_listener() -> Listener:
    last: dict[str, Any] = {"stage": None, "moment": 0.0}

    def listen(event: Event) -> None:
        moment = time.monotonic()
        if event.stage == last["stage"] and event.done < event.total and moment - last["moment"] < _JSON_SECONDS:
            return
        last.update(stage=event.stage, moment=moment)
        try:
            print(json.dumps({"event": "progress", **asdict(event)}, ensure_ascii=False), flush=True)
        except OSError:
            # nobody listens any more: the run ends as one that can be resumed, not as a failed one
            raise Stopped from None

    return listen


class _Bars:
    """One bar a stage on standard error; without a terminal, one line when a stage is complete."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""
        self._finished = ""
        self._failures: Mapping[str, int] = {}

    def listen(self, event: Event) -> None:
        self._failures = event.failures
        # progress that cannot be shown is no reason to stop
        with suppress(OSError):
            if sys.stderr.isatty():
                self._draw(event)
            elif event.done >= event.total and self._finished != event.stage:
                self._finished = event.stage
                kept = f", {event.kept:,} of them kept from before" if event.kept else ""
                print(f"{event.stage}: {event.total:,}{kept}", file=sys.stderr, flush=True)

    def say_failures(self) -> None:
        """Print how many items failed, by reason."""
        ordered = sorted(self._failures.items(), key=lambda pair: -pair[1])
        lines = [f"{number:,} failed: {reason}" for reason, number in ordered[:_REASONS]]
        if rest := sum(number for _, number in ordered[_REASONS:]):
            lines.append(f"{rest:,} failed for other reasons")
        for line in lines:
            with suppress(OSError):
                print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the bar that is being drawn."""
        if self._bar is not None:
            with suppress(OSError):
                self._bar.close()
            self._bar = None

    def _draw(self, event: Event) -> None:
        from tqdm import tqdm

        if event.stage != self._stage or self._bar is None:
            self.close()
            self._stage = event.stage
            self._bar = tqdm(
                total=event.total,
                desc=f"{event.stage:<24}",
                initial=event.done,
                file=sys.stderr,
                dynamic_ncols=True,
            )
        failed = sum(event.failures.values())
        if failed:
            self._bar.set_postfix_str(f"{failed:,} failed", refresh=False)
        self._bar.update(event.done - self._bar.n)
