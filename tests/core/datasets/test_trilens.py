from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from core.datasets.export import write_trilens
from core.datasets.importers import read_dataset
from core.errors import InputError, OptionError
from core.schema import Nugget, NuggetAnswer, Span
from tests.core.datasets.samples import DOCUMENTS, FERRY, MILL, QUESTIONS, Change, refusal, write_folder, write_jsonl

CARD = """\
name: trial
title: A trial
licence: CC0-1.0
language: en
relations:
  causal: a cause and its effect
trees:
  QC:
    simple: [single_fact]
    complex: {cross_section_synthesis: [multi_hop_reasoning]}
  phrasing: [short, long]
notes: {made: 2026-01-31}
"""


def span(document_id: str, quotation: str) -> Span:
    text = {"mill": MILL, "ferry": FERRY}[document_id]
    start = text.index(quotation)
    return Span(document_id, start, start + len(quotation))


def changed(change: Change, row: int = 0, rows: list[dict[str, Any]] = QUESTIONS) -> list[dict[str, Any]]:
    rows = copy.deepcopy(rows)
    change(rows[row])
    return rows


class TestReading:
    def test_everything_a_folder_can_say(self, tmp_path: Path) -> None:
        result = read_dataset(write_folder(tmp_path / "d", card=CARD))
        card, (first, second) = result.dataset.card, result.dataset.questions
        assert (result.format, result.skipped, result.notes) == ("trilens", (), ())
        assert (card.name, card.licence, card.language, card.notes) == (
            "trial",
            "CC0-1.0",
            "en",
            {"made": "2026-01-31"},
        )
        assert card.trees["QC"]["complex"] == {"cross_section_synthesis": ["multi_hop_reasoning"]}
        assert first.evidence == ((span("mill", "the river fell to three feet"), Span("mill", 42, 51)),)
        river = Nugget("1", "the river fell", "vital", True, evidence=((span("mill", "river fell"),),))
        three = NuggetAnswer("three", ((span("mill", "three shifts"),),))
        assert first.nuggets == (river, Nugget("n", "shifts", "okay", False, "AND", (three,)))
        assert (first.relation, first.categories, first.split) == ("causal", {"QC": "complex"}, "test")
        assert first.meta == {"author": "me", "score": 3}
        assert (second.id, second.relation, second.split, second.evidence) == ("2", None, None, ())

    @pytest.mark.parametrize("name", ["", "questions.jsonl", "dataset.yaml"])
    @pytest.mark.parametrize("declared", [None, "trilens"])
    def test_folder_or_a_file_of_it(self, tmp_path: Path, name: str, declared: str | None) -> None:
        folder = write_folder(tmp_path / "d")
        assert len(read_dataset(folder / name, format=declared).dataset.questions) == 2

    def test_without_a_card_the_folder_names_the_dataset(self, tmp_path: Path) -> None:
        assert read_dataset(write_folder(tmp_path / "harbour", card=None)).dataset.card.name == "harbour"

    def test_languages(self, tmp_path: Path) -> None:
        documents = [
            {"id": "a", "text": MILL},
            {"id": "b", "text": MILL, "language": ""},
            {"id": "c", "text": MILL, "language": "de"},
            {"id": "d", "text": "ok"},
        ]
        questions = [{"id": "q", "question": "?", "answer": "!", "documents": ["a"]}]
        detected = read_dataset(write_folder(tmp_path / "d", documents=documents, questions=questions)).dataset
        assert [document.language for document in detected.documents] == ["en", "", "de", ""]
        write_folder(tmp_path / "d", card="name: x\nlanguage: fr\n", documents=documents, questions=questions)
        declared = read_dataset(tmp_path / "d").dataset
        assert [document.language for document in declared.documents] == ["fr", "", "de", "fr"]

    def test_ids_are_brought_to_one_form(self, tmp_path: Path) -> None:
        uuid = "2fb61cd1-1c80-46be-9797-5be72d77ae79"
        documents = [{"id": f"s3://a/b/<urn:uuid:{uuid}>.txt", "text": MILL}, {"id": 12, "text": FERRY}]
        evidence = [[{"document": "12.0", "text": "twice a day"}]]
        questions = [
            {"id": "007", "question": "?", "answer": "!", "documents": [uuid.upper(), "12"], "evidence": evidence}
        ]
        dataset = read_dataset(write_folder(tmp_path / "d", documents=documents, questions=questions)).dataset
        assert [document.id for document in dataset.documents] == [uuid, "12"]
        assert (dataset.questions[0].id, dataset.questions[0].document_ids) == ("7", (uuid, "12"))
        assert dataset.questions[0].evidence == ((Span("12", 18, 29),),)

    def test_relations_and_trees_are_free_where_the_card_declares_none(self, tmp_path: Path) -> None:
        questions = changed(lambda row: row.update(relation="anything", categories={"mood": "sad"}))
        question = read_dataset(write_folder(tmp_path / "d", questions=questions)).dataset.questions[0]
        assert (question.relation, question.categories) == ("anything", {"mood": "sad"})


def evidence(*spans: dict[str, Any]) -> Change:
    return lambda row: row.update(evidence=[list(spans)])


