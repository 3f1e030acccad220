"""The columns and cells of another RAG's output: which column is which field, what contexts and citations look like."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.evidence import text_list
from core.datasets.importers.ids import id_at
from core.datasets.importers.place import Place, excerpt, listed, suggestion
from core.errors import InputError, OptionError

#: Field → names that its column goes by, the most telling first. A file of a whole trial has the reference answer and
#: the gold context beside what the system gave, so plain names come last.
SYSTEM_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("question id", "query id", "qid", "qa id", "record id", "topic id", "request id", "id", "uid"),
    "question": ("question", "query", "user input", "input", "prompt", "question text", "query text"),
    "answer": (
        "generated answer",
        "system answer",
        "model answer",
        "predicted answer",
        "rag answer",
        "actual output",
        "response",
        "prediction",
        "completion",
        "answer text",
        "answer",
        "output",
    ),
    "contexts": (
        "retrieved contexts",
        "retrieved context",
        "retrieval context",
        "retrieved passages",
        "retrieved documents",
        "contexts",
        "context",
        "passages",
        "source documents",
        "chunks",
    ),
    "citations": ("citations", "cited contexts", "citation indices", "cited"),
}
_TEXT_KEYS = ("text", "content", "page_content", "passage", "context", "chunk")
_DOCUMENT_KEYS = ("document_id", "doc_id", "docid")
#: a whole number, perhaps as spreadsheets write it
_NUMBER = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class GivenContext:
    """A context as the file gives it: its text, which may be blank, and the document it names, "" for none."""

    text: str
    document_id: str = ""


def guess_fields(
    names: Sequence[str],
    chosen: Mapping[str, str] | None = None,
    known: Mapping[str, tuple[str, ...]] = SYSTEM_FIELDS,
) -> dict[str, list[str]]:
    """Return field → the columns that it may stand in, judged by their names, the most telling first.

    The first of them is not offered to another field. Fields of ``chosen`` (field → column) and their columns are left
    out, as are fields that no column seems to hold. ``known`` is field → names that its column goes by.
    """
    fields = dict(chosen or {})
    taken, found = {column for column in fields.values() if column}, {}
    for field, aliases in known.items():
        free = [name for name in names if name not in taken]
        fitting = [name for alias in aliases for name in free if _spelling(name) == _spelling(alias)]
        if field not in fields and fitting:
            found[field] = fitting
            taken.add(fitting[0])
    return found


def system_columns(
    path: Path, names: Sequence[str], mapping: Mapping[str, str] | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return field → column, and sentences about columns that were chosen among several.

    Raises what ``chosen_columns`` raises, and ``InputError`` where answers, or both questions and their ids, are
    missing.
    """
    of_field, notes = chosen_columns(path, names, mapping, SYSTEM_FIELDS)
    missing = [] if "answer" in of_field else ["answer"]
    if not {"id", "question"} & of_field.keys():
        missing.append("question")
    if missing:
        options = " ".join(f"--map {field}=COLUMN" for field in missing)
        raise InputError(
            f"{path} has no column for {' and '.join(repr(field) for field in missing)} among {listed(names)}; "
            f"say which column holds it with `import {path.name} --as-system DATASET {options}`."
        )
    return of_field, notes


def chosen_columns(
    path: Path, names: Sequence[str], mapping: Mapping[str, str] | None, known: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return field → column, and sentences about columns that were chosen among several.

    ``mapping`` is field → column, "" for a field that is in none, and wins over the guess by name, for which ``known``
    is field → names that its column goes by. Raises ``OptionError`` for a field that does not exist, ``InputError`` for
    a column that does not.
    """
    chosen = dict(mapping or {})
    for field, column in chosen.items():
        if field not in known:
            raise OptionError(f"--map {field}={column}: there is no field '{field}'; {suggestion(field, known)}.")
        if column and column not in names:
            raise InputError(
                f"{path} has no column '{column}' for --map {field}={column}; the columns are {listed(names)}."
            )
    of_field, notes = {field: column for field, column in chosen.items() if column}, []
    for field, found in guess_fields(names, chosen, known).items():
        of_field[field] = found[0]
        if found[1:]:
            notes.append(
                f"The {field} was read from column '{found[0]}', not from {listed(found[1:])}; "
                f"choose by --map {field}=COLUMN."
            )
    return of_field, tuple(notes)


def given_contexts(place: Place, column: str, value: object) -> list[GivenContext]:
    """Return the contexts of a cell in their order; blank ones keep their place, which citations count.

    A cell is empty, one text, a list of texts, a list of objects with ``text`` and perhaps ``document_id``, or such a
    list written as text. Raises ``InputError`` for anything else.
    """
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, str) and (text := value.strip()).startswith("[") and text.endswith("]"):
        value = _parsed(place, column, text)
    if not isinstance(value, list):
        text = text_of(place, column, value)
        return [GivenContext(text)] if text.strip() else []
    return [_given(place, column, item) for item in value]


def given_citations(place: Place, column: str, value: object) -> list[int]:
    """Return the numbers of the contexts that an answer cites, as written.

    A cell is empty, a number, a list of numbers, or numbers written as text. Raises ``InputError`` for anything else.
    """
    if isinstance(value, list):
        return [number for item in value for number in given_citations(place, column, item)]
    numbers: list[int] = []
    for part in re.findall(r"[^\s,;\[\]]+", text_of(place, column, value)):
        number = _NUMBER.fullmatch(part)
        if number is None:
            raise place.problem(
                column, f"{excerpt(value)} is no list of numbers", "give the numbers of the contexts, such as [0, 2]"
            )
        numbers.append(int(number[1]))
    return numbers


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _parsed(place: Place, column: str, text: str) -> list[Any]:
    texts = text_list(text)
    if texts is not None:
        return list(texts)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise place.problem(
            column, f"the list {excerpt(text)} can be read neither as JSON nor as Python", "write it as a JSON list"
        ) from None
    return list(found)


def _given(place: Place, column: str, item: object) -> GivenContext:
    if item is None or isinstance(item, str):
        return GivenContext(item or "")
    if isinstance(item, dict):
        text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
        named = next((item[key] for key in _DOCUMENT_KEYS if item.get(key) not in (None, "")), None)
        if text is not None:
            return GivenContext(text, "" if named is None else id_at(place, column, named))
    raise place.problem(
        column, f"the context {excerpt(item)} is no text", "give texts, or objects with a text under 'text'"
    )
