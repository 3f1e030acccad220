"""One key for one answer: everything that decides it changes the key, nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Message, ModelSpec, call_key, model_spec

SPEC = ModelSpec("openai", "https://a/v1", "m")
CALL = Call((Message("system", "s"), Message("user", "u")))


@pytest.mark.parametrize(
    "other",
    [
        replace(CALL, messages=(Message("user", "s"), Message("user", "u"))),
        replace(CALL, messages=(Message("system", "s"), Message("user", "u "))),
        replace(CALL, messages=(Message("system", "su"), Message("user", ""))),
        replace(CALL, max_tokens=511),
        replace(CALL, temperature=0.1),
        replace(CALL, schema="{}"),
        replace(CALL, schema_name="n"),
        replace(CALL, repeat=1),
    ],
)
def test_whatever_is_sent_changes_the_key(other: Call) -> None:
    assert call_key(SPEC, other) != call_key(SPEC, CALL)


@pytest.mark.parametrize("field", ["kind", "base_url", "model", "provider", "identity"])
def test_whoever_answers_changes_the_key(field: str) -> None:
    assert call_key(replace(SPEC, **{field: "other"}), CALL) != call_key(SPEC, CALL)


def test_limits_key_and_name_of_an_endpoint_leave_the_key() -> None:
    endpoint = Endpoint("a", "openai", "m", "https://a/v1")
    other = Endpoint("b", "openai", "m", "https://a/v1", key_env="K", concurrency=2, retries=0, max_calls=3)
    assert call_key(model_spec(endpoint), CALL) == call_key(model_spec(other), CALL)


def test_an_identity_stands_in_for_the_address() -> None:
    ports = [Endpoint("local", "openai", "m", f"http://127.0.0.1:{port}/v1", identity="sha") for port in (1, 2)]
    assert model_spec(ports[0]) == model_spec(ports[1])
    assert model_spec(ports[0]).as_spec() == {"kind": "openai", "model": "m", "identity": "sha"}


def test_half_characters_have_a_key_too() -> None:
    assert call_key(SPEC, Call((Message("user", "\ud800"),))) != call_key(SPEC, Call((Message("user", "?"),)))
