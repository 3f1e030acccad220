"""Which questions are held out together."""

from __future__ import annotations

from core.engine.relate import _document_groups, _splits
from core.relations.classifier import LocalClassifier
from core.schema import Question


def _question(*documents: str) -> Question:
    return Question("q", "What?", "That.", documents)


def test_a_question_over_two_documents_joins_them() -> None:
    chain = [_question("b", "c"), _question("c", "d"), _question("d")]
    groups = _document_groups([_question("a"), *chain, _question("e")])
    assert groups[1] == groups[2] == groups[3]
    assert len({groups[0], groups[1], groups[4]}) == 3


def test_single_documents_stay_apart() -> None:
    assert _document_groups([_question("a"), _question("b"), _question("a")]) == ["a", "b", "a"]


def _labelled(n_documents: int) -> list[Question]:
    return [
        Question(f"{document}-{relation}", "What?", "That.", (f"d{document}",), relation=relation)
        for document in range(n_documents)
        for relation in ("causal", "temporal")
    ]


def test_without_a_split_a_fifth_of_the_documents_is_drawn_for_testing() -> None:
    questions = _labelled(20)
    splits = _splits(LocalClassifier(mode="train_split"), questions)
    by_document: dict[str, set[str | None]] = {}
    for question, split in zip(questions, splits, strict=True):
        by_document.setdefault(question.document_ids[0], set()).add(split)
    assert all(len(found) == 1 for found in by_document.values()), "a document stands on both sides"
    assert splits.count("test") == 8
    tested = [q.relation for q, split in zip(questions, splits, strict=True) if split == "test"]
    assert tested.count("causal") == tested.count("temporal")
    assert splits == _splits(LocalClassifier(mode="train_split"), questions)
    assert splits != _splits(LocalClassifier(mode="train_split", seed=1), questions)


def test_a_split_that_is_given_is_kept() -> None:
    questions = [Question("1", "What?", "That.", ("a",), relation="causal", split="train"), *_labelled(2)]
    assert _splits(LocalClassifier(mode="train_split"), questions) == ["train", None, None, None, None]
    assert _splits(LocalClassifier(), _labelled(2)) == [None] * 4
