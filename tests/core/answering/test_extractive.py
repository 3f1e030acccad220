"""Extractive answers: which sentences, in which order, with which citations, and when none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answering.extractive import Extractive
from core.answering.refusal import REFUSAL, is_refusal
from core.models.cache import VectorCache
from core.models.embeddings import DEFAULT_ENCODER, Encoder, encoder_spec
from core.schema import Citation, ContextSentence

RULE = Extractive()


def sentences(n: int) -> list[ContextSentence]:
    return [ContextSentence("d", 10 * i, 10 * i + 9, f"Sentence {i}.", (f"d#{i}",)) for i in range(n)]


def plane(*cosines: float) -> np.ndarray:
    """Unit vectors that have these cosines with (1, 0, ...), and as little as possible in common otherwise."""
    units = np.zeros((len(cosines), len(cosines) + 1))
    for row, cosine in enumerate(cosines):
        units[row, 0], units[row, row + 1] = cosine, np.sqrt(1 - cosine**2)
    return units


def question(units: np.ndarray) -> np.ndarray:
    return np.eye(1, units.shape[1])[0]


def answered(*cosines: float, rule: Extractive = RULE) -> tuple[str, ...]:
    units = plane(*cosines)
    return rule.answer(question(units), sentences(len(cosines)), units).sentences


def test_a_dominating_sentence_stays_alone() -> None:
    assert answered(0.4, 0.7, 0.5) == ("Sentence 1.",)


def test_sentences_nearly_as_good_join_in_document_order() -> None:
    assert answered(0.60, 0.1, 0.65, 0.63) == ("Sentence 0.", "Sentence 2.", "Sentence 3.")


def test_at_most_three() -> None:
    assert answered(0.6, 0.6, 0.6, 0.6) == ("Sentence 0.", "Sentence 1.", "Sentence 2.")


def test_the_threshold_of_joining_is_included() -> None:
    rule = Extractive(join_from=0.5)
    assert answered(0.8, 0.4, rule=rule) == ("Sentence 0.", "Sentence 1.")
    assert answered(0.8, 0.3999, rule=rule) == ("Sentence 0.",)


def test_a_sentence_that_repeats_another_does_not_join() -> None:
    units = plane(0.7, 0.69)
    units[1] = units[0]
    assert RULE.answer(question(units), sentences(2), units).sentences == ("Sentence 0.",)


def test_the_less_redundant_of_two_equals_joins() -> None:
    near = np.array([0.6, 0.6, np.sqrt(1 - 0.72), 0.0])
    far = np.array([0.6, 0.0, 0.0, 0.8])
    best = np.array([0.7, np.sqrt(1 - 0.49), 0.0, 0.0])
    units = np.stack([best, near, far])
    rule = Extractive(max_sentences=2)
    assert rule.answer(np.eye(1, 4)[0], sentences(3), units).sentences == ("Sentence 0.", "Sentence 2.")


def test_nothing_similar_enough_is_a_refusal() -> None:
    units = plane(0.24, 0.1)
    answer = RULE.answer(question(units), sentences(2), units)
    assert answer.refused
    assert answer.text == REFUSAL
    assert answer.citations == ()


def test_an_empty_context_is_a_refusal() -> None:
    answer = RULE.answer(np.ones(3), [], np.empty((0, 3), np.float32))
    assert answer.refused
    assert answer.text == REFUSAL


def test_our_refusal_is_recognised_as_one() -> None:
    assert is_refusal(REFUSAL)


def test_every_sentence_is_cited_with_document_and_all_its_passages() -> None:
    units = plane(0.6, 0.6)
    context = [
        ContextSentence("a", 0, 5, "One.", ("a#0", "a#1")),
        ContextSentence("b", 7, 12, "Two.", ("b#3",)),
    ]
    assert RULE.answer(question(units), context, units).citations == (
        Citation(0, "a", "a#0"),
        Citation(0, "a", "a#1"),
        Citation(1, "b", "b#3"),
    )


def test_ties_go_to_the_earlier_sentence_even_with_noise_in_the_last_digits() -> None:
    units = plane(0.6, 0.6)
    noise = units.copy()
    noise[1, 0] += 1e-8
    rule = Extractive(max_sentences=1)
    assert rule.answer(question(units), sentences(2), noise).sentences == ("Sentence 0.",)


def test_sentences_without_vectors_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="2 sentences come with 1 vectors"):
        RULE.answer(np.ones(2), sentences(2), np.ones((1, 2)))


def test_the_spec_names_every_parameter() -> None:
    spec = RULE.as_spec()
    assert spec["version"] == 1
    assert Extractive(redundancy=0.4).as_spec() != spec
    assert json.loads(json.dumps(spec)) == spec


@settings(deadline=None)
@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_any_context_gives_one_to_three_of_its_sentences_in_order(n: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    units = generator.normal(size=(n, 5))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    asked = generator.normal(size=5)
    asked /= np.linalg.norm(asked)
    context = sentences(n)
    answer = RULE.answer(asked.astype(np.float32), context, units.astype(np.float32))
    assert answer == RULE.answer(asked.astype(np.float32), context, units.astype(np.float32))
    best = max((units @ asked).round(6), default=-1)
    if answer.refused:
        assert best < RULE.refuse_below + 1e-5
        return
    texts = [sentence.text for sentence in context]
    places = [texts.index(text) for text in answer.sentences]
    assert 1 <= len(places) <= 3
    assert places == sorted(set(places))
    assert int(np.argmax((units @ asked).round(5))) in places or best - (units @ asked)[places].max() < 1e-4
    assert {citation.sentence for citation in answer.citations} == set(range(len(places)))


@pytest.mark.slow
def test_real_questions_are_answered_and_foreign_ones_refused(shared: Path, tmp_path: Path) -> None:
    """Forty public questions against the sentences of their own document, and of another one."""
    lines = (shared / "hierarag" / "rq3_documents.jsonl").read_text(encoding="utf-8").splitlines()
    documents = {row["doc_id"]: row["text"] for row in map(json.loads, lines)}
    lines = (shared / "hierarag" / "rq3_questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[::25]]
    names = list(documents)
    encoder = Encoder(encoder_spec(DEFAULT_ENCODER), VectorCache(tmp_path / "vectors.db"))
    refused = {"own": 0, "other": 0}
    for row, asked in zip(rows, encoder.encode([row["question"] for row in rows]).unit, strict=True):
        own = names.index(row["doc_id"])
        for kind, place in (("own", own), ("other", (own + 7) % len(names))):
            texts = [text for text in documents[names[place]].replace("\n", ". ").split(". ") if text.strip()][:40]
            context = [ContextSentence(names[place], i, i + 1, text, (f"{i}#0",)) for i, text in enumerate(texts)]
            refused[kind] += RULE.answer(asked, context, encoder.encode(texts).unit).refused
    assert refused["own"] <= 1
    assert refused["other"] >= 30
