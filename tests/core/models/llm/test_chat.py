"""Models of LangChain's providers, through a provider package of the tests' own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.endpoints import Endpoint
from core.errors import EndpointRefused, EndpointUnreachable, ModelError
from core.models.llm.calls import CallFailure, Completion
from tests.endpoints.asking import ask, endpoint_of
from tests.endpoints.faults import Fault
from tests.endpoints.server import MisbehavingServer

PROVIDERS = Path(__file__).resolve().parents[3] / "endpoints" / "providers"
SCHEMA = json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    monkeypatch.syspath_prepend(str(PROVIDERS))
    with MisbehavingServer() as running:
        yield running


def _chat(server: MisbehavingServer, **settings: object) -> Endpoint:
    return endpoint_of(server, kind="chat", provider="fireworks", **settings)


def test_a_provider_answers(server: MisbehavingServer) -> None:
    outcomes = ask(_chat(server), "one", "two", max_tokens=33, temperature=0.25)
    answer = outcomes["one"]
    assert isinstance(answer, Completion)
    assert (answer.input_tokens, answer.output_tokens, answer.finish) == (1, 5, "stop")
    assert server.requests[0].body["max_tokens"] == 33
    assert server.requests[0].body["temperature"] == 0.25


def test_as_many_are_under_way_as_set(server: MisbehavingServer) -> None:
    server.latency = 0.3
    ask(_chat(server, concurrency=16), *(f"q{number}" for number in range(32)))
    assert server.crowd == 16


def test_a_schema_is_asked_for_in_the_prompt(server: MisbehavingServer) -> None:
    outcomes = ask(_chat(server), "q", schema=SCHEMA)
    assert isinstance(outcomes["q"], Completion)
    assert "fits this JSON schema" in server.requests[0].prompt
    server.answer = lambda _: "seven"
    assert ask(_chat(server), "q", schema=SCHEMA)["q"] == CallFailure("the answer is no JSON: seven", "format")


@pytest.mark.parametrize(("fault", "kind"), [("hang", "timeout"), ("500", "server"), ("reset", "connection")])
def test_a_fault_of_one_call_fails_that_call_alone(server: MisbehavingServer, fault: str, kind: str) -> None:
    server.faults["bad"] = Fault(fault)
    outcomes = ask(_chat(server), "good", "bad")
    assert isinstance(outcomes["good"], Completion)
    failure = outcomes["bad"]
    assert isinstance(failure, CallFailure)
    assert failure.kind == kind
    assert server.asked("bad") == 2


def test_too_many_requests_pass(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("429 with Retry-After", times=1)
    assert isinstance(ask(_chat(server), "q")["q"], Completion)


@pytest.mark.parametrize("fault", ["401", "404 model"])
def test_what_every_call_would_meet_ends_the_run(server: MisbehavingServer, fault: str) -> None:
    server.faults[""] = Fault(fault)
    with pytest.raises(EndpointRefused, match="'mine' refuses the model"):
        ask(_chat(server), "q")


def test_a_provider_that_answers_nothing_is_unreachable(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("reset")
    with pytest.raises(EndpointUnreachable):
        ask(_chat(server, total_seconds=1.0), "q")


def test_its_key_goes_with_it_and_the_environments_goes_nowhere(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIREWORKS_API_KEY", "sk-of-the-real-provider")
    monkeypatch.setenv("TRILENS_TEST_KEY", "sk-mine")
    ask(_chat(server), "without")
    ask(_chat(server, key_env="TRILENS_TEST_KEY"), "with")
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer none", "Bearer sk-mine"]


def test_a_package_that_is_missing_is_named(server: MisbehavingServer) -> None:
    with pytest.raises(ModelError, match="pip install langchain-cohere"):
        ask(Endpoint("mine", "chat", "m", provider="cohere"), "q")
    with pytest.raises(ModelError, match="cannot use the provider 'nobody'"):
        ask(Endpoint("mine", "chat", "m", provider="nobody"), "q")
