"""Spans, evidence groups and nuggets of ``questions.jsonl``, checked against the documents' texts.

A span is written with offsets, ``{"document", "start", "end"}``, whose optional ``text`` must be exactly what stands
there, or as a quotation, ``{"document", "text"}``, which must occur exactly once in the document. ``document`` may be
left out where the question has exactly one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import id_at
from core.datasets.importers.place import excerpt
from core.schema import Aggregator, EvidenceGroup, Importance, Nugget, NuggetAnswer, Span

_SPAN_KEYS = ("document", "start", "end", "text")
_NUGGET_KEYS = ("id", "text", "importance", "stated", "aggregator", "answers", "evidence", "held_by")
_ANSWER_KEYS = ("text", "evidence", "held_by")


class SpanReader:
    """Resolves the spans of one question: ``texts`` are all documents, ``own`` the question's document ids."""

    def __init__(self, texts: Mapping[str, str], own: Sequence[str]) -> None:
        self._texts = texts
        self._own = own

    def evidence(self, fields: Fields) -> tuple[EvidenceGroup, ...]:
        """Return the alternative groups under ``evidence``: a list of lists of spans."""
        groups: list[EvidenceGroup] = []
        for index, group in enumerate(fields.items("evidence")):
            key = f"evidence[{index}]"
            if not isinstance(group, list):
                raise fields.problem(
                    key, "evidence is a list of groups, each a list of spans", "write [[{span}, …], …]"
                )
            if not group:
                raise fields.problem(key, "the group is empty", "give at least one span or remove the group")
            groups.append(tuple(self._span(fields.child(f"{key}[{i}]", span)) for i, span in enumerate(group)))
        return tuple(groups)

    def nuggets(self, fields: Fields) -> tuple[Nugget, ...]:
        """Return the nuggets; one without an id is known by its number, from 1."""
        nuggets: dict[str, Nugget] = {}
        for number, nugget in enumerate(fields.objects("nuggets"), start=1):
            nugget.only(_NUGGET_KEYS)
            identity = (
                id_at(nugget.place, nugget.named("id"), nugget.values["id"]) if "id" in nugget.values else str(number)
            )
            if identity in nuggets:
                raise nugget.problem("id", f"the question has two nuggets '{identity}'", "give each an id of its own")
            nuggets[identity] = Nugget(
                id=identity,
                text=nugget.text("text"),
                importance=cast(Importance, _one_of(nugget, "importance", ("vital", "okay"))),
                stated=nugget.flag("stated", True),
                aggregator=cast(Aggregator, _one_of(nugget, "aggregator", ("OR", "AND"))),
                answers=tuple(self._answer(answer) for answer in nugget.objects("answers")),
                evidence=self.evidence(nugget),
                documents=id_list(nugget, "held_by"),
            )
        return tuple(nuggets.values())

    def _answer(self, fields: Fields) -> NuggetAnswer:
        fields.only(_ANSWER_KEYS)
        return NuggetAnswer(fields.text("text"), self.evidence(fields), id_list(fields, "held_by"))

    def _span(self, fields: Fields) -> Span:
        fields.only(_SPAN_KEYS)
        document_id = self._document(fields)
        text = self._texts[document_id]
        if "start" not in fields.values and "end" not in fields.values:
            return _quotation(fields, document_id, text)
        start, end = fields.offset("start"), fields.offset("end")
        if not start < end <= len(text):
            raise fields.problem(
                "end",
                f"[{start}, {end}) is no piece of document '{document_id}' of {len(text)} characters",
                "correct it",
            )
        stated = fields.values.get("text")
        if stated is not None and fields.optional_text("text") != text[start:end]:
            raise fields.problem(
                "text",
                f"document '{document_id}' holds {excerpt(text[start:end])} at [{start}, {end}), not {excerpt(stated)}",
                "correct the offsets, or give the text alone",
            )
        return Span(document_id, start, end)

    def _document(self, fields: Fields) -> str:
        if fields.values.get("document") is None:
            if len(self._own) != 1:
                raise fields.problem(
                    "document", f"the question has {len(self._own)} documents", "say which one the span is in"
                )
            return self._own[0]
        document_id = id_at(fields.place, fields.named("document"), fields.values["document"])
        if document_id not in self._texts:
            raise fields.problem("document", f"there is no document '{document_id}'", "correct the id or add it")
        return document_id


def id_list(fields: Fields, key: str) -> tuple[str, ...]:
    """Return a list of ids of documents that need not be known here; raises ``InputError`` for one named twice."""
    found: dict[str, None] = {}
    for index, raw in enumerate(fields.items(key)):
        identity = id_at(fields.place, fields.named(f"{key}[{index}]"), raw)
        if identity in found:
            raise fields.problem(f"{key}[{index}]", f"document '{identity}' is named twice", "name it once")
        found[identity] = None
    return tuple(found)


def _quotation(fields: Fields, document_id: str, text: str) -> Span:
    quoted = fields.text("text")
    start = text.find(quoted)
    occurrences, at = 0, start
    while at >= 0:
        occurrences += 1
        at = text.find(quoted, at + 1)
    if occurrences != 1:
        remedy = "quote the document exactly" if occurrences == 0 else "quote more of it, or give start and end"
        raise fields.problem(
            "text", f"the quotation {excerpt(quoted)} occurs {occurrences} times in document '{document_id}'", remedy
        )
    return Span(document_id, start, start + len(quoted))


def _one_of(fields: Fields, key: str, allowed: tuple[str, str]) -> str:
    value = fields.values.get(key, allowed[0])
    if value not in allowed:
        raise fields.problem(key, f"{excerpt(value)} is neither '{allowed[0]}' nor '{allowed[1]}'", "use one of them")
    return str(value)
