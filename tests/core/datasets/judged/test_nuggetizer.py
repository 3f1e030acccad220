"""AutoNuggetizer's files: three shapes, an envelope, labels in any spelling, importance as it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.datasets.importers.judged.found import GivenLabel
from tests.core.datasets.judged.written import found, objects, refusal, whole

NUGGETS = [{"text": "Ferries run hourly", "importance": "vital"}, {"text": "Tickets are blue", "importance": "okay"}]


def assigned(*labels: str, **more: Any) -> dict[str, Any]:
    nuggets = [{**nugget, "assignment": label} for nugget, label in zip(NUGGETS, labels, strict=True)]
    return {"query": "Ferries?", "qid": "t1", "nuggets": nuggets, **more}


def test_created_nuggets(tmp_path: Path) -> None:
    made = found(objects(tmp_path / "n.jsonl", {"query": "Ferries?", "qid": "t1", "nuggets": NUGGETS}), "nuggetizer")
    assert [(n.id, n.text, n.importance) for n in made.nuggets["t1"]] == [
        ("1", "Ferries run hourly", "vital"),
        ("2", "Tickets are blue", "okay"),
    ]
    assert made.topics["t1"].text == "Ferries?"
    assert made.labels == made.held == {}


def test_old_files_list_importances_beside_the_texts(tmp_path: Path) -> None:
    row = {"qid": "t1", "query": "?", "nuggets": ["a b", "c d"], "importance": ["vital", "okay"]}
    made = found(objects(tmp_path / "n.jsonl", row), "nuggetizer")
    assert [n.importance for n in made.nuggets["t1"]] == ["vital", "okay"]
    message = refusal(objects(tmp_path / "m.jsonl", {**row, "importance": ["vital"]}))
    assert "field 'importance': it lists 1 importances for 2 nuggets; give one to each nugget" in message


def test_answers_are_labelled_in_any_spelling(tmp_path: Path) -> None:
    path = objects(
        tmp_path / "a.jsonl",
        assigned("Support", "Partial_Support", run_id="r", answer_text="They run hourly. So be it."),
        assigned("not support", "perhaps", run_id="s", answer_text=""),
    )
    given = found(path, "nuggetizer")
    assert given.labels["r"]["t1"] == [GivenLabel("1", "support"), GivenLabel("2", "partial_support")]
    assert given.labels["s"]["t1"] == [GivenLabel("1", "not_support"), GivenLabel("2", "failed")]
    assert given.responses["r"]["t1"].sentences == ("They run hourly.", "So be it.")
    assert given.responses["s"]["t1"].sentences == ()
    assert given.notes == ["assignments in another word than the three labels, which count as failed: 1."]


def test_documents_hold_what_they_support_fully(tmp_path: Path) -> None:
    path = objects(
        tmp_path / "a.jsonl",
        assigned("support", "partial_support", docid="d#1"),
        assigned("not_support", "not_support", docid="d#2"),
    )
    given = found(path, "nuggetizer")
    assert given.held == {"t1": {"1": ["d#1"], "2": []}}
    assert given.judged == {"t1": ["d#1", "d#2"]}
    assert given.labels == {}


def test_the_envelope_is_opened(tmp_path: Path) -> None:
    rows = [assigned("support", "support", run_id="r", answer_text="Yes indeed.")]
    path = whole(tmp_path / "e.json", {"schema_version": 1, "artifacts": [{"name": "assignments", "data": rows}]})
    assert list(found(path, "nuggetizer").labels) == ["r"]


def test_what_cannot_be_meant_is_refused(tmp_path: Path) -> None:
    blank = {"qid": "t1", "query": "?", "nuggets": [{"text": " ", "importance": "vital"}]}
    assert "the nugget has no text; fill it in" in refusal(objects(tmp_path / "a.jsonl", blank))
    other = {"qid": "t1", "query": "?", "nuggets": [{"text": "Another", "importance": "vital"}]}
    first = {"qid": "t1", "query": "?", "nuggets": NUGGETS}
    assert "line 2, field 'nuggets': topic 't1' has other nuggets further up" in refusal(
        objects(tmp_path / "b.jsonl", first, other)
    )
    twice = assigned("support", "support", run_id="r", answer_text="x y")
    assert "an answer of system 'r' to topic 't1' stands further up" in refusal(
        objects(tmp_path / "c.jsonl", twice, twice)
    )


def test_an_importance_that_failed_is_okay_and_said(tmp_path: Path) -> None:
    row = {"qid": "t1", "query": "?", "nuggets": [{"text": "One", "importance": "failed"}, {"text": "Two"}]}
    made = found(objects(tmp_path / "n.jsonl", row), "nuggetizer")
    assert [n.importance for n in made.nuggets["t1"]] == ["okay", "vital"]
    assert made.notes == ["nuggets whose importance is neither vital nor okay, taken as okay: 1."]
