"""What is asked of a language model, everything the answer depends on, and the two ways a call can end."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from core.endpoints import Endpoint

#: how a call can fail; "auth" and "model" end the whole run, "limit" means that the run's spending limit was reached
FailureKind = Literal[
    "auth", "model", "rate", "server", "timeout", "connection", "request", "format", "too_long", "limit"
]
#: tokens in and tokens out
Tokens = tuple[int, int]
#: how a text ends that its bound of tokens cut off
CUT = "length"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation that is sent."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """Everything that decides an answer besides the model.

    ``max_tokens`` bounds the answer. ``schema`` is a JSON schema as JSON text ("" asks for free text) and
    ``schema_name`` what the endpoint is told it is called. ``repeat`` tells repetitions of one question to a model
    that samples apart: each is asked for itself.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 512
    temperature: float = 0.0
    schema: str = ""
    schema_name: str = ""
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model and where it answers: no key, no limit, nothing that leaves the answers as they are.

    ``identity`` stands in for the address where the address says nothing, as with a server that is started on a free
    port: it names the weights. ``thinking_tokens`` are what the model may think before it writes: more of them may end
    in another answer.
    """

    kind: Literal["openai", "chat"]
    base_url: str
    model: str
    provider: str = ""
    identity: str = ""
    thinking_tokens: int = 0

    def as_spec(self) -> dict[str, Any]:
        """Return what identifies the answers, as plain values."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote.

    ``input_tokens`` and ``output_tokens`` are the endpoint's own counts, or estimates where it gives none;
    ``seconds`` is the time of the request that succeeded, without waiting and earlier tries; ``finish`` is the
    endpoint's word for why the text ends ("stop" …), ``CUT`` where its bound ended it. ``lost`` are the tokens in and
    out of earlier tries that may be billed.
    """

    text: str
    input_tokens: int
    output_tokens: int
    seconds: float
    finish: str
    lost: Tokens = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why there is no answer, in words for people, and of which kind the failure is.

    ``lost`` are the tokens in and out of all its tries that may be billed.
    """

    reason: str
    kind: FailureKind
    lost: Tokens = field(default=(0, 0), compare=False)


Outcome = Completion | CallFailure


def model_spec(endpoint: Endpoint) -> ModelSpec:
    """Return what identifies the answers of an endpoint's model."""
    base_url = "" if endpoint.identity else endpoint.base_url
    return ModelSpec(
        endpoint.kind, base_url, endpoint.model, endpoint.provider, endpoint.identity, endpoint.thinking_tokens
    )


def call_key(spec: ModelSpec, call: Call) -> str:
    """Return the hex sha256 of model and call: equal keys mean that one answer serves both."""
    parts = {"model": spec.as_spec(), "call": asdict(call)}
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
