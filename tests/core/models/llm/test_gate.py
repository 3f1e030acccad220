"""Admission: fewer at once while the endpoint asks for less, more again when it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine

import pytest

from core.models.llm.gate import Gate


def _run(scenario: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 10))


async def _admitted(gate: Gate, wanted: int) -> int:
    """Return how many of ``wanted`` requests are let in at once."""
    tasks = [asyncio.create_task(gate.enter()) for _ in range(wanted)]
    await asyncio.sleep(0.05)
    inside = sum(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    for _ in range(inside):
        gate.leave()
    return inside


def test_as_many_as_set_are_let_in() -> None:
    async def scenario() -> None:
        assert await _admitted(Gate(5), 9) == 5

    _run(scenario)


def test_too_many_requests_halve_the_number_once_a_crowd() -> None:
    async def scenario() -> None:
        gate = Gate(16)
        for _ in range(16):
            gate.narrow()
        assert await _admitted(gate, 20) == 8

    _run(scenario)


def test_never_fewer_than_one_and_never_more_than_set(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        gate = Gate(4)
        now = time.monotonic()
        for second in range(10):
            monkeypatch.setattr(time, "monotonic", lambda second=second: now + 2.0 * second)
            gate.narrow()
        monkeypatch.undo()
        assert await _admitted(gate, 9) == 1
        for _ in range(100):
            gate.widen()
        assert await _admitted(gate, 9) == 4

    _run(scenario)


def test_who_leaves_lets_the_next_in() -> None:
    async def scenario() -> None:
        gate = Gate(1)
        await gate.enter()
        waiting = asyncio.create_task(gate.enter())
        await asyncio.sleep(0.02)
        assert not waiting.done()
        gate.leave()
        await waiting

    _run(scenario)


def test_a_probe_slips_in_while_everybody_is_held_but_not_while_the_endpoint_rests() -> None:
    async def scenario() -> None:
        gate = Gate(2)
        gate.hold()
        waiting = asyncio.create_task(gate.enter())
        gate.rest(0.2)
        began = time.monotonic()
        await gate.slip_in()
        assert time.monotonic() - began >= 0.2
        assert not waiting.done()
        gate.leave()
        gate.release()
        await waiting

    _run(scenario)
