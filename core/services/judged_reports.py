"""What an import of other tools' files is given, and what it says of each file, each system and the whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers import Skip


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file to be read: what its owner calls it, the format and the system that a person named, "" for neither."""

    path: Path
    called: str = ""
    format: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class FileReport:
    """What reading a file gave: its format ("" for a file of none, which was left out), rows read and left out."""

    called: str
    format: str
    about: str
    n_rows: int = 0
    n_skipped: int = 0
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What a system has after the import: topics ranked, answered (refused among them), labels; ``known`` as before."""

    name: str
    n_rankings: int
    n_answers: int
    n_refused: int
    n_labels: int
    known: bool = False


@dataclass(frozen=True, slots=True)
class ImportedCollection:
    """What an import gives: the collection's size, its systems that the files are about, and a report a file.

    ``known`` says that the topics were stored before just so, ``n_judged`` counts (topic, document) pairs.
    """

    name: str
    files: tuple[FileReport, ...]
    n_topics: int
    n_nuggets: int
    n_judged: int
    systems: tuple[SystemReport, ...]
    notes: tuple[str, ...] = ()
    known: bool = False
