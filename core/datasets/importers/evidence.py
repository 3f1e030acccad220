"""Evidence given as sentences: read the list, find each sentence in the documents."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence

from core.datasets.importers.place import Place, excerpt
from core.schema import EvidenceGroup, Span

#: Longest text handed to ``ast.literal_eval``, which builds a tree many times the size of what it reads.
_LONGEST_LITERAL = 2_000_000


def text_list(value: object) -> list[str] | None:
    """Return a list of texts, given as a list or as a list written as text (JSON or Python); None if it is neither."""
    if isinstance(value, str):
        text = value.strip()
        if not (text.startswith("[") and text.endswith("]")):
            return None
        try:
            value = json.loads(text)
        except ValueError:
            value = _literal(text)
        except RecursionError:
            return None
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return list(value)
    return None


def _literal(text: str) -> object:
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def evidence_sentences(place: Place, field: str, value: object) -> list[str]:
    """Return the sentences of an evidence cell: a list, a list written as text, or one sentence.

    Raises ``InputError`` for what begins like a list and cannot be read as one, and for other types.
    """
    if value is None:
        return []
    sentences = text_list(value)
    if sentences is None:
        if not isinstance(value, str):
            raise place.problem(field, f"{excerpt(value)} is no list of sentences", "give a list of texts")
        if value.lstrip().startswith("["):
            raise place.problem(
                field, f"the list {excerpt(value)} can be read neither as JSON nor as Python", "write it as a JSON list"
            )
        sentences = [value]
    return [sentence for sentence in sentences if sentence.strip()]


def locate(sentences: Sequence[str], texts: Mapping[str, str]) -> tuple[tuple[EvidenceGroup, ...], list[str]]:
    """Find each sentence in the documents ``texts`` (id → text).

    Returns the evidence (one group of all that was found, in document order; empty when nothing was) and the
    sentences that were not found. White space may differ; the first occurrence counts.
    """
    spans: list[Span] = []
    missing: list[str] = []
    for sentence in sentences:
        span = next((found for id_, text in texts.items() if (found := _find(sentence, id_, text))), None)
        if span is None:
            missing.append(sentence)
        elif span not in spans:
            spans.append(span)
    order = list(texts)
    spans.sort(key=lambda span: (order.index(span.document_id), span.start, span.end))
    return ((tuple(spans),) if spans else ()), missing


def _find(sentence: str, document_id: str, text: str) -> Span | None:
    sentence = sentence.strip()
    start = text.find(sentence)
    if start >= 0:
        return Span(document_id, start, start + len(sentence))
    # Line breaks inside a sentence are often turned into spaces when sentences are extracted.
    flexible = re.search(r"\s+".join(re.escape(word) for word in sentence.split()), text)
    return Span(document_id, *flexible.span()) if flexible else None
