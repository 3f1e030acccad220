"""Many calls over one wire: how many at once, when to try again, when to give a call up, when to end them all."""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace

from core.endpoints import Endpoint
from core.errors import EndpointRefused, EndpointUnreachable, SpendingLimitReached, TrilensError
from core.models.llm.calls import Call, CallFailure, Completion, Message, Outcome, Tokens
from core.models.llm.faults import ANSWERED, FATAL, RETRYABLE, Fault
from core.models.llm.gate import Gate
from core.models.llm.purse import Purse
from core.models.llm.wire import Wire

_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0
#: how long an endpoint that answers nothing is given to come back, in seconds
_PATIENCE = 30.0
#: how long requests under way are waited for when the user stops the run, in seconds
_GRACE = 5.0
_POLL = 0.1
_FORBIDDEN = 403
#: a call that every model answers
PROBE = Call((Message("user", "Answer with the word yes."),), max_tokens=16)


class Dispatch:
    """Sends calls until each has its outcome, the user stops, or the endpoint or the spending limit ends it.

    Requests that fail in a row, none answered in between, may be the calls' fault or the endpoint's. A probe, a call
    that every model answers, tells them apart: while it fails nobody else sends, and if it goes on failing the
    endpoint is unreachable and no call is blamed. For the same reason a call that was given up is delivered as failed
    only once the endpoint has shown that it lives.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        wire: Wire,
        purse: Purse,
        deliver: Callable[[str, Outcome], None],
    ) -> None:
        """Prepare; must be made on the event loop that runs it."""
        self._endpoint = endpoint
        self._wire = wire
        self._purse = purse
        self._deliver = deliver
        self._gate = Gate(endpoint.concurrency)
        self._booked = asyncio.Event()
        self._probing = asyncio.Lock()
        self._streak = 0
        self._longest_streak = max(8, 2 * endpoint.concurrency)
        self._answers = 0
        self._given_up: list[tuple[str, CallFailure]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way: set[asyncio.Task[None] | None] = set()
        self._ending = False
        self._error: TrilensError | None = None

    async def run(self, calls: Mapping[str, Call]) -> None:
        """Deliver the outcome of every call under its key, in the order in which they end.

        Raises:
            EndpointUnreachable: it answers nothing; calls without an outcome count as untried.
            EndpointRefused: it will answer no call as it is set up.
            SpendingLimitReached: the next call might exceed the limit; requests under way were waited for.
        """
        queue = deque(calls.items())
        await self._all(self._work(queue) for _ in range(min(self._endpoint.concurrency, len(queue))))
        if self._given_up and not self._ending:
            await self._all([self._decided()])
        if self._error is not None:
            raise self._error

    async def watch(self, stop: threading.Event, abort: threading.Event) -> None:
        """End the run when others ask for it: ``stop`` lets what is under way end for a few seconds, ``abort`` not."""
        stopped = False
        while not abort.is_set():
            if stop.is_set() and not stopped:
                stopped = True
                self._end(None, grace=_GRACE)
            await asyncio.sleep(_POLL)
        self._end(None, grace=0.0)

    async def _all(self, work: Iterable[Coroutine[None, None, None]]) -> None:
        self._tasks = {asyncio.create_task(one) for one in work}
        endings = await asyncio.gather(*self._tasks, return_exceptions=True)
        for ending in endings:
            if isinstance(ending, BaseException) and not isinstance(ending, asyncio.CancelledError):
                raise ending

    def _end(self, error: TrilensError | None, grace: float | None) -> None:
        """Send nothing more; break off what is under way after ``grace`` seconds, None waits for it."""
        self._ending = True
        self._error = self._error or error
        for task in self._tasks - self._under_way - {asyncio.current_task()}:
            task.cancel()
        if grace is not None:
            asyncio.get_running_loop().call_later(grace, self._break_off)

    def _break_off(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _work(self, queue: deque[tuple[str, Call]]) -> None:
        try:
            while queue and not self._ending:
                key, call = queue.popleft()
                outcome = await self._outcome(call)
                if isinstance(outcome, CallFailure) and outcome.kind not in ANSWERED:
                    self._given_up.append((key, outcome))
                elif outcome is not None:
                    self._deliver(key, outcome)
        except SpendingLimitReached as limit:
            self._end(limit, grace=None)
        except TrilensError as error:
            self._end(error, grace=0.0)
        except Exception:
            self._end(None, grace=0.0)
            raise

    async def _decided(self) -> None:
        """Find out at the end whether the calls given up last failed for their own sake."""
        try:
            await self._probe()
        except TrilensError as error:
            self._end(error, grace=None)

    async def _outcome(self, call: Call) -> Outcome | None:
        """Return how a call ends after all its tries, None where the run ends before it does."""
        endpoint = self._endpoint
        tries, counted = 0, 0
        lost: Tokens = (0, 0)
        deadline = math.inf
        failure: CallFailure | None = None
        while True:
            tokens = await self._admitted(call, self._gate.enter)
            now = time.monotonic()
            if failure is not None and now >= deadline:
                self._gate.leave()
                self._purse.give_back(tokens)
                return failure
            deadline = min(deadline, now + endpoint.total_seconds)
            answers, seconds = self._answers, min(endpoint.timeout_seconds, deadline - now)
            ending = await self._sent(call, tokens, seconds)
            if isinstance(ending, Completion):
                self._alive()
                return replace(ending, lost=lost)
            more = self._purse.lost(call, ending)
            lost = (lost[0] + more[0], lost[1] + more[1])
            if ending.status == _FORBIDDEN and not self._ending:
                # the key may do nothing, or this very text is not let through, as where somebody moderates
                if self._answers == answers:
                    await self._probe()
                return CallFailure(ending.reason, ending.kind, lost)
            if ending.kind in FATAL:
                raise self._refused(ending)
            if ending.kind in ANSWERED:
                self._alive()
                return CallFailure(ending.reason, ending.kind, lost)
            self._note(ending)
            if self._ending:
                return None
            if self._streak >= self._longest_streak:
                await self._probe()
            tries += 1
            # an endpoint that asks for fewer requests has not failed: such a try does not count, only its time does
            counted += ending.kind != "rate"
            reason = ending.reason
            if ending.kind == "timeout" and seconds < endpoint.timeout_seconds:
                # what was left for the last try is another number each time, and failures are counted by reason
                reason = f"no complete answer within {endpoint.total_seconds:g} s in all"
            failure = CallFailure(reason + (f"; {tries} tries" if tries > 1 else ""), ending.kind, lost)
            delay = _delay(ending, tries)
            late = time.monotonic() + delay >= deadline
            if ending.kind not in RETRYABLE or counted > endpoint.retries or late:
                return failure
            await asyncio.sleep(delay)

    async def _admitted(self, call: Call, enter: Callable[[], Coroutine[None, None, None]]) -> int:
        """Return the tokens set aside for a request, once it is inside the gate and they fit the spending limit.

        Only what is under way holds tokens, never what waits at the gate: a probe would wait for those for ever.
        """
        tokens = self._purse.most(call)
        while True:
            await enter()
            if self._purse.take(tokens):
                return tokens
            self._gate.leave()
            if self._purse.is_idle:
                raise SpendingLimitReached(
                    f"The endpoint '{self._endpoint.name}' may be used for {self._purse.limit()}: what was answered is "
                    "kept; raise the limit and go on with the run.",
                    self._purse.reached,
                )
            self._booked.clear()
            await self._booked.wait()

    async def _sent(self, call: Call, tokens: int, seconds: float) -> Completion | Fault:
        """Send one request that is inside the gate, and leave it."""
        ending: Completion | Fault | None = None
        self._under_way.add(asyncio.current_task())
        try:
            ending = await self._wire.send(call, seconds)
        except Fault as fault:
            ending = fault
        finally:
            self._under_way.discard(asyncio.current_task())
            self._gate.leave()
            self._purse.book(tokens, ending)
            self._booked.set()
        return ending

    def _alive(self) -> None:
        """Note an answer: the endpoint lives, so what was given up failed for its own sake."""
        self._answers += 1
        self._streak = 0
        self._gate.widen()
        given_up, self._given_up = self._given_up, []
        for key, failure in given_up:
            self._deliver(key, failure)

    def _note(self, fault: Fault) -> None:
        self._streak += 1
        if fault.kind == "rate":
            self._gate.narrow()
        if fault.retry_after:
            self._gate.rest(fault.retry_after)

    async def _probe(self) -> None:
        """Return once the endpoint answers anything.

        Raises:
            EndpointUnreachable, EndpointRefused, SpendingLimitReached: see ``run``.
        """
        answers = self._answers
        async with self._probing:
            self._gate.hold()
            try:
                began, tries = time.monotonic(), 0
                while self._answers == answers:
                    tries += 1
                    fault = await self._probed()
                    if fault is None:
                        break
                    patience = self._endpoint.total_seconds if fault.kind == "rate" else _PATIENCE
                    if time.monotonic() - began >= min(patience, self._endpoint.total_seconds):
                        raise EndpointUnreachable(
                            f"The endpoint '{self._endpoint.name}' answers nothing ({fault.reason}): see that it runs "
                            "and can be reached, then go on with the run; nothing is lost."
                        )
                    await asyncio.sleep(_delay(fault, tries))
            finally:
                self._gate.release()
        self._alive()

    async def _probed(self) -> Fault | None:
        """Return what keeps the endpoint from answering anything, None where nothing does."""
        tokens = await self._admitted(PROBE, self._gate.slip_in)
        ending = await self._sent(PROBE, tokens, self._endpoint.timeout_seconds)
        if isinstance(ending, Completion) or ending.kind in ANSWERED:
            return None
        if ending.kind in FATAL or ending.kind == "request":
            raise self._refused(ending)
        return ending

    def _refused(self, fault: Fault) -> EndpointRefused:
        endpoint = self._endpoint
        key = f", or the key in {endpoint.key_env}" if endpoint.key_env else ""
        return EndpointRefused(
            f"The endpoint '{endpoint.name}' refuses the model '{endpoint.model}': {fault.reason}; correct its settings"
            f"{key}, then go on with the run."
        )


def _delay(fault: Fault, tries: int) -> float:
    """Return the seconds to wait before the next try: doubled each time, spread so that calls do not come in step."""
    spread = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
    return spread if fault.retry_after is None else fault.retry_after + min(spread, 1.0)
