"""Ids of parts of documents (``doc#5_678``) taken for the documents, where only those were judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.datasets.importers.judged.found import Found


def strip_segments(found: Found) -> None:
    """Cut every document id of a file at its first ``#``; a document counts once, where its first part stood."""
    for of_topic in (found.judged, found.relevant):
        for topic, documents in of_topic.items():
            of_topic[topic] = list(_documents(documents))
    for nuggets in found.held.values():
        for nugget, documents in nuggets.items():
            nuggets[nugget] = list(_documents(documents))
    merged = 0
    for rankings in found.rankings.values():
        for topic, ranking in rankings.items():
            rankings[topic] = _documents(ranking)
            merged += len(ranking) - len(rankings[topic])
    for responses in found.responses.values():
        for topic, one in responses.items():
            cited = tuple(_documents(ids) for ids in one.cited)
            responses[topic] = replace(one, cited=cited, references=_documents(one.references))
    if merged:
        found.notes.append(f"parts of a document that stands higher in the ranking already, left out: {merged:,}.")


def _documents(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.partition("#")[0] or one for one in ids))
