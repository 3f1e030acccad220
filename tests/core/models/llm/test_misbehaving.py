"""Every way in which an endpoint may misbehave, against the real client: what ends as a failure, what ends the run."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.errors import EndpointRefused, EndpointUnreachable
from core.models.llm.calls import CallFailure, Completion
from core.models.llm.client import LanguageModel
from tests.endpoints.asking import ask, call, endpoint_of
from tests.endpoints.faults import FOREIGN, OBEDIENT, Fault
from tests.endpoints.server import MisbehavingServer

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"label": {"enum": ["yes", "no"]}},
        "required": ["label"],
        "additionalProperties": False,
    }
)


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("hang", "timeout", "no complete answer within 1 s; 2 tries"),
        ("slow stream", "timeout", "no complete answer within 1 s; 2 tries"),
        ("reset", "connection", "the connection broke before the answer was complete; 2 tries"),
        ("break off", "connection", "the connection broke before the answer was complete; 2 tries"),
        ("500", "server", "the endpoint answered with status 500 (something broke); 2 tries"),
        ("400", "request", "the endpoint refused the request with status 400 (top_p must be 1)"),
        ("too long", "too_long", "the prompt is longer than the model takes"),
        ("10 MB", "too_long", "the answer is longer than 4 MB"),
        ("broken JSON", "format", "the endpoint's response is no JSON"),
        ("no completion", "format", "the endpoint's response is no chat completion"),
    ],
)
def test_a_fault_of_one_call_fails_that_call_alone(server: MisbehavingServer, fault: str, kind: str, said: str) -> None:
    server.faults["bad"] = Fault(fault)
    outcomes = ask(endpoint_of(server), "good one", "bad", "good two", "good three")
    failure = outcomes.pop("bad")
    assert isinstance(failure, CallFailure)
    assert failure.kind == kind
    assert failure.reason.startswith(said)
    assert len(outcomes) == 3
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())
    assert server.asked("bad") == (2 if kind in ("timeout", "connection", "server") else 1)


@pytest.mark.parametrize("fault", ["hang", "slow stream", "reset", "break off", "500", "429", "429 with Retry-After"])
def test_a_fault_that_passes_leaves_the_answer_of_a_good_server(server: MisbehavingServer, fault: str) -> None:
    good = ask(endpoint_of(server), "q")["q"]
    server.faults["q"] = Fault(fault, times=1)
    mended = ask(endpoint_of(server), "q")["q"]
    assert isinstance(good, Completion)
    assert isinstance(mended, Completion)
    assert replace(mended, seconds=0.0) == replace(good, seconds=0.0)
    assert server.asked("q") == 3


@pytest.mark.parametrize(("fault", "asked_for"), [("429 with Retry-After", 1.2), ("429 with a date", 2.0)])
def test_retry_after_is_honoured(server: MisbehavingServer, fault: str, asked_for: float) -> None:
    server.faults["q"] = Fault(fault, times=1, seconds=asked_for)
    began = time.monotonic()
    assert isinstance(ask(endpoint_of(server), "q")["q"], Completion)
    # a date has whole seconds
    assert time.monotonic() - began >= asked_for - (1.0 if "date" in fault else 0.0)


def test_too_many_requests_do_not_use_up_the_retries(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("429", times=3)
    assert isinstance(ask(endpoint_of(server, retries=0), "q")["q"], Completion)


def test_while_the_endpoint_asks_for_rest_nobody_sends(server: MisbehavingServer) -> None:
    server.faults["first"] = Fault("429 with Retry-After", times=1, seconds=1.0)
    began = time.monotonic()
    arrived: list[float] = []
    LanguageModel(endpoint_of(server, concurrency=1)).run(
        {"a": call("first"), "b": call("second")},
        on_outcome=lambda *_: arrived.append(time.monotonic() - began),
        stop=threading.Event(),
    )
    assert len(arrived) == 2
    assert min(arrived) >= 1.0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("401", "it does not accept the key (invalid key)"),
        ("404 model", "it knows no such model"),
        ("429 without credit", "the account has no credit left"),
        ("301", "it redirects to another address, which is never followed"),
    ],
)
def test_what_every_call_would_meet_ends_the_run_at_once(server: MisbehavingServer, fault: str, said: str) -> None:
    server.faults[""] = Fault(fault)
    with pytest.raises(EndpointRefused) as caught:
        ask(endpoint_of(server), *(f"q{number}" for number in range(100)))
    assert said in str(caught.value)
    assert "'mine' refuses the model 'test-model'" in str(caught.value)
    assert len(server.requests) <= 8


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_text_that_is_not_let_through_fails_alone(server: MisbehavingServer, concurrency: int) -> None:
    """As gateways that moderate say 403 to some texts, which says nothing of the key."""
    server.faults["bad"] = Fault("403")
    texts = [f"bad {number}" for number in range(3)] + [f"good {number}" for number in range(10)]
    outcomes = ask(endpoint_of(server, concurrency=concurrency), *texts)
    assert len(outcomes) == 13
    for text, outcome in outcomes.items():
        assert isinstance(outcome, CallFailure if text.startswith("bad") else Completion), text
    assert outcomes["bad 0"] == CallFailure("the key may not do this (your text was flagged)", "auth")
    assert server.asked("bad 0") == 1


def test_a_key_that_may_nothing_ends_the_run_and_blames_no_call(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("403")
    outcomes: dict[str, object] = {}
    with pytest.raises(EndpointRefused, match="the key may not do this"):
        LanguageModel(endpoint_of(server, concurrency=4)).run(
            {f"q{number}": call(f"q{number}") for number in range(100)},
            on_outcome=outcomes.__setitem__,
            stop=threading.Event(),
        )
    assert outcomes == {}
    assert len(server.requests) <= 8


def test_a_last_try_cut_short_is_told_as_all_others_are(server: MisbehavingServer) -> None:
    server.faults["bad"] = Fault("hang")
    endpoint = endpoint_of(server, timeout_seconds=0.5, total_seconds=1.0, retries=5)
    outcomes = ask(endpoint, "bad 0", "bad 1", "bad 2", "good")
    reasons = {outcome.reason for outcome in outcomes.values() if isinstance(outcome, CallFailure)}
    # the second, where there was time for one, had less than the half second of the first
    assert reasons <= {"no complete answer within 0.5 s", "no complete answer within 1 s in all; 2 tries"}


def test_a_request_nobody_is_answered_ends_the_run(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("400")
    with pytest.raises(EndpointRefused, match="top_p must be 1"):
        ask(endpoint_of(server), *(f"q{number}" for number in range(100)))
    assert len(server.requests) < 40


@pytest.mark.parametrize("fault", ["hang", "reset", "500", "429"])
def test_an_endpoint_that_answers_nothing_is_unreachable_and_blames_no_call(
    server: MisbehavingServer, fault: str
) -> None:
    server.faults[""] = Fault(fault)
    outcomes: dict[str, object] = {}
    with pytest.raises(EndpointUnreachable, match="'mine' answers nothing"):
        LanguageModel(endpoint_of(server, timeout_seconds=0.3, total_seconds=1.0)).run(
            {f"q{number}": call(f"q{number}") for number in range(100)},
            on_outcome=outcomes.__setitem__,
            stop=threading.Event(),
        )
    assert outcomes == {}


def test_nobody_listening_is_unreachable_even_for_one_call() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        endpoint = endpoint_of(MisbehavingServer(port=taken.getsockname()[1]), total_seconds=1.0)
        with pytest.raises(EndpointUnreachable, match="no connection"):
            ask(endpoint, "q")


def test_an_endpoint_that_comes_back_in_time_fails_nothing(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("500", times=12)
    texts = [f"q{number}" for number in range(12)]
    outcomes = ask(endpoint_of(server, retries=3), *texts)
    assert all(isinstance(outcomes[text], Completion) for text in texts)


def test_calls_that_only_fail_for_their_own_sake_do_not_make_an_endpoint_unreachable(
    server: MisbehavingServer,
) -> None:
    server.faults["bad"] = Fault("500")
    outcomes = ask(endpoint_of(server, concurrency=4), *(f"bad {number}" for number in range(30)))
    assert len(outcomes) == 30
    assert {outcome.kind for outcome in outcomes.values() if isinstance(outcome, CallFailure)} == {"server"}


@pytest.mark.parametrize("fault", ["empty", "null"])
def test_an_empty_answer_is_an_answer_in_free_text_and_none_by_schema(server: MisbehavingServer, fault: str) -> None:
    server.faults["q"] = Fault(fault)
    free = ask(endpoint_of(server), "q")["q"]
    assert isinstance(free, Completion)
    assert free.text == ""
    assert ask(endpoint_of(server), "q", schema=SCHEMA)["q"] == CallFailure("the model gave an empty answer", "format")


def test_an_answer_in_another_language_is_an_answer(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("wrong language")
    answer = ask(endpoint_of(server), "q")["q"]
    assert isinstance(answer, Completion)
    assert answer.text == FOREIGN


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("another schema", "the answer does not fit the schema"),
        ("obeys the passage", "the answer is no JSON: HACKED"),
        ("wrong language", "the answer is no JSON: Die Fähre"),
    ],
)
def test_an_answer_outside_the_schema_is_a_failure_and_never_a_guess(
    server: MisbehavingServer, fault: str, said: str
) -> None:
    server.faults["q"] = Fault(fault)
    failure = ask(endpoint_of(server), "q", schema=SCHEMA)["q"]
    assert isinstance(failure, CallFailure)
    assert failure.kind == "format"
    assert failure.reason.startswith(said)


def test_an_answer_that_obeys_a_passage_stays_plain_text(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("obeys the passage")
    answer = ask(endpoint_of(server), "q")["q"]
    assert isinstance(answer, Completion)
    assert answer.text == OBEDIENT


def test_a_run_over_all_faults_at_once_ends_with_everything_good_and_mends(server: MisbehavingServer) -> None:
    faults = ["hang", "slow stream", "reset", "500", "10 MB", "broken JSON", "no completion", "too long"]
    bad = [f"question {number} {fault}" for number, fault in enumerate(faults)]
    good = [f"question {number} good" for number in range(40)]
    for text, fault in zip(bad, faults, strict=True):
        server.faults[text] = Fault(fault)
    outcomes = ask(endpoint_of(server), *good, *bad)
    assert {text for text, outcome in outcomes.items() if isinstance(outcome, CallFailure)} == set(bad)
    server.faults.clear()
    mended = outcomes | ask(endpoint_of(server), *bad)
    with MisbehavingServer() as perfect:
        expected = ask(endpoint_of(perfect), *good, *bad)
    texts = {text: outcome.text for text, outcome in mended.items() if isinstance(outcome, Completion)}
    assert texts == {text: outcome.text for text, outcome in expected.items() if isinstance(outcome, Completion)}
    assert len(texts) == 48
