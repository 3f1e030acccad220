"""The test of a connection: each step says what is right or wrong, and later ones are not tried in vain."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.endpoints import Endpoint
from core.models.llm.connection import Step
from core.models.llm.connection import test_connection as tested
from tests.endpoints.asking import endpoint_of
from tests.endpoints.faults import Fault
from tests.endpoints.server import MisbehavingServer

NAMES = ["resolves", "connects", "authenticates", "model exists", "answers", "schema output works"]


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running


def _steps(endpoint: Endpoint) -> dict[str, Step]:
    steps = tested(endpoint)
    assert [step.name for step in steps] == NAMES
    assert all(step.detail for step in steps)
    return {step.name: step for step in steps}


def _signs(steps: dict[str, Step]) -> str:
    return "".join({True: "+", False: "-", None: "."}[steps[name].ok] for name in NAMES)


def test_everything_is_right(server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_TEST_KEY", "k")
    server.key = "k"
    steps = _steps(endpoint_of(server, key_env="TRILENS_TEST_KEY"))
    assert _signs(steps) == "++++++"
    assert steps["authenticates"].detail == "the key in TRILENS_TEST_KEY is accepted"
    assert steps["schema output works"].detail == "by JSON schema"


def test_a_name_nobody_knows() -> None:
    steps = _steps(Endpoint("mine", "openai", "m", "http://no-such-host.invalid/v1"))
    assert _signs(steps) == "-....."
    assert "correct base_url" in steps["resolves"].detail


def test_a_port_nobody_listens_at() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        steps = _steps(endpoint_of(MisbehavingServer(port=taken.getsockname()[1])))
    assert _signs(steps) == "+-...."
    assert "is it running?" in steps["connects"].detail


def test_a_wrong_key(server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_TEST_KEY", "sk-wrong")
    server.key = "right"
    steps = _steps(endpoint_of(server, key_env="TRILENS_TEST_KEY"))
    assert _signs(steps) == "++-..."
    assert "does not accept the key" in steps["authenticates"].detail
    assert "sk-wrong" not in str(steps)


def test_a_key_that_is_not_set(server: MisbehavingServer) -> None:
    steps = _steps(endpoint_of(server, key_env="TRILENS_TEST_KEY_NOT_SET"))
    assert _signs(steps) == "++-..."
    assert "TRILENS_TEST_KEY_NOT_SET" in steps["authenticates"].detail


def test_an_unknown_model(server: MisbehavingServer) -> None:
    steps = _steps(endpoint_of(server, model="other"))
    assert _signs(steps) == "+++--."
    assert "it lists test-model" in steps["model exists"].detail


def test_a_path_where_nothing_answers(server: MisbehavingServer) -> None:
    wrong = replace(endpoint_of(server), base_url=server.base_url.removesuffix("/v1"))
    assert _signs(_steps(wrong)) == "+++--."


def test_an_endpoint_that_hangs(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("hang")
    steps = _steps(endpoint_of(server, timeout_seconds=0.3))
    assert _signs(steps) == "++..-."
    assert steps["answers"].detail == "no complete answer within 0.3 s"


def test_an_endpoint_that_refuses_the_call(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("400")
    steps = _steps(endpoint_of(server))
    assert _signs(steps) == "++++-."
    assert "top_p must be 1" in steps["answers"].detail


def test_an_endpoint_without_schemas_and_without_a_list_of_models(server: MisbehavingServer) -> None:
    server.takes_schema, server.lists_models = False, False
    steps = _steps(endpoint_of(server))
    assert _signs(steps) == "++++++"
    assert "asked for in the prompt" in steps["schema output works"].detail


def test_an_endpoint_whose_answers_fit_no_schema(server: MisbehavingServer) -> None:
    server.answer = lambda _: "yes"
    steps = _steps(endpoint_of(server))
    assert _signs(steps) == "+++++-"
    assert steps["schema output works"].detail == "the answer is no JSON: yes"


def test_a_provider_without_its_package() -> None:
    steps = _steps(Endpoint("mine", "chat", "m", provider="anthropic"))
    assert _signs(steps) == "..-..."
    assert "pip install langchain-anthropic" in steps["authenticates"].detail
