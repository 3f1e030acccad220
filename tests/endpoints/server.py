"""A small server that speaks the OpenAI protocol on 127.0.0.1, well or in every bad way an endpoint may.

Good answers are a function of the prompt alone. A fault is scripted for prompts that hold a text of your choice, for
some requests or for ever:

    with MisbehavingServer() as server:
        server.faults["ferry"] = Fault("429 with Retry-After", times=2)
        server.faults[""] = Fault("500")      # "" is in every prompt

``python -m tests.endpoints.server LATENCY`` serves in a process of its own and prints its address.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.endpoints.faults import FAULTS, Fault, send

MODEL = "test-model"


@dataclass(frozen=True)
class Request:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body.get("messages", ()))


@dataclass
class MisbehavingServer:
    """The server, in a thread of its own; ``requests`` are the completions asked for, in order of arrival."""

    latency: float = 0.0
    takes_schema: bool = True
    #: whether it takes ``max_completion_tokens`` only, as newer models do
    newer_bound: bool = False
    #: the only temperature it takes, None for any
    temperature: float | None = None
    #: whether it takes no temperature at all
    fixed_temperature: bool = False
    #: tokens its model thinks before it answers, which its bound must leave room for
    thinks: int = 0
    #: whether what it thought stands in the text, between tags
    thinks_aloud: bool = False
    #: words after which its texts are cut off, None for never
    cuts: int | None = None
    key: str = ""
    lists_models: bool = True
    reports_usage: bool = True
    answer: Callable[[Request], str] | None = None
    faults: dict[str, Fault] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    #: most completions under way at once
    crowd: int = 0
    port: int = 0
    _under_way: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def asked(self, text: str) -> int:
        """How many requests had ``text`` in their prompt."""
        return sum(text in request.prompt for request in self.requests)

    def __enter__(self) -> MisbehavingServer:
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(10)

    def _serve(self, ready: threading.Event) -> None:
        async def main() -> None:
            self._closing = asyncio.Event()
            self._server = await asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=1024)
            self.port = self._server.sockets[0].getsockname()[1]
            ready.set()
            await self._closing.wait()
            self._server.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(main())
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                if not await self._respond(request, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _respond(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection goes on."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            # as some do, it sends back what it was given
            given = request.headers.get("authorization", "no key")
            return await _send(writer, 401, {"error": {"message": f"Incorrect API key provided: {given}"}})
        if request.path == "/v1/models":
            if not self.lists_models:
                return await _send(writer, 404, {"error": {"message": "no such path"}})
            return await _send(writer, 200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        if request.path != "/v1/chat/completions":
            return await _send(writer, 404, {"error": {"message": "no such path"}})
        self.requests.append(request)
        self._under_way += 1
        self.crowd = max(self.crowd, self._under_way)
        try:
            fault = self._fault(request)
            if fault is not None:
                return await FAULTS[fault.name](writer, fault)
            await asyncio.sleep(self.latency)
            return await self._good(request, writer)
        finally:
            self._under_way -= 1

    def _fault(self, request: Request) -> Fault | None:
        for text, fault in list(self.faults.items()):
            if text in request.prompt and fault.times != 0:
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    async def _good(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        body = request.body
        if body.get("model") != MODEL:
            return await _send(writer, 404, {"error": {"message": "no such model", "code": "model_not_found"}})
        if self.newer_bound and "max_tokens" in body:
            return await _send(writer, 400, {"error": {"message": "Use 'max_completion_tokens' instead."}})
        if self.temperature not in (None, body.get("temperature")):
            return await _send(writer, 400, {"error": {"message": "Unsupported value: 'temperature'"}})
        if self.fixed_temperature and "temperature" in body:
            return await _send(writer, 400, {"error": {"message": "'temperature' is not supported with this model"}})
        if "response_format" in body and not self.takes_schema:
            return await _send(writer, 400, {"error": {"message": "response_format is not supported"}})
        text, finish = self._text(request), "stop"
        thought = "Let me think [1]. " * self.thinks
        if self.thinks and body.get("max_tokens", body.get("max_completion_tokens")) <= self.thinks:
            text, finish = (f"<think>{thought}" if self.thinks_aloud else ""), "length"
        elif self.thinks_aloud:
            text = f"<think>{thought}</think>\n{text}"
        if self.cuts is not None and len(text.split()) > self.cuts:
            text, finish = " ".join(text.split()[: self.cuts]), "length"
        prompt = request.prompt if self.reports_usage else None
        return await _send(writer, 200, completion(text, prompt, finish))

    def _text(self, request: Request) -> str:
        if self.answer is not None:
            return self.answer(request)
        schema = request.body.get("response_format", {}).get("json_schema", {}).get("schema")
        digest = hashlib.sha256(request.prompt.encode()).hexdigest()
        if schema is None:
            found = re.search(r"fits this JSON schema, and with nothing else: (.*)\Z", request.prompt, re.DOTALL)
            schema = json.loads(found[1]) if found else None
        if schema is not None:
            return json.dumps(fitting(schema, int(digest, 16)))
        return f"The answer is {digest[:8]} [1]."


def completion(text: str, prompt: str | None, finish: str = "stop") -> dict[str, Any]:
    """A chat completion as the protocol writes it; without a prompt it reports no usage."""
    value: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
    }
    if prompt is not None:
        tokens = len(prompt.split()), len(text.split())
        value["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return value


def fitting(schema: dict[str, Any], choice: int) -> Any:
    """A value that fits a simple schema; ``choice`` picks among an enum's."""
    if "enum" in schema:
        return schema["enum"][choice % len(schema["enum"])]
    match schema.get("type"):
        case "object":
            return {name: fitting(part, choice) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [fitting(schema.get("items", {}), choice + place) for place in range(schema.get("minItems", 1))]
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return bool(choice % 2)
        case _:
            return "text"


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, json.loads(body) if body else {})


async def _send(writer: asyncio.StreamWriter, status: int, value: Any, headers: dict[str, str] | None = None) -> bool:
    return await send(writer, status, json.dumps(value).encode(), headers)


if __name__ == "__main__":
    with MisbehavingServer(latency=float(sys.argv[1])) as serving:
        print(serving.base_url, flush=True)
        sys.stdin.read()  # until whoever started it is gone
