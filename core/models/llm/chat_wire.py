"""Calls through LangChain's ``init_chat_model``, for providers whose integration package is installed."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from core.endpoints import Endpoint
from core.errors import ModelError
from core.models.llm.calls import Call, Completion, Message
from core.models.llm.faults import Fault, fault_of_status
from core.models.llm.keys import key_of, storable
from core.models.llm.structured import instruction
from core.models.llm.temperature import Temperature
from core.models.llm.tokens import TokenCounter
from core.models.llm.wire import checked

_Value = TypeVar("_Value")
#: where providers say why a text ends
_FINISH = ("finish_reason", "stop_reason", "done_reason")


class ChatWire:
    """One model of one provider.

    Providers constrain answers to a schema each in its own way, so here a schema is always asked for in the prompt.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Prepare; the key is read here and lives as long as this object.

        Raises:
            EndpointRefused: the key is not in the environment.
            ModelError: the provider is unknown, its package is missing, or it does not take these settings.
        """
        if importlib.util.find_spec("langchain") is None:
            raise ModelError("The package langchain is missing: install it (see requirements.txt).")
        self.takes_schema: bool | None = False
        self._endpoint = endpoint
        self._key = key_of(endpoint)
        self._counter = TokenCounter(endpoint)
        self._temperature = Temperature(endpoint.temperature)
        self._models: dict[tuple[float | None, int], Any] = {}
        self._model(endpoint.temperature, endpoint.answer_tokens + endpoint.thinking_tokens)

    async def send(self, call: Call, seconds: float) -> Completion:
        """Return the completion of a call; see ``Wire``."""
        messages = list(call.messages)
        if call.schema:
            messages.append(Message("user", instruction(call.schema)))
        turns = [(message.role, message.content) for message in messages]
        temperature = self._temperature.of(call.temperature)
        model = self._model(temperature, call.max_tokens + self._endpoint.thinking_tokens)
        began = time.perf_counter()
        fault: Fault
        try:
            async with asyncio.timeout(seconds):
                answer = await _in_thread(lambda: model.invoke(turns))
        except TimeoutError:
            fault = Fault("timeout", f"no complete answer within {seconds:g} s")
        except Exception as error:  # each provider has errors of its own; none of them may end a run without words
            fault = _fault(error, self._key)
        else:
            text = str(answer.text)
            usage: Mapping[str, int] = answer.usage_metadata or {}
            said: Mapping[str, Any] = answer.response_metadata or {}
            completion = Completion(
                storable(text, self._key),
                usage.get("input_tokens") or self._counter.prompt(call),
                usage.get("output_tokens") or self._counter.text(text),
                time.perf_counter() - began,
                storable(str(next((said[name] for name in _FINISH if said.get(name)), "")), self._key),
            )
            return checked(completion, call, self._endpoint.thinking_tokens)
        if self._temperature.is_refused(temperature, fault):
            return await self.send(call, seconds)
        raise fault

    async def models(self, seconds: float) -> list[str]:  # noqa: ARG002 - as every wire
        """Raise a fault; see ``Wire``."""
        raise Fault("format", f"the provider '{self._endpoint.provider}' lists no models through LangChain")

    async def close(self) -> None:
        """Nothing to close: a provider's client keeps its own connections."""

    def _model(self, temperature: float | None, max_tokens: int) -> Any:
        """Return the provider's model with these parameters, made once for each."""
        if (temperature, max_tokens) not in self._models:
            self._models[temperature, max_tokens] = self._made(temperature, max_tokens)
        return self._models[temperature, max_tokens]

    def _made(self, temperature: float | None, max_tokens: int) -> Any:
        from langchain.chat_models import init_chat_model

        endpoint = self._endpoint
        parameters: dict[str, Any] = {
            "max_tokens": max_tokens,
            "timeout": endpoint.timeout_seconds,
            "max_retries": 0,
        }
        if temperature is not None:
            parameters["temperature"] = temperature
        if endpoint.base_url:
            # an address of one's own never gets the key the provider would find in the environment for its own address
            parameters |= {"base_url": endpoint.base_url, "api_key": self._key or "none"}
        elif self._key:
            parameters["api_key"] = self._key
        problem: str
        try:
            return init_chat_model(endpoint.model, model_provider=endpoint.provider, **parameters)
        except ImportError as error:
            problem = f"{error}"
        except Exception as error:  # a provider checks its settings with errors of its own
            problem = f"{type(error).__name__}: {error}"
        line = " ".join(storable(problem, self._key).split())
        raise ModelError(
            f"The endpoint '{endpoint.name}' cannot use the provider '{endpoint.provider}' ({line[:300]}): install its "
            "package or correct the endpoint's settings."
        )


async def _in_thread(work: Callable[[], _Value]) -> _Value:
    """Return what ``work`` returns in a thread that nobody waits for once this is cancelled.

    A pool would be joined when the loop ends, and a provider that hangs would hang the run with it.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Value] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_it(value)

    def target() -> None:
        try:
            set_it, value = future.set_result, work()
        except BaseException as error:  # handed over, not swallowed
            set_it, value = future.set_exception, error  # type: ignore[assignment]
        with suppress(RuntimeError):  # the loop has ended meanwhile: nobody waits for this any more
            loop.call_soon_threadsafe(settle, set_it, value)

    threading.Thread(target=target, daemon=True).start()
    return await future


def _fault(error: Exception, key: str) -> Fault:
    """Return what a provider's error means, by its HTTP status where it has one, else by the name of its kind."""
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None) or getattr(error, "code", 0)
    text = storable(str(error), key)
    if isinstance(status, int) and status >= 300:
        headers = getattr(response, "headers", None) or getattr(error, "headers", None) or {}
        return fault_of_status(status, text, headers, key)
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    line = " ".join(text.split())[:200]
    if "Timeout" in names:
        return Fault("timeout", "the provider gave up waiting")
    if "Connect" in names or isinstance(error, OSError):
        return Fault("connection", f"no connection ({line})")
    return Fault("request", f"the provider's package failed ({type(error).__name__}: {line})")
