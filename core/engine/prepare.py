"""Stage *chunk*: passages and sentences of every document, with exact offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.engine.progress import Progress
from core.engine.spec import VERSIONS, RunSpec
from core.schema import Dataset, Document, Passage, content_hash
from core.store.database import Store
from core.store.stage_results import StageKey, StageResult, get_results, put_results
from core.text.chunking import chunk
from core.text.sentences import sentence_spans

_BATCH = 50


@dataclass(frozen=True)
class Corpus:
    """Documents cut up: ``passages`` in document order, ``of_document`` their places by document id."""

    documents: Mapping[str, Document]
    passages: tuple[Passage, ...]
    of_document: Mapping[str, tuple[int, ...]]
    sentences: Mapping[str, Sequence[tuple[int, int]]]

    @property
    def chunks_per_document(self) -> float:
        """Mean number of passages a document; 0 where there are no documents."""
        return len(self.passages) / len(self.documents) if self.documents else 0.0


def prepare(store: Store, spec: RunSpec, dataset: Dataset, progress: Progress) -> Corpus:
    """Cut what is not cut yet and return the corpus."""
    key, items = _key(spec), _items(dataset)
    stored = get_results(store, key, list(items.values()))
    progress.begin("chunk", len(items), stored=len(stored))
    missing = [document for document in dataset.documents if items[document.id] not in stored]
    for start in range(0, len(missing), _BATCH):
        batch = [
            StageResult(
                items[document.id],
                {
                    "passages": [[p.start, p.end] for p in chunk(document, spec.chunking)],
                    "sentences": [list(span) for span in sentence_spans(document.text, document.language or "en")],
                },
            )
            for document in missing[start : start + _BATCH]
        ]
        put_results(store, key, batch)
        stored |= {result.item: result for result in batch}
        progress.advance(len(stored))
    return _assembled(dataset, items, stored)


def prepared(store: Store, spec: RunSpec, dataset: Dataset) -> Corpus | None:
    """Return the corpus as it was cut before, None where a document of it has not been cut yet; nothing is stored."""
    items = _items(dataset)
    stored = get_results(store, _key(spec), list(items.values()))
    return _assembled(dataset, items, stored) if len(stored) == len(set(items.values())) else None


def _key(spec: RunSpec) -> StageKey:
    return StageKey("chunk", content_hash(VERSIONS["chunk"], spec.chunking.as_spec()))


def _items(dataset: Dataset) -> dict[str, str]:
    return {document.id: content_hash(document.id, document.text, document.language) for document in dataset.documents}


def _assembled(dataset: Dataset, items: Mapping[str, str], stored: Mapping[str, StageResult]) -> Corpus:
    passages: list[Passage] = []
    of_document: dict[str, tuple[int, ...]] = {}
    sentences: dict[str, list[tuple[int, int]]] = {}
    for document in dataset.documents:
        value = stored[items[document.id]].value
        first = len(passages)
        passages += [
            Passage(document.id, ordinal, begin, end, document.text[begin:end])
            for ordinal, (begin, end) in enumerate(value["passages"])
        ]
        of_document[document.id] = tuple(range(first, len(passages)))
        sentences[document.id] = [(begin, end) for begin, end in value["sentences"]]
    return Corpus({d.id: d for d in dataset.documents}, tuple(passages), of_document, sentences)
