from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers import Skip, read_dataset
from core.datasets.importers.dimensions import dimension
from core.errors import OptionError
from tests.core.datasets.samples import FERRY, HIERARAG, MILL, needs_hierarag, refusal, write_csv, write_jsonl

UUID = "2fb61cd1-1c80-46be-9797-5be72d77ae79"


def category(name: str, node: str) -> dict[str, str]:
    return {"categorization_name": name, "category_name": node}


def row(**changes: Any) -> dict[str, Any]:
    return {
        "qa_id": "a",
        "question": "Why?",
        "answer": "Because.",
        "context": [MILL],
        "document_ids": [f"s3://somewhere/<urn:uuid:{UUID}>.txt"],
        "error": None,
        "question_categories": [
            category("question_linguisticvariation", "synonym_substitution"),
            category("question_complexity", "simple"),
            category("answer-type", "entity_extraction"),
            category("my own", "x"),
        ],
        "user_categories": [category("user_expertise", "novice")],
        **changes,
    }


@pytest.mark.parametrize("as_array", [True, False])
def test_rows_with_categories(tmp_path: Path, as_array: bool) -> None:
    rows = [row(), row(qa_id="b", question="Why?", seen=3)]
    path = tmp_path / "pairs.json"
    if as_array:
        path.write_text(json.dumps(rows))
    else:
        write_jsonl(path, rows)
    result = read_dataset(path)
    first, second = result.dataset.questions
    assert (result.format, result.dataset.card.name) == ("datamorgana", "pairs")
    assert [(d.id, d.text, d.language) for d in result.dataset.documents] == [(UUID, MILL, "en")]
    assert first.document_ids == (UUID,)
    assert first.categories == {
        "LV": "synonym_substitution",
        "QC": "simple",
        "AT": "entity_extraction",
        "my own": "x",
        "user_expertise": "novice",
    }
    assert (first.meta, second.id, second.meta) == ({}, "b", {"seen": 3})


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("question_linguisticvariation", "LV"),
        ("linguistic-variation-type", "linguistic-variation-type"),
        ("Question Complexity", "QC"),
        ("question_answertype", "AT"),
        ("answer-type", "AT"),
        ("question_phrasing", "phrasing"),
        ("question-formulation", "phrasing"),
        ("expertise-categorization", "user_expertise"),
        ("user_expertise", "user_expertise"),
        ("question-type", "question-type"),
        ("QC", "QC"),
        ("at", "at"),
        (" premise ", "premise"),
        ("问题", "问题"),
    ],
)
def test_dimension_names(name: str, known: str) -> None:
    assert dimension(name) == known


def test_old_files(tmp_path: Path) -> None:
    old = {
        "record_id": 7,
        "question": "q",
        "answer": "a",
        "context": MILL,
        "document_id": f"<urn:uuid:{UUID}>",
        "question_type": "factoid",
        "user_type": "expert",
    }
    result = read_dataset(write_jsonl(tmp_path / "a.jsonl", [old]))
    (question,) = result.dataset.questions
    assert result.format == "datamorgana"
    assert (question.id, question.document_ids) == ("7", (UUID,))
    assert question.categories == {"question_type": "factoid", "user_type": "expert"}


def test_several_documents_and_none_named(tmp_path: Path) -> None:
    rows = [row(context=[MILL, FERRY], document_ids=["m", "f"]), row(qa_id="b", context=[FERRY], document_ids=["f"])]
    dataset = read_dataset(write_jsonl(tmp_path / "a.jsonl", rows)).dataset
    assert [q.document_ids for q in dataset.questions] == [("m", "f"), ("f",)]
    unnamed = [row(document_ids=None), row(qa_id="b", document_ids=None)]
    assert len(read_dataset(write_jsonl(tmp_path / "b.jsonl", unnamed)).dataset.documents) == 1


