"""Documents into passages: which way, how long, how much they overlap.

``exact`` (ours) packs whole sentences, ``langchain`` is LangChain's recursive splitter with its offsets put right.
Either way a passage keeps its exact place: ``document.text[p.start:p.end] == p.text``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from core.errors import OptionError
from core.schema import Document, Passage
from core.text.expansion import expand, sentences_of
from core.text.packing import packed_spans

__all__ = ["Chunking", "chunk", "expand", "sentences_of"]

#: Beyond this a "chunk" is a document, and no encoder reads it to its end.
_LARGEST_SIZE = 10_000
_LARGEST_OVERLAP = 0.9


@dataclass(frozen=True, slots=True)
class Chunking:
    """``size`` in words (1 to 10,000), ``overlap`` as a share of it (0 to 0.9). Raises OptionError beyond these."""

    mode: Literal["exact", "langchain"] = "exact"
    size: int = 100
    overlap: float = 0.2

    def __post_init__(self) -> None:
        if self.mode not in ("exact", "langchain"):
            raise OptionError(f"Chunking mode {self.mode!r} does not exist: choose 'exact' or 'langchain'.")
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= _LARGEST_SIZE:
            raise OptionError(
                f"Chunk size {self.size!r} is not usable: give a whole number of words between 1 and {_LARGEST_SIZE:,}."
            )
        is_number = isinstance(self.overlap, int | float) and not isinstance(self.overlap, bool)
        if not is_number or not 0 <= self.overlap <= _LARGEST_OVERLAP:
            raise OptionError(
                f"Chunk overlap {self.overlap!r} is not usable: give a share of the chunk between 0 and "
                f"{_LARGEST_OVERLAP}."
            )

    @property
    def overlap_words(self) -> int:
        """The overlap in whole words, rounded down (0.29 of 100 is 29, whatever binary fractions say)."""
        return int(self.size * self.overlap + 1e-9)

    def as_spec(self) -> dict[str, Any]:
        """Return everything that decides the passages, JSON-serialisable."""
        return {"mode": self.mode, "size": self.size, "overlap": float(self.overlap)}


def chunk(document: Document, chunking: Chunking) -> list[Passage]:
    """Return the passages of a document in order, at least one, together holding every word of it.

    In ``exact`` mode none has more than ``size`` words. In ``langchain`` mode a stretch without a blank (Chinese, a
    long address) may be longer, as it is in LangChain.
    """
    text = document.text
    if chunking.mode == "exact":
        spans = packed_spans(text, document.language or "en", chunking.size, chunking.overlap_words)
    else:
        from core.text.recursive import recursive_spans

        spans = recursive_spans(text, chunking.size, chunking.overlap_words)
    return [Passage(document.id, i, start, end, text[start:end]) for i, (start, end) in enumerate(spans)]
