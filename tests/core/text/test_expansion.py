from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from core.schema import Document, Passage
from core.text.chunking import Chunking, chunk, expand, sentences_of
from core.text.sentences import sentence_spans
from core.text.tokens import has_word
from tests.core.text.hostile import document_texts

TEXT = "One is here. Two is there!\n\nThree is “far”. 😀 Four ends."


def passage(document_id: str, ordinal: int, start: int, end: int, text: str = TEXT) -> Passage:
    return Passage(document_id, ordinal, start, end, text[start:end])


def test_sentences_touched_by_a_word_character_are_taken_whole() -> None:
    document = Document("d", TEXT)
    spans = sentence_spans(TEXT)
    # From the full stop of the first sentence to the T of the third: the first is touched by punctuation only.
    found = sentences_of(spans, document, [passage("d", 0, TEXT.index("."), TEXT.index("Three") + 1)])
    assert [s.text for s in found] == ["Two is there!", "Three is “far”."]
    assert all(TEXT[s.start : s.end] == s.text for s in found)


def test_each_sentence_once_in_document_order_with_all_its_passages() -> None:
    document = Document("d", TEXT)
    late, early = passage("d", 1, 20, len(TEXT)), passage("d", 0, 0, 24)
    found = sentences_of(sentence_spans(TEXT), document, [late, early, late])
    assert [(s.text[:3], s.passage_ids) for s in found] == [
        ("One", ("d#0",)),
        ("Two", ("d#1", "d#0")),
        ("Thr", ("d#1",)),
        ("😀 F", ("d#1",)),
    ]


def test_documents_come_in_the_order_of_the_mapping() -> None:
    documents = {name: Document(name, TEXT) for name in ("z", "a", "m")}
    sentences = {name: sentence_spans(TEXT) for name in documents}
    found = expand([passage("m", 0, 0, 5), passage("a", 0, 0, 5), passage("z", 0, 30, 40)], documents, sentences)
    assert [(s.document_id, s.text[:3]) for s in found] == [("z", "Thr"), ("a", "One"), ("m", "One")]
    reordered = {name: documents[name] for name in ("m", "a", "z")}
    assert [s.document_id for s in expand([passage("z", 0, 0, 5), passage("m", 0, 0, 5)], reordered, sentences)] == [
        "m", "z",
    ]  # fmt: skip
    assert expand([], documents, sentences) == ()


def test_a_document_without_words_hands_on_nothing() -> None:
    document = Document("d", "😀 !!")
    (only,) = chunk(document, Chunking())
    assert expand([only], {"d": document}, {"d": sentence_spans(document.text)}) == ()


@given(document_texts, st.integers(1, 9), st.randoms(use_true_random=False))
def test_against_comparing_every_sentence_with_every_passage(text: str, size: int, chance: random.Random) -> None:
    document = Document("d", text)
    passages = chunk(document, Chunking("exact", size))
    chosen = chance.sample(passages, chance.randint(1, len(passages)))
    spans = sentence_spans(text)
    expected = []
    for start, end in spans:
        ids = [p.id for p in chosen if has_word(text[max(start, p.start) : max(start, p.start, min(end, p.end))])]
        if ids:
            expected.append((start, end, tuple(ids)))
    found = sentences_of(spans, document, chosen)
    assert [(s.start, s.end, s.passage_ids) for s in found] == expected


def test_a_call_does_not_look_at_all_sentences() -> None:
    text = "A short sentence stands here. " * 20_000
    document = Document("d", text)
    spans = sentence_spans(text)
    documents = {f"other{i}": Document(f"other{i}", "x") for i in range(20_000)} | {"d": document}
    sentences = {name: [] for name in documents} | {"d": spans}
    passages = chunk(document, Chunking())
    started = time.perf_counter()
    for i in range(1_000):
        assert expand(passages[i : i + 4], documents, sentences)
    assert time.perf_counter() - started < 2.0
