"""What a run retrieved for a question: its passages, cut as they were then, against the question's evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.engine.imported import handed_on
from core.engine.spec import VERSIONS
from core.engine.systems import PREFIX, is_system
from core.errors import OptionError
from core.nuggets.evidence import Held, held_by, missing, nugget_held
from core.schema import Document, EvidenceGroup, Nugget, Passage, Question, Span, content_hash
from core.services.evidence import Piece, marked_spans, pieces
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import question_of
from core.store.run_questions import documents_of, question_items
from core.store.runs import run_row
from core.store.stage_results import StageKey, get_results
from core.store.systems import system_rows
from core.text.chunking import Chunking, chunk


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage at its ``place`` (from 1) with evidence marked in its ``pieces``.

    ``holds`` says how much of the evidence stands in this passage alone, None where none is marked. ``problem`` says
    why the text cannot be shown, and ``pieces`` are empty then.
    """

    place: int
    id: str
    title: str
    pieces: tuple[Piece, ...]
    holds: Held | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class NuggetFound:
    """A nugget, and whether the passages hold its evidence (None where none is marked)."""

    nugget: Nugget
    held: bool | None


@dataclass(frozen=True)
class Retrieved:
    """One configuration's passages in order, the evidence none of them holds, and what they hold of each nugget."""

    passages: tuple[RetrievedPassage, ...]
    missing: tuple[str, ...]
    nuggets: tuple[NuggetFound, ...]


def retrieved(run_id: str, question_id: str, configuration: str) -> Retrieved:
    """Return the passages that a configuration handed on for a question, with the question's evidence marked.

    Raises:
        OptionError: there is no such run or configuration, or the run does not ask this question.
    """
    _, store = workspace()
    row = run_row(store, run_id)
    if configuration not in row["spec"]["configurations"]:
        raise OptionError(f"this run has no configuration '{configuration[:80]}': choose one that is listed.")
    asked = asked_question(store, row, question_id)
    items = question_items(store, run_id, [configuration], question_id)
    ids: list[str] = items[0]["passages"] if items else []
    found = RunPassages(store, row).cut(configuration, question_id, ids)
    wanted = [*documents_about(asked), *(passage.document_id for passage in found.values())]
    documents = documents_of(store, row["dataset"], list(dict.fromkeys(wanted)))
    spans, known = marked_spans(asked), list(found.values())
    named = _named(store, row["dataset"], configuration, question_id)
    listed = [
        _listed(place, name, found.get(name), named.get(name, ""), asked, spans, documents)
        for place, name in enumerate(ids, start=1)
    ]
    lacking = () if unsure(ids, found) else missing(evidence_groups(asked), known, documents)
    nuggets = [(nugget, nugget_held(nugget, known, documents)) for nugget in asked.nuggets]
    return Retrieved(
        passages=tuple(listed),
        missing=tuple(_quote(span, documents) for span in lacking),
        nuggets=tuple(
            NuggetFound(nugget, None if held is False and unsure(ids, found) else held) for nugget, held in nuggets
        ),
    )


class RunPassages:
    """The passages of a run's documents, as they were cut when it was evaluated, and what systems were given."""

    def __init__(self, store: Store, row: Mapping[str, Any]) -> None:
        resolved = row["spec"]["resolved"]
        self._store, self._dataset = store, row["dataset"]
        self._fingerprint: str = resolved["dataset_fingerprint"]
        self._chunking = Chunking(**resolved["chunking"])
        self._version: int = resolved["versions"]["chunk"]
        self._systems = {system["name"]: system["fingerprint"] for system in resolved.get("systems", ())}

    def cut(
        self, configuration: str, question_id: str, ids: Sequence[str], among: Collection[str] | None = None
    ) -> dict[str, Passage]:
        """Return those of the passages that can be had again, by id, in the order of ``ids``.

        A text that a system was given and that stands in no document of ours has the document id "". ``among``:
        passages of other documents are left out (what they hold is not asked).
        """
        if is_system(configuration):
            found = self._given(configuration, question_id, ids)
        else:
            found = {}
            for identifier in ids:
                name, _, ordinal = identifier.rpartition("#")
                if (among is not None and name not in among) or not (ordinal.isascii() and ordinal.isdecimal()):
                    continue
                spans = _spans(self._store, self._dataset, self._fingerprint, self._chunking, self._version, name)
                if int(ordinal) < len(spans):
                    found[identifier] = Passage(name, int(ordinal), *spans[int(ordinal)], "")
        return found

    def _given(self, configuration: str, question_id: str, ids: Sequence[str]) -> dict[str, Passage]:
        name = configuration.removeprefix(PREFIX)
        there = {row["name"]: row["fingerprint"] for row in system_rows(self._store, self._dataset)}
        if name not in there or there[name] != self._systems.get(name):
            return {}
        given = handed_on(self._store, self._dataset, configuration, question_id)
        return {
            identifier: Passage("", place, 0, len(text.text), text.text)
            if text.start is None or text.end is None
            else Passage(text.document_id, place, text.start, text.end, text.text)
            for place, identifier in enumerate(ids)
            # of one that is known by its document alone nobody can say what it holds
            if (text := given.get(identifier)) is not None and text.text
        }


