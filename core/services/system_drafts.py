"""Imports of a system's answers on their way: what is chosen lies in ``answers.json`` beside the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.datasets.importers.preview import Column
from core.services.draft_files import load_json, save_json

_FILE = "answers.json"


@dataclass(frozen=True, slots=True)
class SystemChoice:
    """What a person says of a file: the dataset whose questions it answers, the column of each field ("" for none)."""

    dataset: str
    mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What reading a file with ``choice`` gave: ``problem`` says in a sentence what stopped it, "" when nothing.

    The numbers are those of ``ImportedSystem``; ``skipped`` holds (line, field, reason) of the first 100 of
    ``n_skipped`` rows. ``known`` is the dataset's system that holds the same answers already, or "".
    """

    choice: SystemChoice
    problem: str = ""
    n_rows: int = 0
    n_matched: int = 0
    n_questions: int = 0
    n_answers: int = 0
    n_refused: int = 0
    n_contexts: int = 0
    n_located: int = 0
    skipped: tuple[tuple[int, str, str], ...] = ()
    n_skipped: int = 0
    notes: tuple[str, ...] = ()
    fingerprint: str = ""
    known: str = ""


@dataclass(frozen=True, slots=True)
class SystemDraft:
    """An import of answers on its way.

    ``called`` is the file's name as its owner knows it, ``size`` its bytes; a file under an import root is known by
    ``root`` and ``path``, an upload has neither. ``stored`` is the name under which the answers were imported, for
    the dataset ``stored_for`` and with the content ``stored_fingerprint``; all "" before and after an undo.
    """

    id: str
    called: str
    choice: SystemChoice
    size: int = 0
    columns: tuple[Column, ...] = ()
    name: str = ""
    notes: tuple[str, ...] = ()
    root: str = ""
    path: str = ""
    report: SystemReport | None = None
    stored: str = ""
    stored_for: str = ""
    stored_fingerprint: str = ""

    @property
    def checked(self) -> SystemReport | None:
        """The report on the present choice, None where there is none yet."""
        return self.report if self.report and self.report.choice == self.choice else None


def saved(draft: SystemDraft) -> SystemDraft:
    """Write a draft, whole or not at all, and return it.

    Raises:
        OptionError: its folder is no longer there.
        StoreError: the disk is full.
    """
    save_json(draft.id, _FILE, asdict(draft))
    return draft


def loaded(identifier: str) -> SystemDraft:
    """Return a draft. Raises OptionError when there is none of that id (any more)."""
    return load_json(identifier, _FILE, _draft)


def _draft(values: dict[str, Any]) -> SystemDraft:
    changed = {
        "choice": SystemChoice(**values["choice"]),
        "columns": tuple(Column(one["name"], tuple(one["samples"])) for one in values["columns"]),
        "notes": tuple(values["notes"]),
        "report": _report(values["report"]),
    }
    return SystemDraft(**{**values, **changed})


def _report(values: dict[str, Any] | None) -> SystemReport | None:
    if values is None:
        return None
    changed = {
        "choice": SystemChoice(**values["choice"]),
        "skipped": tuple((line, name, reason) for line, name, reason in values["skipped"]),
        "notes": tuple(values["notes"]),
    }
    return SystemReport(**{**values, **changed})
