"""Whatever is done to a file of another tool, it is read, left out or refused in one sentence; no other error comes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.datasets.importers.judged import FORMATS, read_file
from core.errors import TrilensError

SENTENCES = [{"text": "It runs.", "citations": [0, "d1"]}, {"text": "It stops.", "citations": {"d1": 0.5}}]
NUGGETS = [{"text": "It runs", "importance": "vital", "assignment": "support"}]
MATCHED = {"question_text": "Colour?", "matched_answer": ["red"]}
JUDGED = [
    {"judgments": [{"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": [MATCHED]}}]}
]
QUESTION = {
    "question": "Colour?",
    "question_id": "q",
    "aggregator_type": "OR",
    "answers": {"red": {"references": ["d1"]}},
}
CLAIMS = {"It runs": {"supporting_videos": ["v1"]}}
REPORT = {"metadata": {"topic_id": "1", "run_id": "r"}, "responses": SENTENCES[:1]}
REFERENCE = {"claims_to_supporting_videos": CLAIMS, "article": "x", "query_id": "q", "videos": {"v1": 1}}
OBJECTS: dict[str, Any] = {
    "nuggetizer": {"qid": "1", "run_id": "r", "query": "?", "answer_text": "It runs.", "nuggets": NUGGETS},
    "argue-bank": {"query_id": "1", "nugget_bank": {"Colour?": QUESTION}},
    "argue-judgments": {"report": REPORT, "judgments": JUDGED},
    "responses": {"metadata": {"topic_id": "1", "run_id": "r"}, "references": ["d1"], "answer": SENTENCES},
    "mirage-references": {"A_b": REFERENCE},
    "mirage-predictions": {"A_b": {"sentences": ["It runs."], "citations": [["v1"]]}},
    "mirage-labels": {"A_b": {"claims": [{"claim": "It runs", "judgment": True}]}},
    "topic-scores": {"A_b": {"f1": 0.5}},
    "articles": {"s": {"A b": {"query": "q", "article": "It runs."}}},
    "rankings": {"s": {"A b": ["v1"]}},
    "nugget-texts": {"1": ["It runs fast"]},
    "topics": {"request_id": "1", "title": "Ferries", "problem_statement": "Say."},
    "nugget-labels": {"system": "r", "topic": "1", "nugget": "n", "label": "support", "sentence": 0},
}  # fmt: skip
LINES = {
    "trec-run": "1 Q0 d1 1 2.5 r\n1 Q0 d2 2 1.5 r\n",
    "trec-qrels": "1 0 d1 1\n1 0 d2 0\n",
    "diversity-qrels": "1 1 d1 1\n1 2 d2 0\n",
    "argue-scores": "run_id\trequest_id\tmetric\tvalue\nr\tall\tf1\t0.5\n",
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def read_or_refuse(path: Path, format: str = "") -> None:
    message = "."
    try:
        read_file(path, format=format)
    except TrilensError as error:
        message = str(error)
    assert message.endswith(".")
    assert "\n" not in message


def test_every_format_is_here() -> None:
    assert {*OBJECTS, *LINES} == {*FORMATS}


@pytest.mark.parametrize("format", [*OBJECTS, *LINES])
@settings(max_examples=25, suppress_health_check=QUIET, deadline=None)
@given(data=st.data())
def test_damaged_bytes(tmp_path: Path, format: str, data: st.DataObject) -> None:
    whole = (json.dumps(OBJECTS[format]) + "\n" if format in OBJECTS else LINES[format]).encode()
    at = data.draw(st.integers(0, len(whole)))
    more = data.draw(st.binary(max_size=3) | st.sampled_from([b'"', b"{", b"]", b"\n", b"\\ud800", b"\x00"]))
    path = tmp_path / "x"
    path.write_bytes(whole[:at] + more + whole[at + data.draw(st.integers(0, 3)) :])
    read_or_refuse(path)
    read_or_refuse(path, format)


@pytest.mark.parametrize("format", OBJECTS)
@settings(max_examples=40, suppress_health_check=QUIET, deadline=None)
@given(data=st.data())
def test_values_of_another_type(tmp_path: Path, format: str, data: st.DataObject) -> None:
    row = copy.deepcopy(OBJECTS[format])
    holder, key = data.draw(st.sampled_from(_places(row)))
    holder[key] = data.draw(VALUES)
    path = tmp_path / "x"
    path.write_text(json.dumps(row), encoding="utf-8")
    read_or_refuse(path)
    read_or_refuse(path, format)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return (list or object, key) of everything in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, one in items for place in [(value, key), *_places(one)]]