def unsure(ids: Collection[str], found: Mapping[str, Passage]) -> bool:
    """Return whether what passages hold cannot be told from their places: one is not at hand, or has none."""
    return not found.keys() >= set(ids) or any(not passage.document_id for passage in found.values())


@lru_cache(maxsize=4096)
def _spans(
    store: Store, dataset: str, fingerprint: str, chunking: Chunking, version: int, document: str
) -> tuple[tuple[int, int], ...]:
    """Return where the chunks of a document lie: as the run stored them, else cut again.

    Stored ones come first because they hold for runs of earlier versions too, and need no splitter to be loaded.
    ``fingerprint`` is part of what is remembered: another dataset may have taken the name since.
    """
    del fingerprint
    found = documents_of(store, dataset, [document]).get(document)
    if found is None:
        return ()
    key = StageKey("chunk", content_hash(version, chunking.as_spec()))
    item = content_hash(found.id, found.text, found.language)
    stored = get_results(store, key, [item])
    if item in stored:
        return tuple((start, end) for start, end in stored[item].value["passages"])
    if version != VERSIONS["chunk"]:
        return ()
    return tuple((passage.start, passage.end) for passage in chunk(found, chunking))


def asked_question(store: Store, row: Mapping[str, Any], question_id: str) -> Question:
    """Return a question of the run with this row. Raises OptionError where the run does not ask it."""
    found = None
    if question_id in row["spec"]["resolved"]["questions"]:
        found = question_of(store, row["dataset"], question_id)
    if found is None:
        raise OptionError(f"this run does not ask a question '{question_id[:80]}': choose one from a list.")
    return found


def evidence_held(question: Question, passages: Sequence[Passage], documents: Mapping[str, Document]) -> Held | None:
    """Return how much of a question's evidence passages hold, None where none is marked."""
    groups = evidence_groups(question)
    return held_by(groups, passages, documents) if groups else None


def evidence_groups(question: Question) -> tuple[EvidenceGroup, ...]:
    """Return a question's evidence, or all that its nuggets rest on where it marks none itself."""
    spans = marked_spans(question)
    return question.evidence or ((spans,) if spans else ())


def marked(document: Document, start: int, end: int, spans: Sequence[Span]) -> tuple[Piece, ...]:
    """Return ``document.text[start:end]`` with the spans of this document marked."""
    return pieces(document.text, start, end, [(s.start, s.end) for s in spans if s.document_id == document.id])


def documents_about(question: Question) -> list[str]:
    """Return the ids of a question's source documents and of those that hold its evidence."""
    return list(dict.fromkeys([*question.document_ids, *(span.document_id for span in marked_spans(question))]))


def _listed(
    place: int,
    identifier: str,
    passage: Passage | None,
    named: str,
    asked: Question,
    spans: Sequence[Span],
    documents: Mapping[str, Document],
) -> RetrievedPassage:
    if passage is None and named:
        return RetrievedPassage(place, identifier, named, (), None, "its text did not come with the answer")
    if passage is None:
        return RetrievedPassage(place, identifier, "", (), None, "the run's cut of it, or the system, is not stored")
    document = documents.get(passage.document_id)
    if document is None:
        return RetrievedPassage(place, identifier, "Text from elsewhere", (Piece(passage.text),), None)
    text = marked(document, passage.start, passage.end, spans)
    return RetrievedPassage(place, identifier, document.title, text, evidence_held(asked, [passage], documents))


def _named(store: Store, dataset: str, configuration: str, question_id: str) -> dict[str, str]:
    """Return the documents that a system named without their texts, by passage id."""
    given = handed_on(store, dataset, configuration, question_id)
    return {name: context.document_id for name, context in given.items() if not context.text}


def _quote(span: Span, documents: Mapping[str, Document]) -> str:
    document = documents.get(span.document_id)
    return document.text[span.start : span.end] if document else f"a piece of {span.document_id}, which is not stored"
