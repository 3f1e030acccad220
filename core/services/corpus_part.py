"""A part of a corpus, cut up as a run would cut it: what estimates of the whole rest on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from core.services.offers import content
from core.text.chunking import Chunking, chunk
from core.text.sentences import sentence_spans

#: characters of a corpus that are cut up for an estimate; a larger one is judged by a part of it
_SAMPLE = 60_000


@dataclass(frozen=True)
class CorpusPart:
    """Distinct passages and sentences of a part of a corpus; the whole is ``factor`` times as long."""

    passages: tuple[str, ...]
    sentences: tuple[str, ...]
    factor: float


@lru_cache(maxsize=32)
def corpus_part(dataset: str, fingerprint: str, chunking: Chunking) -> CorpusPart:
    """Cut up a corpus, or of a large one documents from all over it."""
    del fingerprint
    documents = content(dataset)[0].documents
    total = sum(len(document.text) for document in documents)
    step = max(1, ceil(total / _SAMPLE))
    chosen = documents[::step]
    passages = dict.fromkeys(passage.text for document in chosen for passage in chunk(document, chunking))
    sentences = dict.fromkeys(
        document.text[start:end]
        for document in chosen
        for start, end in sentence_spans(document.text, document.language or "en")
    )
    read = sum(len(document.text) for document in chosen)
    return CorpusPart(tuple(passages), tuple(sentences), total / read if read else 1.0)
