from __future__ import annotations

import time
from itertools import pairwise

import pytest
import sentencex
from hypothesis import given

from core.text import sentences
from core.text.sentences import paragraph_spans, sentence_spans
from core.text.tokens import has_word, words
from tests.core.text.hostile import EXAMPLES, texts


def pieces(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, language)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "en", []),
        ("  \n\n ", "en", []),
        ("😀 !!", "en", []),
        ("word", "en", ["word"]),
        ("Dr. Smith paid $3.50 to No. 5. He left!", "en", ["Dr. Smith paid $3.50 to No. 5.", "He left!"]),
        ("Hello!😀 Next one.", "en", ["Hello!", "😀 Next one."]),
        ("He said “Hi.” Then left.", "en", ["He said “Hi.”", "Then left."]),
        ("第一句。第二句！第三？", "zh-CN", ["第一句。", "第二句！", "第三？"]),
        ("مرحبا بك. كيف حالك؟ بخير.", "ar", ["مرحبا بك.", "كيف حالك؟", "بخير."]),
        ("One\r\ntwo. Three.\r\n\r\nFour", "", ["One\r\ntwo.", "Three.", "Four"]),
        ("E\u3000. F", "en", ["E\u3000. F"]),
    ],
)
def test_sentences(text: str, language: str, expected: list[str]) -> None:
    assert pieces(text, language) == expected


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\n\u3000\n", "\u2029", "\x0c", "\n\r\n\n"])
def test_no_sentence_crosses_a_paragraph_break(gap: str) -> None:
    assert pieces(f"no full stop here{gap}and none here") == ["no full stop here", "and none here"]


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\r", "\u2028", " "])
def test_a_line_break_alone_is_no_paragraph_break(gap: str) -> None:
    assert len(paragraph_spans(f"one{gap}two")) == 1


def check(text: str, language: str = "en") -> None:
    spans = sentence_spans(text, language)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    paragraphs = paragraph_spans(text)
    for start, end in spans:
        assert text[start:end] == text[start:end].strip()
        assert has_word(text[start:end])
        assert any(left <= start and end <= right for left, right in paragraphs)
    inside = {i for start, end in spans for i in range(start, end)}
    for start, end in words(text):
        assert all(i in inside for i in range(start, end) if has_word(text[i]))


@given(texts)
def test_spans_are_exact_ordered_and_hold_every_word(text: str) -> None:
    check(text)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("language", ["en", "zh", "ar", "xx"])
def test_hostile_texts(name: str, language: str) -> None:
    check(EXAMPLES[name], language)


@pytest.mark.parametrize("name", ["abbreviations", "decimals", "emoji", "combining marks", "chinese", "arabic", "crlf"])
def test_boundaries_are_those_of_sentencex(name: str) -> None:
    text = EXAMPLES[name][:3_000]
    expected = [
        piece.strip()
        for start, end in paragraph_spans(text)
        for piece in sentencex.segment("en", text[start:end].replace("\u3000", " "))
        if has_word(piece)
    ]
    assert [piece.replace("\u3000", " ") for piece in pieces(text)] == expected


@pytest.mark.parametrize("name", ["chinese", "abbreviations", "long paragraph", "repeated"])
def test_cutting_a_long_paragraph_into_blocks_moves_no_boundary(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES[name] * 24).replace("\n\n", " ")
    monkeypatch.setattr(sentences, "_BLOCK", 10**9)
    whole = sentence_spans(text)
    monkeypatch.undo()
    assert len(text) > 2 * sentences._BLOCK
    assert sentence_spans(text) == whole


def test_time_is_linear_in_chinese() -> None:
    text = "句子在这里。" * 40_000  # sentencex alone takes over ten seconds for this one paragraph
    started = time.perf_counter()
    assert len(sentence_spans(text, "zh")) == 40_000
    assert time.perf_counter() - started < 4.0


def test_a_panic_of_the_segmenter_keeps_the_paragraph_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})

    def segment(language: str, text: str) -> list[str]:
        if "bad" in text:
            raise panic("not a char boundary")
        return [text]

    monkeypatch.setattr(sentencex, "segment", segment)
    assert pieces("A bad one. Here.\n\nA good one.") == ["A bad one. Here.", "A good one."]


def test_other_errors_of_the_segmenter_are_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(language: str, text: str) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(sentencex, "segment", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sentence_spans("Some text.")
