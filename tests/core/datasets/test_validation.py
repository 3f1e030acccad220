from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from core.datasets.importers import read_dataset
from core.datasets.validation import labels, warnings
from core.schema import Card, Dataset, Document, Question, Span
from tests.core.datasets.samples import FERRY, HIERARAG, MILL, needs_hierarag, write_folder


def dataset(*questions: Question, documents: tuple[Document, ...] = (Document("mill", MILL),)) -> Dataset:
    return Dataset(Card("trial"), documents, questions)


def question(identity: str, **fields: object) -> Question:
    plain = Question(identity, f"What of {identity}?", "That.", ("mill",), relation="causal")
    return replace(plain, **fields)  # type: ignore[arg-type]


def found(data: Dataset) -> dict[str, tuple[str, ...]]:
    return {finding.check: finding.ids for finding in warnings(data)}


def test_nothing_to_say() -> None:
    relations = ["causal", "temporal"] * 20
    assert warnings(dataset(*(question(f"q{i}", relation=name) for i, name in enumerate(relations)))) == []


def test_evidence_beyond_and_elsewhere() -> None:
    documents = (Document("mill", MILL), Document("ferry", FERRY))
    beyond = question("q1", evidence=((Span("mill", 0, 9999),),))
    elsewhere = question("q2", evidence=((Span("mill", 0, 3),), (Span("ferry", 0, 3),)))
    checks = found(dataset(beyond, elsewhere, question("q3", document_ids=("ferry",)), documents=documents))
    assert checks["evidence-offsets"] == ("q1",)
    assert checks["evidence-document"] == ("q2",)


def test_thin_and_unasked_documents() -> None:
    texts = {
        "mill": MILL,
        "one": "Donaudampfschifffahrtsgesellschaft",
        "dots": "- - - - . . . ? ! (1)",
        "zh": "磨坊每天三班倒一九一一年夏天河水降到三英尺老板让夜班工人回家了",
        "short": "It is so.",
    }
    documents = tuple(Document(identity, text) for identity, text in texts.items())
    checks = found(dataset(question("q"), documents=documents))
    assert checks["thin-document"] == ("one", "dots", "short")
    assert checks["unasked-document"] == ("one", "dots", "zh", "short")


def test_relations() -> None:
    assert "no-relations" in found(dataset(question("q", relation=None)))
    single = found(dataset(*(question(f"q{i}") for i in range(20))))
    assert single == {"single-relation": ("causal",)}
    few = found(
        dataset(question("a", relation="zeal"), question("b", relation="direct matching"), question("c", relation=None))
    )
    assert few == {"few-questions": ("direct matching", "zeal"), "unlabelled": ("c",)}


def test_repeated_questions_and_sentences() -> None:
    data = dataset(question("a", question="Same?"), question("b", question="Same?"), question("c", question="same?"))
    findings = {finding.check: finding for finding in warnings(data)}
    assert findings["repeated-questions"].ids == ("b",)
    assert str(findings["repeated-questions"]) == "questions that repeat the text of an earlier one: 1."


def test_labels_of_each_lens(tmp_path: Path) -> None:
    found_labels = labels(read_dataset(write_folder(tmp_path / "d")).dataset)
    assert found_labels == {
        "documents": 2,
        "questions": 2,
        "languages": {"en": 2},
        "relations": {"causal": 1},
        "without_relation": 1,
        "with_evidence": 1,
        "with_nuggets": 1,
        "nuggets": 2,
        "categories": {"QC": {"complex": 1}},
        "splits": {"test": 1},
    }
    assert json.loads(json.dumps(found_labels)) == found_labels


@needs_hierarag
def test_the_real_file() -> None:
    data = read_dataset(HIERARAG / "rq3_interactions_all.jsonl").dataset
    assert labels(data)["categories"]["LV"] == {"distant_from_document": 483, "similar_to_document": 517}
    findings = {finding.check: finding for finding in warnings(data)}
    assert set(findings) == {"no-relations", "repeated-questions"}
    assert len(findings["repeated-questions"].ids) == 38
