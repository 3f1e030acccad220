"""Calls to a language model in a run: what was answered before is taken, the rest is asked, each answer is stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Self

from core.engine.fill import Workbench
from core.engine.ledger import Ledger, Used
from core.engine.progress import Stopped
from core.engine.repeats import plain
from core.models.llm.calls import CUT, Call, CallFailure, Completion, ModelSpec, Outcome, Tokens, call_key
from core.models.llm.client import LanguageModel
from core.models.llm.faults import BILLED
from core.models.llm.purse import Spent
from core.schema import content_hash
from core.store.database import Store
from core.store.stage_results import StageKey, StageResult, get_results, mean_in, put_results, spent_in

#: says why a text that came back cannot be used for an item, "" where it can
Problem = Callable[[str, str], str]
#: reaches the model, given what the run has used of its limits before
Connect = Callable[[Spent], AbstractContextManager[LanguageModel]]


class Calls:
    """One model's calls in a run. To be used as a context: the model is connected at the first call that is sent.

    An answer is stored under everything that decides it (``call_key``), so that no run asks for it again. One that
    failed, or that could not be used, is asked for again where the run retries what failed.
    """

    def __init__(self, bench: Workbench, model: ModelSpec, connect: Connect, ledger: Ledger) -> None:
        self._bench, self._model, self._connect, self._ledger = bench, model, connect, ledger
        self._key = _key(model)
        self._known: dict[str, StageResult] = {}
        self._connected: LanguageModel | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def complete(
        self,
        purpose: str,
        calls: Mapping[str, Call],
        *,
        users: Mapping[str, Collection[str]] | None = None,
        problem: Problem | None = None,
    ) -> dict[str, Outcome]:
        """Return the outcome of every item's call; equal calls are one.

        ``purpose`` is the stage that is reported. ``users`` maps items to the configurations that need them, for the
        cost of each. ``problem`` looks at every new text: one that cannot be used is a failure with its reason.

        Raises:
            Stopped: the run was asked to stop; what came back until then is stored.
            EndpointUnreachable, EndpointRefused, SpendingLimitReached: as ``LanguageModel.run`` raises them.
        """
        keys = {item: call_key(self._model, call) for item, call in calls.items()}
        distinct = {keys[item]: call for item, call in calls.items()}
        item_of = {key: item for item, key in keys.items()}
        self._recall(distinct)
        missing = {key: call for key, call in distinct.items() if key not in self._known}
        progress = self._bench.progress
        progress.begin(purpose, len(distinct))
        progress.failures.update(
            found.reason for key in distinct if (found := self._known.get(key)) and found.state == "failed"
        )
        progress.found(len(distinct) - len(missing))
        progress.advance(len(distinct) - len(missing))
        try:
            if missing:
                self._send(missing, len(distinct), lambda key, text: problem(item_of[key], text) if problem else "")
        finally:
            # a run that stops here has its cost so far
            for item, key in keys.items():
                if found := self._known.get(key):
                    used = _used(found.value, progress.run_id)
                    self._ledger.note(purpose, key, used, {plain(name) for name in (users or {}).get(item, ())})
        return {item: _outcome(self._known[key]) for item, key in keys.items()}

    def _recall(self, keys: Collection[str]) -> None:
        """Take what is stored; what failed before is left out where it is to be tried again, which happens once."""
        found = get_results(self._bench.store, self._key, [key for key in keys if key not in self._known])
        self._known |= {
            key: result for key, result in found.items() if not (self._bench.retry and result.state == "failed")
        }

    def _send(self, missing: Mapping[str, Call], total: int, problem: Problem) -> None:
        progress = self._bench.progress
        if self._connected is None:
            spent = spent_of(self._bench.store, self._model, progress.run_id)
            self._connected = self._stack.enter_context(self._connect(spent))
        began = time.perf_counter()
        before, left = len(self._known), len(missing)

        def arrived(key: str, outcome: Outcome) -> None:
            nonlocal left
            result = _result(key, outcome, problem, progress.run_id)
            put_results(self._bench.store, self._key, [result])
            self._known[key] = result
            left -= 1
            if result.state == "failed":
                progress.failures[result.reason] += 1
            try:
                progress.advance(total - left)
            except Stopped:
                # what is under way is paid for: it is waited for and stored
                progress.stop.set()

        try:
            self._connected.run(missing, on_outcome=arrived, stop=progress.stop)
        finally:
            self._ledger.sent(len(self._known) - before, time.perf_counter() - began)
        progress.advance(total - left)


def stored_outcomes(store: Store, model: ModelSpec, keys: Sequence[str]) -> dict[str, Outcome]:
    """Return the outcomes of those of a model's calls that are stored, failed ones included: none is sent again."""
    return {key: _outcome(result) for key, result in get_results(store, _key(model), keys).items()}


def spent_of(store: Store, model: ModelSpec, run_id: str) -> Spent:
    """Return what a run has used of its limits so far."""
    return Spent(*spent_in(store, _key(model), run_id, BILLED))


def stored_keys(store: Store, model: ModelSpec, keys: Sequence[str]) -> frozenset[str]:
    """Return those of a model's calls that are stored, failed ones included: a run sends none of them again."""
    return frozenset(get_results(store, _key(model), keys))


def mean_output(store: Store, model: ModelSpec) -> float | None:
    """Return how many tokens a stored text of the model has on average, None where there is none."""
    return mean_in(store, _key(model), "out")


def _key(model: ModelSpec) -> StageKey:
    return StageKey("call", content_hash(model.as_spec()))


def _result(key: str, outcome: Outcome, problem: Problem, run_id: str) -> StageResult:
    lost = {"lost": list(outcome.lost)} if any(outcome.lost) else {}
    if isinstance(outcome, CallFailure):
        return StageResult(key, {"kind": outcome.kind, "run": run_id, **lost}, "failed", outcome.reason)
    value = {
        "text": outcome.text,
        "in": outcome.input_tokens,
        "out": outcome.output_tokens,
        "seconds": round(outcome.seconds, 3),
        "finish": outcome.finish,
        "run": run_id,
        **lost,
    }
    reason = problem(key, outcome.text)
    return StageResult(key, value, "failed", reason) if reason else StageResult(key, value)


def _outcome(result: StageResult) -> Outcome:
    value: Mapping[str, Any] = result.value
    if result.state == "failed":
        return CallFailure(result.reason, value.get("kind", "format"))
    return Completion(value["text"], value["in"], value["out"], value["seconds"], value["finish"])


def _used(value: Mapping[str, Any], run_id: str) -> Used:
    """What a stored call took; it was there before when another run asked for it."""
    answered = "text" in value
    lost: Tokens = tuple(value.get("lost", (0, 0)))
    return Used(
        input_tokens=lost[0] + (value["in"] if answered else 0),
        output_tokens=lost[1] + (value["out"] if answered else 0),
        seconds=value["seconds"] if answered else None,
        cached=value["run"] != run_id,
        cut=value.get("finish") == CUT,
    )
