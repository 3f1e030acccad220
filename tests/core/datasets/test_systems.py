from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers.systems import SystemReading, read_system
from core.errors import InputError, OptionError
from core.schema import Card, Dataset, Document, Question, SystemAnswer, SystemContext
from tests.core.datasets.samples import FERRY, HIERARAG, MILL, needs_hierarag, write_csv, write_jsonl

DATASET = Dataset(
    Card("trial"),
    (Document("mill", MILL, language="en"), Document("ferry", FERRY, language="en")),
    (
        Question("1", "Why did the night shift stop?", "The river was too low.", ("mill",)),
        Question("2", "When was there fog?", "In March.", ("ferry",)),
        Question("3", "Wann fuhr die Fähre?", "Zweimal am Tag.", ("ferry",)),
        Question("4", "Twice?", "Yes.", ("ferry",)),
        Question("5", "Twice?", "No.", ("mill",)),
    ),
)


def _read(path: Path, mapping: Mapping[str, str] | None = None) -> SystemReading:
    return read_system(path, DATASET, mapping)


def _given(tmp_path: Path, *rows: Mapping[str, Any], mapping: Mapping[str, str] | None = None) -> SystemReading:
    return _read(write_jsonl(tmp_path / "own.jsonl", rows), mapping)


def _one(tmp_path: Path, **fields: Any) -> SystemAnswer:
    return _given(tmp_path, {"id": "1", **fields}).answers["1"]


def _refusal(tmp_path: Path, *rows: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        _given(tmp_path, *rows)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def _note(reading: SystemReading, beginning: str) -> str:
    (found,) = [note for note in reading.notes if note.startswith(beginning)]
    return found


def test_an_answer_is_sentences_and_its_contexts_are_found_in_documents(tmp_path: Path) -> None:
    answer = _one(
        tmp_path,
        answer="The river fell.\n\nIt stood below\nfour feet.",
        contexts=["In the dry summer of 1911 the river fell to three feet", "Rivers fall in summer.", ""],
    )
    assert answer.sentences == ("The river fell.", "It stood below four feet.")
    found, other, blank = answer.contexts
    assert (found.document_id, MILL[found.start : found.end]) == ("mill", found.text)
    assert other == SystemContext("Rivers fall in summer.")
    assert blank == SystemContext("")
    assert not answer.refused


def test_signs_between_sentences_are_part_of_the_answer(tmp_path: Path) -> None:
    text = "Why:\n\n1. **The river** fell.\n\n***\n\n2. **The owner** went home. — \n"
    answer = _one(tmp_path, answer=text)
    assert " ".join(answer.sentences) == " ".join(text.split())


@pytest.mark.parametrize(
    "columns",
    [
        ("user_input", "response", "retrieved_contexts"),
        ("Question", "Generated Answer", "contexts"),
        ("query", "prediction", "passages"),
        ("questionText", "actualOutput", "retrievalContext"),
    ],
)
def test_columns_are_known_by_their_names(tmp_path: Path, columns: tuple[str, str, str]) -> None:
    question, answer, contexts = columns
    row = {question: "When was there fog?", "reference": "In March.", answer: "In spring.", contexts: [FERRY]}
    given = _given(tmp_path, row).answers["2"]
    assert given.sentences == ("In spring.",)
    assert given.contexts[0].document_id == "ferry"


def test_the_reference_beside_it_is_not_the_answer_but_a_choice_is_said(tmp_path: Path) -> None:
    row = {"id": "1", "answer": "Gold.", "response": "Given.", "qa_id": "x"}
    reading = _given(tmp_path, row, mapping={"id": "id"})
    assert reading.answers["1"].sentences == ("Given.",)
    assert _note(reading, "The answer") == (
        "The answer was read from column 'response', not from 'answer'; choose by --map answer=COLUMN."
    )
    assert _given(tmp_path, row, mapping={"id": "id", "answer": "answer"}).answers["1"].sentences == ("Gold.",)


def test_a_field_may_be_in_no_column(tmp_path: Path) -> None:
    row = {"id": "1", "question": "When was there fog?", "answer": "In March.", "contexts": [FERRY]}
    reading = _given(tmp_path, row, mapping={"id": "", "contexts": ""})
    assert reading.answers["2"].contexts == ()
    assert not any("id" in note for note in reading.notes if "another question" in note)


def test_mapping_faults(tmp_path: Path) -> None:
    row = {"id": "1", "said": "Because."}
    with pytest.raises(OptionError, match=r"no field 'context'; did you mean 'contexts'\?"):
        _given(tmp_path, row, mapping={"context": "said"})
    with pytest.raises(InputError, match="no column 'x' for --map answer=x; the columns are 'id', 'said'"):
        _given(tmp_path, row, mapping={"answer": "x"})
    assert _refusal(tmp_path, row).endswith(
        "no column for 'answer' among 'id', 'said'; say which column holds it with `import own.jsonl --as-system "
        "DATASET --map answer=COLUMN`."
    )
    assert "no column for 'question'" in _refusal(tmp_path, {"answer": "Because."})


def test_questions_by_id_in_any_spelling_or_by_text(tmp_path: Path) -> None:
    rows = [
        {"id": 1.0, "question": "", "answer": "a."},
        {"id": "", "question": " When  was\nthere fog? ", "answer": "b."},
        {"id": "row-7", "question": unicodedata.normalize("NFD", "Wann fuhr die Fähre?"), "answer": "c."},
        {"id": "5", "question": "Twice?", "answer": "d."},
    ]
    reading = _given(tmp_path, *rows[::-1])
    assert {id_: given.sentences[0] for id_, given in reading.answers.items()} == {
        "1": "a.", "2": "b.", "3": "c.", "5": "d.",
    }  # fmt: skip
    assert list(reading.answers) == ["1", "2", "3", "5"], "the dataset's order"
    assert reading.skipped == ()


def test_the_text_decides_where_the_id_is_another_questions(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "question": "When was there fog?", "answer": "a."},
        {"id": 2, "question": "Wann fuhr die Fähre?", "answer": "b."},
    ]
    reading = _given(tmp_path, *rows)
    assert {id_: given.sentences[0] for id_, given in reading.answers.items()} == {"2": "a.", "3": "b."}
    assert _note(reading, "rows whose id") == (
        "rows whose id is another question's than their text, which was taken: 2 (first: line 1)."
    )


