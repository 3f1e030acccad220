"""ARGUE's banks in three forms, Auto-ARGUE's judgments, and reports in the forms of four tracks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers.judged.found import GivenLabel, Response
from core.schema import Nugget, NuggetAnswer
from tests.core.datasets.judged.written import found, objects, refusal, whole


def bank(**question: Any) -> dict[str, Any]:
    one = {
        "question": "What colour?",
        "question_id": "q7",
        "aggregator_type": "AND",
        "importance": "okay",
        "answers": {
            "red": {"answer": "red", "references": [{"doc_id": "d1"}, {"doc_id": "d2"}]},
            "blue": {"answer": "blue", "references": None},
        },
        **question,
    }
    return {"query_id": 7, "title_query": "Colours", "format_version": "v3", "nugget_bank": {"What colour?": one}}


def test_version_3(tmp_path: Path) -> None:
    made = found(whole(tmp_path / "b.v3.json", bank()), "argue-bank")
    answers = (NuggetAnswer("red", documents=("d1", "d2")), NuggetAnswer("blue"))
    assert made.nuggets == {"7": (Nugget("q7", "What colour?", "okay", aggregator="AND", answers=answers),)}
    assert made.topics["7"].text == "Colours"
    assert made.notes == ["answers that name no document, which no citation can prove: 1."]


def test_claims_and_what_no_measure_knows(tmp_path: Path) -> None:
    value = bank(aggregator_type="SUM")
    value["claim_bank"] = {"Oats are grain": {"claim": "Oats are grain", "references": [{"doc_id": "d3"}]}}
    made = found(whole(tmp_path / "b.json", value), "argue-bank")
    assert made.nuggets["7"] == (Nugget("1", "Oats are grain", documents=("d3",)),)
    assert made.skipped[0].reason == "answers are joined by SUM, which no measure knows"


def test_the_form_without_ids_takes_its_topic_from_the_files_name(tmp_path: Path) -> None:
    value = {"What colour?": ["OR", {"red": ["d1"], "blue": []}], "How many?": ["AND", {"two": [5]}]}
    made = found(whole(tmp_path / "nuggets_300.v3.json", value), "argue-bank")
    first, second = made.nuggets["300"]
    assert (first.id, first.aggregator, first.answers[0].documents) == ("1", "OR", ("d1",))
    assert (second.id, second.aggregator, second.answers) == ("2", "AND", (NuggetAnswer("two", documents=("5",)),))
    nested = found(whole(tmp_path / "all.json", {"300": value, "301": value}), "argue-bank")
    assert nested.nuggets.keys() == {"300", "301"}


def test_the_oldest_form_has_a_nugget_an_item(tmp_path: Path) -> None:
    def item(answers: list[str], importance: str) -> dict[str, Any]:
        return {
            "question_id": "q",
            "question_text": "Which?",
            "gold_answers": answers,
            "info": {"importance": importance},
        }

    row = {"query_id": "301", "query_text": "Rivers", "items": [item(["Po"], "vital"), item(["Elbe", "Oder"], "okay")]}
    made = found(objects(tmp_path / "b.jsonl", row), "argue-bank")
    assert [(n.id, n.importance, [a.text for a in n.answers]) for n in made.nuggets["301"]] == [
        ("q", "vital", ["Po"]),
        ("q-2", "okay", ["Elbe", "Oder"]),
    ]
    assert "nuggets whose id another nugget of their topic has, which got a number: 1 ('q')." in made.notes


def test_bad_banks_are_refused(tmp_path: Path) -> None:
    twice = objects(tmp_path / "a.jsonl", bank(), bank())
    assert "line 2: topic '7' has a bank further up in the file; keep one bank a topic." in refusal(twice)
    nameless = {"query_id": "1", "items": [{"question_text": "", "gold_answers": ["x"]}]}
    assert "field 'items[0].text': the nugget has no text" in refusal(objects(tmp_path / "b.jsonl", nameless))


def report(**more: Any) -> dict[str, Any]:
    return {"metadata": {"run_id": "r", "topic_id": "300"}, **more}


@pytest.mark.parametrize(
    "row",
    [
        {"run_id": "r", "topic_id": 300, "references": ["a", "b"], "answer": [{"text": "X y.", "citations": [1, 0]}]},
        {
            "metadata": {"run_id": "r", "narrative_id": 300},
            "references": ["a", "b"],
            "answer": [{"text": "X y.", "citations": [1, 0]}],
        },
        report(references=["a", "b"], responses=[{"text": "X y.", "citations": ["b", "a"]}]),
        report(references=["a", "b"], responses=[{"text": "X  y.", "citations": {"b": 1.0, "a": 0.5}}]),
        {"request_id": "300", "run_id": "r", "sentences": [{"text": "X y.", "citations": ["b", "a"]}]},
    ],
)
def test_reports_of_every_track(tmp_path: Path, row: dict[str, Any]) -> None:
    given = found(objects(tmp_path / "r.jsonl", row), "responses")
    response = given.responses["r"]["300"]
    assert (response.sentences, response.cited) == (("X y.",), (("b", "a"),))
    assert response.references == (() if "sentences" in row else ("a", "b"))


def test_citations_out_of_range_and_empty_responses_are_counted(tmp_path: Path) -> None:
    rows = [
        {"run_id": "r", "topic_id": "1", "references": ["a"], "answer": [{"text": "X.", "citations": [0, 1, -1]}]},
        {"run_id": "r", "topic_id": "2", "references": [], "answer": [{"text": "Y.", "citations": [0]}]},
        {"run_id": "r", "topic_id": "3", "references": [], "answer": []},
        {"run_id": "r", "topic_id": "4", "references": [], "answer": [{"text": " ", "citations": None}]},
    ]
    given = found(objects(tmp_path / "r.jsonl", *rows), "responses")
    assert given.responses["r"]["1"] == Response(("X.",), (("a",),), ("a",))
    assert given.responses["r"]["3"].sentences == given.responses["r"]["4"].sentences == ()
    assert given.notes == [
        "citations of a reference that is not there, which were left out: 3 (in topics 2 ('1', '2')).",
        "empty responses, which count as failed because the system gave no answer: 2 ('3', '4').",
    ]


def test_bad_reports_are_refused(tmp_path: Path) -> None:
    row = report(responses=[{"text": "X.", "citations": ["a"]}])
    assert "a response of system 'r' to topic '300' stands further up" in refusal(objects(tmp_path / "a", row, row))
    wrong = report(responses=[{"text": "X.", "citations": [True]}])
    assert "field 'responses[0].citations[0]': an id must be a text or a number" in refusal(
        objects(tmp_path / "b", wrong)
    )
    nobody = {"run_id": "r", "metadata": {}, "topic_id": "", "responses": []}
    assert "the row names no topic" in refusal(objects(tmp_path / "c", nobody), format="responses")


def judged(matched: list[Any], text: str = "X.") -> dict[str, Any]:
    return {
        "text": text,
        "judgments": [
            {"judgment_type_id": "SENTENCE_ATTESTED", "response": {"is_attested": True}},
            {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": matched}},
        ],
    }


def test_judgments_label_sentences(tmp_path: Path) -> None:
    matched = {"question_text": "What colour?", "matched_answer": ["red", "blue"], "importance": None}
    row = {
        "report": report(responses=[{"text": "W.", "citations": []}, {"text": "X.", "citations": {"a": 9.0}}]),
        "judgments": [judged([]), judged([matched, matched])],
    }
    given = found(objects(tmp_path / "x.judgments.jsonl", row), "argue-judgments")
    assert given.exhaustive
    assert given.responses["r"]["300"].cited == ((), ("a",))
    assert given.labels["r"]["300"] == [
        GivenLabel("What colour?", "support", 1, "red"),
        GivenLabel("What colour?", "support", 1, "blue"),
    ]
    row["judgments"] = [judged([])]
    assert "1 judged sentences for a report of 2 (topic '300')" in refusal(objects(tmp_path / "y", row))
