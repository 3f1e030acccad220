"""Who may send now: never more at once than set, fewer while the endpoint asks for less, nobody while it rests."""

from __future__ import annotations

import asyncio
import time

#: after "too many requests" the number at once is halved, but not again within this time: one crowd is one sign
_HALVING_SECONDS = 1.0


class Gate:
    """Admission of requests on one event loop.

    Additive increase, multiplicative decrease (Chiu and Jain 1989): "too many requests" halves how many may be under
    way, every answer widens it again by one over their number.
    """

    def __init__(self, concurrency: int) -> None:
        """Let up to ``concurrency`` requests be under way."""
        self._most = concurrency
        self._allowed = float(concurrency)
        self._inside = 0
        self._halved = float("-inf")
        self._rests_until = float("-inf")
        self._held = False
        self._changed = asyncio.Event()

    async def enter(self) -> None:
        """Wait until a request may be sent, and count it as under way."""
        while True:
            await self._rested()
            if not self._held and self._inside < int(self._allowed):
                self._inside += 1
                return
            self._changed.clear()
            await self._changed.wait()

    async def slip_in(self) -> None:
        """Count a probe as under way: it is sent while everybody else is held, but not while the endpoint rests."""
        await self._rested()
        self._inside += 1

    async def _rested(self) -> None:
        while (seconds := self._rests_until - time.monotonic()) > 0:
            await asyncio.sleep(seconds)

    def leave(self) -> None:
        """Count a request as ended."""
        self._inside -= 1
        self._changed.set()

    def widen(self) -> None:
        """Note an answer."""
        self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
        self._changed.set()

    def narrow(self) -> None:
        """Note that the endpoint was asked too much."""
        now = time.monotonic()
        if now - self._halved >= _HALVING_SECONDS:
            self._halved = now
            self._allowed = max(1.0, self._allowed / 2)

    def rest(self, seconds: float) -> None:
        """Let nobody send for a time, as the endpoint asks."""
        self._rests_until = max(self._rests_until, time.monotonic() + seconds)

    def hold(self) -> None:
        """Let nobody send until ``release``."""
        self._held = True

    def release(self) -> None:
        """End ``hold``."""
        self._held = False
        self._changed.set()
