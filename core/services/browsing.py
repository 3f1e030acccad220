"""Use case *look at what is stored*: the datasets with their labels, and one's documents and questions page by page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from core.datasets.bundled import bundled_names, bundled_path
from core.datasets.importers.trilens import trilens_files
from core.datasets.importers.trilens_card import read_card
from core.errors import OptionError
from core.schema import Card, Document, Question, content_hash
from core.services.catalogue import states_of
from core.services.evidence import Piece, marked_spans, pieces
from core.services.importing import source_hash
from core.services.workspace import workspace
from core.store import browse
from core.store.browse import Wanted
from core.store.database import Store
from core.store.datasets import dataset_of_source, dataset_rows, document_of, question_of
from core.taxonomy.trees import Tree, labelled_trees

PAGE_SIZE = 25
#: a search longer than this is cut: nobody types it
LONGEST_SEARCH = 200
#: questions listed below a document at most
MOST_QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """A stored dataset: what it says of itself (``card``), what it holds (``labels``, see ``validation.labels``)."""

    name: str
    title: str
    fingerprint: str
    n_documents: int
    n_questions: int
    n_runs: int
    format: str
    source: str
    created: str
    labels: Mapping[str, Any]
    card: Card

    @property
    def version(self) -> str:
        """What caches are keyed by: another one for other content, and for another card."""
        return content_hash(self.fingerprint, asdict(self.card))


@dataclass(frozen=True, slots=True)
class Offer:
    """A bundled dataset that is not stored in its present state."""

    name: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Which questions: those that hold ``search``, of a relation and a split (None any, "" none), in a category.

    A category is (dimension, node of its tree); an inner node stands for everything below it.
    """

    search: str = ""
    relation: str | None = None
    split: str | None = None
    category: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list: ``rows``, how many there are in all, and the page's ``number`` of ``n_pages``, from 1.

    ``number`` is the nearest there is to the one asked for.
    """

    rows: tuple[Mapping[str, Any], ...]
    n: int
    number: int
    n_pages: int


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document, its text cut into ``pieces`` where evidence is marked, and the questions asked on it.

    ``questions`` are rows of id, question and relation, at most 100 of ``n_questions``.
    """

    document: Document
    pieces: tuple[Piece, ...]
    n_questions: int = 0
    questions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedQuestion:
    """A question and its documents, evidence marked: its own, else that of its nuggets."""

    question: Question
    documents: tuple[OpenedDocument, ...]
    trees: Mapping[str, Tree] = field(default_factory=dict)


def stored_datasets() -> list[StoredDataset]:
    """Return the stored datasets, newest first."""
    _, store = workspace()
    runs = browse.run_counts(store)
    return [
        StoredDataset(
            n_runs=runs.get(row["name"], 0),
            card=Card(**row["card"]),
            **{name: row[name] for name in StoredDataset.__dataclass_fields__ if name not in ("n_runs", "card")},
        )
        for row in dataset_rows(store)
    ]


def stored_dataset(name: str) -> StoredDataset:
    """Return one stored dataset. Raises OptionError when there is none of that name."""
    found = next((one for one in stored_datasets() if one.name == name), None)
    if found is None:
        raise OptionError(f"No dataset '{name[:80]}' is stored here: choose one of those listed, or import it.")
    return found


def bundled_offers() -> list[Offer]:
    """Return the bundled datasets that are not stored in their present state."""
    _, store = workspace()
    return [
        _offer(name)
        for name in bundled_names()
        if dataset_of_source(store, _bundled_hash(name, _changed(name))) is None
    ]


def questions(name: str, wanted: Filter, number: int = 1) -> Page:
    """Return a page of a dataset's questions, in its order.

    Rows hold ``id, question, answer, relation, split, nuggets`` (see ``store.browse.question_page``).

    Raises:
        OptionError: there is no such dataset, dimension or category.
    """
    _, store = workspace()
    chosen = _wanted(stored_dataset(name), wanted)
    n = browse.question_count(store, chosen)
    number, n_pages = _clamped(number, n)
    return Page(tuple(browse.question_page(store, chosen, PAGE_SIZE, (number - 1) * PAGE_SIZE)), n, number, n_pages)


