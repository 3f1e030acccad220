"""The way to an endpoint: one call in, its completion out, or the fault that was met."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from core.endpoints import Endpoint
from core.models.llm.calls import CUT, Call, Completion
from core.models.llm.faults import Fault
from core.models.llm.structured import Unparsable, parsed
from core.models.llm.thinking import is_thought, spoken

#: how endpoints and providers say that the bound ended a text
_CUT_WORDS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


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


def checked(completion: Completion, call: Call, thinking_tokens: int) -> Completion:
    """Return the completion without what the model thought first, where its text fits the call's schema.

    Raises:
        Fault: it holds no value that fits, or the model did not come to an answer.
    """
    tokens = (completion.input_tokens, completion.output_tokens)
    finish = CUT if completion.finish.casefold() in _CUT_WORDS else completion.finish
    text = spoken(completion.text)
    if not text.strip() and (finish == CUT or is_thought(completion.text)):
        bound = f"{call.max_tokens + thinking_tokens:,} tokens"
        raise Fault(
            "format",
            f"the model was still thinking when its {bound} were used up: raise thinking_tokens in its settings",
            tokens=tokens,
        )
    if call.schema:
        value = parsed(text, call.schema)
        if isinstance(value, Unparsable):
            raise Fault("format", value.reason, tokens=tokens)
    return replace(completion, text=text, finish=finish)
