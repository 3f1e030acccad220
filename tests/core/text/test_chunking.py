from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.schema import Document, Passage
from core.text.chunking import Chunking, chunk
from core.text.sentences import paragraph_spans, sentence_spans
from core.text.tokens import count_words, has_word, words
from tests.core.text.hostile import EXAMPLES, document_texts


def check(text: str, chunking: Chunking) -> list[Passage]:
    document = Document("d", text)
    passages = chunk(document, chunking)
    assert passages
    assert [p.ordinal for p in passages] == list(range(len(passages)))
    assert [p.id for p in passages][:2] == ["d#0", "d#1"][: len(passages)]
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text
        assert passage.text == passage.text.strip() != ""
    spans = [(p.start, p.end) for p in passages]
    for left, right in pairwise(spans):
        assert left[0] < right[0]
        assert left[1] < right[1] or chunking.mode == "langchain"
    covered = 0  # every word as a whole in at least one passage
    for start, end in words(text):
        while covered < len(spans) and spans[covered][1] < end:
            covered += 1
        if chunking.mode == "exact":
            assert any(left <= start and end <= right for left, right in spans[covered : covered + 3]), (start, end)
    inside = {i for start, end in spans for i in range(start, end)}
    assert all(i in inside for i, character in enumerate(text) if has_word(character))
    if chunking.mode == "exact":
        for passage in passages:
            assert count_words(passage.text) <= chunking.size
        for left, right in pairwise(passages):
            assert count_words(text[right.start : left.end] if right.start < left.end else "") <= chunking.overlap_words
    return passages


@given(document_texts, st.integers(1, 12), st.sampled_from([0, 0.2, 0.5, 0.9]))
def test_exact_chunks_of_any_text(text: str, size: int, overlap: float) -> None:
    check(text, Chunking("exact", size, overlap))


@given(document_texts, st.integers(1, 12), st.sampled_from([0, 0.2, 0.5, 0.9]))
def test_langchain_chunks_of_any_text(text: str, size: int, overlap: float) -> None:
    check(text, Chunking("langchain", size, overlap))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("mode", ["exact", "langchain"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_hostile_texts(name: str, mode: Any, size: int) -> None:
    check(EXAMPLES[name], Chunking(mode, size))


@pytest.mark.parametrize("mode", ["exact", "langchain"])
@pytest.mark.parametrize("name", ["one word", "one character", "no word", "only emoji"])
def test_a_tiny_document_is_one_passage(name: str, mode: Any) -> None:
    (passage,) = check(EXAMPLES[name], Chunking(mode))
    assert passage.text == EXAMPLES[name].strip()


def test_a_long_sentence_is_cut_at_words_with_full_overlap() -> None:
    passages = check(EXAMPLES["10,000-word sentence"], Chunking())
    assert [count_words(p.text) for p in passages[:3]] == [100, 100, 100]
    assert passages[1].text.split()[0] == "w80"
    assert len(passages) == 125


def test_a_long_sentence_is_cut_at_lines_where_it_has_them() -> None:
    text = EXAMPLES["long sentence of lines"]
    for passage in check(text, Chunking())[:-1]:
        assert text[passage.end] == "\n"


def numbered(counts: list[int], gap: str = " ") -> str:
    """Sentences of so many words each: "S0w0 S0w1 ... ."""
    return gap.join(" ".join(f"S{s}w{w}" for w in range(count)) + "." for s, count in enumerate(counts))


def test_sentences_are_packed_greedily_and_the_last_ones_repeated() -> None:
    passages = check(numbered([30, 30, 15, 15, 30, 40, 30]), Chunking())
    assert [(p.text.split()[0], p.text.split()[-1]) for p in passages] == [
        ("S0w0", "S3w14."),  # 90 words, and 30 more do not fit
        ("S3w0", "S5w39."),  # the last sentence of 15 is repeated
        ("S5w20", "S6w29."),  # the last sentence is longer than 20 words: its last 20
    ]


def test_the_overlap_gives_way_to_a_sentence_that_needs_the_room() -> None:
    passages = check(numbered([50, 10, 95, 100, 30]), Chunking())
    heads = [p.text.split()[0] for p in passages]
    assert heads == ["S0w0", "S1w5", "S3w0", "S3w80"]


def test_a_paragraph_break_late_in_the_chunk_is_preferred_to_a_later_end_of_a_sentence() -> None:
    text = numbered([45, 40]) + "\n\n" + numbered([10, 30])
    first = check(text, Chunking())[0]
    assert first.end == text.index("\n\n")
    early = numbered([45, 30]) + "\n\n" + numbered([20, 30])
    assert count_words(check(early, Chunking())[0].text) == 95


def test_a_paragraph_break_is_preferred_to_a_line_break_and_that_to_a_space() -> None:
    parts = [numbered([82]), numbered([5]), numbered([5]), numbered([5]), numbered([40])]
    for gaps, end in (((" ", "\n\n", "\n", " "), 87), ((" ", "\n", " ", " "), 87), ((" ", " ", " ", " "), 97)):
        text = parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:], strict=True))
        assert count_words(check(text, Chunking())[0].text) == end


def test_a_heading_is_no_chunk_of_its_own_before_a_sentence_that_must_be_cut() -> None:
    first, second, *_ = check(EXAMPLES["heading before a long sentence"], Chunking())
    assert first.text.startswith("Heading of the part")
    assert count_words(first.text) == count_words(second.text) == 100


def test_no_end_is_inside_a_sentence_that_fits() -> None:
    text = numbered([17, 33, 8, 60, 99, 100, 3, 3, 41], gap="  ")
    ends = {end for _, end in sentence_spans(text)}
    assert all(p.end in ends for p in check(text, Chunking()))


def test_short_paragraphs_share_a_chunk() -> None:
    text = "\n\n".join(numbered([10]) for _ in range(8))
    assert len(paragraph_spans(text)) == 8
    assert len(check(text, Chunking())) == 1


def test_punctuation_goes_with_its_word() -> None:
    text = "(one) “two” " * 4 + "$3.50 -5 (six)."
    passages = check(text, Chunking("exact", 3, 0))
    assert [p.text for p in passages] == [
        "(one) “two” (one)", "“two” (one) “two”", "(one) “two” $3.50", "-5 (six).",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"mode": "fixed"}, "'exact' or 'langchain'"),
        ({"size": 0}, "between 1 and 10,000"),
        ({"size": 10_001}, "between 1 and 10,000"),
        ({"size": 12.5}, "whole number"),
        ({"size": True}, "whole number"),
        ({"overlap": -0.1}, "between 0 and 0.9"),
        ({"overlap": 1.0}, "between 0 and 0.9"),
        ({"overlap": float("nan")}, "between 0 and 0.9"),
        ({"overlap": "0.2"}, "between 0 and 0.9"),
    ],
)
def test_bad_options(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(OptionError, match=part):
        Chunking(**arguments)


def test_spec_and_overlap_in_words() -> None:
    assert Chunking().as_spec() == {"mode": "exact", "size": 100, "overlap": 0.2}
    assert Chunking(overlap=0).as_spec() == Chunking(overlap=0.0).as_spec()
    assert [Chunking(size=100, overlap=o).overlap_words for o in (0.2, 0.29, 0.57, 0)] == [20, 29, 57, 0]
    assert Chunking(size=7).overlap_words == 1
