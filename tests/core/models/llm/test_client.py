"""Many calls at once: how they are joined, bounded, reported, stopped, and paid for."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest

from core.errors import EndpointRefused, EndpointUnreachable, SpendingLimitReached
from core.models.llm.calls import Call, CallFailure, Completion, Message, Outcome
from core.models.llm.client import LanguageModel
from core.models.llm.purse import Spent
from core.models.llm.tokens import estimated_tokens
from tests.endpoints.asking import ask, call, endpoint_of
from tests.endpoints.faults import Fault
from tests.endpoints.server import MisbehavingServer

SCHEMA = json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running


def test_a_call_is_sent_as_it_is(server: MisbehavingServer) -> None:
    asked = Call((Message("system", "be brief"), Message("user", "q")), max_tokens=9, temperature=0.5)
    outcomes: dict[str, Outcome] = {}
    LanguageModel(endpoint_of(server)).run({"id": asked}, on_outcome=outcomes.__setitem__, stop=threading.Event())
    (request,) = server.requests
    assert request.body == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "q"}],
        "max_tokens": 9,
        "temperature": 0.5,
    }
    answer = outcomes["id"]
    assert isinstance(answer, Completion)
    assert (answer.input_tokens, answer.output_tokens, answer.finish) == (3, 5, "stop")
    assert 0 < answer.seconds < 5


def test_no_calls_ask_nothing(server: MisbehavingServer) -> None:
    assert ask(endpoint_of(server, key_env="NOT_SET_ANYWHERE")) == {}
    assert server.requests == []


def test_equal_calls_are_sent_once_and_reported_each(server: MisbehavingServer) -> None:
    calls = {f"id{number}": call("same") for number in range(10)} | {"again": call("same", repeat=1)}
    outcomes: dict[str, Outcome] = {}
    LanguageModel(endpoint_of(server)).run(calls, on_outcome=outcomes.__setitem__, stop=threading.Event())
    assert set(outcomes) == set(calls)
    assert server.asked("same") == 2


def test_no_more_are_under_way_than_set(server: MisbehavingServer) -> None:
    server.latency = 0.05
    ask(endpoint_of(server, concurrency=5), *(f"q{number}" for number in range(40)))
    assert server.crowd == 5


def test_outcomes_come_on_the_callers_thread_while_others_go_on(server: MisbehavingServer) -> None:
    server.latency = 0.1
    threads: set[str] = set()

    def store(name: str, outcome: Outcome) -> None:
        threads.add(threading.current_thread().name)
        time.sleep(0.02)

    began = time.monotonic()
    LanguageModel(endpoint_of(server, concurrency=5)).run(
        {f"q{number}": call(f"q{number}") for number in range(20)}, on_outcome=store, stop=threading.Event()
    )
    assert threads == {threading.current_thread().name}
    # 0.4 s of waiting for answers and 0.4 s of storing, side by side but for the last crowd
    assert time.monotonic() - began < 2.0


def test_what_the_caller_raises_breaks_everything_off(server: MisbehavingServer) -> None:
    server.latency = 0.05

    def refuse(name: str, outcome: Outcome) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        LanguageModel(endpoint_of(server, concurrency=2)).run(
            {f"q{number}": call(f"q{number}") for number in range(100)}, on_outcome=refuse, stop=threading.Event()
        )
    sent = len(server.requests)
    assert sent < 20
    time.sleep(0.2)
    assert len(server.requests) == sent


def test_stopping_delivers_what_is_under_way_and_leaves_the_rest(server: MisbehavingServer) -> None:
    server.latency = 0.3
    stop = threading.Event()
    outcomes: dict[str, Outcome] = {}

    def store(name: str, outcome: Outcome) -> None:
        outcomes[name] = outcome
        stop.set()

    LanguageModel(endpoint_of(server, concurrency=3)).run(
        {f"q{number}": call(f"q{number}") for number in range(100)}, on_outcome=store, stop=stop
    )
    assert 3 <= len(outcomes) <= 6
    assert len(outcomes) == len(server.requests)
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())


def test_stopping_does_not_wait_for_a_call_between_two_tries(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("429 with Retry-After", seconds=60.0)
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    began = time.monotonic()
    outcomes: dict[str, Outcome] = {}
    LanguageModel(endpoint_of(server, total_seconds=300.0)).run(
        {"q": call("q")}, on_outcome=outcomes.__setitem__, stop=stop
    )
    assert time.monotonic() - began < 5
    assert outcomes == {}


def test_a_limit_of_calls_is_never_exceeded_and_ends_in_words(server: MisbehavingServer) -> None:
    model = LanguageModel(endpoint_of(server, max_calls=10))
    outcomes: dict[str, Outcome] = {}
    with pytest.raises(SpendingLimitReached, match=r"10 calls \(max_calls\), and all are used"):
        model.run(
            {f"q{number}": call(f"q{number}") for number in range(50)},
            on_outcome=outcomes.__setitem__,
            stop=threading.Event(),
        )
    assert len(outcomes) == len(server.requests) == model.spent.calls == 10


def test_exactly_as_many_calls_as_allowed_reach_no_limit(server: MisbehavingServer) -> None:
    assert len(ask(endpoint_of(server, max_calls=10), *(f"q{number}" for number in range(10)))) == 10


def test_a_limit_goes_on_from_what_was_spent(server: MisbehavingServer) -> None:
    model = LanguageModel(endpoint_of(server, max_calls=10), spent=Spent(calls=8, tokens=5))
    with pytest.raises(SpendingLimitReached):
        ask(model, "a", "b", "c")
    assert len(server.requests) == 2
    assert model.spent.calls == 10


def test_a_call_the_endpoint_turns_away_costs_nothing(server: MisbehavingServer) -> None:
    server.faults["q"] = Fault("500", times=1)
    model = LanguageModel(endpoint_of(server, max_calls=1))
    assert isinstance(ask(model, "q")["q"], Completion)
    assert model.spent.calls == 1


def test_a_probe_does_not_wait_for_calls_that_wait_for_it(server: MisbehavingServer) -> None:
    server.faults[""] = Fault("500")
    with pytest.raises(EndpointUnreachable):
        ask(
            endpoint_of(server, concurrency=8, max_calls=8, total_seconds=3.0, retries=5),
            *(f"q{number}" for number in range(30)),
        )


def test_a_limit_of_tokens_is_kept_with_the_longest_answer_in_mind(server: MisbehavingServer) -> None:
    server.reports_usage = False
    most = estimated_tokens("q00") + 4 + 50
    model = LanguageModel(endpoint_of(server, max_tokens=5 * most))
    outcomes: dict[str, Outcome] = {}
    with pytest.raises(SpendingLimitReached, match=r"tokens \(max_tokens\)"):
        model.run(
            {f"q{number:02}": call(f"q{number:02}", max_tokens=50) for number in range(50)},
            on_outcome=outcomes.__setitem__,
            stop=threading.Event(),
        )
    assert len(outcomes) > 5  # answers are shorter than they might be, and what is left over is used
    assert model.spent.tokens <= 5 * most
    assert model.spent.tokens > 4 * most - 50


def test_an_endpoint_without_schemas_is_asked_in_the_prompt(server: MisbehavingServer) -> None:
    server.takes_schema = False
    outcomes = ask(endpoint_of(server, concurrency=1), "a", "b", "c", schema=SCHEMA)
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())
    # found out by the first call, remembered for the others
    assert sum("response_format" in request.body for request in server.requests) == 1
    assert len(server.requests) == 4


def test_an_endpoint_with_schemas_gets_them(server: MisbehavingServer) -> None:
    ask(endpoint_of(server), "a", schema=SCHEMA, schema_name="numbers")
    (request,) = server.requests
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "numbers", "schema": json.loads(SCHEMA), "strict": True},
    }


def test_one_refused_call_does_not_say_that_schemas_are_not_taken(server: MisbehavingServer) -> None:
    server.faults["bad"] = Fault("400")
    outcomes = ask(endpoint_of(server, concurrency=1), "bad", "good", schema=SCHEMA)
    assert isinstance(outcomes["bad"], CallFailure)
    assert "response_format" in server.requests[-1].body


def test_the_newer_name_of_the_bound_is_found_out(server: MisbehavingServer) -> None:
    server.newer_bound = True
    outcomes = ask(endpoint_of(server, concurrency=1), "a", "b", max_tokens=7)
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())
    assert [request.body.get("max_completion_tokens") for request in server.requests] == [None, 7, 7]


def test_where_only_the_settings_temperature_is_taken_judges_ask_with_it(server: MisbehavingServer) -> None:
    server.temperature = 1.0
    endpoint = endpoint_of(server, concurrency=1, temperature=1.0)
    outcomes = ask(endpoint, "a", "b", temperature=0.0, schema=SCHEMA)
    assert all(isinstance(outcome, Completion) for outcome in outcomes.values())
    # found out by the first call, remembered for the other; that schemas are taken is not in doubt
    assert [request.body["temperature"] for request in server.requests] == [0.0, 1.0, 1.0]
    assert all("response_format" in request.body for request in server.requests)
    # settings that ask for what is refused are not overruled
    server.requests.clear()
    with pytest.raises(EndpointRefused, match="Unsupported value: 'temperature'"):
        ask(endpoint_of(server, concurrency=1), "a", temperature=0.0)


def test_half_a_character_in_an_answer_is_replaced(server: MisbehavingServer) -> None:
    server.answer = lambda _: "Half \ud83d of it, and a whole one: \U0001f600."
    answer = ask(endpoint_of(server), "q")["q"]
    assert isinstance(answer, Completion)
    assert answer.text == "Half \N{REPLACEMENT CHARACTER} of it, and a whole one: \U0001f600."


def test_text_that_cannot_be_sent_is_a_failure_of_its_call(server: MisbehavingServer) -> None:
    outcomes = ask(endpoint_of(server), "half \ud800", "whole")
    assert outcomes["half \ud800"] == CallFailure("the prompt holds half a character", "request")
    assert isinstance(outcomes["whole"], Completion)


def test_what_the_endpoint_does_not_count_is_estimated(server: MisbehavingServer) -> None:
    server.reports_usage = False
    answer = ask(endpoint_of(server), "How often does it run?")["How often does it run?"]
    assert isinstance(answer, Completion)
    assert answer.input_tokens == estimated_tokens("How often does it run?") + 4
    assert answer.output_tokens == estimated_tokens(answer.text)
