"""Ask an endpoint many things at once."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from core.endpoints import Endpoint
from core.models.llm.calls import Call, ModelSpec, Outcome, call_key, model_spec
from core.models.llm.dispatch import Dispatch
from core.models.llm.purse import Purse, Spent
from core.models.llm.wire import Wire, open_wire


class LanguageModel:
    """One endpoint's model for the time of a run. One ``run`` at a time."""

    spec: ModelSpec

    def __init__(self, endpoint: Endpoint, *, spent: Spent | None = None) -> None:
        """Prepare; nothing is sent and no key is read yet.

        ``spent`` is what an interrupted run has used of its limits already.

        Raises:
            ModelError: the endpoint's tokenizer cannot be read.
        """
        self.spec = model_spec(endpoint)
        self.endpoint = endpoint
        self._purse = Purse(endpoint, replace(spent) if spent else Spent())

    @property
    def spent(self) -> Spent:
        """What was used of the limits, by all runs of this object and before it."""
        return replace(self._purse.spent)

    def run(
        self, calls: Mapping[str, Call], *, on_outcome: Callable[[str, Outcome], None], stop: threading.Event
    ) -> None:
        """Send all calls (id to call) and report each as it ends; equal calls are sent once.

        ``on_outcome`` is called from the calling thread, one outcome after the other, while requests go on in a
        thread of their own; what it raises breaks everything off and is raised here. When ``stop`` is set nothing
        more is sent, what is under way gets a few seconds to end, and this returns without the rest.

        Raises:
            EndpointUnreachable: the endpoint answers nothing; calls without an outcome were not tried or count as such.
            EndpointRefused: wrong or missing key, unknown model, or no call is taken as the endpoint is set up.
            SpendingLimitReached: the next call might exceed the limit; what was under way has been reported.
            ModelError: the package of a "chat" endpoint's provider is missing.
        """
        if not calls:
            return
        ids: dict[str, list[str]] = {}
        for name, call in calls.items():
            ids.setdefault(call_key(self.spec, call), []).append(name)
        journey = _Journey(
            self.endpoint,
            open_wire(self.endpoint),
            self._purse,
            {key: calls[same[0]] for key, same in ids.items()},
            stop,
        )
        journey.start()
        try:
            for key, outcome in journey.outcomes():
                for name in ids[key]:
                    on_outcome(name, outcome)
        finally:
            journey.end()


class _Journey(threading.Thread):
    """The event loop of one ``run``, beside the caller's thread, which may take its time to store an outcome."""

    def __init__(
        self, endpoint: Endpoint, wire: Wire, purse: Purse, calls: Mapping[str, Call], stop: threading.Event
    ) -> None:
        super().__init__(name=f"endpoint {endpoint.name}", daemon=True)
        self._endpoint = endpoint
        self._wire = wire
        self._purse = purse
        self._calls = calls
        self._stop_event = stop
        self._ended: queue.SimpleQueue[tuple[str, Outcome] | BaseException | None] = queue.SimpleQueue()
        self._abort = threading.Event()

    def outcomes(self) -> Iterator[tuple[str, Outcome]]:
        """Yield call key and outcome as calls end; raise what ended them all."""
        while (ended := self._ended.get()) is not None:
            if isinstance(ended, BaseException):
                raise ended
            yield ended

    def end(self) -> None:
        """Break off what is still under way and wait for the thread."""
        self._abort.set()
        self.join()

    def run(self) -> None:
        """Run the loop (called by ``start``)."""
        try:
            asyncio.run(self._dispatched())
        except BaseException as error:  # handed to the caller's thread, where it is raised
            self._ended.put(error)
        else:
            self._ended.put(None)

    async def _dispatched(self) -> None:
        dispatch = Dispatch(
            self._endpoint, self._wire, self._purse, lambda key, outcome: self._ended.put((key, outcome))
        )
        watch = asyncio.create_task(dispatch.watch(self._stop_event, self._abort))
        try:
            await dispatch.run(self._calls)
        finally:
            watch.cancel()
            await self._wire.close()
