"""Sentences of a whole document as exact spans, by the boundaries of sentencex, never across a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from core.text.tokens import has_word

# Two line breaks with nothing but blanks between them. Atomic, or "\r\n" would pass for two breaks.
_PARAGRAPH_BREAK = re.compile(
    r"(?>\r\n|[\n\r\u0085\u2028])[^\S\r\n\u0085\u2028]*(?>\r\n|[\n\r\u0085\u2028])\s*|[\u2029\f]\s*"
)
# sentencex 1.0.32 walks backwards in bytes and panics behind a blank of several bytes ("E\u3000."), and it takes
# valid UTF-8 only. Both replacements keep every offset.
_WIDE_BLANK = re.compile(r"[^\S\x00-\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")

#: Characters handed to sentencex at once: its time is quadratic in them for text outside ASCII.
_BLOCK = 4_000


def paragraph_spans(text: str) -> list[tuple[int, int]]:
    """Return ``[start, end)`` of the stretches between paragraph breaks (blank line, U+2029, form feed), in order."""
    spans, start = [], 0
    for found in _PARAGRAPH_BREAK.finditer(text):
        if found.start() > start:
            spans.append((start, found.start()))
        start = found.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def sentence_spans(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Return ``[start, end)`` of every sentence that holds a word character: ordered, disjoint, without outer blanks.

    ``language`` is a BCP 47 code; English rules serve where sentencex knows none for it. No span crosses a paragraph
    break. Signs that follow a sentence without a blank (an emoji, a closing bracket) stay with it.
    """
    code = language.split("-")[0].lower() or "en"
    sentences: list[tuple[int, int]] = []
    for paragraph_start, paragraph_end in paragraph_spans(text):
        first = len(sentences)
        for raw_start, raw_end in _boundaries(text[paragraph_start:paragraph_end], code):
            piece = text[paragraph_start + raw_start : paragraph_start + raw_end]
            start = paragraph_start + raw_start + len(piece) - len(piece.lstrip())
            end = paragraph_start + raw_start + len(piece.rstrip())
            if start >= end:
                continue
            if has_word(text[start:end]):
                sentences.append((start, end))
            elif len(sentences) > first and sentences[-1][1] == start:
                sentences[-1] = (sentences[-1][0], end)
    return sentences


def _boundaries(paragraph: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the segments of a paragraph, which partition it; long ones are cut block by block.

    The last segment of a block may go on in the next, so the next block begins with it; a block that is one
    segment as a whole is doubled.
    """
    start, size = 0, _BLOCK
    while start < len(paragraph):
        block = paragraph[start : start + size]
        segments = _segment(block, language)
        is_last = start + size >= len(paragraph)
        if not is_last and len(segments) == 1:
            size *= 2
            continue
        for segment in segments if is_last else segments[:-1]:
            yield start, start + len(segment)
            start += len(segment)
        size = _BLOCK


def _segment(block: str, language: str) -> list[str]:
    """Return sentencex's segments of a block, cut out of the block itself: joined they are the block."""
    import sentencex

    clean = block if block.isascii() else _SURROGATE.sub("\ufffd", _WIDE_BLANK.sub(" ", block))
    try:
        lengths = [len(segment) for segment in sentencex.segment(language, clean)]
    except BaseException as error:
        # A panic of the Rust side is no Exception. One paragraph kept whole is better than a lost run.
        if type(error).__name__ != "PanicException":
            raise
        lengths = [len(block)]
    if sum(lengths) != len(block):
        raise RuntimeError(f"sentencex returned {sum(lengths)} characters for a text of {len(block)}")
    ends = list(accumulate(lengths, initial=0))
    return [block[start:end] for start, end in pairwise(ends)]
