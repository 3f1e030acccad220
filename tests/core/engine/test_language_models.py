"""Runs that ask a language model: what is stored, shared and asked again, and what becomes of faults."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.engine.progress import Event
from core.engine.run import Outcome
from core.engine.spec import Request
from core.errors import EndpointRefused
from core.services import catalogue, evaluation
from core.services.lenses import logic
from core.services.stages import place_of
from core.services.workspace import workspace
from core.store.runs import run_row
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.usefixtures("home")

#: one call a question
LEAN = {"retrievers": "bm25", "combinations": "none", "k": 1, "relations": "none"}
ASKS = {"answerer": "openai", "endpoint": "test"}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, concurrency=4)
        yield found


def _evaluate(source: str, *, retry_failed: bool = False, **choices: Any) -> Outcome:
    spec, dataset = evaluation.plan(Request(source, **{**ASKS, **choices}))
    return evaluation.run(spec, dataset, retry_failed=retry_failed)


def _rows(run_id: str, configuration: str = "bm25") -> list[dict[str, Any]]:
    _, store = workspace()
    return store.rows(
        "SELECT * FROM run_items WHERE run = ? AND configuration = ? ORDER BY question", (run_id, configuration)
    )


def _stored_calls() -> int:
    _, store = workspace()
    return int(store.rows("SELECT COUNT(*) AS n FROM stage_results WHERE stage = 'call'")[0]["n"])


def test_answers_are_stored_with_their_citations_and_asked_once(small_csv: Path, server: MisbehavingServer) -> None:
    outcome = _evaluate(str(small_csv), **LEAN)
    assert outcome.state == "done"
    assert len(server.requests) == 6
    for row in _rows(outcome.run_id):
        answer, passages = json.loads(row["answer"]), json.loads(row["passages"])
        assert answer["sentences"][0].startswith("The answer is")
        assert "[1]" not in answer["sentences"][0]
        assert [c["passage_id"] for c in answer["citations"]] == passages
        assert row["similarity_state"] == "scored"
    # the same run, and another one that asks the same
    assert _evaluate("marlow", **LEAN).worked is False
    other = _evaluate("marlow", **{**LEAN, "retrievers": "bm25,edi"})
    assert len(server.requests) == 6 + logic(other.run_id).provenance["cost"]["total"]["calls"] - 6
    assert len({request.prompt for request in server.requests}) == len(server.requests)


def test_configurations_that_hand_on_the_same_passages_share_a_call(small_csv: Path, server: MisbehavingServer) -> None:
    outcome = _evaluate(str(small_csv), retrievers="bm25,tfidf", combinations="a:bm25+tfidf", k=20, relations="none")
    cost = logic(outcome.run_id).provenance["cost"]
    assert cost["total"]["calls"] == len(server.requests)
    # all passages in any order: what differs is which of them is called [1]
    assert sum(one["calls"] for one in cost["configurations"].values()) == 18
    assert len(server.requests) < 18
    assert cost["total"]["input_tokens"] > 0
    assert cost["configurations"]["bm25"]["median_seconds"] > 0


def test_what_another_run_asked_is_said_to_be_cached(small_csv: Path, server: MisbehavingServer) -> None:
    _evaluate(str(small_csv), **LEAN, limit=2)
    outcome = _evaluate("marlow", **LEAN)
    total = logic(outcome.run_id).provenance["cost"]["total"]
    assert (total["calls"], total["cached"], total["failed"]) == (6, 2, 0)
    assert len(server.requests) == 6


#: a fault for each question but the first
_FAULTS = {
    "run less in winter": ("hang", "no complete answer within"),
    "Who built": ("500", "status 500"),
    "stopped the Marlow mill": ("broken JSON", "JSON"),
    "How many steps": ("empty", "the model gave an empty answer"),
    "sound the horn": ("10 MB", "MB"),
}


def test_a_misbehaving_endpoint_costs_only_what_it_spoils(
    small_csv: Path, server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.faults |= {text: Fault(name) for text, (name, _) in _FAULTS.items()}
    outcome = _evaluate(
        str(small_csv),
        **LEAN,
    )
    assert outcome.state == "done"
    rows = _rows(outcome.run_id)
    assert [row["similarity_state"] for row in rows] == ["scored", *["failed"] * 5]
    for row, (_, says) in zip(rows[1:], _FAULTS.values(), strict=True):
        assert says in row["similarity_reason"], row["similarity_reason"]
        assert row["similarity"] is None
        # what was retrieved is there, and can be looked at
        assert json.loads(row["passages"])
        assert row["words"] > 0
    run = catalogue.run(outcome.run_id)
    assert sum(run.failures.values()) == 5
    # without being asked to, nothing is tried again
    assert _evaluate("marlow", **LEAN).worked is False

    server.faults.clear()
    before = len(server.requests)
    mended = _evaluate("marlow", **LEAN, retry_failed=True)
    assert len(server.requests) == before + 5
    assert catalogue.run(mended.run_id).failures == {}
    monkeypatch.setenv("TRILENS_HOME", str(tmp_path / "other"))
    undisturbed = _evaluate(str(small_csv), **LEAN)
    assert undisturbed.run_id == mended.run_id
    good = _rows(undisturbed.run_id)
    monkeypatch.setenv("TRILENS_HOME", str(tmp_path / "home"))
    for row, undisturbed_row in zip(_rows(mended.run_id), good, strict=True):
        # what is encoded beside it moves a vector's last digits
        assert row.pop("similarity") == pytest.approx(undisturbed_row.pop("similarity"), abs=1e-5)
        assert row == undisturbed_row


def test_a_relation_that_cannot_be_read_is_failed_and_retried(small_csv: Path, server: MisbehavingServer) -> None:
    choices = {**LEAN, "relations": "llm"}
    server.faults["<answer>"] = Fault("another schema")
    outcome = _evaluate(str(small_csv), **choices)
    assert {row["correct_state"] for row in _rows(outcome.run_id)} == {"failed"}
    assert {row["similarity_state"] for row in _rows(outcome.run_id)} == {"scored"}
    assert sum(catalogue.run(outcome.run_id).failures.values()) == 6
    server.faults.clear()
    mended = _evaluate("marlow", **choices, retry_failed=True)
    assert {row["correct_state"] for row in _rows(mended.run_id)} == {"scored"}
    assert {row["predicted"] for row in _rows(mended.run_id)} <= {"causal", "direct matching"}
    assert logic(mended.run_id).classifier is not None


def test_an_unreachable_endpoint_pauses_the_run(
    small_csv: Path, server: MisbehavingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.faults[""] = Fault("reset")
    arguments = ["evaluate", str(small_csv), "--retrievers", "bm25", "--combinations", "none", "--k", "1"]
    arguments += ["--relations", "none", "--answerer", "openai", "--endpoint", "test"]
    assert main(arguments) == 1
    said = capsys.readouterr().out
    assert "is paused: The endpoint 'test' answers nothing" in said
    (run,) = catalogue.runs()
    assert run.state == "paused"
    assert "answers nothing" in run.message
    assert run.state in catalogue.RESUMABLE
    # nothing was tried to the end, so nothing is failed
    assert _stored_calls() == 0
    server.faults.clear()
    assert main(["evaluate", "--resume", run.id]) == 0
    assert catalogue.run(run.id).message == ""
    assert {row["similarity_state"] for row in _rows(run.id)} == {"scored"}


def test_a_refused_key_ends_the_run_at_once(small_csv: Path, server: MisbehavingServer) -> None:
    server.faults[""] = Fault("401")
    with pytest.raises(EndpointRefused, match="invalid key"):
        _evaluate(str(small_csv), **LEAN)
    (run,) = catalogue.runs()
    assert run.state == "failed"
    assert "does not accept the key" in run.message
    assert len(server.requests) <= 4


def test_a_spending_limit_stops_the_run_and_a_higher_one_lets_it_go_on(
    small_csv: Path, server: MisbehavingServer
) -> None:
    stopped = _evaluate(str(small_csv), **LEAN, max_calls=2)
    assert (stopped.state, len(server.requests)) == ("stopped", 2)
    assert "2 calls" in stopped.message
    assert catalogue.run(stopped.run_id).message == stopped.message
    # what was spent before counts, so going on without a higher limit spends nothing
    assert _evaluate("marlow", **LEAN, max_calls=2).state == "stopped"
    assert len(server.requests) == 2
    done = _evaluate("marlow", **LEAN, max_calls=6)
    assert (done.run_id, done.state, len(server.requests)) == (stopped.run_id, "done", 6)
    _, store = workspace()
    assert run_row(store, done.run_id)["spec"]["request"]["max_calls"] == 6


def test_a_stored_run_gets_a_higher_limit_where_it_is_resumed(
    small_csv: Path, server: MisbehavingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = _evaluate(str(small_csv), **LEAN, max_calls=2)
    assert main(["evaluate", "--resume", stopped.run_id]) == 1
    assert "was stopped: The endpoint 'test' may be used for 2 calls" in capsys.readouterr().out
    assert main(["evaluate", "--resume", stopped.run_id, "--max-calls", "0"]) == 2
    assert "--max-calls is 0" in capsys.readouterr().err
    assert main(["evaluate", "--resume", stopped.run_id, "--max-calls", "6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["event"] == "done"
    assert len(server.requests) == 6


def test_what_the_endpoint_refused_is_not_spent_when_it_is_asked_again(
    small_csv: Path, server: MisbehavingServer
) -> None:
    server.faults |= {text: Fault("400") for text in ("Who built", "How many steps", "sound the horn")}
    assert _evaluate(str(small_csv), **LEAN, max_calls=6).state == "done"
    server.faults.clear()
    mended = _evaluate("marlow", **LEAN, max_calls=6, retry_failed=True)
    assert (mended.state, catalogue.run(mended.run_id).failures) == ("done", {})


def test_half_a_character_in_an_answer_does_not_end_the_run(small_csv: Path, server: MisbehavingServer) -> None:
    server.answer = lambda _: "It was half \ud83d of it [1]."
    outcome = _evaluate(str(small_csv), **LEAN)
    assert outcome.state == "done"
    assert {row["similarity_state"] for row in _rows(outcome.run_id)} == {"scored"}


def test_what_is_asked_is_part_of_what_is_known_of_a_run(small_csv: Path, server: MisbehavingServer) -> None:
    seen: list[str] = []
    spec, dataset = evaluation.plan(
        Request(str(small_csv), **{**ASKS, **LEAN, "retrievers": "knn", "relations": "llm"})  # type: ignore[arg-type]
    )
    outcome = evaluation.run(spec, dataset, listener=lambda event: seen.append(event.stage))
    provenance = logic(outcome.run_id).provenance
    assert list(provenance["prompts"]) == ["en"]
    assert provenance["cost"]["model"]["model"] == "test-model"
    assert provenance["spec"]["resolved"]["answerer"]["prompt_version"] >= 1
    places = [place_of(stage) for stage in dict.fromkeys(seen)]
    assert 0 not in places
    assert places == sorted(places)


def test_a_run_that_is_stopped_keeps_what_came_back(
    small_csv: Path, server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_endpoint(server, tmp_path, monkeypatch, concurrency=1)
    server.latency = 0.3
    spec, dataset = evaluation.plan(Request(str(small_csv), **{**ASKS, **LEAN}))  # type: ignore[arg-type]

    def stop_at_the_first_answer(event: Event) -> None:
        if event.stage == "answer" and event.done:
            os.kill(os.getpid(), signal.SIGTERM)

    assert evaluation.run(spec, dataset, listener=stop_at_the_first_answer).state == "stopped"
    kept, asked = _stored_calls(), len(server.requests)
    # those under way are waited for
    assert kept == asked < 6
    assert evaluation.run(spec, dataset).state == "done"
    assert len(server.requests) == 6


def test_killed_while_it_asks_and_resumed(
    small_csv: Path, home: Path, server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_endpoint(server, tmp_path, monkeypatch, concurrency=4)
    server.latency = 1.0
    command = [sys.executable, "-m", "core", "evaluate", str(small_csv), "--retrievers", "bm25", "--combinations"]
    command += ["none", "--k", "1", "--relations", "none", "--answerer", "openai", "--endpoint", "test", "--json"]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "TRILENS_HOME": str(home)}, stdout=subprocess.DEVNULL
    )
    give_up = time.monotonic() + 60
    # when the first four are stored the last two are under way
    while _stored_calls() < 4:
        assert process.poll() is None
        assert time.monotonic() < give_up
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept, asked = _stored_calls(), len(server.requests)
    assert kept == 4
    outcome = _evaluate(str(small_csv), **LEAN)
    assert outcome.state == "done"
    assert len(server.requests) == asked + 6 - kept
    _, store = workspace()
    assert store.rows("SELECT * FROM stage_results WHERE stage = 'call' AND writes > 1") == []
    assert (
        logic(outcome.run_id).provenance["cost"]["total"] | {"calls": 6, "cached": 0, "failed": 0}
        == (logic(outcome.run_id).provenance["cost"]["total"])
    )


def test_passages_that_give_orders_change_no_format(small_csv: Path, server: MisbehavingServer) -> None:
    server.faults["Who built"] = Fault("obeys the passage")
    outcome = _evaluate(str(small_csv), **LEAN)
    rows = {row["question"]: row for row in _rows(outcome.run_id)}
    # the answer counts as it is: bad, and scored
    assert rows["q3"]["similarity_state"] == "scored"
    assert json.loads(rows["q3"]["answer"])["citations"] == []
