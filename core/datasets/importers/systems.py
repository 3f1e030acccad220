"""Another RAG's output for a dataset's questions: per row a question's id or text, the answer, its contexts, citations.

A row belongs to the question whose id it gives, unless its question's text is that of another one: running numbers
often look like ids. Without an id that is known, the text decides (Unicode NFC, white space aside). Citations come from
markers such as ``[1]`` in an answer that has contexts, else from a column; whether they count from 0 or 1 is told from
the whole file: from 0 if any is 0.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.ids import id_at
from core.datasets.importers.place import Place, excerpt
from core.datasets.importers.result import Skip
from core.datasets.importers.rows import columns_of, open_rows
from core.datasets.importers.source import check_source
from core.datasets.importers.system_fields import GivenContext, given_citations, given_contexts, system_columns
from core.errors import InputError
from core.schema import Dataset, Question, SystemAnswer, SystemContext
from core.text.citations import without_markers
from core.text.locating import Locator
from core.text.sentences import sentence_spans

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class SystemReading:
    """What a system gave, by question id in the dataset's order; ``refused`` is not judged yet.

    ``notes`` are sentences on what was not taken as it stood.
    """

    answers: Mapping[str, SystemAnswer]
    n_rows: int
    skipped: tuple[Skip, ...]
    notes: tuple[str, ...]


def read_system(source: Path, dataset: Dataset, mapping: Mapping[str, str] | None = None) -> SystemReading:
    """Return what the system whose output ``source`` holds gave for the questions of ``dataset``.

    ``mapping`` (field → column) overrides how columns are guessed. Raises ``InputError`` (file, line, field, what to
    do) at the first cell that cannot be read, at a question answered twice and where no row is about the dataset;
    ``OptionError`` for a mapped field that does not exist.
    """
    check_source(source)
    rows = open_rows(source)
    columns, choices = system_columns(source, columns_of(rows.head()), mapping)
    reader = _Reader(dataset, columns)
    for place, row in rows:
        reader.read(place, row)
    reader.check(source)
    answers = reader.answers()
    return SystemReading(
        answers, reader.n_rows, tuple(reader.skipped), (*rows.notes, *choices, *reader.notes(), *_gaps(answers))
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One question's row: sentences and (sentence, number) of markers, contexts, numbers of the citations' column."""

    place: Place
    question: Question
    sentences: tuple[str, ...]
    marked: tuple[tuple[int, int], ...]
    contexts: tuple[GivenContext, ...]
    listed: tuple[int, ...]


