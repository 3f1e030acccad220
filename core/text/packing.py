"""The ``exact`` chunking: whole sentences packed greedily, the tail of one chunk repeated at the head of the next.

Everything is counted in word indices; only at the end a range of words becomes a range of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from core.text.sentences import paragraph_spans, sentence_spans
from core.text.tokens import words

_LINE_BREAK = re.compile(r"[\n\r\u0085\u2028\u2029\f]")
_BLANK = re.compile(r"\s")


def packed_spans(text: str, language: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return ``[start, end)`` of chunks of at most ``size`` words that hold every word of a text, in order.

    A chunk ends where no further sentence fits; a paragraph break, or else a line break, within the last fifth of
    its room is preferred to a later end of a sentence. A sentence longer than ``size`` is cut at line breaks where
    it has them, else between words. The next chunk starts with the last whole sentences of this one that make up
    to ``overlap`` words (fewer where the coming sentence needs the room); where the last sentence alone is longer,
    with its last words. A text without any word is one chunk, without its outer blanks.
    """
    layout = _Layout.of(text, language)
    n = len(layout.words)
    if n == 0:
        start = len(text) - len(text.lstrip())
        return [(start, len(text.rstrip()))] if start < len(text) else []
    spans, start, covered = [], 0, 0
    while True:
        end = _end_of_chunk(layout, start, covered, size, overlap)
        spans.append(layout.characters(start, end))
        if end == n:
            return spans
        start = max(start + 1, _next_start(layout, end, size, overlap))
        covered = end


@dataclass(frozen=True, slots=True)
class _Layout:
    """A text as words: ``sentences`` and ``paragraphs`` hold the index of the first word of each, and n at the end."""

    text: str
    words: list[tuple[int, int]]
    sentence_spans: list[tuple[int, int]]
    sentences: list[int]
    paragraphs: list[int]

    @classmethod
    def of(cls, text: str, language: str) -> _Layout:
        found = words(text)
        starts = [start for start, _ in found]
        spans = sentence_spans(text, language)

        def first_words(borders: list[tuple[int, int]]) -> list[int]:
            return sorted({0, *(bisect_left(starts, start) for start, _ in borders), len(found)})

        return cls(text, found, spans, first_words(spans), first_words(paragraph_spans(text)))

    def gap(self, index: int) -> str:
        """What stands between the word before ``index`` and the word at ``index``."""
        return self.text[self.words[index - 1][1] : self.words[index][0]]

    def breaks_line_at(self, index: int) -> bool:
        return _LINE_BREAK.search(self.gap(index)) is not None

    def sentence_end(self, index: int) -> int:
        """The word index at which the sentence holding word ``index`` ends."""
        return self.sentences[bisect_right(self.sentences, index)]

    def characters(self, first: int, end: int) -> tuple[int, int]:
        """Turn words ``[first, end)`` into characters, with the punctuation that belongs to them."""
        return self._opening(first), self._closing(end)

    def _opening(self, index: int) -> int:
        # After the last blank before the word: an opening quote or bracket is the word's, a hyphen is not.
        word_start = self.words[index][0]
        before = self.text[self.words[index - 1][1] : word_start] if index else self.text[:word_start]
        blanks = [match.end() for match in _BLANK.finditer(before)]
        if index and not blanks:
            return word_start
        return word_start - len(before) + (blanks[-1] if blanks else 0)

    def _closing(self, index: int) -> int:
        # Up to the first blank after the word, and to the end of the sentence where the word is its last.
        word_end = self.words[index - 1][1]
        limit = self.words[index][0] if index < len(self.words) else len(self.text)
        blank = _BLANK.search(self.text, word_end, limit)
        closed = blank.start() if blank else limit
        at = bisect_right(self.sentence_spans, (word_end,)) - 1
        if at >= 0 and self.sentence_spans[at][1] <= limit:
            closed = max(closed, self.sentence_spans[at][1])
        return closed


def _end_of_chunk(layout: _Layout, start: int, covered: int, size: int, overlap: int) -> int:
    """Return the word index at which the chunk that begins at ``start`` ends; it lies behind ``covered``."""
    limit = start + size
    if limit >= len(layout.words):
        return len(layout.words)
    boundary = layout.sentences[bisect_right(layout.sentences, limit) - 1]
    is_stub = boundary - start <= overlap and layout.sentence_end(boundary) - boundary > size
    if boundary <= covered or boundary <= start or is_stub:
        return _cut_in_sentence(layout, max(start + overlap, covered), limit)
    return _preferred(layout, max(start, covered, limit - size // 5), boundary)


def _preferred(layout: _Layout, above: int, boundary: int) -> int:
    """Return the best end of a sentence in ``(above, boundary]``: of a paragraph, of a line, or the last."""
    paragraph = layout.paragraphs[bisect_right(layout.paragraphs, boundary) - 1]
    if paragraph > above:
        return paragraph
    first = bisect_right(layout.sentences, above)
    last = bisect_right(layout.sentences, boundary)
    for candidate in reversed(layout.sentences[first:last]):
        if layout.breaks_line_at(candidate):
            return candidate
    return boundary


def _cut_in_sentence(layout: _Layout, above: int, limit: int) -> int:
    """Return the last line break in ``(above, limit]`` of a sentence that does not fit, or ``limit``."""
    return next((index for index in range(limit, above, -1) if layout.breaks_line_at(index)), limit)


def _next_start(layout: _Layout, end: int, size: int, overlap: int) -> int:
    """Return where the chunk after the one that ends at ``end`` begins: up to ``overlap`` words before it."""
    room = overlap
    coming = layout.sentence_end(end) - end
    if layout.sentences[bisect_left(layout.sentences, end)] == end and coming <= size:
        room = min(overlap, size - coming)
    earliest = end - room
    whole = layout.sentences[bisect_left(layout.sentences, earliest)]
    return whole if whole < end else earliest