def test_without_ids_rows_are_numbered(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row().items() if key != "qa_id"} for _ in range(2)]
    assert [q.id for q in read_dataset(write_jsonl(tmp_path / "a.jsonl", rows)).dataset.questions] == ["1", "2"]


def test_rows_with_an_error_are_skipped_and_reported(tmp_path: Path) -> None:
    rows = [row(error="timeout", question=None), row(error=""), row(qa_id="c", error={"code": 5})]
    result = read_dataset(write_jsonl(tmp_path / "a.jsonl", rows))
    assert len(result.dataset.questions) == 1
    assert result.skipped == (
        Skip(1, "error", "the row reports an error: 'timeout'"),
        Skip(3, "error", "the row reports an error: {'code': 5}"),
    )
    assert "no usable row (1 report an error)" in refusal(write_jsonl(tmp_path / "a.jsonl", rows[:1]))


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("question", "", "the question is empty"),
        ("answer", " ", "the answer is empty"),
        ("answer", None, "the answer is empty"),
        ("answer", 7, "7 is not a text"),
        ("qa_id", None, "the id is empty"),
        ("qa_id", "a", "duplicate of the one on line 1"),
        ("context", [], "the question's document is missing"),
        ("context", None, "the question's document is missing"),
        ("context", [""], "the document's text is empty"),
        ("context", [3], "is no list of texts"),
        ("context", {"a": 1}, "is no list of texts"),
        ("document_ids", ["x", "y"], "2 document ids for 1 texts"),
        ("document_ids", [], "0 document ids for 1 texts"),
        ("document_ids", [None], "the id is empty"),
        ("question_categories", {"QC": "simple"}, "is no list"),
        ("question_categories", ["simple"], "is no category"),
        ("question_categories", [{"categorization_name": "x"}], "is no category"),
        (
            "question_categories",
            [category("QC", "a"), category("question_complexity", "b")],
            "two categories of 'QC', 'a' and 'b'",
        ),
        ("user_type", 3, "3 is not a text"),
    ],
)
def test_fault_is_named_with_line_and_field(tmp_path: Path, field: str, value: object, fault: str) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [row(), row(**{"qa_id": "b", field: value})])
    message = refusal(path)
    assert message.startswith(f"{path}, line 2, field '{field}': ")
    assert fault in message


def test_one_id_with_two_texts(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [row(), row(qa_id="b", context=[FERRY], document_ids=[UUID])])
    assert f"line 2, field 'document_ids': document id '{UUID}' stands for another text" in refusal(path)


def test_fixed_names_and_json_only(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="fixed names"):
        read_dataset(write_jsonl(tmp_path / "a.jsonl", [row()]), format="datamorgana", mapping={"answer": "answer"})
    with pytest.raises(OptionError, match="use --format table"):
        read_dataset(write_csv(tmp_path / "a.csv", [row()]), format="datamorgana")


@needs_hierarag
def test_the_real_file(tmp_path: Path) -> None:
    result = read_dataset(HIERARAG / "rq3_interactions_all.jsonl")
    questions = result.dataset.questions
    assert (result.format, result.skipped, result.notes) == ("datamorgana", (), ())
    assert (len(questions), len({q.id for q in questions}), len({q.question for q in questions})) == (1000, 1000, 962)
    documents = {document.id: document for document in result.dataset.documents}
    published = [json.loads(line) for line in (HIERARAG / "rq3_documents.jsonl").read_text("utf-8").splitlines()]
    assert {d["doc_id"].removeprefix("urn:uuid:"): d["text"] for d in published} == {
        identity: document.text for identity, document in documents.items()
    }
    assert {document.language for document in documents.values()} == {"en"}
    normalised = [json.loads(line) for line in (HIERARAG / "rq3_questions.jsonl").read_text("utf-8").splitlines()]
    assert [(r["record_id"], r["LV"], r["QC"], r["user_expertise"]) for r in normalised] == [
        (q.id, q.categories["LV"], q.categories["QC"], q.categories["user_expertise"]) for q in questions
    ]