class _Reader:
    """Matches rows to questions, one after the other, and counts what it could not use."""

    def __init__(self, dataset: Dataset, columns: Mapping[str, str]) -> None:
        self._dataset, self._columns = dataset, columns
        self._by_id = {question.id: question for question in dataset.questions}
        self._by_text: dict[str, list[Question]] = {}
        for question in dataset.questions:
            self._by_text.setdefault(_tidy(question.question), []).append(question)
        self._language = {document.id: document.language for document in dataset.documents}
        self._rows: dict[str, _Row] = {}
        self._agreeing = 0
        self._other_id: list[Place] = []
        self._other_text: list[Place] = []
        self._strays: list[tuple[Place, int, int]] = []
        self._not_found: list[Place] = []
        self._unknown_documents: list[Place] = []
        self.n_rows = 0
        self.skipped: list[Skip] = []

    def read(self, place: Place, row: Mapping[str, Any]) -> None:
        """Take the row's answer, or add a ``Skip``."""
        self.n_rows += 1
        question = self._question(place, row)
        if question is None:
            return
        if question.id in self._rows:
            earlier = self._rows[question.id].place
            raise place.problem(
                self._columns.get("id") or self._columns["question"],
                f"question '{question.id}' has an answer on {earlier.unit} {earlier.line} already",
                "leave one of them",
            )
        contexts = self._cell(place, row, "contexts", given_contexts)
        cited = self._cell(place, row, "citations", given_citations)
        sentences, marked = _cut(
            self._text(place, row, "answer"),
            self._dataset.language_of[question.id] or "en",
            has_contexts=any(context.text.strip() for context in contexts),
        )
        self._rows[question.id] = _Row(place, question, sentences, marked, tuple(contexts), tuple(cited))

    def check(self, source: Path) -> None:
        """Refuse a file that is about other questions."""
        if not self._rows:
            raise InputError(
                f"{source}: none of its {self.n_rows} rows is about a question of the dataset; the ids or the texts of "
                "the questions must be the dataset's, which `export` writes."
            )
        if len(self._other_text) > 1 and not self._agreeing:
            place = self._other_text[0]
            raise place.problem(
                self._columns["question"],
                f"this id is known, but not one of the file's {len(self._other_text)} questions has the dataset's text",
                "the ids seem to count something else; rename that column, or the questions' if the ids are right",
            )

    def answers(self) -> dict[str, SystemAnswer]:
        """Return the answers of all rows, citations resolved and contexts located."""
        locator = Locator({document.id: document.text for document in self._dataset.documents})
        base = {
            "marked": _counts_from(number for row in self._rows.values() for _, number in row.marked),
            "listed": _counts_from(number for row in self._rows.values() for number in row.listed),
        }
        return {
            question.id: self._answer(row, locator, base)
            for question in self._dataset.questions
            if (row := self._rows.get(question.id)) is not None
        }

    def notes(self) -> Iterator[str]:
        """Yield what was read and not taken as it stood; complete once ``answers`` was called."""
        if self._other_id:
            yield f"rows whose id is another question's than their text, which was taken: {_first(self._other_id)}."
        if self._other_text:
            yield (
                "rows whose question has another text than the dataset's question of that id: "
                f"{_first(self._other_text)}."
            )
        if self._not_found:
            yield (
                "contexts that are in no document of the dataset word for word, so that their text is kept without a "
                f"place in a document: {_first(self._not_found)}."
            )
        if self._unknown_documents:
            yield f"contexts that name a document the dataset does not have: {_first(self._unknown_documents)}."
        if self._strays:
            place, number, contexts = self._strays[0]
            yield (
                "citations of a context that is not there, which were left out: "
                f"{len(self._strays)} (first: {_at(place)}, number {number} of {contexts} contexts)."
            )
        if any(row.listed for row in self._rows.values()):
            first = _counts_from(number for row in self._rows.values() for number in row.listed)
            why = "one is 0" if first == 0 else "none is 0"
            yield f"column '{self._columns['citations']}' was read as counting contexts from {first}, because {why}."

    def _question(self, place: Place, row: Mapping[str, Any]) -> Question | None:
        text = _tidy(self._text(place, row, "question"))
        raw = row.get(self._columns.get("id", ""))
        id_ = "" if raw is None or not str(raw).strip() else id_at(place, self._columns["id"], raw)
        named, worded = self._by_id.get(id_), self._by_text.get(text, [])
        if named is not None and (not text or named in worded):
            self._agreeing += bool(text)
            return named
        if len(worded) == 1:
            self._agreeing += 1
            if named is not None:
                self._other_id.append(place)
            return worded[0]
        if named is not None:
            self._other_text.append(place)
            return named
        if worded:
            reason = f"{len(worded)} questions of the dataset have this text: give their ids"
        elif id_ or text:
            reason = f"the dataset has no question {excerpt(text or id_)}"
        else:
            reason = "neither id nor question is given"
        field = "question" if text or "id" not in self._columns else "id"
        self.skipped.append(Skip(place.line, self._columns.get(field) or field, reason))
        return None

    def _text(self, place: Place, row: Mapping[str, Any], field: str) -> str:
        column = self._columns.get(field)
        return "" if column is None else text_of(place, column, row.get(column))

    def _cell(
        self, place: Place, row: Mapping[str, Any], field: str, read: Callable[[Place, str, object], list[Item]]
    ) -> list[Item]:
        column = self._columns.get(field)
        return [] if column is None else read(place, column, row.get(column))

    def _answer(self, row: _Row, locator: Locator, base: Mapping[str, int]) -> SystemAnswer:
        if row.marked:
            cited = [(sentence, number, number - base["marked"]) for sentence, number in row.marked]
        else:
            # nobody says which sentence rests on them, so each does
            cited = [(s, number, number - base["listed"]) for number in row.listed for s in range(len(row.sentences))]
        there = range(len(row.contexts))
        strays = dict.fromkeys(number for _, number, place in cited if place not in there)
        self._strays += [(row.place, number, len(row.contexts)) for number in strays]
        return SystemAnswer(
            row.sentences,
            tuple(self._context(row, context, locator) for context in row.contexts),
            tuple(dict.fromkeys((sentence, place) for sentence, _, place in cited if place in there)),
        )

    def _context(self, row: _Row, given: GivenContext, locator: Locator) -> SystemContext:
        known = given.document_id in self._language
        if given.document_id and not known:
            self._unknown_documents.append(row.place)
        span = locator.find(given.text, (given.document_id, *row.question.document_ids))
        if span is not None:
            return SystemContext(given.text, span.document_id, span.start, span.end)
        if given.text.strip():
            self._not_found.append(row.place)
        return SystemContext(given.text, given.document_id if known else "")


def _cut(text: str, language: str, *, has_contexts: bool) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Return an answer's sentences with single spaces, and (sentence, number) of each marker where there are contexts.

    Signs between sentences stay with the one before: joined, the sentences are the whole answer. A text without a word
    is no answer.
    """
    markers: list[tuple[int, int]] = []
    if has_contexts:
        text, markers = without_markers(text)
    spans = sentence_spans(text, language)
    if not spans:
        return (), ()
    cuts = [0, *(start for start, _ in spans[1:]), len(text)]
    return (
        tuple(" ".join(text[start:end].split()) for start, end in pairwise(cuts)),
        tuple((max(0, bisect_left(cuts, at) - 1), number) for at, number in markers),
    )


def _gaps(answers: Mapping[str, SystemAnswer]) -> Iterator[str]:
    """Say which answers cannot be scored, or not by every measure."""
    empty = sum(not answer.sentences for answer in answers.values())
    if empty:
        yield f"empty answers, which count as failed because the system gave no answer: {empty} of {len(answers)}."
    bare = sum(not any(context.text.strip() for context in answer.contexts) for answer in answers.values())
    if bare:
        yield (
            "answers without contexts, whose relation cannot be told, so that LRCR is not applicable to them: "
            f"{bare} of {len(answers)}."
        )


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _counts_from(numbers: Iterator[int]) -> int:
    return 0 if 0 in numbers else 1


def _first(places: Sequence[Place]) -> str:
    return f"{len(places)} (first: {_at(places[0])})"


def _at(place: Place) -> str:
    return f"{place.unit} {place.line}"
