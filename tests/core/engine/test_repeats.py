"""Answers asked for several times: each repeat is a call of its own, and a question counts once whatever they say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.engine.averaging import one_coverage, one_row
from core.engine.repeats import nth, plain, repeat_of
from core.engine.spec import Request
from core.services import evaluation
from core.services.coverage import coverage
from core.services.lenses import logic
from core.services.questions import question
from core.services.text_measures import measure_texts
from core.services.workspace import workspace
from core.store.coverage import CoverageRow
from core.store.run_items import RunItem
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer

pytestmark = pytest.mark.usefixtures("home")

LEAN = {"retrievers": "bm25", "combinations": "none", "k": 1, "answerer": "openai", "endpoint": "test"}
ROW = RunItem("knn", "q1", '["d#0"]', '{"sentences": ["a"]}', 0, 9, 1, 0.5, "scored", "", "causal", 1, "scored", "")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as found:
        # answers to one prompt differ: by which of its calls they are
        found.answer = lambda request: f"Answer {found.asked(request.prompt)} to this [1]."
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, temperature=0.8, concurrency=1)
        yield found


def _run(source: str, **choices: Any) -> str:
    spec, dataset = evaluation.plan(Request(source, **{**LEAN, **choices}))
    outcome = evaluation.run(spec, dataset)
    assert outcome.state == "done"
    return outcome.run_id


def _rows(run_id: str) -> list[dict[str, Any]]:
    _, store = workspace()
    return store.rows("SELECT * FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))


def test_a_repeat_has_a_name_of_its_own_and_knows_its_configuration() -> None:
    assert nth("a:knn+bm25", 0) == "a:knn+bm25"
    assert [(plain(name), repeat_of(name)) for name in (nth("knn", 0), nth("knn", 12))] == [("knn", 0), ("knn", 12)]


def test_a_question_is_the_mean_of_its_repeats() -> None:
    rows = [
        ROW,
        replace(ROW, answer='{"sentences": ["b"]}', similarity=0.2, predicted="temporal", correct=0),
        replace(ROW, similarity=0.2, predicted="temporal", correct=0, refused=1),
    ]
    one = one_row(rows)
    assert (one.similarity, one.correct, one.predicted, one.refused) == (0.3, 0.333333, "temporal", 0)
    stored = json.loads(one.answer)
    assert stored["sentences"] == ["a"]
    assert [repeat["similarity"] for repeat in stored["repeats"]] == [0.5, 0.2, 0.2]
    assert one_row([rows[0], rows[2]]).refused == 1
    assert one_row([ROW]) == ROW


def test_a_repeat_that_failed_is_never_left_out_silently() -> None:
    failed = replace(
        ROW, answer="{}", similarity=None, similarity_state="failed", similarity_reason="no answer",
        predicted=None, correct=None, correct_state="not_applicable", correct_reason="no label",
    )  # fmt: skip
    one = one_row([ROW, failed])
    assert (one.similarity, one.similarity_state, one.similarity_reason) == (None, "failed", "no answer")
    assert (one.correct, one.correct_state, one.correct_reason) == (None, "not_applicable", "no label")


def test_coverage_of_a_question_is_the_mean_too() -> None:
    row = CoverageRow("knn", "q1", "scored", "", {"nuggets": []})
    numbers = [np.array([1.0, 2.0, np.nan], np.float32), np.array([0.0, 2.0, 1.0], np.float32)]
    first, mean = one_coverage([(row, numbers[0]), (replace(row, state="failed", reason="x"), numbers[1])])
    assert (first.state, first.reason) == ("failed", "x")
    assert mean[:2].tolist() == [0.5, 2.0]
    assert np.isnan(mean[2])


def test_each_repeat_is_asked_for_and_the_first_is_that_of_a_run_without(
    small_csv: Path, server: MisbehavingServer
) -> None:
    once = _run(str(small_csv))
    assert len(server.requests) == 6
    thrice = _run("marlow", repeats=3)
    assert thrice != once
    # the first of each is there already
    assert len(server.requests) == 18
    for row, alone in zip(_rows(thrice), _rows(once), strict=True):
        assert row["question"] == alone["question"]
        if row["configuration"] == "evidence":
            continue
        answer = json.loads(row["answer"])
        texts = [" ".join(repeat["sentences"]) for repeat in answer["repeats"]]
        assert texts == [f"Answer {n} to this." for n in (1, 2, 3)]
        assert row["similarity"] == pytest.approx(np.mean([one["similarity"] for one in answer["repeats"]]), abs=1e-6)
        assert answer["repeats"][0]["similarity"] == alone["similarity"]
        assert row["correct"] == pytest.approx(np.mean([one["correct"] for one in answer["repeats"]]), abs=1e-6)


def test_n_stays_the_number_of_questions_on_every_lens(small_csv: Path, server: MisbehavingServer) -> None:
    run_id = _run(str(small_csv), repeats=2)
    lens = logic(run_id)
    row = next(one for one in lens.scores.configurations if one.id == "bm25")
    assert (row.bertsim.n_scored, row.lrcr.n_scored) == (6, 6)
    stored = [one["similarity"] for one in _rows(run_id) if one["configuration"] == "bm25"]
    assert len(stored) == 6
    assert {measure.n_scored for measure in measure_texts(run_id)["bm25"].values()} == {6}
    assert lens.command.endswith("--repeats 2")
    costs = lens.provenance["cost"]["configurations"]
    assert {name: cost["calls"] for name, cost in costs.items()} == {"bm25": 12}
    shown = question(run_id, _rows(run_id)[0]["question"])
    (outcome,) = [one for one in shown.outcomes if one.id == "bm25"]
    assert [one.text for one in outcome.repeats] == ["Answer 1 to this.", "Answer 2 to this."]


def test_a_repeat_that_fails_fails_its_question_and_can_be_retried(small_csv: Path, server: MisbehavingServer) -> None:
    server.faults["Who built"] = Fault("empty", times=1)
    run_id = _run(str(small_csv), repeats=2)
    failed = [row for row in _rows(run_id) if row["similarity_state"] == "failed"]
    assert [row["similarity_reason"] for row in failed] == ["the model gave an empty answer"]
    spec, dataset = evaluation.plan_again(run_id)
    asked = len(server.requests)
    evaluation.run(spec, dataset, retry_failed=True)
    assert len(server.requests) == asked + 1
    assert not [row for row in _rows(run_id) if row["similarity_state"] == "failed"]


def test_nuggets_are_counted_in_every_repeat(server: MisbehavingServer) -> None:
    run_id = _run("trilens-demo", repeats=2, limit=3, relations="none")
    lens = coverage(run_id)
    assert lens.run.n_questions == 3
    _, store = workspace()
    (n,) = store.rows("SELECT COUNT(*) AS n FROM run_coverage WHERE run = ?", (run_id,))
    assert n["n"] == 3 * 2
