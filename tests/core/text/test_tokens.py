from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from core.text.tokens import _WORD, count_words, has_word, lexical_tokens, words
from tests.core.text.hostile import EXAMPLES, texts


def segments(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("one", ["one"]),
        ("It's 3.14, e.g. 1,000.5 of U.S. oil.", ["It's", "3.14", "e.g", "1,000.5", "of", "U.S", "oil"]),
        ("don’t well-known foo_bar _x 10:30", ["don’t", "well", "known", "foo_bar", "x", "10", "30"]),
        ("a.1 1.a a,b 1;2", ["a", "1", "1", "a", "a", "b", "1;2"]),
        ("e\u0301lan co\u00adop a\u200bb", ["e\u0301lan", "co\u00adop", "a", "b"]),
        ("你好,world", ["你", "好", "world"]),
        ("カタカナ語ー", ["カ", "タ", "カ", "ナ", "語", "ー"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("ดีครับ", ["ดี", "ค", "รั", "บ"]),
        ("السعر ١٢٫٥ دينار", ["السعر", "١٢٫٥", "دينار"]),
        ("😀 … \u0301", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert segments(text) == expected
    assert count_words(text) == len(expected)


@given(texts)
def test_every_letter_and_number_is_in_exactly_one_word(text: str) -> None:
    spans = words(text)
    assert count_words(text) == len(spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    inside = {i for start, end in spans for i in range(start, end)}
    for i, character in enumerate(text):
        if regex.match(r"[\p{L}\p{N}]", character):
            assert i in inside
    assert all(has_word(text[start:end]) for start, end in spans)
    assert has_word(text) == bool(spans)


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_the_ascii_rules_are_the_general_ones(text: str) -> None:
    assert words(text) == [match.span() for match in _WORD.finditer(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. isn't", ["the", "u.s", "isn't"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("isn’t ﬁsh co\u00adop", ["isn't", "fish", "coop"]),
        ("中文分词 ok", ["中文", "文分", "分词", "ok"]),
        ("中", ["中"]),
        ("第1章", ["第", "1", "章"]),
        ("かな。カナ", ["かな", "カナ"]),
        ("สวัส", ["สวั", "วัส"]),
    ],
)
def test_lexical_tokens(text: str, expected: list[str]) -> None:
    assert lexical_tokens(text) == expected


def test_equivalent_spellings_give_equal_tokens() -> None:
    assert lexical_tokens("Cafe\u0301 A\u030angstro\u0308m") == lexical_tokens("CAFÉ Ångström")


@given(texts)
def test_lexical_tokens_hold_words_and_are_casefolded(text: str) -> None:
    tokens = lexical_tokens(text)
    assert bool(tokens) == bool(words(text))
    assert all(has_word(token) and not re.search(r"\s", token) for token in tokens)
    if text.isascii():
        assert tokens == [text[start:end].lower() for start, end in words(text)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_time_grows_with_length_only(name: str) -> None:
    text = (EXAMPLES[name] * (300_000 // len(EXAMPLES[name]) + 1))[:300_000]
    started = time.perf_counter()
    words(text)
    lexical_tokens(text)
    assert time.perf_counter() - started < 3.0  # about half a second on a busy machine
