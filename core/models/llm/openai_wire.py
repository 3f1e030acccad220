"""Calls over the OpenAI protocol, through the ``openai`` client, to whoever speaks it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai

from core.endpoints import Endpoint, is_loopback
from core.models.llm.calls import Call, Completion, Message
from core.models.llm.faults import Fault, fault_of_status
from core.models.llm.keys import key_of, storable
from core.models.llm.structured import instruction
from core.models.llm.temperature import UNKNOWN_PARAMETER, Temperature
from core.models.llm.tokens import TokenCounter
from core.models.llm.wire import checked

#: more than any answer we ask for needs, in bytes
MAX_RESPONSE = 4 * 1024 * 1024
_CONNECT_SECONDS = 10.0
#: of the endpoint's word for why an answer ends, in characters
_LONGEST_FINISH = 40
#: all that leaves with a request; the client would add headers from environment variables of other accounts. By the
#: last one it knows, when the response is there, that we read it ourselves.
_HEADERS = frozenset(
    {"host", "accept", "connection", "user-agent", "content-type", "content-length", "x-stainless-raw-response"}
)


class OpenAIWire:
    """One endpoint that speaks the OpenAI protocol.

    What an endpoint does not take is found out once: the older or newer name of the answer's bound, which temperature,
    and whether it constrains answers to a JSON schema; where it does not, the schema is asked for in the prompt.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Prepare; the key is read here and lives as long as this object.

        Raises:
            EndpointRefused: the key is not in the environment.
        """
        self._endpoint = endpoint
        self._key = key_of(endpoint)
        self._counter = TokenCounter(endpoint)
        self._bound = "max_tokens"
        self._temperature = Temperature(endpoint.temperature)
        self.takes_schema: bool | None = None
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(endpoint.timeout_seconds, connect=min(_CONNECT_SECONDS, endpoint.timeout_seconds)),
            limits=httpx2.Limits(
                max_connections=endpoint.concurrency + 1, max_keepalive_connections=endpoint.concurrency + 1
            ),
            # a redirect would carry prompts elsewhere; a proxy stands between us and others, not before this machine
            follow_redirects=False,
            trust_env=not is_loopback(endpoint.base_url),
            event_hooks={"request": [self._own_headers], "response": [_bounded]},
        )
        self._client = openai.AsyncOpenAI(
            # never its own choice: without a key it would take that of another address from the environment
            api_key="none",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=self._http,
        )

    async def send(self, call: Call, seconds: float) -> Completion:
        """Return the completion of a call; see ``Wire``."""
        bound, with_schema = self._bound, bool(call.schema) and self.takes_schema is not False
        temperature = self._temperature.of(call.temperature)
        try:
            completion = await self._asked(call, temperature, bound, with_schema, seconds)
        except Fault as fault:
            if fault.status not in UNKNOWN_PARAMETER:
                raise
            if bound == "max_tokens" and "max_completion_tokens" in fault.reason:
                self._bound = "max_completion_tokens"
                return await self.send(call, seconds)
            if self._temperature.is_refused(temperature, fault):
                return await self.send(call, seconds)
            if not with_schema or self.takes_schema:
                raise
            completion = await self._asked(call, temperature, bound, False, seconds)
            self.takes_schema = False
        else:
            if with_schema:
                self.takes_schema = True
        return checked(completion, call, self._endpoint.thinking_tokens)

    async def models(self, seconds: float) -> list[str]:
        """Return the ids of the models the endpoint lists; see ``Wire``."""
        value = await self._json(self._client.models.with_raw_response.list(), seconds)
        listed = value.get("data") if isinstance(value, dict) else None
        if not isinstance(listed, list):
            raise Fault("format", "it lists no models")
        return [storable(str(model["id"]), self._key) for model in listed if isinstance(model, dict) and "id" in model]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _asked(
        self, call: Call, temperature: float | None, bound: str, with_schema: bool, seconds: float
    ) -> Completion:
        messages = list(call.messages)
        parameters: dict[str, Any] = {bound: call.max_tokens + self._endpoint.thinking_tokens}
        if temperature is not None:
            parameters["temperature"] = temperature
        if with_schema:
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": call.schema_name or "answer",
                    "schema": json.loads(call.schema),
                    "strict": True,
                },
            }
        elif call.schema:
            messages.append(Message("user", instruction(call.schema)))
        began = time.perf_counter()
        value = await self._json(
            self._client.chat.completions.with_raw_response.create(
                model=self._endpoint.model,
                messages=[{"role": message.role, "content": message.content} for message in messages],  # type: ignore[misc]
                **parameters,
            ),
            seconds,
        )
        text, finish = _answer(value)
        usage = value.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return Completion(
            storable(text, self._key),
            _count(counts.get("prompt_tokens"), lambda: self._counter.prompt(call)),
            _count(counts.get("completion_tokens"), lambda: self._counter.text(text)),
            time.perf_counter() - began,
            storable(finish, self._key)[:_LONGEST_FINISH],
        )

    async def _json(self, request: Any, seconds: float) -> Any:
        """Return the JSON value a request brings; what goes wrong leaves as a fault, without the request in it."""
        fault: Fault
        try:
            async with asyncio.timeout(seconds):
                response = await request
            return json.loads(response.http_response.content)
        except Fault as known:
            fault = known
        except (TimeoutError, openai.APITimeoutError) as error:
            fault = _timeout(error, seconds)
        except openai.APIStatusError as error:
            fault = fault_of_status(error.status_code, error.response.text, error.response.headers, self._key)
        except openai.APIConnectionError as error:
            fault = _connection(error, self._key)
        except (ValueError, RecursionError) as error:
            # also text that is no UTF-8, and half characters in a prompt
            what = "the prompt holds half a character" if isinstance(error, UnicodeEncodeError) else ""
            fault = Fault("request", what) if what else Fault("format", "the endpoint's response is no JSON")
        raise fault

    async def _own_headers(self, request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _HEADERS:
                del request.headers[name]
        request.headers["accept-encoding"] = "identity"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"


class _Bounded(httpx2.AsyncByteStream):
    """A response's body that ends with a fault once it is longer than any answer can be."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_RESPONSE:
                raise Fault("too_long", f"the answer is longer than {MAX_RESPONSE // 1024**2} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bounded(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def _answer(value: Any) -> tuple[str, str]:
    """Return text and finish reason of a chat completion.

    Raises:
        Fault: the value is none.
    """
    try:
        choice = value["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
        finish = str(choice.get("finish_reason") or "")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Fault("format", "the endpoint's response is no chat completion") from None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    text = content or refusal or ""
    if not isinstance(text, str):
        raise Fault("format", "the endpoint's response holds no text")
    return text, finish


def _count(given: Any, estimate: Any) -> int:
    good = isinstance(given, int) and not isinstance(given, bool) and given >= 0
    return int(given) if good else int(estimate())


def _timeout(error: Exception, seconds: float) -> Fault:
    if isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return Fault("connection", f"no connection within {_CONNECT_SECONDS:g} s")
    return Fault("timeout", f"no complete answer within {seconds:g} s")


def _connection(error: openai.APIConnectionError, key: str) -> Fault:
    cause = error.__cause__
    if isinstance(cause, httpx2.ConnectError):
        return Fault("connection", f"no connection ({storable(str(cause), key)})")
    return Fault("connection", "the connection broke before the answer was complete")
