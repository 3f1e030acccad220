"""Is an endpoint set up right: every step from its name to an answer that fits a schema, each in words."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.endpoints import Endpoint, is_loopback
from core.errors import TrilensError
from core.models.llm.calls import Call, Completion, Message
from core.models.llm.dispatch import PROBE
from core.models.llm.faults import Fault
from core.models.llm.wire import Wire, open_wire

#: somebody waits for the result; no step takes longer, in seconds
_STEP_SECONDS = 15.0
#: but for an answer of a model that thinks first
_THINKING_SECONDS = 60.0
_SCHEMA_CALL = Call(
    (Message("user", 'Is ice cold? Answer as JSON, {"answer": "yes"} or {"answer": "no"}.'),),
    max_tokens=64,
    schema=json.dumps(
        {
            "type": "object",
            "properties": {"answer": {"enum": ["yes", "no"]}},
            "required": ["answer"],
            "additionalProperties": False,
        }
    ),
)
_NOT_TRIED = "not tried, because an earlier step failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the test: whether it went well (None where it was not tried), and what was found."""

    name: str
    ok: bool | None
    detail: str


def test_connection(endpoint: Endpoint) -> list[Step]:
    """Return the six steps: resolves, connects, authenticates, model exists, answers, schema output works.

    Asks for two short answers at most, which the endpoint may bill. Must not be called on an event loop.
    """
    return asyncio.run(_tested(endpoint))


# not a test of pytest's, whatever its name says
test_connection.__test__ = False  # type: ignore[attr-defined]


async def _tested(endpoint: Endpoint) -> list[Step]:
    steps = await _reached(endpoint)
    if any(step.ok is False for step in steps):
        return steps + [Step(name, None, _NOT_TRIED) for name in ("authenticates", *_ASKED)]
    try:
        wire = open_wire(endpoint)
    except TrilensError as error:
        return [*steps, Step("authenticates", False, str(error)), *(Step(name, None, _NOT_TRIED) for name in _ASKED)]
    try:
        longest = _THINKING_SECONDS if endpoint.thinking_tokens else _STEP_SECONDS
        return steps + await _asked(endpoint, wire, min(longest, endpoint.timeout_seconds))
    finally:
        await wire.close()


_ASKED = ("model exists", "answers", "schema output works")


async def _reached(endpoint: Endpoint) -> list[Step]:
    parts = urlsplit(endpoint.base_url)
    host = parts.hostname or ""
    if not host:
        reason = "the address is the provider's own"
        return [Step("resolves", None, reason), Step("connects", None, reason)]
    if not is_loopback(endpoint.base_url) and parts.scheme in urllib.request.getproxies() and not _bypassed(host):
        reason = "a proxy does that"
        return [Step("resolves", None, reason), Step("connects", None, reason)]
    port = parts.port or (443 if parts.scheme == "https" else 80)
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_STEP_SECONDS):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # TimeoutError is an OSError
        unknown = Step("resolves", False, f"the name {host} is not known here ({error}): correct base_url")
        return [unknown, Step("connects", None, _NOT_TRIED)]
    resolved = Step("resolves", True, f"{host} is {found[0][4][0]}")
    try:
        async with asyncio.timeout(_STEP_SECONDS):
            _, writer = await asyncio.open_connection(
                host, port, ssl=ssl.create_default_context() if parts.scheme == "https" else None
            )
            writer.close()
    except OSError as error:
        reason = str(error) or f"no answer within {_STEP_SECONDS:g} s"
        return [resolved, Step("connects", False, f"nothing answers at {host}, port {port} ({reason}): is it running?")]
    clear = parts.scheme == "http" and not is_loopback(endpoint.base_url)
    detail = "unencrypted: everybody in between can read key and texts" if clear else f"port {port} answers"
    return [resolved, Step("connects", True, detail)]


def _bypassed(host: str) -> bool:
    return bool(urllib.request.proxy_bypass(host))


async def _asked(endpoint: Endpoint, wire: Wire, seconds: float) -> list[Step]:
    listed = await _listed(wire, seconds)
    answer: Completion | Fault
    if isinstance(listed, Fault) and listed.kind == "auth":
        answer = listed
    else:
        answer = await _sent(wire, PROBE, seconds)
    if isinstance(answer, Fault) and answer.kind in ("auth", "connection", "timeout"):
        refused = answer.kind == "auth"
        return [
            Step("authenticates", False if refused else None, answer.reason),
            Step("model exists", None, _NOT_TRIED),
            Step("answers", None if refused else False, _NOT_TRIED if refused else answer.reason),
            Step("schema output works", None, _NOT_TRIED),
        ]
    key = f"the key in {endpoint.key_env} is accepted" if endpoint.key_env else "no key is set, none is asked for"
    steps = [Step("authenticates", True, key), _model_step(endpoint.model, listed, answer)]
    if isinstance(answer, Fault):
        return [*steps, Step("answers", False, answer.reason), Step("schema output works", None, _NOT_TRIED)]
    return [*steps, Step("answers", True, f"in {answer.seconds:.1f} s"), await _schema_step(wire, seconds)]


async def _listed(wire: Wire, seconds: float) -> list[str] | Fault:
    try:
        return await wire.models(seconds)
    except Fault as fault:
        return fault


async def _sent(wire: Wire, call: Call, seconds: float) -> Completion | Fault:
    try:
        return await wire.send(call, seconds)
    except Fault as fault:
        return fault


def _model_step(model: str, listed: list[str] | Fault, answer: Completion | Fault) -> Step:
    known = isinstance(listed, list) and model in listed
    if isinstance(answer, Completion):
        detail = f"'{model}' is listed" if known else f"'{model}' answers, though the endpoint does not list it"
        return Step("model exists", True, detail if isinstance(listed, list) else f"'{model}' answers")
    if answer.kind == "model":
        offered = ", ".join(listed[:10]) if isinstance(listed, list) else ""
        return Step("model exists", False, answer.reason + (f"; it lists {offered}" if offered else ""))
    if isinstance(listed, list):
        return Step("model exists", known, f"'{model}' is {'listed' if known else 'not among the models it lists'}")
    return Step("model exists", None, "it lists no models and gave no answer to tell by")


async def _schema_step(wire: Wire, seconds: float) -> Step:
    answer = await _sent(wire, _SCHEMA_CALL, seconds)
    if isinstance(answer, Fault):
        return Step("schema output works", False, answer.reason)
    return Step(
        "schema output works",
        True,
        "by JSON schema" if wire.takes_schema else "asked for in the prompt and checked, the endpoint takes no schema",
    )