def test_another_wording_of_a_known_id_is_said(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "Why did it stop?", "answer": "a."},
        {"id": "2", "question": "When was there fog?", "answer": "b."},
    ]
    reading = _given(tmp_path, *rows)
    assert set(reading.answers) == {"1", "2"}
    assert _note(reading, "rows whose question has another text").endswith("1 (first: line 1).")


def test_ids_that_count_something_else_are_refused(tmp_path: Path) -> None:
    rows = [{"id": str(i), "question": f"What is {i}?", "answer": "a."} for i in (1, 2, 3)]
    message = _refusal(tmp_path, *rows)
    assert "line 1, field 'question': this id is known, but not one of the file's 3 questions" in message


def test_what_cannot_be_matched_is_skipped_with_its_reason(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "", "answer": "a."},
        {"id": "", "question": "Who?", "answer": "b."},
        {"id": "", "question": "Twice?", "answer": "c."},
        {"id": "9", "question": None, "answer": "d."},
        {"id": None, "question": " ", "answer": "e."},
    ]
    reading = _given(tmp_path, *rows)
    assert list(reading.answers) == ["1"]
    assert reading.n_rows == 5
    assert [(skip.line, skip.field, skip.reason) for skip in reading.skipped] == [
        (2, "question", "the dataset has no question 'Who?'"),
        (3, "question", "2 questions of the dataset have this text: give their ids"),
        (4, "id", "the dataset has no question '9'"),
        (5, "id", "neither id nor question is given"),
    ]
    assert "none of its 1 rows is about a question of the dataset" in _refusal(tmp_path, rows[1])


def test_a_question_answered_twice_names_both_lines(tmp_path: Path) -> None:
    rows = [{"id": "1", "answer": "a."}, {"id": "2", "answer": "b."}, {"id": "01", "answer": "a."}]
    assert "line 3, field 'id': question '1' has an answer on line 1 already" in _refusal(tmp_path, *rows)


