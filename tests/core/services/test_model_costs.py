"""What is said of a language model before the start holds after the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.engine import forecast
from core.engine.spec import Request
from core.errors import OptionError
from core.services import costs
from core.services.estimating import estimate
from core.services.evaluation import plan, run
from core.services.importing import import_source
from core.services.lenses import logic
from core.services.model_costs import ModelCost
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer

_PRICES = {"price_input": 2.0, "price_output": 10.0}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, **_PRICES)
        yield found


@pytest.fixture
def request_(home: Path, small_csv: Path, server: MisbehavingServer) -> Request:
    del home
    return Request(
        import_source(small_csv).name, retrievers="bm25,edi", combinations="none", k=1, relations="none",
        answerer="openai", endpoint="test",
    )  # fmt: skip


def _asked(request: Request) -> ModelCost:
    (found,) = estimate([request]).asked
    return found


def _run(request: Request) -> str:
    spec, dataset = plan(request)
    return run(spec, dataset).run_id


def test_before_anything_is_retrieved_it_is_an_upper_bound(request_: Request, server: MisbehavingServer) -> None:
    before = estimate([request_])
    (cost,) = before.asked
    assert (cost.calls, cost.cached, cost.exact) == (12, 0, False)
    assert before.calls == 12
    assert (cost.counted, cost.measured) == (False, False)
    assert cost.price == pytest.approx((2 * cost.input_tokens + 10 * cost.output_tokens) / 1e6)
    assert server.requests == []
    total = logic(_run(request_)).provenance["cost"]["total"]
    assert total["calls"] == len(server.requests) <= 12
    # the prompts that were made up are about as long as those that were sent; the server counts words, we pieces
    assert 0.5 < (cost.input_tokens / 12) / (total["input_tokens"] / total["calls"]) < 3


def test_once_the_same_is_retrieved_the_calls_are_known(request_: Request, server: MisbehavingServer) -> None:
    _run(replace(request_, answerer="extractive", endpoint=""))
    before = _asked(request_)
    assert before.exact
    _run(request_)
    assert len(server.requests) == before.calls
    # a run that asks the same of another question set finds its answers there
    part = _asked(replace(request_, limit=4))
    assert (part.calls, part.input_tokens, part.seconds) == (0, 0, (0.0, 0.0))
    assert part.cached > 0


def test_the_speed_is_that_of_finished_runs_with_this_model(request_: Request, server: MisbehavingServer) -> None:
    server.latency = 0.2
    _run(replace(request_, k=2, relations="llm"))
    found = _asked(request_)
    assert found.measured
    assert found.seconds[0] < found.calls * 0.2 / 8 * 4
    assert found.seconds[1] > found.calls * 0.2 / 8


def test_what_is_asked_for_relations_is_counted_too(request_: Request) -> None:
    labelled, retrievers = 6, 2
    choices = replace(request_, answerer="extractive", relations="llm")
    found = _asked(choices)
    # no evidence is marked, so nothing is answered from it
    assert (found.calls, found.cached, found.exact) == (labelled * (2 + retrievers), 0, False)
    assert found.input_tokens > 0


def test_examples_count_with_every_call_for_a_relation(request_: Request, server: MisbehavingServer) -> None:
    demo = replace(
        request_, dataset="trilens-demo", answerer="extractive", relations="llm-few", combinations="none", limit=6
    )
    server.reports_usage = False  # both are our estimates then
    before = _asked(demo)
    total = logic(_run(demo)).provenance["cost"]["total"]
    # of the reference answers only, it is an upper bound of calls; a prompt is as long as was said
    assert 0.7 < (before.input_tokens / before.calls) / (total["input_tokens"] / total["calls"]) < 1.5


def test_once_answers_are_known_so_is_what_is_asked_about_them(request_: Request, server: MisbehavingServer) -> None:
    extractive = replace(request_, answerer="extractive", endpoint="")
    _run(replace(extractive, retrievers="knn,bm25,edi"))
    judged = replace(request_, answerer="extractive", retrievers="knn,bm25,edi", relations="llm")
    before = _asked(judged)
    assert (before.exact, before.sampled, before.cached) == (True, False, 0)
    _run(judged)
    assert len(server.requests) == before.calls
    # a run that asks the same about other questions finds the replies there
    part = _asked(replace(judged, limit=4))
    assert (part.calls, part.exact) == (0, True)
    assert part.cached > 0


def test_what_a_judge_was_asked_counts_as_answered(request_: Request, server: MisbehavingServer) -> None:
    demo = replace(request_, dataset="trilens-demo", answerer="extractive", endpoint="", limit=5)
    _run(demo)
    judged = replace(demo, endpoint="test", matcher="llm")
    before = _asked(judged)
    assert before.exact
    _run(judged)
    assert len(server.requests) == before.calls > 0
    part = _asked(replace(judged, limit=3))
    assert part.calls == 0
    assert part.cached > 0


def test_prompts_that_are_made_up_are_as_long_as_those_sent(request_: Request, server: MisbehavingServer) -> None:
    server.reports_usage = False  # both are our estimates then
    demo = replace(request_, dataset="trilens-demo", retrievers="bm25,tfidf", combinations="s:bm25+tfidf", k=4, limit=8)
    for scope in ("corpus", "document"):
        before = _asked(replace(demo, scope=scope))
        assert not before.exact
        total = logic(_run(replace(demo, scope=scope))).provenance["cost"]["total"]
        assert 0.75 < (before.input_tokens / before.calls) / (total["input_tokens"] / total["calls"]) < 1.35


def test_a_large_run_is_told_from_a_part_of_its_questions(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = replace(request_, dataset="trilens-demo", retrievers="bm25,tfidf", combinations="none", k=4, limit=40)
    _run(replace(demo, answerer="extractive", endpoint=""))
    whole = _asked(demo)
    assert (whole.exact, whole.sampled) == (True, False)
    monkeypatch.setattr(forecast, "MOST_ANSWERS", 60)
    part = _asked(replace(demo, seed=1))
    assert part.sampled
    assert part.calls == pytest.approx(whole.calls, rel=0.15)
    assert part.input_tokens == pytest.approx(whole.input_tokens, rel=0.2)


def test_an_estimate_that_is_made_again_looks_up_what_it_knows(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = replace(request_, dataset="trilens-demo", retrievers="bm25", combinations="none", limit=10)
    _run(replace(demo, answerer="extractive", endpoint=""))
    first = _asked(demo)

    def never(*_: object) -> None:
        raise AssertionError("cut up again")

    monkeypatch.setattr(forecast, "prepared", never)
    assert _asked(demo) == first


def test_a_limit_that_the_run_would_reach_is_said(request_: Request, server: MisbehavingServer) -> None:
    assert _asked(request_).limit == ""
    assert "The limit of 5 calls may end the run" in _asked(replace(request_, max_calls=5)).limit
    assert "The limit of 100 tokens may end" in _asked(replace(request_, max_tokens=100)).limit
    _run(replace(request_, max_calls=5))
    assert "5 calls, 5 of them used before" in _asked(replace(request_, max_calls=5)).limit
    assert _asked(replace(request_, max_calls=12)).limit == ""


def test_repeats_are_counted(request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MisbehavingServer() as warm:
        name_endpoint(warm, tmp_path, monkeypatch, **IMPATIENT, temperature=0.7)
        once, thrice = _asked(request_), _asked(replace(request_, repeats=3))
        assert thrice.calls == 3 * once.calls
        _run(replace(request_, answerer="extractive", endpoint=""))
        before = _asked(replace(request_, repeats=3))
        assert before.exact
        _run(replace(request_, repeats=3))
        assert len(warm.requests) == before.calls


def test_without_a_model_nothing_is_asked(request_: Request) -> None:
    found = estimate([replace(request_, answerer="extractive", endpoint="")])
    assert (found.asked, found.calls, found.tokens) == ((), 0, 0)


def test_what_it_took_stands_in_a_table(request_: Request, server: MisbehavingServer) -> None:
    server.faults["Who built"] = Fault("empty")
    lens = logic(_run(request_))
    table = costs.cost_table(lens)
    assert table["configuration"].tolist() == ["BM25", "EDI", "All, each call once"]
    assert table["calls"].tolist()[-1] == len(server.requests)
    assert table["tokens in"].tolist()[-1] <= sum(table["tokens in"].tolist()[:-1])
    assert table["price"].notna().all()
    sentence = costs.cost_sentence(lens)
    assert "different calls to test-model" in sentence
    assert "By the prices in the settings" in sentence


def test_a_run_without_a_model_has_no_costs(request_: Request) -> None:
    lens = logic(_run(replace(request_, answerer="extractive", endpoint="")))
    assert costs.cost_table(lens).empty
    assert costs.cost_sentence(lens) == ""


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"answerer": "oracle", "endpoint": ""}, "it must be one of extractive, local, openai, chat"),
        ({"endpoint": ""}, "name one with --endpoint \\('local', 'test'\\)"),
        ({"endpoint": "nowhere"}, "which the settings do not name"),
        ({"answerer": "chat"}, "is of kind openai"),
        ({"endpoint": "local"}, "is the local model"),
        ({"answerer": "local", "endpoint": "test"}, "leave out --endpoint test"),
        ({"answerer": "extractive", "endpoint": "", "relations": "llm"}, "--relations llm asks a language model"),
        ({"relations": "imported:mine"}, "which were not imported for this dataset"),
        ({"repeats": 0}, "--repeats is 0: it must be from 1 to 20"),
        ({"repeats": 2}, "at temperature 0 the model 'test-model' gives the same answer each time"),
        ({"repeats": 2, "answerer": "extractive", "endpoint": ""}, "extractive answers are the same each time"),
        ({"max_calls": 0}, "--max-calls is 0"),
        ({"max_tokens": -1}, "--max-tokens is -1"),
    ],
)
def test_what_cannot_be_asked_is_said(request_: Request, choices: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says) as caught:
        estimate([replace(request_, **choices)])
    assert "\n" not in str(caught.value)


def test_a_judge_of_nuggets_is_counted_for_every_answer(request_: Request) -> None:
    demo = Request(
        "trilens-demo", retrievers="bm25", combinations="none", relations="none", limit=3, matcher="llm",
        endpoint="test",
    )  # fmt: skip
    found = _asked(demo)
    # one retriever and the gold evidence; up to ten nuggets are judged in a call
    assert (found.calls, found.exact) == (6, False)
    assert found.input_tokens > 0
