"""Generating against a scripted endpoint that behaves and misbehaves: what is kept, counted, cached, resumed, saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from core.errors import InputError, OptionError
from core.generation import filters
from core.services import generating, generating_cost, generating_review, generating_run
from core.services.workspace import workspace
from core.store.datasets import load_dataset
from core.store.generation import pairs
from tests.core.generation.marlow import folder_of, generated, prepared
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.questions import MISBEHAVIOURS, behaves
from tests.endpoints.server import MisbehavingServer


@pytest.fixture
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer(answer=behaves) as found:
        name_endpoint(found, tmp_path, monkeypatch, **IMPATIENT, price_input=2.0, price_output=10.0, concurrency=2)
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path)


def _adds_up(found: generating_run.Generation) -> None:
    assert found.produced == found.done + sum(found.rejected.values())


def test_a_set_is_generated_reviewed_saved_and_read_back(server, folder, tmp_path):
    found = generated(folder, drawn=("phrasing",), users=("user_expertise",))
    assert (found.state, found.done, found.wanted) == ("done", 4, 4)
    assert [(cell.category, cell.accepted) for cell in found.cells] == [("simple", 2), ("complex", 2)]
    _adds_up(found)
    rows = generating_review.review_rows(found.id)
    generating_review.change(found.id, rows[0].key, {"question": "When was the mill of Marlow built?"})
    generating_review.change(found.id, rows[1].key, {"keep": False})
    name = generating_review.save(found.id, "mine")
    stored = load_dataset(workspace()[1], name)
    assert len(stored.questions) == 3
    assert stored.questions[0].question == "When was the mill of Marlow built?"
    assert {question.categories["QC"] for question in stored.questions} <= {"simple", "complex"}
    assert "simple" in stored.card.trees["QC"]
    # what DataMorgana users know reads back equal
    path = tmp_path / "out.jsonl"
    generating_review.write_morgana(found.id, path)
    again = read_dataset(path, format="datamorgana").dataset
    assert again.questions == stored.questions
    assert {(one.id, one.text) for one in again.documents} == {(one.id, one.text) for one in stored.documents}


def test_the_same_again_costs_nothing_and_gives_the_same(server, folder):
    first = generated(folder)
    before = [(pair.slot, pair.question) for pair in pairs(workspace()[1], first.id, accepted=True)]
    asked = len(server.requests)
    cost = generating_cost.estimate(prepared(folder))
    assert cost.cached == 4
    assert cost.calls[0] == 0
    generating_run.discard(first.id)
    again = generated(folder)
    assert [(pair.slot, pair.question) for pair in pairs(workspace()[1], again.id, accepted=True)] == before
    assert len(server.requests) == asked


def test_the_estimate_sends_nothing_and_bounds_what_is_sent(server, folder):
    ready = prepared(folder)
    cost = generating_cost.estimate(ready)
    assert server.requests == []
    assert cost.price is not None
    found = generated(folder)
    assert cost.calls[0] <= found.cost["calls"] <= cost.calls[1]
    assert found.cost["spent"] > 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("broken JSON", "call without a pair: the answer is no JSON"),
        ("prose", "call without a pair: the answer is no JSON"),
        ("empty list", "call without a pair: the model gave an empty list"),
        ("wrong language", filters.FOREIGN),
        ("refusal", filters.REFUSED),
        ("mentions", filters.MENTIONS),
        ("ungrounded", filters.UNGROUNDED),
        ("too short", filters.TOO_SHORT),
    ],
)
def test_a_model_that_misbehaves_is_counted_by_reason(server, folder, fault, reason):
    server.answer = MISBEHAVIOURS[fault]
    found = generated(folder, attempts=2)
    assert (found.state, found.done) == ("done", 0)
    assert found.rejected == {reason: 8}
    with pytest.raises(OptionError, match="keeps no pair"):
        generating_review.save(found.id, "mine")


def test_repeats_are_near_duplicates(server, folder):
    server.answer = MISBEHAVIOURS["repeats"]
    found = generated(folder, attempts=2)
    assert found.done == 1
    assert set(found.rejected) == {filters.NEAR_DUPLICATE, filters.NOT_CHOSEN}
    _adds_up(found)


def test_a_429_is_waited_for(server, folder):
    server.faults[""] = Fault("429 with Retry-After", times=1, seconds=0.1)
    found = generated(folder)
    assert found.done == 4


@pytest.mark.parametrize("fault", ["reset", "slow stream"])
def test_an_endpoint_that_answers_nothing_pauses_and_resume_goes_on(server, folder, fault):
    server.faults[""] = Fault(fault)
    identifier = generating.register(prepared(folder))
    ending, message = generating_run.run(identifier)
    assert (ending, "answers nothing" in message) == ("paused", True)
    server.faults.clear()
    assert generating_run.run(identifier) == ("done", "")
    assert generating_run.generation(identifier).done == 4


def test_a_limit_pauses_and_keeps_what_was_accepted(server, folder):
    identifier = generating.register(prepared(folder, per_category=5, max_calls=4))
    ending, message = generating_run.run(identifier)
    found = generating_run.generation(identifier)
    assert ending == "paused"
    assert "max_calls" in message or "4 calls" in message
    assert found.done == 4
    assert len(server.requests) == 4


def test_a_stop_keeps_what_was_accepted_and_the_rest_comes_out_as_without_it(server, folder):
    whole = generated(folder, per_category=4)
    expected = [(pair.slot, pair.question) for pair in pairs(workspace()[1], whole.id, accepted=True)]
    generating_run.discard(whole.id)
    identifier = generating.register(prepared(folder, per_category=4))
    _, store = workspace()

    def listen(event):
        if event.done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generating_run.run(identifier, listen)
    found = generating_run.generation(identifier)
    assert found.done >= 3
    assert found.state == "interrupted"
    generating_run.run(identifier)
    assert [(pair.slot, pair.question) for pair in pairs(store, identifier, accepted=True)] == expected


def test_levels_are_independent_sets(server, folder):
    found = generated(folder, sets=("QC:coarse", "QC:medium"), per_category=1, attempts=6)
    assert found.wanted == 6
    labels = [row.categories["QC"] for row in generating_review.review_rows(found.id)]
    assert len(labels) == len(set(labels)) == found.done
    made = generating_review.made(found.id, "mine")
    assert {question.meta["question_set"] for question in made.questions} <= {"QC:coarse", "QC:medium"}


def test_a_config_of_datamorgana_is_read_as_it_is(server, folder, tmp_path):
    path = tmp_path / "config.json"
    categories = [{"name": "factoid", "description": "a fact", "probability": 1.0},
                  {"name": "never", "description": "nothing", "probability": 0.0}]  # fmt: skip
    users = [{"name": "expert", "description": "an expert", "probability": 0.5}]
    path.write_text(json.dumps({
        "question_categorizations": [{"categorization_name": "question-factuality", "categories": categories}],
        "user_categorizations": [{"categorization_name": "user-expertise", "categories": users}],
    }))  # fmt: skip
    found = generated(folder, sets=(), config=path, questions=3)
    assert found.done == 3
    rows = generating_review.review_rows(found.id)
    assert {tuple(row.categories.items()) for row in rows} == {
        (("question-factuality", "factoid"), ("user_expertise", "expert"))
    }
    assert any("a fact" in request.prompt and "an expert" in request.prompt for request in server.requests)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "neither JSON nor YAML"),
        ("[]", "holds neither"),
        ('{"question_categorizations": [{"categories": []}]}', "categorization_name"),
        (
            '{"question_categorizations": [{"name": "a", "categories": [{"name": "b", "probability": "x"}]}]}',
            "no number",
        ),
        (
            '{"question_categorizations": [{"name": "a", "categories": [{"name": "b", "probability": -1}]}]}',
            "0 or more",
        ),
    ],
)
def test_a_config_that_cannot_be_used_says_why(server, folder, tmp_path, text, words):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        prepared(folder, sets=(), config=path)


@pytest.mark.parametrize(
    "choices",
    [{"sets": ("QC:deep",)}, {"sets": ("XX",)}, {"sets": ("QC:coarse", "QC:coarse")}, {"sets": ()},
     {"drawn": ("QC:fine",)}, {"per_category": 0}, {"endpoint": ""}, {"endpoint": "nobody"}],
)  # fmt: skip
def test_choices_that_make_no_sense_are_refused(server, folder, choices):
    with pytest.raises(OptionError):
        prepared(folder, **choices)


@pytest.mark.parametrize("values", [{"question": "Why?"}, {"answer": " "}, {"keep": "yes"}, {"reason": ""}])
def test_an_edit_that_no_pair_may_have_changes_nothing(server, folder, values):
    found = generated(folder, per_category=1)
    row = generating_review.review_rows(found.id)[0]
    with pytest.raises(OptionError):
        generating_review.change(found.id, row.key, values)
    assert generating_review.review_rows(found.id)[0] == row


def test_nothing_to_stop_is_said(server, folder):
    identifier = generating.register(prepared(folder))
    with pytest.raises(OptionError, match="nothing to stop"):
        generating_run.stop(identifier)