@pytest.mark.parametrize("answer", ["", None, " \n", "…", "— —"])
def test_no_word_is_no_answer(tmp_path: Path, answer: str | None) -> None:
    reading = _given(tmp_path, {"id": "1", "answer": answer, "contexts": [MILL]}, {"id": "2", "answer": "March."})
    assert reading.answers["1"].sentences == ()
    assert reading.answers["1"].contexts[0].document_id == "mill"
    assert _note(reading, "empty answers").endswith("1 of 2.")
    assert _note(reading, "answers without contexts").endswith("1 of 2.")


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        (None, []),
        (" ", []),
        ([], []),
        ("[]", []),
        ("One text.", ["One text."]),
        (["One.", None, "Two."], ["One.", "", "Two."]),
        ('["One.", "Two."]', ["One.", "Two."]),
        ("['One.', 'Two\\'s.']", ["One.", "Two's."]),
        ([{"text": "One."}, {"content": "Two.", "score": 0.3}], ["One.", "Two."]),
        ('[{"page_content": "One.", "metadata": {}}]', ["One."]),
        ({"text": "One."}, ["One."]),
        ([["One."]], None),
        ([7], None),
        ({"score": 1}, None),
        ("[Document(page_content='One.')]", None),
        ("[1, 2", ["[1, 2"]),
    ],
)
def test_ways_to_write_contexts(tmp_path: Path, cell: object, texts: list[str] | None) -> None:
    row = {"id": "1", "answer": "a.", "contexts": cell}
    if texts is None:
        assert "line 1, field 'contexts': " in _refusal(tmp_path, row)
    else:
        assert [context.text for context in _given(tmp_path, row).answers["1"].contexts] == texts


def test_a_context_keeps_the_document_it_names(tmp_path: Path) -> None:
    shared = Dataset(
        Card("trial"),
        (Document("a", f"A. {FERRY}"), Document("b", FERRY), Document("7", MILL)),
        (Question("1", "When?", "In March.", ("7",)),),
    )
    contexts = [
        {"text": FERRY, "document_id": "b"},
        {"text": FERRY},
        {"text": "A summary of the mill.", "doc_id": 7.0},
        {"text": "A page from elsewhere.", "doc_id": "z"},
    ]
    path = write_jsonl(tmp_path / "own.jsonl", [{"id": "1", "answer": "In March.", "contexts": contexts}])
    reading = read_system(path, shared)
    assert [(c.document_id, c.start) for c in reading.answers["1"].contexts] == [
        ("b", 0), ("a", 3), ("7", None), ("", None),
    ]  # fmt: skip
    assert _note(reading, "contexts that name").endswith("does not have: 1 (first: line 1).")
    assert _note(reading, "contexts that are in no document").endswith("2 (first: line 1).")


def test_the_questions_own_documents_are_searched_first(tmp_path: Path) -> None:
    twice = Dataset(
        Card("trial"), (Document("a", FERRY), Document("b", FERRY)), (Question("1", "When?", "March.", ("b",)),)
    )
    path = write_jsonl(tmp_path / "own.jsonl", [{"id": "1", "answer": "March.", "contexts": [FERRY]}])
    assert read_system(path, twice).answers["1"].contexts[0].document_id == "b"


def test_markers_are_citations_of_their_sentence(tmp_path: Path) -> None:
    answer = "The river fell [1][2]. The owner sent them home. [2] In [1911] it was dry [7]."
    given = _given(tmp_path, {"id": "1", "answer": answer, "contexts": [MILL, FERRY]})
    assert given.answers["1"].sentences == ("The river fell.", "The owner sent them home.", "In [1911] it was dry.")
    assert given.answers["1"].citations == ((0, 0), (0, 1), (1, 1))
    assert _note(given, "citations of a context that is not there") == (
        "citations of a context that is not there, which were left out: 1 (first: line 1, number 7 of 2 contexts)."
    )


def test_without_contexts_brackets_are_text(tmp_path: Path) -> None:
    given = _one(tmp_path, answer="The river fell [1].", contexts="")
    assert (given.sentences, given.citations) == (("The river fell [1].",), ())


