"""Examples shown to a language model: one of each relation, never of the asked question's documents."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.relations.examples import LONGEST, Examples
from core.relations.prompted import Case
from core.schema import Card, Dataset, Document, Question, Span
from core.text.tokens import count_words

TEXT = "The ferry stops. The harbour freezes in winter."


def _question(document: int, relation: str | None, **fields: Any) -> Question:
    given_fields = {"evidence": ((Span(f"d{document}", 0, 16),),), **fields}
    return Question(
        f"{document}-{relation}", f"Q{document} {relation}?", "Yes.", (f"d{document}",), relation, **given_fields
    )


def _dataset(*questions: Question, texts: dict[str, str] | None = None) -> Dataset:
    ids = dict.fromkeys(id_ for question in questions for id_ in question.document_ids)
    return Dataset(Card("d"), tuple(Document(id_, (texts or {}).get(id_, TEXT)) for id_ in ids), questions)


def _relations(n_documents: int, **fields: Any) -> list[Question]:
    return [_question(d, r, **fields) for d in range(n_documents) for r in ("causal", "temporal", "fuzzy")]


def test_one_of_each_relation_with_its_evidence() -> None:
    dataset = _dataset(*_relations(5))
    shown = Examples(dataset, 0).beside(dataset.questions[0])
    assert sorted(relation for _, relation in shown) == ["causal", "fuzzy", "temporal"]
    assert {case.text for case, _ in shown} == {"The ferry stops."}


@given(st.integers(0, 20), st.integers(2, 6))
def test_never_of_the_question_s_own_document_whatever_the_seed(seed: int, n_documents: int) -> None:
    dataset = _dataset(*_relations(n_documents))
    examples = Examples(dataset, seed)
    for question in dataset.questions:
        shown = examples.beside(question)
        assert len(shown) == 3
        own = question.document_ids[0].removeprefix("d")
        assert not [case for case, _ in shown if case.question.startswith(f"Q{own} ")]
        assert shown == Examples(dataset, seed).beside(question)
    assert list(examples.notes()) == []


def test_never_of_a_document_that_a_question_joins_to_it() -> None:
    joining = Question("j", "Both?", "Yes.", ("d0", "d1"))
    dataset = _dataset(*_relations(3), joining)
    for question in dataset.questions[:6]:
        assert {case.question.split()[0] for case, _ in Examples(dataset, 0).beside(question)} == {"Q2"}


def test_another_seed_shows_others() -> None:
    dataset = _dataset(*_relations(12))
    asked = dataset.questions[0]
    assert len({Examples(dataset, seed).beside(asked) for seed in range(8)}) > 1


def test_only_train_questions_where_there_is_a_split() -> None:
    train = [_question(d, r, split="train") for d in (0, 1) for r in ("causal", "temporal")]
    test = [_question(d, r, split="test") for d in (2, 3, 4) for r in ("causal", "temporal", "fuzzy")]
    dataset = _dataset(*train, *test)
    examples = Examples(dataset, 0)
    for question in dataset.questions:
        assert {case.question.split()[0] for case, _ in examples.beside(question)} <= {"Q0", "Q1"}
    (note,) = examples.notes()
    assert note.startswith(f"{len(dataset.questions)} questions were asked without an example of every relation")


def test_a_single_document_gives_no_example() -> None:
    dataset = _dataset(*_relations(1))
    examples = Examples(dataset, 0)
    assert examples.beside(dataset.questions[0]) == ()
    assert len(list(examples.notes())) == 1


def test_alone_shows_questions_only() -> None:
    dataset = _dataset(*_relations(3))
    shown = Examples(dataset, 0).beside(dataset.questions[0], alone=True)
    assert shown
    assert all(case == Case(case.question) for case, _ in shown)


def test_an_example_with_a_text_comes_before_one_without() -> None:
    bare = [_question(d, "causal", evidence=()) for d in range(1, 9)]
    dataset = _dataset(_question(0, "causal"), *bare, _question(9, "causal"))
    asked = dataset.questions[0]
    assert [case.question for case, _ in Examples(dataset, 0).beside(asked)] == ["Q9 causal?"]


def test_a_long_text_is_cut_at_a_sentence() -> None:
    sentence = "The harbour master counts every single boat at dawn. "
    text = sentence * 40
    long = _question(1, "causal", evidence=((Span("d1", 0, len(text) - 1),),))
    dataset = _dataset(_question(0, "causal"), long, texts={"d1": text})
    ((case, _),) = Examples(dataset, 0).beside(dataset.questions[0])
    assert LONGEST - 9 <= count_words(case.text) <= LONGEST
    assert case.text.endswith("dawn.")
