"""The key goes to its own address and is found nowhere else, whatever the endpoint does with it."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from asyncio import StreamWriter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.endpoints import Endpoint
from core.errors import EndpointRefused, TrilensError
from core.models.llm.calls import Completion, call_key, model_spec
from core.models.llm.client import LanguageModel
from core.models.llm.connection import test_connection as tested
from core.models.llm.keys import key_of
from core.models.llm.openai_wire import OpenAIWire
from tests.endpoints.asking import ask, call, endpoint_of
from tests.endpoints.faults import FAULTS, Fault, send
from tests.endpoints.server import MisbehavingServer

KEY = "sk-3f9c1e-not-for-your-eyes"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    monkeypatch.setenv("TRILENS_TEST_KEY", KEY)
    with MisbehavingServer(key=KEY) as running:
        yield running


def test_the_key_is_sent_to_its_address(server: MisbehavingServer) -> None:
    assert isinstance(ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q")["q"], Completion)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_keys_of_other_addresses_stay_at_home(server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.key = ""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Extra: {KEY}\nAuthorization: Bearer {KEY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ask(endpoint_of(server), "q")
    assert KEY not in str(server.requests)
    assert "authorization" not in server.requests[0].headers


def test_a_redirect_takes_neither_key_nor_prompt_along(server: MisbehavingServer) -> None:
    with MisbehavingServer() as elsewhere:
        server.faults[""] = Fault("301", location=elsewhere.base_url + "/chat/completions")
        with pytest.raises(EndpointRefused, match="never followed"):
            ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q")
        assert elsewhere.requests == []


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_no_fault_brings_the_key_into_log_error_or_outcome(
    server: MisbehavingServer, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint = endpoint_of(server, key_env="TRILENS_TEST_KEY", timeout_seconds=0.3, total_seconds=0.6, retries=0)
    server.faults["q"] = Fault(fault, says=f"you sent {KEY}")
    seen = [repr(endpoint), repr(model_spec(endpoint)), call_key(model_spec(endpoint), call("q"))]
    try:
        seen.append(repr(ask(endpoint, "q", "other")))
    except TrilensError as error:
        seen += [repr(error), "".join(traceback.format_exception(error))]
    seen += [record.getMessage() + str(record.__dict__) for record in caplog.records]
    assert len(caplog.records) > 0
    assert KEY not in "\n".join(seen)


def test_an_endpoint_that_sends_the_key_back_is_not_believed(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_TEST_KEY", "sk-wrong-one")
    endpoint = endpoint_of(server, key_env="TRILENS_TEST_KEY")
    with pytest.raises(EndpointRefused, match=r"Incorrect API key provided: Bearer \[key\]") as caught:
        ask(endpoint, "q")
    assert "sk-wrong-one" not in str(caught.value)
    assert "the key in TRILENS_TEST_KEY" in str(caught.value)
    assert "sk-wrong-one" not in str(tested(endpoint))


def test_an_answer_that_holds_the_key_loses_it(server: MisbehavingServer) -> None:
    server.answer = lambda request: f"You are {request.headers['authorization']}"
    answer = ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q")["q"]
    assert isinstance(answer, Completion)
    assert answer.text == "You are Bearer [key]"


@pytest.mark.parametrize("status", [400, 401])
def test_a_key_that_comes_back_in_other_letters_is_still_taken_out(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """JSON may write "/" as "\\/", and each letter by its number."""
    key = "sk/of+mine=="
    monkeypatch.setenv("TRILENS_TEST_KEY", key)
    server.key = key
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    bodies = {
        "slashes": json.dumps({"error": {"message": f"bad key {key}"}}).replace("/", "\\/"),
        "numbers": f'{{"error": {{"message": "bad key {escaped}"}}}}',
        "no object": f'["bad key {escaped}"]',
    }
    for name, body in bodies.items():

        async def respond(writer: StreamWriter, fault: Fault, body: str = body) -> bool:
            return await send(writer, status, body.encode())

        monkeypatch.setitem(FAULTS, name, respond)
        server.faults = {"q": Fault(name)}
        seen = ""
        try:
            seen = repr(ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q", "other"))
        except TrilensError as error:
            seen = str(error)
        assert "bad key [key]" in seen
        assert key not in seen


def test_the_key_is_not_kept_as_the_reason_why_an_answer_ends(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def respond(writer: StreamWriter, fault: Fault) -> bool:
        choice = {"finish_reason": f"{KEY} " * 100, "message": {"content": "yes"}}
        return await send(writer, 200, json.dumps({"choices": [choice]}).encode())

    monkeypatch.setitem(FAULTS, "talks on", respond)
    server.faults["q"] = Fault("talks on")
    answer = ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q")["q"]
    assert isinstance(answer, Completion)
    assert answer.finish.startswith("[key] [key]")
    assert len(answer.finish) <= 40


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nbreak", "schlüssel"])
def test_a_missing_or_impossible_key_is_said_before_anything_is_sent(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TRILENS_TEST_KEY", value)
    with pytest.raises(EndpointRefused, match="TRILENS_TEST_KEY") as caught:
        ask(endpoint_of(server, key_env="TRILENS_TEST_KEY"), "q")
    assert not value.strip() or value not in str(caught.value)
    assert server.requests == []


def test_neither_model_nor_wire_shows_the_key(server: MisbehavingServer) -> None:
    endpoint = endpoint_of(server, key_env="TRILENS_TEST_KEY")
    model = LanguageModel(endpoint)
    model.run({"q": call("q")}, on_outcome=lambda *_: None, stop=threading.Event())
    assert KEY not in json.dumps(model.spec.as_spec()) + repr(vars(model))
    wire = OpenAIWire(endpoint)
    assert KEY not in repr(wire) + repr(wire._client.api_key) + str(wire._client.default_headers)


def test_a_key_may_stand_at_the_top_of_the_settings_file(tmp_path, monkeypatch):
    written = tmp_path / "secrets.toml"
    written.write_text('TRILENS_TEST_FILE_KEY = "from-the-file"\n')
    monkeypatch.setenv("TRILENS_SETTINGS", str(written))
    endpoint = Endpoint("mine", "openai", "m", "http://127.0.0.1:1/v1", key_env="TRILENS_TEST_FILE_KEY")
    assert key_of(endpoint) == "from-the-file"
    monkeypatch.setenv("TRILENS_TEST_FILE_KEY", "from-the-environment")
    assert key_of(endpoint) == "from-the-environment"
    with pytest.raises(EndpointRefused, match="at the top of"):
        key_of(replace(endpoint, key_env="TRILENS_TEST_OTHER_KEY"))