def test_markers_of_a_file_count_from_where_the_smallest_says(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "answer": "It fell [0].", "contexts": [MILL, FERRY]},
        {"id": "2", "answer": "In March [1].", "contexts": [MILL, FERRY]},
    ]
    answers = _given(tmp_path, *rows).answers
    assert answers["1"].citations == ((0, 0),)
    assert answers["2"].citations == ((0, 1),)
    assert _given(tmp_path, rows[1]).answers["2"].citations == ((0, 0),)


@pytest.mark.parametrize("cell", [[0, 2, 9], "[0, 2, 9]", "0,2; 9", [0, "2.0", 9.0]])
def test_a_column_of_citations_is_of_every_sentence(tmp_path: Path, cell: object) -> None:
    reading = _given(
        tmp_path, {"id": "1", "answer": "It fell. It rose.", "contexts": [MILL, FERRY, "x"], "citations": cell}
    )
    assert sorted(reading.answers["1"].citations) == [(0, 0), (0, 2), (1, 0), (1, 2)]
    assert _note(reading, "citations of a context").endswith("1 (first: line 1, number 9 of 3 contexts).")
    assert "from 0, because one is 0" in _note(reading, "column 'citations'")


def test_a_column_of_citations_without_a_zero_counts_from_one(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "answer": "It fell [2].", "contexts": [MILL, FERRY], "citations": 1},
        {"id": "2", "answer": "In March.", "contexts": [MILL, FERRY], "citations": [2]},
    ]
    reading = _given(tmp_path, *rows)
    assert reading.answers["1"].citations == ((0, 1),), "markers say it more exactly"
    assert reading.answers["2"].citations == ((0, 1),)
    assert "from 1, because none is 0" in _note(reading, "column 'citations'")
    message = _refusal(tmp_path, {**rows[0], "citations": "doc-a"})
    assert "field 'citations': 'doc-a' is no list of numbers" in message
    spread = {"id": "1", "answer": "a.", "contexts": [MILL, FERRY], "citations": "2.0"}
    assert _given(tmp_path, spread).answers["1"].citations == ((0, 1),)


def test_every_format_gives_the_same(tmp_path: Path) -> None:
    import pandas as pd

    rows: Sequence[dict[str, Any]] = [
        {"id": "1", "question": "", "answer": "It fell [1].", "contexts": json.dumps([MILL, "x"])},
        {"id": "3", "question": "", "answer": "Zweimal – täglich.", "contexts": json.dumps([FERRY])},
    ]
    expected = _read(write_csv(tmp_path / "own.csv", rows)).answers
    assert expected["1"].citations == ((0, 0),)
    paths = [
        write_csv(tmp_path / "own.tsv", rows, delimiter="\t"),
        write_csv(tmp_path / "windows.csv", rows, delimiter=";", encoding="cp1252"),
        write_jsonl(tmp_path / "own.jsonl", [{**row, "contexts": json.loads(row["contexts"])} for row in rows]),
        tmp_path / "own.json",
        tmp_path / "own.csv.gz",
        tmp_path / "own.xlsx",
        tmp_path / "own.parquet",
    ]
    frame = pd.DataFrame(rows)
    paths[3].write_text(json.dumps(rows), encoding="utf-8")
    paths[4].write_bytes(gzip.compress((tmp_path / "own.csv").read_bytes()))
    frame.to_excel(paths[5], index=False)
    frame.assign(contexts=[json.loads(row["contexts"]) for row in rows]).to_parquet(paths[6])
    for path in paths:
        assert _read(path).answers == expected, path


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        _read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        _read(tmp_path)


@needs_hierarag
def test_published_answers_are_matched_by_text() -> None:
    from core.datasets.importers import read_dataset

    dataset = read_dataset(HIERARAG / "rq3_interactions_all.jsonl").dataset
    reading = read_system(HIERARAG / "qa150.jsonl", dataset)
    assert (reading.n_rows, len(reading.answers), len(reading.skipped)) == (150, 24, 126)
    text = {question.id: question.question for question in dataset.questions}
    rows = {row["question"]: row for row in map(json.loads, (HIERARAG / "qa150.jsonl").open(encoding="utf-8"))}
    for id_, given in reading.answers.items():
        assert " ".join(given.sentences) == " ".join(rows[text[id_]]["generated_answer"].split())
