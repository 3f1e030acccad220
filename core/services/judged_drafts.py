"""Imports of other tools' files on their way: what is chosen lies in ``judged.json`` beside the files' folders."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.services.draft_files import load_json, save_json

_FILE = "judged.json"


@dataclass(frozen=True, slots=True)
class DraftFile:
    """One of the files.

    ``called`` is its name as its owner knows it, ``size`` its bytes; one under an import root is known by ``root`` and
    ``path``, an upload has neither. ``format`` is "" for one that is left out, ``problem`` says why none was told.
    ``system`` is the system that a person named, "" for what the file says.
    """

    called: str
    size: int = 0
    format: str = ""
    problem: str = ""
    system: str = ""
    root: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class JudgedChoice:
    """What a person says of the files.

    ``dataset`` is the stored one they belong to, "" for a new collection. ``formats`` and ``systems`` are a file's
    each; ``grade`` is the lowest judgment that counts as yes, ``segments`` says that ids of parts stand for documents.
    """

    dataset: str = ""
    formats: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    grade: int = 1
    segments: bool = False


@dataclass(frozen=True, slots=True)
class FileSeen:
    """What reading one of the files gave, as ``judged_reports.FileReport`` has it."""

    called: str
    about: str
    n_rows: int
    n_skipped: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemSeen:
    """What a system has, as ``judged_reports.SystemReport`` has it."""

    name: str
    n_rankings: int
    n_answers: int
    n_refused: int
    n_labels: int
    known: bool


@dataclass(frozen=True, slots=True)
class JudgedReport:
    """What reading the files with ``choice`` gave: ``problem`` says in a sentence what stopped it, "" when nothing.

    ``skipped`` holds (line, file and field, reason) of the first 100 rows that were left out. ``known`` says that all
    of it is stored already.
    """

    choice: JudgedChoice
    problem: str = ""
    n_topics: int = 0
    n_nuggets: int = 0
    n_judged: int = 0
    files: tuple[FileSeen, ...] = ()
    systems: tuple[SystemSeen, ...] = ()
    skipped: tuple[tuple[int, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = False
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class JudgedDraft:
    """An import on its way.

    ``stored`` is the name of the collection or dataset that the files were imported into, "" before and after an undo;
    ``stored_fingerprint`` is its content where the import made it, "" where it was there before.
    """

    id: str
    files: tuple[DraftFile, ...]
    choice: JudgedChoice
    name: str = ""
    report: JudgedReport | None = None
    stored: str = ""
    stored_fingerprint: str = ""

    @property
    def checked(self) -> JudgedReport | None:
        """The report on the present choice, None where there is none yet."""
        return self.report if self.report and self.report.choice == self.choice else None


def saved(draft: JudgedDraft) -> JudgedDraft:
    """Write a draft, whole or not at all, and return it.

    Raises:
        OptionError: its folder is no longer there.
        StoreError: the disk is full.
    """
    save_json(draft.id, _FILE, asdict(draft))
    return draft


def loaded(identifier: str) -> JudgedDraft:
    """Return a draft. Raises OptionError when there is none of that id (any more)."""
    return load_json(identifier, _FILE, _draft)


def _draft(values: dict[str, Any]) -> JudgedDraft:
    changed = {
        "files": tuple(DraftFile(**one) for one in values["files"]),
        "choice": _choice(values["choice"]),
        "report": _report(values["report"]),
    }
    return JudgedDraft(**{**values, **changed})


def _choice(values: dict[str, Any]) -> JudgedChoice:
    return JudgedChoice(**{**values, "formats": tuple(values["formats"]), "systems": tuple(values["systems"])})


def _report(values: dict[str, Any] | None) -> JudgedReport | None:
    if values is None:
        return None
    changed = {
        "choice": _choice(values["choice"]),
        "files": tuple(FileSeen(**{**one, "notes": tuple(one["notes"])}) for one in values["files"]),
        "systems": tuple(SystemSeen(**one) for one in values["systems"]),
        "skipped": tuple((line, name, reason) for line, name, reason in values["skipped"]),
        "notes": tuple(values["notes"]),
    }
    return JudgedReport(**{**values, **changed})