def documents(name: str, search: str = "", number: int = 1) -> Page:
    """Return a page of a dataset's documents, in its order.

    Rows hold ``id, title, language, characters, beginning`` and ``questions``, how many name the document.

    Raises:
        OptionError: there is no such dataset.
    """
    _, store = workspace()
    dataset, search = stored_dataset(name), _search(search)
    n = browse.document_count(store, name, search)
    number, n_pages = _clamped(number, n)
    asked = _questions_by_document(store, name, dataset.fingerprint)
    rows = browse.document_page(store, name, search, PAGE_SIZE, (number - 1) * PAGE_SIZE)
    return Page(tuple({**row, "questions": asked.get(row["id"], 0)} for row in rows), n, number, n_pages)


def question(name: str, question_id: str) -> OpenedQuestion:
    """Return a question with its documents.

    Raises:
        OptionError: there is no such dataset or question.
    """
    _, store = workspace()
    dataset = stored_dataset(name)
    found = question_of(store, name, question_id)
    if found is None:
        raise OptionError(f"Dataset '{name}' has no question '{question_id[:80]}': choose one of those listed.")
    spans = marked_spans(found)
    ids = dict.fromkeys([*found.document_ids, *(span.document_id for span in spans)])
    opened = []
    for document in (document_of(store, name, identifier) for identifier in ids):
        if document is not None:
            own = [(span.start, span.end) for span in spans if span.document_id == document.id]
            opened.append(OpenedDocument(document, pieces(document.text, 0, len(document.text), own)))
    return OpenedQuestion(found, tuple(opened), trees(dataset))


def document(name: str, document_id: str) -> OpenedDocument:
    """Return a document and the questions asked on it.

    Raises:
        OptionError: there is no such dataset or document.
    """
    _, store = workspace()
    dataset = stored_dataset(name)
    found = document_of(store, name, document_id)
    if found is None:
        raise OptionError(f"Dataset '{name}' has no document '{document_id[:80]}': choose one of those listed.")
    n = _questions_by_document(store, name, dataset.fingerprint).get(document_id, 0)
    asked = browse.questions_on(store, name, document_id, MOST_QUESTIONS) if n else []
    return OpenedDocument(found, pieces(found.text, 0, len(found.text), ()), n, tuple(asked))


def runs(name: str) -> list[dict[str, Any]]:
    """Return ``id, title, started`` of the runs on a dataset, newest first, with the living ``state`` of each."""
    _, store = workspace()
    rows = browse.runs_on(store, name)
    states = states_of([row["id"] for row in rows])
    # one that was deleted meanwhile has none
    return [{**row, "state": states[row["id"]]} for row in rows if row["id"] in states]


def trees(dataset: StoredDataset) -> dict[str, Tree]:
    """Return the category trees of the dimensions that label any question: in the card's order, others by name.

    Labels that the card's tree does not know stand at its top; a card's tree that cannot be read counts as none.
    """
    return labelled_trees(dataset.card.trees, dataset.labels.get("categories", {}))[0]


def _wanted(dataset: StoredDataset, wanted: Filter) -> Wanted:
    dimension, nodes = "", tuple[str, ...]()
    if wanted.category is not None:
        dimension, node = wanted.category
        known = trees(dataset)
        if dimension not in known:
            raise OptionError(f"Dataset '{dataset.name}' has no categories '{dimension[:80]}': choose another filter.")
        nodes = known[dimension].within(node)
    return Wanted(dataset.name, _search(wanted.search), wanted.relation, wanted.split, dimension, nodes)


def _search(text: str) -> str:
    return " ".join(text.split())[:LONGEST_SEARCH]


def _clamped(number: int, n: int) -> tuple[int, int]:
    n_pages = max(1, math.ceil(n / PAGE_SIZE))
    return min(max(number, 1), n_pages), n_pages


@lru_cache(maxsize=16)
def _questions_by_document(store: Store, name: str, fingerprint: str) -> Mapping[str, int]:
    del fingerprint  # another dataset may have taken the name since
    return browse.questions_by_document(store, name)


def _changed(name: str) -> tuple[int, ...]:
    """Return when the files of a bundled dataset were last written, and their sizes."""
    found = [path.stat() for path in trilens_files(bundled_path(name))]
    return tuple(number for stat in found for number in (stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=16)
def _bundled_hash(name: str, changed: tuple[int, ...]) -> str:
    del changed
    return source_hash(bundled_path(name))


@lru_cache(maxsize=16)
def _offer(name: str) -> Offer:
    card = read_card(bundled_path(name))
    return Offer(name, card.title or name, card.description)
