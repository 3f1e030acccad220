"""Models that think first, and models that take no temperature: they answer as any other, at both kinds of endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.endpoints import Endpoint
from core.models.llm.calls import CUT, CallFailure, Completion, model_spec
from core.models.llm.connection import test_connection as tried
from core.models.llm.thinking import is_thought, spoken
from tests.endpoints.asking import ask, endpoint_of
from tests.endpoints.faults import Fault
from tests.endpoints.server import MisbehavingServer

PROVIDERS = Path(__file__).resolve().parents[3] / "endpoints" / "providers"
SCHEMA = json.dumps({"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    monkeypatch.syspath_prepend(str(PROVIDERS))
    with MisbehavingServer() as running:
        yield running


@pytest.fixture(params=["openai", "chat"])
def kind(request: pytest.FixtureRequest) -> dict[str, object]:
    return {"kind": request.param, **({"provider": "fireworks"} if request.param == "chat" else {})}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Plain [1].", "Plain [1]."),
        ("<think>Hm [2].</think>It is so [1].", "It is so [1]."),
        ("\n<THINKING>a</THINKING> <think>b</think>\nyes", "\nyes"),
        # the template of some models writes the first tag itself
        ("It may be [3].\n</think>\n\nIt is [1].", "\n\nIt is [1]."),
        ("<think>It may be", ""),
        ("<think>one</think>\nA tag <think> in an answer stays.", "\nA tag <think> in an answer stays."),
        ("", ""),
    ],
)
def test_what_was_thought_is_no_part_of_what_is_said(text: str, said: str) -> None:
    assert spoken(text) == said
    assert is_thought(text) == (text.startswith("<think>It may"))


@pytest.mark.parametrize("aloud", [True, False])
def test_a_model_that_thinks_needs_room_for_it(server: MisbehavingServer, kind: dict[str, object], aloud: bool) -> None:
    server.thinks, server.thinks_aloud = 50, aloud
    for schema in ("", SCHEMA):
        outcome = ask(endpoint_of(server, **kind), "q", max_tokens=40, schema=schema)["q"]
        assert isinstance(outcome, CallFailure)
        assert outcome.kind == "format"
        assert outcome.reason.startswith("the model was still thinking when its 40 tokens were used up: raise thinking")
        roomy = ask(endpoint_of(server, **kind, thinking_tokens=60), "q", max_tokens=40, schema=schema)["q"]
        assert isinstance(roomy, Completion)
        assert "think" not in roomy.text
    assert server.requests[-1].body["max_tokens"] == 100


def test_room_to_think_decides_the_answer_and_none_is_as_before() -> None:
    plain = Endpoint("mine", "openai", "m", "https://a/v1")
    assert "thinking_tokens" not in model_spec(plain).as_spec()
    assert model_spec(Endpoint("mine", "openai", "m", "https://a/v1", thinking_tokens=9)) != model_spec(plain)


@pytest.mark.parametrize("own", [0.0, 0.7])
def test_a_model_that_takes_no_temperature_is_asked_without(
    server: MisbehavingServer, kind: dict[str, object], own: float
) -> None:
    server.fixed_temperature = True
    endpoint = endpoint_of(server, **kind, temperature=own, concurrency=1)
    outcomes = ask(endpoint, "one", "two", "three", temperature=0.0)
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())
    # found out once, not for each call
    assert len(server.requests) <= 3 + 2
    assert "temperature" not in server.requests[-1].body


def test_a_model_that_takes_one_temperature_gets_the_settings(
    server: MisbehavingServer, kind: dict[str, object]
) -> None:
    server.temperature = 1.0
    assert isinstance(ask(endpoint_of(server, **kind, temperature=1.0), "q", temperature=0.0)["q"], Completion)
    assert server.requests[-1].body["temperature"] == 1.0


def test_the_connection_test_says_that_a_model_needs_room_to_think(server: MisbehavingServer) -> None:
    server.thinks = 200
    found = {step.name: step for step in tried(endpoint_of(server))}
    assert found["answers"].ok is False
    assert "raise thinking_tokens" in found["answers"].detail
    assert all(step.ok for step in tried(endpoint_of(server, thinking_tokens=300)))


def test_a_text_that_its_bound_ended_is_marked(server: MisbehavingServer, kind: dict[str, object]) -> None:
    server.cuts = 2
    outcome = ask(endpoint_of(server, **kind), "q")["q"]
    assert isinstance(outcome, Completion)
    assert outcome.finish == CUT


def test_tokens_of_tries_that_may_be_billed_are_told(server: MisbehavingServer) -> None:
    server.faults["late"] = Fault("hang", times=1)
    server.faults["odd"] = Fault("another schema")
    outcomes = ask(endpoint_of(server, timeout_seconds=0.5), "late", max_tokens=10)
    late = outcomes["late"]
    assert isinstance(late, Completion)
    assert late.lost[0] > 0
    assert late.lost[1] == 10
    odd = ask(endpoint_of(server), "odd", schema=SCHEMA)["odd"]
    assert isinstance(odd, CallFailure)
    assert min(odd.lost) > 0
    server.faults["busy"] = Fault("500")
    busy = ask(endpoint_of(server, retries=0), "busy", "good")["busy"]
    assert isinstance(busy, CallFailure)
    assert busy.lost == (0, 0)