QUESTION_FAULTS: list[tuple[Change, str, str]] = [
    (lambda row: row.update(relatoin="causal"), "relatoin", "did you mean 'relation'?"),
    (lambda row: row.update(document="mill"), "document", "did you mean 'documents'?"),
    (lambda row: row.update(question=" "), "question", "the question is empty"),
    (lambda row: row.pop("answer"), "answer", "the answer is missing"),
    (lambda row: row.update(answer=7), "answer", "7 is not a text"),
    (lambda row: row.update(answer=["a"]), "answer", "is not a text"),
    (lambda row: row.update(id=None), "id", "the id is empty"),
    (lambda row: row.update(id=[1]), "id", "a text or a number"),
    (lambda row: row.pop("documents"), "documents", "the question names no document"),
    (lambda row: row.update(documents=[]), "documents", "the question names no document"),
    (lambda row: row.update(documents="mill"), "documents", "'mill' is not a list"),
    (lambda row: row.update(documents=["mil"]), "documents[0]", "document 'mil' is missing from documents.jsonl"),
    (lambda row: row.update(documents=["mill", "mill "]), "documents[1]", "named twice"),
    (lambda row: row.update(relation="causual"), "relation", "did you mean 'causal'?"),
    (lambda row: row.update(relation=" "), "relation", "the relation is empty"),
    (lambda row: row.update(relation=3), "relation", "3 is not a text"),
    (lambda row: row.update(split="dev"), "split", "'dev' is neither 'train' nor 'test'"),
    (lambda row: row.update(categories={"QC": "complx"}), "categories.QC", "did you mean 'complex'?"),
    (lambda row: row.update(categories={"QC": 1}), "categories.QC", "1 is not a text"),
    (lambda row: row.update(categories=["QC"]), "categories", "is no mapping"),
    (lambda row: row.update(meta="x"), "meta", "is no mapping"),
    (lambda row: row.update(evidence=[{"text": MILL}]), "evidence[0]", "a list of groups"),
    (lambda row: row.update(evidence=[[]]), "evidence[0]", "the group is empty"),
    (lambda row: row.update(evidence=["x"]), "evidence[0]", "a list of groups"),
    (lambda row: row.update(evidence=[["x"]]), "evidence[0][0]", "'x' is not an object"),
    (evidence({"text": "the"}), "evidence[0][0].text", "'the' occurs 5 times in document 'mill'"),
    (evidence({"text": "The river"}), "evidence[0][0].text", "occurs 0 times in document 'mill'"),
    (evidence({"text": " "}), "evidence[0][0].text", "the text is empty"),
    (evidence({}), "evidence[0][0].text", "the text is missing"),
    (evidence({"start": 1}), "evidence[0][0].end", "None is no offset"),
    (evidence({"start": True, "end": 2}), "evidence[0][0].start", "True is no offset"),
    (evidence({"start": -1, "end": 2}), "evidence[0][0].start", "-1 is no offset"),
    (evidence({"start": 1.0, "end": 2}), "evidence[0][0].start", "1.0 is no offset"),
    (evidence({"start": 2, "end": 2}), "evidence[0][0].end", "[2, 2) is no piece of document 'mill'"),
    (evidence({"start": 0, "end": 9999}), "evidence[0][0].end", "[0, 9999) is no piece"),
    (evidence({"start": 0, "end": 3, "text": "the"}), "evidence[0][0].text", "holds 'The' at [0, 3), not 'the'"),
    (evidence({"start": 0, "end": 3, "txt": "The"}), "evidence[0][0].txt", "did you mean 'text'?"),
    (evidence({"document": "fery", "text": "x"}), "evidence[0][0].document", "there is no document 'fery'"),
    (
        lambda row: row.update(documents=["mill", "ferry"]),
        "evidence[0][0].document",
        "the question has 2 documents",
    ),
    (lambda row: row["nuggets"][0].update(importance="Vital"), "nuggets[0].importance", "neither 'vital' nor 'okay'"),
    (lambda row: row["nuggets"][1].update(aggregator="XOR"), "nuggets[1].aggregator", "neither 'OR' nor 'AND'"),
    (lambda row: row["nuggets"][0].update(stated="yes"), "nuggets[0].stated", "neither true nor false"),
    (lambda row: row["nuggets"][0].pop("text"), "nuggets[0].text", "the text is missing"),
    (lambda row: row["nuggets"][0].update(id="n"), "nuggets[1].id", "two nuggets 'n'"),
    (lambda row: row["nuggets"][0].update(answer=[]), "nuggets[0].answer", "did you mean 'answers'?"),
    (
        lambda row: row["nuggets"][1]["answers"][0]["evidence"][0][0].update(text="nine shifts"),
        "nuggets[1].answers[0].evidence[0][0].text",
        "occurs 0 times",
    ),
]


@pytest.mark.parametrize(("change", "field", "fault"), QUESTION_FAULTS)
def test_question_fault_is_named_with_line_and_field(tmp_path: Path, change: Change, field: str, fault: str) -> None:
    questions = [*reversed(changed(change))]
    folder = write_folder(tmp_path / "d", card=CARD, questions=questions)
    message = refusal(folder)
    assert message.startswith(f"{folder / 'questions.jsonl'}, line 2, field '{field}': ")
    assert fault in message


