"""Imports on their way: what is chosen of a file lies in ``draft.json`` beside it, so that a refresh loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.datasets.importers.preview import REQUIRED, Column
from core.services.draft_files import load_json, save_json

_FILE = "draft.json"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person says of a file: its format, the column of each field ("" for none), the category columns."""

    format: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What reading a file with ``choice`` gave: ``problem`` says in a sentence what stopped it, "" when nothing.

    ``labels`` is as ``validation.labels`` returns it; ``skipped`` holds (line, field, reason) of the first 100 of
    ``n_skipped`` rows that were left out; ``known`` is the stored dataset that holds the same already, or "".
    ``card`` is what the file says of itself, {} when nothing; ``new_card`` that ``known`` says something else.
    """

    choice: Choice
    problem: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[tuple[int, str, str], ...] = ()
    n_skipped: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fingerprint: str = ""
    known: str = ""
    card: Mapping[str, Any] = field(default_factory=dict)
    new_card: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """An import on its way.

    ``called`` is the file's name as its owner knows it, ``size`` its bytes; a file under an import root is known by
    ``root`` and ``path``, an upload has neither. ``stored`` is the name under which it was imported, with what it
    held (``stored_fingerprint``), "" before and after an undo.
    """

    id: str
    called: str
    size: int = 0
    formats: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    choice: Choice = field(default_factory=lambda: Choice(""))
    name: str = ""
    notes: tuple[str, ...] = ()
    root: str = ""
    path: str = ""
    report: Report | None = None
    stored: str = ""
    stored_fingerprint: str = ""

    @property
    def is_mapped(self) -> bool:
        """Whether the columns of its format are chosen by a person."""
        return self.choice.format in REQUIRED

    @property
    def checked(self) -> Report | None:
        """The report on the present choice, None where there is none yet."""
        return self.report if self.report and self.report.choice == self.choice else None


def saved(draft: Draft) -> Draft:
    """Write a draft, whole or not at all, and return it.

    Raises:
        OptionError: its folder is no longer there.
        StoreError: the disk is full.
    """
    save_json(draft.id, _FILE, asdict(draft))
    return draft


def loaded(identifier: str) -> Draft:
    """Return a draft. Raises OptionError when there is none of that id (any more)."""
    return load_json(identifier, _FILE, _draft)


def _draft(values: dict[str, Any]) -> Draft:
    lists = {name: tuple(values[name]) for name in ("formats", "notes")}
    columns = tuple(Column(one["name"], tuple(one["samples"])) for one in values["columns"])
    changed = {**lists, "columns": columns, "choice": _choice(values["choice"]), "report": _report(values["report"])}
    return Draft(**{**values, **changed})


def _report(values: dict[str, Any] | None) -> Report | None:
    if values is None:
        return None
    changed = {
        "choice": _choice(values["choice"]),
        "skipped": tuple((line, name, reason) for line, name, reason in values["skipped"]),
        "notes": tuple(values["notes"]),
        "warnings": tuple(values["warnings"]),
    }
    return Report(**{**values, **changed})


def _choice(values: Mapping[str, Any]) -> Choice:
    return Choice(values["format"], values["mapping"], tuple(values["categories"]))
