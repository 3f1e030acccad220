"""Which column of a table holds which field: guessed by name, overridden by the user."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers.dimensions import known_dimension
from core.datasets.importers.place import listed, suggestion
from core.errors import InputError, OptionError

#: Field → names that its column goes by, the most telling first.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "questions", "query", "user_input", "input", "prompt", "question_text", "query_text"),
    "answer": (
        "answer",
        "reference_answer",
        "ground_truth_answer",
        "ground_truth",
        "ground_truths",
        "gold_answer",
        "expected_answer",
        "expected_output",
        "reference",
        "answers",
        "target",
        "output",
        "response",
    ),
    "context": (
        "context",
        "contexts",
        "document_text",
        "document",
        "documents",
        "reference_context",
        "reference_contexts",
        "source_text",
        "passage",
        "passages",
        "text",
        "content",
    ),
    "document_id": ("document_id", "document_ids", "doc_id", "doc_ids", "docid", "context_id", "source_id"),
    "relation": ("relation", "logical_relation", "logical_category", "relation_label"),
    "evidence": ("extracted_sentences", "retrieved_sentences", "evidence_sentences", "supporting_sentences"),
    "split": ("split", "partition", "subset"),
    "id": ("id", "question_id", "qa_id", "record_id", "query_id", "qid", "uid"),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each field that the file has, and of each category dimension it labels."""

    of_field: Mapping[str, str]
    of_dimension: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def rest(self, names: Sequence[str]) -> list[str]:
        """Return the columns that hold neither a field nor a category."""
        taken = {*self.of_field.values(), *self.of_dimension.values()}
        return [name for name in names if name not in taken]


def guess(names: Sequence[str]) -> dict[str, str]:
    """Return field → column for every field that a column is named after."""
    return {field: found[0] for field in ALIASES if (found := candidates(field, names))}


def candidates(field: str, names: Sequence[str]) -> list[str]:
    """Return the columns that may hold the field, best first."""
    by_form: dict[str, list[str]] = {}
    for name in names:
        by_form.setdefault(_form(name), []).append(name)
    return [name for alias in ALIASES[field] for name in by_form.get(alias, ())]


def _form(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.casefold()).strip("_")


def resolve(path: Path, names: Sequence[str], mapping: Mapping[str, str] | None, required: Sequence[str]) -> Columns:
    """Return the columns to read.

    ``mapping`` is field → column and wins over the guess. Raises ``OptionError`` for a field that does not exist and
    ``InputError`` for a column that does not, and for a required field without a column; the latter lists what was
    found and the option that helps.
    """
    chosen = dict(mapping or {})
    for field, column in chosen.items():
        if field not in ALIASES:
            raise OptionError(f"--map {field}={column}: there is no field '{field}'; {suggestion(field, ALIASES)}.")
        if column not in names:
            raise InputError(
                f"{path} has no column '{column}' for --map {field}={column}; the columns are {listed(names)}."
            )
    free = [name for name in names if name not in chosen.values()]
    of_field = {**guess(free), **chosen}
    missing = [field for field in required if field not in of_field]
    if missing:
        options = " ".join(f"--map {field}=COLUMN" for field in missing)
        raise InputError(
            f"{path} has no column for {' and '.join(repr(field) for field in missing)} among {listed(names)}; "
            f"say which column holds it with `import {path.name} {options}`."
        )
    notes = [
        f"The {field} was read from column '{of_field[field]}', not from {listed(others)}; choose by `import … --map`."
        for field in of_field
        if field not in chosen and (others := candidates(field, free)[1:])
    ]
    of_dimension: dict[str, str] = {}
    for name in names:
        if name not in of_field.values() and (dimension := known_dimension(name)):
            of_dimension.setdefault(dimension, name)
    return Columns(of_field, of_dimension, tuple(notes))
