"""A dataset's relations with their definitions, questions held out together, the text behind a reference answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.relations.labelled import document_groups, gold_text, relations_in, splits
from core.schema import Card, Dataset, Document, Question, Span


def _question(*documents: str, **fields: object) -> Question:
    return Question("q", "What?", "That.", documents, **fields)  # type: ignore[arg-type]


def test_a_question_over_two_documents_joins_them() -> None:
    chain = [_question("b", "c"), _question("c", "d"), _question("d")]
    groups = document_groups([_question("a"), *chain, _question("e")])
    assert groups[1] == groups[2] == groups[3]
    assert len({groups[0], groups[1], groups[4]}) == 3


def test_single_documents_stay_apart() -> None:
    assert document_groups([_question("a"), _question("b"), _question("a")]) == ["a", "b", "a"]


def _labelled(n_documents: int) -> list[Question]:
    return [
        Question(f"{document}-{relation}", "What?", "That.", (f"d{document}",), relation=relation)
        for document in range(n_documents)
        for relation in ("causal", "temporal")
    ]


def test_without_a_split_a_fifth_of_the_documents_is_drawn_for_testing() -> None:
    questions = _labelled(20)
    drawn = splits(questions, 0)
    by_document: dict[str, set[str | None]] = {}
    for question, split in zip(questions, drawn, strict=True):
        by_document.setdefault(question.document_ids[0], set()).add(split)
    assert all(len(found) == 1 for found in by_document.values()), "a document stands on both sides"
    assert drawn.count("test") == 8
    tested = [q.relation for q, split in zip(questions, drawn, strict=True) if split == "test"]
    assert tested.count("causal") == tested.count("temporal")
    assert drawn == splits(questions, 0)
    assert drawn != splits(questions, 1)


def test_a_split_that_is_given_is_kept() -> None:
    questions = [_question("a", relation="causal", split="train"), *_labelled(2)]
    assert splits(questions, 0) == ["train", None, None, None, None]


def test_relations_are_defined_by_the_card_else_by_ours() -> None:
    questions = tuple(
        Question(f"q{i}", "What?", "That.", ("a",), relation=relation)
        for i, relation in enumerate(["zeugma", "causal", None, "direct matching", "causal"])
    )
    card = Card("d", relations={"causal": "what follows from what", "never used": "nothing"})
    found = relations_in(Dataset(card, (Document("a", "Text."),), questions))
    assert [(one.name, one.definition) for one in found] == [
        ("causal", "what follows from what"),
        ("direct matching", "one passage that states it"),
        ("zeugma", ""),
    ]


DOCUMENTS = {"a": Document("a", "One two. Three four. Five six."), "b": Document("b", "Seven eight.")}


def test_the_text_behind_an_answer_is_its_evidence_in_the_order_of_the_text() -> None:
    groups = ((Span("b", 0, 12), Span("a", 21, 30)), (Span("a", 0, 8),))
    assert gold_text(_question("a", "b", evidence=groups), DOCUMENTS) == "One two.\nFive six.\nSeven eight."


def test_evidence_that_overlaps_is_given_once() -> None:
    groups = ((Span("a", 0, 20),), (Span("a", 4, 8),), (Span("a", 9, 30),), (Span("a", 0, 20),))
    assert gold_text(_question("a", evidence=groups), DOCUMENTS) == "One two. Three four.\nFive six."


def test_without_evidence_there_is_no_text() -> None:
    assert gold_text(_question("a"), DOCUMENTS) == ""


@given(st.lists(st.tuples(st.integers(0, 28), st.integers(1, 30)), min_size=1, max_size=6))
def test_every_word_of_the_evidence_is_in_the_text_as_often_as_in_the_document(pieces: list[tuple[int, int]]) -> None:
    spans = [Span("a", start, max(start + 1, end)) for start, end in pieces]
    text = DOCUMENTS["a"].text
    found = gold_text(_question("a", evidence=tuple((span,) for span in spans)), DOCUMENTS)
    marked = {place for span in spans for place in range(span.start, span.end) if not text[place : place + 1].isspace()}
    assert sorted("".join(found.split())) == sorted(text[place] for place in marked if text[place : place + 1])
