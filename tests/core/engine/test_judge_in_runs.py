"""A language model as the judge of a run's answers: asked once, a failure of its own where it fails, mended later."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.engine.run import Outcome
from core.engine.spec import Request
from core.nuggets.outcomes import outcome_of_record
from core.services import evaluation
from core.services.workspace import workspace
from core.store.coverage import coverage_rows, load_measures
from core.store.runs import run_row
from tests.core.engine.nugget_samples import ferry, stored
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer
from tests.endpoints.server import Request as Asked

pytestmark = pytest.mark.usefixtures("home")


def _judged(request: Asked) -> str:
    """The first statement is supported by the first sentence, of the others none."""
    statements = request.prompt.partition("<statements>")[2]
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", statements, re.MULTILINE)]
    return json.dumps(
        {
            "judgments": [
                {
                    "statement": number,
                    "label": "support" if number == 1 else "not_support",
                    "sentences": [1] * (number == 1),
                }
                for number in numbers
            ]
        }
    )


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer(answer=_judged) as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, concurrency=4)
        yield found


def _evaluate(dataset: str, *, retry_failed: bool = False, **choices: Any) -> Outcome:
    lean = {"retrievers": "bm25", "combinations": "none", "relations": "none", "k": 1}
    spec, data = evaluation.plan(Request(dataset, matcher="llm", endpoint="test", **{**lean, **choices}))
    return evaluation.run(spec, data, retry_failed=retry_failed)


def _said(run_id: str, question: str) -> list[bool]:
    _, store = workspace()
    record = coverage_rows(store, run_id, question, ["bm25"])["bm25"].record
    return [outcome_of_record(one).said for one in record["nuggets"]]


def test_the_judge_says_what_is_said_and_is_asked_once_an_answer(server: MisbehavingServer) -> None:
    outcome = _evaluate(stored(ferry()))
    assert outcome.state == "done"
    _, store = workspace()
    row = run_row(store, outcome.run_id)
    assert row["spec"]["resolved"]["matcher"]["name"] == "llm"
    assert _said(outcome.run_id, "q1") == [True, False]
    # of a nugget that needs both answers one was supported
    assert _said(outcome.run_id, "q2") == [False, False]
    # two questions have nuggets; the gold evidence may give the same answer as BM25
    first = len(server.requests)
    assert 2 <= first <= 3
    other = _evaluate(stored(ferry()), retrievers="bm25,tfidf")
    assert other.run_id != outcome.run_id
    assert len(server.requests) == first


def test_an_answer_whose_judgment_failed_has_failed_and_is_mended(server: MisbehavingServer) -> None:
    server.faults["mill"] = Fault("broken JSON")
    outcome = _evaluate(stored(ferry()))
    assert outcome.state == "done"
    _, store = workspace()
    row = coverage_rows(store, outcome.run_id, "q2", ["bm25"])["bm25"]
    assert row.state == "failed"
    assert row.reason.startswith("the judge failed: ")
    assert run_row(store, outcome.run_id)["failures"] == {row.reason: 1}
    names, array = load_measures(store, outcome.run_id)["bm25"]
    assert not array[1][names.index("said_vital")] >= 0
    assert array[1][names.index("retrieved_vital")] >= 0
    asked = len(server.requests)
    server.faults.clear()
    assert _evaluate(stored(ferry()), retry_failed=True).state == "done"
    assert len(server.requests) == asked + 1
    assert coverage_rows(store, outcome.run_id, "q2", ["bm25"])["bm25"].state == "scored"
    assert run_row(store, outcome.run_id)["failures"] == {}
