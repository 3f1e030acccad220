from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers import read_dataset
from core.errors import InputError, OptionError
from tests.core.datasets.samples import FERRY, MILL, refusal, table_rows, write_csv, write_jsonl


def test_columns_are_guessed_and_the_rest_is_kept(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "Question ID": "4.0",
        "User Input": "Why?",
        "GroundTruth": "Because.",
        "Contexts": json.dumps([MILL, FERRY]),
        "logical_relation": "causal",
        "Split": "Training",
        "question_complexity": "simple",
        "AT": "abstractive",
        "author": "me",
        "empty": "",
    }
    result = read_dataset(write_csv(tmp_path / "My set.csv", [row]))
    (question,) = result.dataset.questions
    assert result.format == "table"
    assert (question.id, question.question, question.answer) == ("4", "Why?", "Because.")
    assert [document.text for document in result.dataset.documents] == [MILL, FERRY]
    assert question.document_ids == tuple(document.id for document in result.dataset.documents)
    assert (question.relation, question.split) == ("causal", "train")
    assert question.categories == {"QC": "simple", "AT": "abstractive"}
    assert question.meta == {"author": "me"}
    card = result.dataset.card
    assert (card.name, card.source, card.language) == ("My set", "My set.csv", "en")


def test_equal_contexts_are_one_document_whose_id_comes_from_its_text(tmp_path: Path) -> None:
    first = read_dataset(write_csv(tmp_path / "a.csv", table_rows(4))).dataset
    assert len(first.documents) == 2
    assert [q.document_ids[0] for q in first.questions] == [first.documents[i % 2].id for i in range(4)]
    again = read_dataset(write_jsonl(tmp_path / "b.jsonl", table_rows(4)[::-1])).dataset
    assert {document.id for document in again.documents} == {document.id for document in first.documents}


def test_rows_without_an_id_are_known_by_their_number(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "id"} for row in table_rows()]
    rows[1]["question"] = rows[0]["question"]
    assert [q.id for q in read_dataset(write_csv(tmp_path / "a.csv", rows)).dataset.questions] == ["1", "2", "3"]


def test_document_ids(tmp_path: Path) -> None:
    rows = [{**row, "doc_id": identity} for row, identity in zip(table_rows(4), ["7", "b", "7.0", ""], strict=True)]
    dataset = read_dataset(write_csv(tmp_path / "a.csv", rows)).dataset
    assert [document.id for document in dataset.documents] == ["7", "b"]
    assert [q.document_ids for q in dataset.questions] == [("7",), ("b",), ("7",), ("b",)]
    rows[2]["context"] = "Another text."
    message = refusal(write_csv(tmp_path / "a.csv", rows))
    assert "line 4, field 'doc_id': document id '7.0' stands for another text here than on line 2" in message


def test_one_id_for_two_documents(tmp_path: Path) -> None:
    row = {"question": "q", "answer": "a", "contexts": [MILL, FERRY], "doc_ids": ["x"]}
    assert "1 document ids for 2 documents in 'contexts'" in refusal(write_jsonl(tmp_path / "a.jsonl", [row]))
    row["doc_ids"] = "['x', 'y']"
    dataset = read_dataset(write_jsonl(tmp_path / "a.jsonl", [row])).dataset
    assert dataset.questions[0].document_ids == ("x", "y")


def test_missing_column_lists_what_there_is_and_the_option_that_helps(tmp_path: Path) -> None:
    rows = [{"question": "q", "gold": "a", "passage text": "c"}]
    path = write_csv(tmp_path / "a.csv", rows)
    assert refusal(path) == (
        f"{path} has no column for 'answer' and 'context' among 'question', 'gold', 'passage text'; "
        "say which column holds it with `import a.csv --map answer=COLUMN --map context=COLUMN`."
    )
    dataset = read_dataset(path, mapping={"answer": "gold", "context": "passage text"}).dataset
    assert (dataset.questions[0].answer, dataset.documents[0].text) == ("a", "c")


def test_mapping_wins_over_the_guess(tmp_path: Path) -> None:
    rows = [{"question": "short", "prompt": "long", "answer": "a", "response": "b", "context": "c"}]
    path = write_csv(tmp_path / "a.csv", rows)
    guessed = read_dataset(path)
    assert (guessed.dataset.questions[0].question, guessed.dataset.questions[0].answer) == ("short", "a")
    assert any("answer was read from column 'answer', not from 'response'" in note for note in guessed.notes)
    mapped = read_dataset(path, mapping={"question": "prompt", "answer": "response"}).dataset.questions[0]
    assert (mapped.question, mapped.answer, mapped.meta) == ("long", "b", {"question": "short", "answer": "a"})


def test_mapping_faults(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", table_rows())
    with pytest.raises(OptionError, match=r"no field 'anwser'; did you mean 'answer'\?"):
        read_dataset(path, mapping={"anwser": "answer"})
    with pytest.raises(InputError, match="no column 'gold' for --map answer=gold; the columns are 'id', 'question'"):
        read_dataset(path, mapping={"answer": "gold"})


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("question", " ", "the question is empty"),
        ("answer", "", "the answer is empty"),
        ("answer", None, "the answer is empty"),
        ("answer", True, "True is not a text"),
        ("answer", {"text": "a"}, "is not a text"),
        ("answer", ["a", "b"], "is not a text"),
        ("context", "", "the question's document is missing"),
        ("context", [], "the question's document is missing"),
        ("context", None, "the question's document is missing"),
        ("context", [MILL, " "], "the document's text is empty"),
        ("context", 3.5, None),
        ("answer", ["a"], None),
        ("answer", 42, None),
        ("id", "", "the id is empty"),
        ("id", "q0", "duplicate of the one on line 1"),
    ],
)
def test_cells(tmp_path: Path, field: str, value: object, fault: str | None) -> None:
    rows = table_rows(3)
    rows[2][field] = value
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    if fault is None:
        assert len(read_dataset(path).dataset.questions) == 3
    else:
        message = refusal(path)
        assert message.startswith(f"{path}, line 3, field '{field}': ")
        assert fault in message


def test_items_of_a_minified_array_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rows = table_rows(3)
    path.write_text(json.dumps(rows))
    assert len(read_dataset(path).dataset.questions) == 3
    rows[2]["id"] = "q1"
    path.write_text(json.dumps(rows))
    assert "item 3, field 'id': the question id 'q1' is a duplicate of the one on item 2" in refusal(path)


def test_a_document_that_only_looks_like_a_list(tmp_path: Path) -> None:
    texts = ["[1] The mill, see [2]", "[sic]", "['a', 3]"]
    rows = [{"question": "q", "answer": "a", "context": text} for text in texts]
    dataset = read_dataset(write_csv(tmp_path / "a.csv", rows)).dataset
    assert [document.text for document in dataset.documents] == texts


def test_other_splits_are_kept_aside_and_told(tmp_path: Path) -> None:
    rows = [{**row, "split": split} for row, split in zip(table_rows(4), ["train", "dev", "TEST", "dev"], strict=True)]
    result = read_dataset(write_csv(tmp_path / "a.csv", rows))
    assert [q.split for q in result.dataset.questions] == ["train", None, "test", None]
    assert result.dataset.questions[1].meta == {"split": "dev"}
    assert any(note.startswith("2 questions of split 'dev'") for note in result.notes)
