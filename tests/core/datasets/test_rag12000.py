from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers import Skip, read_dataset
from core.schema import Span
from tests.core.datasets.samples import MILL, refusal, write_csv, write_jsonl

SENTENCES = ["The mill at Alder Creek ran three shifts.", "the owner sent the night shift home."]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "context": MILL,
        "question": "Why?",
        "answer": "Because.",
        "extracted_sentences": repr(SENTENCES),
        "logical_category": "causal",
        **changes,
    }


def spans(*sentences: str) -> tuple[tuple[int, int], ...]:
    return tuple((MILL.index(s), MILL.index(s) + len(s)) for s in sentences)


def found(question: Any) -> list[tuple[tuple[int, int], ...]]:
    return [tuple((span.start, span.end) for span in group) for group in question.evidence]


@pytest.mark.parametrize("written", [repr(SENTENCES), json.dumps(SENTENCES), json.dumps(SENTENCES[::-1])])
def test_public_columns_in_csv(tmp_path: Path, written: str) -> None:
    result = read_dataset(write_csv(tmp_path / "train.csv", [row(extracted_sentences=written)]))
    assert (result.format, result.skipped, result.notes) == ("rag12000", (), ())
    (question,) = result.dataset.questions
    assert question.relation == "causal"
    assert found(question) == [spans(*SENTENCES)]
    assert [MILL[a:b] for a, b in found(question)[0]] == SENTENCES
    assert isinstance(question.evidence[0][0], Span)


def test_names_of_the_paper_in_jsonl(tmp_path: Path) -> None:
    rows = [
        {"context": MILL, "question": "q", "answer": "a", "retrieved_sentences": SENTENCES, "logical_relation": "x"}
    ]
    result = read_dataset(write_jsonl(tmp_path / "test.jsonl", rows))
    assert (result.format, result.dataset.questions[0].relation) == ("rag12000", "x")
    assert found(result.dataset.questions[0]) == [spans(*SENTENCES)]


def test_names_of_the_paper_in_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"context": [MILL], "question": ["q"], "answer": ["a"], "extracted_sentences": [SENTENCES]}
    pq.write_table(pa.table({**columns, "logical_category": ["x"]}), tmp_path / "test.parquet")
    result = read_dataset(tmp_path / "test.parquet")
    assert result.format == "rag12000"
    assert found(result.dataset.questions[0]) == [spans(*SENTENCES)]


def test_empty_rows_are_skipped_and_reported(tmp_path: Path) -> None:
    rows = [row(), row(question=" "), row(answer=""), row(question="Other?")]
    result = read_dataset(write_csv(tmp_path / "a.csv", rows))
    assert result.skipped == (Skip(3, "question", "the question is empty"), Skip(4, "answer", "the answer is empty"))
    assert [(q.id, q.question) for q in result.dataset.questions] == [("1", "Why?"), ("4", "Other?")]
    assert "none of its 2 rows has both" in refusal(write_csv(tmp_path / "a.csv", rows[1:3]))


def test_sentences_that_are_not_there_are_told_and_kept(tmp_path: Path) -> None:
    broken = MILL.replace("Creek ran", "Creek\n ran")
    rows = [
        row(extracted_sentences=json.dumps([SENTENCES[0], "Nobody wrote this."])),
        row(context=broken, extracted_sentences=json.dumps([SENTENCES[0], SENTENCES[0], ""])),
        row(extracted_sentences="the river fell to three feet"),
        row(extracted_sentences="[]"),
        row(extracted_sentences=json.dumps(["Nor this."])),
    ]
    result = read_dataset(write_csv(tmp_path / "a.csv", rows))
    first, second, third, fourth, fifth = result.dataset.questions
    assert found(first) == [spans(SENTENCES[0])]
    assert first.meta == {"evidence_not_located": ["Nobody wrote this."]}
    assert [broken[a:b] for a, b in found(second)[0]] == [SENTENCES[0].replace("Creek ran", "Creek\n ran")]
    assert found(third) == [spans("the river fell to three feet")]
    assert (fourth.evidence, fifth.evidence) == ((), ())
    (note,) = result.notes
    assert note.startswith("2 evidence sentences of 2 questions are not in their documents")
    assert "line 2, 'Nobody wrote this.'" in note


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("['a', ", "neither as JSON nor as Python"),
        ("[__import__('os').getcwd()]", "neither as JSON nor as Python"),
        ("[" * 3000 + "]" * 3000, "neither as JSON nor as Python"),
        ({"a": 1}, "is no list of sentences"),
        ([1, 2], "is no list of sentences"),
        (7, "is no list of sentences"),
    ],
)
def test_lists_that_cannot_be_read(tmp_path: Path, value: object, fault: str) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [row(), row(extracted_sentences=value)])
    message = refusal(path)
    assert message.startswith(f"{path}, line 2, field 'extracted_sentences': ")
    assert fault in message


def test_missing_column_and_missing_document(tmp_path: Path) -> None:
    lacking = {key: value for key, value in row().items() if key != "logical_category"}
    path = write_csv(tmp_path / "a.csv", [lacking])
    assert "no column for 'relation'" in refusal(path, format="rag12000")
    assert "--map relation=COLUMN" in refusal(path, format="rag12000")
    assert "document is missing" in refusal(write_csv(tmp_path / "b.csv", [row(context="")]))


def test_mapping_makes_any_file_one(tmp_path: Path) -> None:
    rows = [{"c": MILL, "q": "q", "a": "a", "s": json.dumps(SENTENCES), "kind": "x"}]
    mapping = {"context": "c", "question": "q", "answer": "a", "evidence": "s", "relation": "kind"}
    result = read_dataset(write_csv(tmp_path / "a.csv", rows), mapping=mapping)
    assert (result.format, result.dataset.questions[0].relation) == ("rag12000", "x")
