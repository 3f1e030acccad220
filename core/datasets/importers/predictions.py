"""Relations that another classifier predicted: per row a question's id or text, a configuration, a relation.

A column with the answers that were classified, as ``report --format csv`` writes them, ties each prediction to its
answer. A relation is brought to the dataset's spelling where only case or white space differ.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.ids import id_at
from core.datasets.importers.place import Place, excerpt, listed
from core.datasets.importers.result import Skip
from core.datasets.importers.rows import columns_of, open_rows
from core.datasets.importers.source import check_source
from core.datasets.importers.system_fields import chosen_columns
from core.errors import InputError
from core.schema import Dataset, Prediction, Question

#: Field → names that its column goes by, the most telling first: the gold relation often stands beside the prediction.
PREDICTION_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("question id", "query id", "qid", "id"),
    "question": ("question", "query", "question text"),
    "configuration": ("configuration", "config", "system", "retriever"),
    "relation": (
        "predicted relation",
        "predicted logical relation",
        "predicted logical category",
        "predicted label",
        "prediction",
        "predicted",
        "relation",
        "logical relation",
        "logical category",
        "label",
    ),
    "answer": ("answer", "generated answer", "response"),
}


@dataclass(frozen=True, slots=True)
class PredictionReading:
    """The predictions of a file in its order; ``notes`` are sentences on what was not taken as it stood."""

    predictions: tuple[Prediction, ...]
    n_rows: int
    skipped: tuple[Skip, ...]
    notes: tuple[str, ...]


def read_predictions(source: Path, dataset: Dataset, mapping: Mapping[str, str] | None = None) -> PredictionReading:
    """Return what ``source`` predicts for answers to questions of ``dataset``.

    ``mapping`` (field → column) overrides how columns are guessed. Raises ``InputError`` (file, line, field, what to
    do) at the first cell that cannot be read, at two predictions for one answer and where no row is about the dataset;
    ``OptionError`` for a mapped field that does not exist.
    """
    check_source(source)
    rows = open_rows(source)
    names = columns_of(rows.head())
    columns, choices = chosen_columns(source, names, mapping, PREDICTION_FIELDS)
    missing = [field for field in ("configuration", "relation") if field not in columns]
    if not {"id", "question"} & columns.keys():
        missing.insert(0, "question")
    if missing:
        options = " ".join(f"--map {field}=COLUMN" for field in missing)
        raise InputError(
            f"{source} has no column for {' and '.join(repr(field) for field in missing)} among {listed(names)}; "
            f"say which column holds it with `import {source.name} --as-predictions DATASET {options}`."
        )
    reader = _Reader(dataset, columns)
    for place, row in rows:
        reader.read(place, row)
    if not reader.found:
        raise InputError(
            f"{source}: none of its {reader.n_rows} rows predicts a relation for a question of the dataset; the "
            "questions' ids or texts must be the dataset's, which `report --format csv` writes for a run."
        )
    return PredictionReading(
        tuple(reader.found.values()),
        reader.n_rows,
        tuple(reader.skipped),
        (*rows.notes, *choices, *reader.notes()),
    )


class _Reader:
    """Matches rows to questions and relations to the dataset's, one row after the other."""

    def __init__(self, dataset: Dataset, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._by_id = {question.id: question for question in dataset.questions}
        self._by_text: dict[str, list[Question]] = {}
        for question in dataset.questions:
            self._by_text.setdefault(_tidy(question.question), []).append(question)
        self._relations = {_tidy(q.relation).casefold(): q.relation for q in dataset.questions if q.relation}
        self._places: dict[tuple[str, str], Place] = {}
        self._unknown: list[tuple[Place, str]] = []
        self._unlike_gold = 0
        self.n_rows = 0
        self.found: dict[tuple[str, str], Prediction] = {}
        self.skipped: list[Skip] = []

    def read(self, place: Place, row: Mapping[str, Any]) -> None:
        """Take the row's prediction, or add a ``Skip``."""
        self.n_rows += 1
        question = self._question(place, row)
        if isinstance(question, str):
            self._skip(place, "question" if "question" in self._columns else "id", question)
            return
        configuration, relation = (_tidy(self._text(place, row, field)) for field in ("configuration", "relation"))
        for field, value in (("configuration", configuration), ("relation", relation)):
            if not value:
                self._skip(place, field, f"no {field} is given")
                return
        pair = (question.id, configuration)
        if pair in self.found:
            earlier = self._places[pair]
            raise place.problem(
                self._columns["configuration"],
                f"'{configuration}' has a prediction for question '{question.id}' on {earlier.unit} {earlier.line} "
                "already",
                "leave one of them",
            )
        known = self._relations.get(relation.casefold())
        if known is None:
            self._unknown.append((place, relation))
        self._unlike_gold += known is None or known != question.relation
        self._places[pair] = place
        self.found[pair] = Prediction(
            question.id, configuration, known or relation, _bare(self._text(place, row, "answer"))
        )

    def notes(self) -> Iterator[str]:
        """Yield what was read and needs a word."""
        if self._unknown:
            place, relation = self._unknown[0]
            yield (
                "predictions that name no relation of the dataset, which count as wrong: "
                f"{len(self._unknown)} (first: {place.unit} {place.line}, {excerpt(relation)})."
            )
        if not self._unlike_gold:
            yield (
                "every prediction is the question's own relation: look whether column "
                f"'{self._columns['relation']}' holds predictions and not the dataset's labels."
            )
        if not any(prediction.answer for prediction in self.found.values()):
            yield (
                "no answers stand beside the predictions, so that nobody can tell whether a later run gives the "
                "answers they were made for; `report --format csv` writes them in column 'answer'."
            )

    def _question(self, place: Place, row: Mapping[str, Any]) -> Question | str:
        """Return the row's question, or why there is none."""
        text = _tidy(self._text(place, row, "question"))
        raw = row.get(self._columns.get("id", ""))
        id_ = "" if raw is None or not str(raw).strip() else id_at(place, self._columns["id"], raw)
        # a column called "question" often holds ids
        if found := self._by_id.get(id_) or self._by_id.get(text):
            return found
        worded = self._by_text.get(text, [])
        if len(worded) == 1:
            return worded[0]
        if worded:
            return f"{len(worded)} questions of the dataset have this text: give their ids"
        if id_ or text:
            return f"the dataset has no question {excerpt(id_ or text)}"
        return "neither id nor question is given"

    def _text(self, place: Place, row: Mapping[str, Any], field: str) -> str:
        column = self._columns.get(field)
        return "" if column is None else text_of(place, column, row.get(column))

    def _skip(self, place: Place, field: str, reason: str) -> None:
        self.skipped.append(Skip(place.line, self._columns.get(field) or field, reason))


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _bare(answer: str) -> str:
    """Undo the apostrophe that keeps spreadsheets from running a text as a formula."""
    return answer[1:] if answer.startswith(("'=", "'+", "'-", "'@", "'\t", "'\r")) else answer
