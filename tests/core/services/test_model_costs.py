"""What is said of a language model before the start holds after the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

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
    labelled, configurations = 6, 3
    found = _asked(replace(request_, answerer="extractive", relations="llm"))
    assert (found.calls, found.exact) == (labelled * (2 + configurations), False)
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
