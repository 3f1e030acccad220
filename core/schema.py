"""The nouns of the product: documents, questions, evidence, nuggets, passages, answers.

All records are frozen. Offsets are Python string indices (code points) into ``Document.text``,
half-open ``[start, end)``. Records check themselves on construction and raise ``ValueError`` with the
field's name; importers turn that into an ``InputError`` with file and line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Importance = Literal["vital", "okay"]
Aggregator = Literal["OR", "AND"]
Split = Literal["train", "test"]
StateName = Literal["scored", "failed", "not_applicable"]

#: key of ``Question.meta`` under which stands why its nuggets cannot be compared with answers, where they cannot
NOT_MATCHABLE = "not_matchable"


def content_hash(*parts: object) -> str:
    """Return 32 hex digits that depend on every part and on the borders between parts.

    Parts are JSON-serialisable; mappings are hashed with sorted keys.
    """
    payload = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Document:
    """A source text. ``language`` is a BCP 47 code ("en") or "" when nobody knows."""

    id: str
    text: str
    title: str = ""
    language: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("id is empty")
        if not self.text.strip():
            raise ValueError("text is empty")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece ``[start, end)`` of one document."""

    document_id: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"span [{self.start}, {self.end}) is not a piece of a document")


#: Spans that are needed together. A list of groups means: any complete group is enough.
EvidenceGroup = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class NuggetAnswer:
    """One of several answers of a nugget, with its own evidence; ``documents`` as in ``Nugget``."""

    text: str
    evidence: tuple[EvidenceGroup, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nugget:
    """A fact a full answer needs.

    ``stated`` is False where the fact must be inferred, so that no span holds it by itself.
    ``answers`` is empty for a plain nugget (its own text and evidence count); otherwise ``aggregator`` says
    whether one of them covers the nugget (OR) or all are needed (AND). ``documents`` are those that somebody judged
    to hold it, by the ids of the collection they come from, whose texts need not be known here.
    """

    id: str
    text: str
    importance: Importance = "vital"
    stated: bool = True
    aggregator: Aggregator = "OR"
    answers: tuple[NuggetAnswer, ...] = ()
    evidence: tuple[EvidenceGroup, ...] = ()
    documents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or not self.text.strip():
            raise ValueError("nugget needs an id and a text")
        if self.importance not in ("vital", "okay"):
            raise ValueError(f"importance {self.importance!r} is neither 'vital' nor 'okay'")
        if self.aggregator not in ("OR", "AND"):
            raise ValueError(f"aggregator {self.aggregator!r} is neither 'OR' nor 'AND'")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its reference answer and whatever labels the dataset carries.

    ``document_ids`` are the source documents (at least one). ``evidence`` is a tuple of alternative groups.
    A topic of a judged collection has nuggets instead of a reference answer and of documents of ours: ``answer`` and
    ``document_ids`` may be empty then. ``judged`` are all documents that were judged for it, those that hold none of
    its nuggets included.
    ``categories`` maps a dimension ("QC", "AT", "LV", "phrasing", "user_expertise", ...) to a node name of its
    tree, at whatever level the dataset labels it.
    """

    id: str
    question: str
    answer: str
    document_ids: tuple[str, ...]
    relation: str | None = None
    evidence: tuple[EvidenceGroup, ...] = ()
    nuggets: tuple[Nugget, ...] = ()
    categories: Mapping[str, str] = field(default_factory=dict)
    split: Split | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    judged: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("id is empty")
        if not self.question.strip():
            raise ValueError("question is empty")
        if not self.answer.strip() and not self.nuggets:
            raise ValueError("answer is empty")
        if not self.document_ids and not self.nuggets:
            raise ValueError("document ids are missing")
        if self.split not in (None, "train", "test"):
            raise ValueError(f"split {self.split!r} is neither 'train' nor 'test'")


@dataclass(frozen=True, slots=True)
class Card:
    """What a dataset says of itself (``dataset.yaml``)."""

    name: str
    title: str = ""
    description: str = ""
    licence: str = ""
    language: str = ""
    source: str = ""
    #: dimension -> nested tree of node names, as in ``dataset.yaml``
    trees: Mapping[str, Any] = field(default_factory=dict)
    #: relation name -> one-line definition
    relations: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """Documents and questions that passed validation; every id a question names exists."""

    card: Card
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    @cached_property
    def corpus_fingerprint(self) -> str:
        """Hash of the documents' ids, texts and languages in order."""
        return content_hash([(d.id, d.text, d.language) for d in self.documents])

    @cached_property
    def language_of(self) -> Mapping[str, str]:
        """Language of each question by its id: that of its first document, else the card's, "" when nobody knows."""
        spoken = {document.id: document.language for document in self.documents}
        return {
            question.id: next((spoken[d] for d in question.document_ids[:1] if d in spoken), self.card.language)
            for question in self.questions
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a document as the retrievers see it: ``document.text[start:end] == text``.

    ``ordinal`` counts from 0 within the document.
    """

    document_id: str
    ordinal: int
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """``<document id>#<ordinal>``."""
        return f"{self.document_id}#{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one retriever delivers for one question, best first.

    ``passages`` are indices into the pool that was searched, ``scores`` the retriever's own scores, rounded to
    1e-6. ``no_match`` marks a query none of whose terms occurs in the pool (document order is returned then).
    """

    passages: tuple[int, ...]
    scores: tuple[float, ...]
    no_match: bool = False


@dataclass(frozen=True, slots=True)
class ContextSentence:
    """A whole sentence handed to the answerer, with the ids of the retrieved passages it comes from.

    What another system retrieved need not stand in any document of ours: ``document_id`` is then "", the offsets are
    places in the text it gave, and the passage id (``system:<name>#<number, from 1>``) names that text.
    """

    document_id: str
    start: int
    end: int
    text: str
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """Answer sentence ``sentence`` (from 0) rests on this passage."""

    sentence: int
    document_id: str
    passage_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A produced answer. A refusal is an answer (``refused``), not a failure; ``cut``: its bound of tokens ended it."""

    sentences: tuple[str, ...]
    citations: tuple[Citation, ...] = ()
    refused: bool = False
    cut: bool = False

    @property
    def text(self) -> str:
        """The sentences joined by one space."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class SystemContext:
    """A text that another RAG system gave its answerer.

    Where a document of the dataset holds it, ``document.text[start:end]`` is the same text but for white space.
    Otherwise ``start`` and ``end`` are None, and ``document_id`` is the document the system named, or "".
    """

    text: str
    document_id: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class NuggetLabel:
    """What somebody judged of one nugget in an answer, or in sentence ``sentence`` (from 0) of it.

    ``label`` is "support", "partial_support" or "not_support", or "failed" where the judge gave another word;
    ``answer`` is the text of the nugget's answer that was matched, "" where the nugget has no several answers.
    """

    nugget: str
    label: str
    sentence: int | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The relation that somebody's classifier gives a configuration's answer to a question.

    ``answer`` is the text that was classified, "" where nobody says.
    """

    question: str
    configuration: str
    relation: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """What another RAG system gave for one question.

    No ``sentences`` means that it gave no answer, or only a ``ranking``: ids of documents (or passages) of the
    collection, best first, each once. ``citations`` are pairs (sentence, context), both counted from 0; a context that
    is known by its document alone has no text. ``labels`` are imported judgments of its nuggets. ``cited_only`` says
    that the contexts are what the answer cites: what it was made from is not known then.
    """

    sentences: tuple[str, ...]
    contexts: tuple[SystemContext, ...] = ()
    citations: tuple[tuple[int, int], ...] = ()
    refused: bool = False
    ranking: tuple[str, ...] = ()
    labels: tuple[NuggetLabel, ...] = ()
    cited_only: bool = False
