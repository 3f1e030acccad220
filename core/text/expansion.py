"""Retrieved chunks back to whole sentences of their documents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from core.schema import ContextSentence, Document, Passage
from core.text.tokens import has_word


def sentences_of(
    document_sentences: Sequence[tuple[int, int]], document: Document, passages: Sequence[Passage]
) -> list[ContextSentence]:
    """Return the sentences that share a word character with any of the passages, in document order, each once.

    ``document_sentences`` are the ordered disjoint spans of the whole document; ``passages`` are of this document.
    Each sentence names all the passages it comes from, in the order they were given.
    """
    text = document.text
    origins: dict[int, list[str]] = {}
    for passage in passages:
        passage_id = passage.id
        # The first span that starts in the passage, or the one before it where that reaches into the passage.
        index = bisect_left(document_sentences, (passage.start,))
        if index and document_sentences[index - 1][1] > passage.start:
            index -= 1
        while index < len(document_sentences):
            start, end = document_sentences[index]
            if start >= passage.end:
                break
            is_whole = passage.start <= start and end <= passage.end
            if is_whole or has_word(text[max(start, passage.start) : min(end, passage.end)]):
                ids = origins.setdefault(index, [])
                if passage_id not in ids:
                    ids.append(passage_id)
            index += 1
    return [
        ContextSentence(document.id, *document_sentences[i], text[slice(*document_sentences[i])], tuple(origins[i]))
        for i in sorted(origins)
    ]


def expand(
    passages: Sequence[Passage],
    documents: Mapping[str, Document],
    sentences: Mapping[str, Sequence[tuple[int, int]]],
) -> tuple[ContextSentence, ...]:
    """Return the whole sentences behind passages of many documents, in document order, each once.

    ``documents`` and ``sentences`` map a document's id to it and to its sentence spans; the order of ``documents``
    is the order of documents. They must not change between calls with the same mapping.
    """
    by_document: dict[str, list[Passage]] = {}
    for passage in passages:
        by_document.setdefault(passage.document_id, []).append(passage)
    found: list[ContextSentence] = []
    for document_id in _in_order(by_document, documents):
        found.extend(sentences_of(sentences[document_id], documents[document_id], by_document[document_id]))
    return tuple(found)


def _in_order(ids: Mapping[str, object], documents: Mapping[str, Document]) -> list[str]:
    if len(ids) < 2:
        return list(ids)
    place = _places(documents)
    return sorted(ids, key=lambda document_id: place[document_id])


_latest: tuple[Mapping[str, Document], dict[str, int]] | None = None


def _places(documents: Mapping[str, Document]) -> dict[str, int]:
    """Return each document's place; kept for the mapping used last, as a run asks 14,000 times with the same one."""
    global _latest
    kept = _latest
    if kept is None or kept[0] is not documents or len(kept[1]) != len(documents):
        kept = _latest = (documents, {document_id: i for i, document_id in enumerate(documents)})
    return kept[1]
