"""The way to an endpoint: one call in, its completion out, or the fault that was met."""

from __future__ import annotations

from typing import Protocol

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Completion
from core.models.llm.faults import Fault
from core.models.llm.structured import Unparsable, parsed


class Wire(Protocol):
    """Sends one request for each ``send``; never tries again by itself.

    ``takes_schema`` says whether the endpoint constrains answers to a JSON schema, None until a call has told.
    """

    takes_schema: bool | None

    async def send(self, call: Call, seconds: float) -> Completion:
        """Return the completion of a call, waiting ``seconds`` at most.

        Raises:
            Fault: there is none.
        """
        ...

    async def models(self, seconds: float) -> list[str]:
        """Return the ids of the models the endpoint lists, waiting ``seconds`` at most.

        Raises:
            Fault: it lists none.
        """
        ...

    async def close(self) -> None:
        """Give the connections back."""
        ...


def open_wire(endpoint: Endpoint) -> Wire:
    """Return the way to an endpoint.

    Raises:
        EndpointRefused: its key is not in the environment.
        ModelError: the package of its provider is missing, or it does not take these settings.
    """
    if endpoint.kind == "chat":
        from core.models.llm.chat_wire import ChatWire

        return ChatWire(endpoint)
    from core.models.llm.openai_wire import OpenAIWire

    return OpenAIWire(endpoint)


def checked(completion: Completion, call: Call) -> Completion:
    """Return the completion as it is where its text fits the call's schema.

    Raises:
        Fault: it holds no value that fits.
    """
    if call.schema:
        value = parsed(completion.text, call.schema)
        if isinstance(value, Unparsable):
            raise Fault("format", value.reason)
    return completion
