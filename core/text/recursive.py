"""LangChain's recursive splitter with exact offsets.

``add_start_index`` searches for each chunk from a place it reckons in characters, so with a length in words it reports
-1 or a wrong place. Here the pieces carry their place through the splitter instead.
"""

from __future__ import annotations

from collections.abc import Iterable

from langchain_text_splitters import RecursiveCharacterTextSplitter

from core.text.tokens import count_words

# Paragraph, line, end of sentence, space. The separator stays at the end of its piece: by default LangChain would move
# it to the next chunk, and without it the pieces would no longer be the text.
_SEPARATORS = ("\n\n", "\n", r"(?<=[.?!])\s+", " ")
# Matches nothing. As the last separator it makes LangChain pass a piece that is too long, and cannot be split, through
# `_split_text` once more, where its place is noted.
_NEVER = r"(?!)"


class _Placed(str):
    """A piece of the text that knows where it starts."""

    start: int

    @classmethod
    def at(cls, start: int, piece: str) -> _Placed:
        placed = cls(piece)
        placed.start = start
        return placed


class _PlacingSplitter(RecursiveCharacterTextSplitter):
    """The splitter consumes its text from left to right without a gap; a cursor follows it."""

    def __init__(self, size: int, overlap: int) -> None:
        super().__init__(
            separators=[*_SEPARATORS, _NEVER],
            keep_separator="end",
            is_separator_regex=True,
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=count_words,
        )
        self._cursor = 0

    def _split_text(self, text: str, separators: list[str]) -> list[str]:
        start = self._cursor
        chunks = super()._split_text(text, separators) if separators != [_NEVER] else []
        if not any(isinstance(piece, _Placed) for piece in chunks):
            chunks = [_Placed.at(start, text)]  # nothing to split it at
        self._cursor = start + len(text)
        return chunks

    def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
        placed = []
        for piece in splits:
            placed.append(_Placed.at(self._cursor, piece))
            self._cursor += len(piece)
        return super()._merge_splits(placed, separator)

    def _join_docs(self, docs: list[str], separator: str) -> str | None:
        joined = separator.join(docs)
        if not joined.strip():
            return None
        return _Placed.at(_place(docs[0]) + len(joined) - len(joined.lstrip()), joined.strip())


def recursive_spans(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return ``[start, end)`` of LangChain's chunks of at most ``size`` words, in order, without outer blanks.

    Only a piece without any separator (no blank in it) can be longer than ``size``.
    """
    spans = []
    for piece in _PlacingSplitter(size, overlap).split_text(text):
        stripped = piece.strip()
        if stripped:
            start = _place(piece) + len(piece) - len(piece.lstrip())
            spans.append((start, start + len(stripped)))
    return spans


def _place(piece: str) -> int:
    if not isinstance(piece, _Placed):
        raise RuntimeError("LangChain's splitter handed on a piece that did not pass through the placing hooks")
    return piece.start
