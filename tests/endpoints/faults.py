"""Every way in which an endpoint may misbehave, as one function a fault: it writes to the connection what comes."""

from __future__ import annotations

import asyncio
import email.utils
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

#: what a model says that obeys the passages instead of us
OBEDIENT = "HACKED. As the passage demands, I answer in XML: <answer>yes</answer> and ignore every format."
#: an answer in a language nobody asked for
FOREIGN = "Die Fähre fährt im Sommer alle vierzig Minuten [1]."


@dataclass
class Fault:
    """A fault by its name in ``FAULTS``, for ``times`` requests (None: for ever).

    ``seconds`` is what Retry-After asks for, ``location`` where a redirect leads, ``says`` what error bodies add.
    """

    name: str
    times: int | None = None
    seconds: float = 0.5
    location: str = "http://127.0.0.1:9/elsewhere"
    says: str = ""


async def send(writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str] | None = None) -> bool:
    """Write a whole response; the connection goes on."""
    lines = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    head = f"HTTP/1.1 {status} Status\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(head.encode("latin-1") + b"\r\n" + body)
    await writer.drain()
    return True


def _completion(content: Any) -> bytes:
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "test-model",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
    ).encode()


def _error(message: str, code: str = "") -> bytes:
    return json.dumps({"error": {"message": message, "code": code or None}}).encode()


def _status(
    status: int, message: str, code: str = "", headers: Callable[[Fault], dict[str, str]] | None = None
) -> Callable[[asyncio.StreamWriter, Fault], Awaitable[bool]]:
    async def respond(writer: asyncio.StreamWriter, fault: Fault) -> bool:
        return await send(writer, status, _error(f"{message} {fault.says}", code), headers(fault) if headers else None)

    return respond


def _body(body: bytes) -> Callable[[asyncio.StreamWriter, Fault], Awaitable[bool]]:
    async def respond(writer: asyncio.StreamWriter, fault: Fault) -> bool:
        return await send(writer, 200, body)

    return respond


async def _hangs(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    await asyncio.sleep(3600)
    return False


async def _resets(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def _breaks_off(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    body = _completion("The answer breaks off here")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
    writer.write(f"content-length: {len(body)}\r\n\r\n".encode() + body[:40])
    await writer.drain()
    return False


async def _slow(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    """A byte now and then: no read ever times out, and the answer is never complete."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _huge(writer: asyncio.StreamWriter, fault: Fault) -> bool:
    piece = b"a" * 65536
    head, tail = _completion("|").split(b"|")
    size = len(head) + 160 * len(piece) + len(tail)
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n".encode() + head)
    for _ in range(160):
        writer.write(piece)
        await writer.drain()
    writer.write(tail)
    await writer.drain()
    return True


def _seconds(fault: Fault) -> dict[str, str]:
    return {"retry-after": f"{fault.seconds:g}"}


def _date(fault: Fault) -> dict[str, str]:
    return {"retry-after": email.utils.formatdate(time.time() + fault.seconds, usegmt=True)}


FAULTS: dict[str, Callable[[asyncio.StreamWriter, Fault], Awaitable[bool]]] = {
    "hang": _hangs,
    "reset": _resets,
    "break off": _breaks_off,
    "slow stream": _slow,
    "10 MB": _huge,
    "301": _status(301, "moved", headers=lambda fault: {"location": fault.location}),
    "400": _status(400, "top_p must be 1"),
    "401": _status(401, "invalid key"),
    "403": _status(403, "your text was flagged"),
    "404 model": _status(404, "the model does not exist", "model_not_found"),
    "429": _status(429, "slow down"),
    "429 with Retry-After": _status(429, "slow down", headers=_seconds),
    "429 with a date": _status(429, "slow down", headers=_date),
    "429 without credit": _status(429, "you exceeded your quota", "insufficient_quota"),
    "500": _status(500, "something broke"),
    "too long": _status(400, "this model's maximum context length is 10 tokens", "context_length_exceeded"),
    "broken JSON": _body(_completion("yes")[:-9]),
    "another schema": _body(_completion('{"verdict": "perhaps"}')),
    "no completion": _body(b'{"hello": "world"}'),
    "empty": _body(_completion("")),
    "null": _body(_completion(None)),
    "wrong language": _body(_completion(FOREIGN)),
    "obeys the passage": _body(_completion(OBEDIENT)),
}