DOCUMENT_FAULTS: list[tuple[Change, str, str]] = [
    (lambda row: row.update(text=" \n"), "text", "the text is empty"),
    (lambda row: row.update(text=None), "text", "the text is empty"),
    (lambda row: row.update(text=["a"]), "text", "is not a text"),
    (lambda row: row.update(id="mill"), "id", "duplicate of the one on line 1"),
    (lambda row: row.update(titel="x"), "titel", "did you mean 'title'?"),
    (lambda row: row.update(language="English"), "language", "'English' is no language code"),
]


@pytest.mark.parametrize(("change", "field", "fault"), DOCUMENT_FAULTS)
def test_document_fault_is_named_with_line_and_field(tmp_path: Path, change: Change, field: str, fault: str) -> None:
    folder = write_folder(tmp_path / "d", documents=changed(change, 1, DOCUMENTS))
    message = refusal(folder)
    assert message.startswith(f"{folder / 'documents.jsonl'}, line 2, field '{field}': ")
    assert fault in message


def test_duplicate_question_ids_and_equal_texts(tmp_path: Path) -> None:
    same_text = [*QUESTIONS, {**QUESTIONS[1], "id": "another"}]
    assert len(read_dataset(write_folder(tmp_path / "d", questions=same_text)).dataset.questions) == 3
    same_id = [*QUESTIONS, {**QUESTIONS[1], "id": "2.0", "question": "Other?"}]
    message = refusal(write_folder(tmp_path / "d", questions=same_id))
    assert "line 3, field 'id': the question id '2.0' is a duplicate of the one on line 2" in message


@pytest.mark.parametrize(
    ("card", "fault"),
    [
        ("name: x\nlicense: MIT\n", "dataset.yaml, line 2, field 'license'.*did you mean 'licence'"),
        ("name: x\ntitle: y\nlanguage: no\n", "line 3, field 'language': False is not a text; write it in quotes"),
        ("name: x\nlanguage: Norwegian\n", "line 2, field 'language'.*no language code"),
        ("name: x\nrelations: [a]\n", "line 2, field 'relations'"),
        ("name: x\nrelations: {a: }\n", "line 2, field 'relations.a': the a is empty"),
        ("name: x\n\ntrees: {QC: {simple: [1]}}\n", "line 3, field 'trees.QC.simple': 1 is no node name"),
        ("name: [x\n", "dataset.yaml, line 2: broken YAML"),
        ("- x\n", "holds no named fields"),
        ("", "holds no named fields"),
        ("name: a/b\n", "holds a slash"),
        ("a: !!python/object/apply:os.system ['true']\n", "broken YAML"),
    ],
)
def test_card_fault_is_named(tmp_path: Path, card: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        read_dataset(write_folder(tmp_path / "d", card=card))


@pytest.mark.parametrize("name", ["documents.jsonl", "questions.jsonl"])
def test_missing_and_empty_parts(tmp_path: Path, name: str) -> None:
    folder = write_folder(tmp_path / "d")
    (folder / name).write_text("")
    assert f"{folder / name} is empty" in refusal(folder)
    (folder / name).unlink()
    assert f"{folder} holds no {name}" in refusal(folder, format="trilens")


def test_mapping_has_no_use_here(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="fixed names"):
        read_dataset(write_folder(tmp_path / "d"), mapping={"question": "question"})


TOPIC = {
    "id": "t1",
    "question": "Ferries?",
    "judged": ["d1", 7, "d3"],
    "nuggets": [
        {"text": "It runs", "held_by": ["d1", 7]},
        {"text": "Which colour?", "aggregator": "AND", "answers": [{"text": "blue", "held_by": ["d3"]}]},
    ],
}


def test_a_judged_collection_has_no_documents_and_reads_back_equal(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "questions.jsonl", [TOPIC])
    dataset = read_dataset(tmp_path, name="ferries").dataset
    (question,) = dataset.questions
    assert (dataset.documents, question.document_ids, question.answer) == ((), (), "")
    assert question.judged == ("d1", "7", "d3")
    assert [nugget.documents for nugget in question.nuggets] == [("d1", "7"), ()]
    assert question.nuggets[1].answers[0].documents == ("d3",)
    write_trilens(dataset, tmp_path / "again")
    assert read_dataset(tmp_path / "again").dataset == dataset


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nuggets": []}, "the question names no document"),
        ({"documents": ["d1"]}, "holds no documents.jsonl"),
        ({"judged": ["d1", "d1"]}, "field 'judged[1]': document 'd1' is named twice"),
        ({"nuggets": [{"text": "x", "held_by": "d1"}]}, "field 'nuggets[0].held_by': 'd1' is not a list"),
    ],
)
def test_what_a_judged_topic_may_not_be(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    write_jsonl(tmp_path / "questions.jsonl", [{**TOPIC, **change}])
    assert message in refusal(tmp_path)
