"""Use case *import another RAG's answers*: match them to a stored dataset's questions and keep them as a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.answering.refusal import is_refusal
from core.datasets.importers import Skip, stem
from core.datasets.importers.source import text_name
from core.datasets.importers.systems import read_system
from core.errors import InputError, OptionError
from core.schema import SystemAnswer
from core.services.workspace import workspace
from core.store.datasets import load_dataset
from core.store.systems import delete_system, save_system, system_rows

#: characters of a system's name: it stands in every table and figure beside "A-Seven"
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class ImportedSystem:
    """What an import gave.

    Of ``n_rows`` rows ``n_matched`` are about questions of the dataset, which has ``n_questions``; the others are
    ``skipped``. ``n_answers`` rows hold an answer, ``n_refused`` of them a refusal. ``notes`` are sentences on what was
    not taken as it stood; ``known`` says that just this was stored before.
    """

    dataset: str
    name: str
    n_rows: int
    n_matched: int
    n_questions: int
    n_answers: int
    n_refused: int
    n_contexts: int
    n_located: int
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = False


@dataclass(frozen=True)
class ReadSystem:
    """What a file holds, matched to a dataset's questions and not stored yet. ``report`` says what storing gives."""

    report: ImportedSystem
    answers: Mapping[str, SystemAnswer]
    source: str


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """A stored system: how many questions it answered, the file it came from and when."""

    dataset: str
    name: str
    n_answers: int
    source: str
    created: str


def import_system(
    source: Path, dataset: str, *, name: str | None = None, mapping: Mapping[str, str] | None = None
) -> ImportedSystem:
    """Store the answers and contexts that ``source`` holds as a system of a stored dataset.

    Every later run on the dataset has it as one more configuration, ``system:<name>``. Raises what ``read_answers`` and
    ``store_answers`` raise.
    """
    return store_answers(read_answers(source, dataset, name=name, mapping=mapping))


def read_answers(
    source: Path,
    dataset: str,
    *,
    name: str | None = None,
    mapping: Mapping[str, str] | None = None,
    called: str | None = None,
) -> ReadSystem:
    """Return what ``source`` holds for the questions of a stored dataset; nothing is stored.

    The system is called ``name``, else after the file; ``called`` is the file's name as its owner knows it, where it
    lies under another. ``mapping`` is field → column, "" for a field that is in none. Questions without a row are not
    applicable to the system, an empty answer has failed, a refusal is an answer.

    Raises:
        InputError: the file cannot be read, holds a problem, or is about other questions.
        OptionError: no such dataset, an unknown field, or a name that cannot be used.
    """
    _, store = workspace()
    stored = load_dataset(store, dataset)
    file_name = called or text_name(source)
    system = stem(Path(file_name)) if name is None else name
    if fault := name_fault(system):
        error = InputError if name is None else OptionError
        raise error(f"the system's name {system!r} {fault}: give another with --name.")
    reading = read_system(source, stored, mapping)
    answers = {question: _judged(answer) for question, answer in reading.answers.items()}
    contexts = [context for answer in answers.values() for context in answer.contexts]
    report = ImportedSystem(
        dataset=dataset,
        name=system,
        n_rows=reading.n_rows,
        n_matched=len(answers),
        n_questions=len(stored.questions),
        n_answers=sum(bool(answer.sentences) for answer in answers.values()),
        n_refused=sum(answer.refused for answer in answers.values()),
        n_contexts=len(contexts),
        n_located=sum(context.start is not None for context in contexts),
        skipped=reading.skipped,
        notes=(*reading.notes, *_missing(len(answers), len(stored.questions))),
    )
    return ReadSystem(report, answers, file_name)


def store_answers(read: ReadSystem) -> ImportedSystem:
    """Store what was read and return the report; it says ``known`` when just this is stored already.

    Raises:
        OptionError: the name is taken by other answers, or the dataset is not stored any more.
    """
    _, store = workspace()
    report = read.report
    fresh = save_system(store, report.dataset, report.name, read.answers, source=read.source)
    return replace(report, known=not fresh)


def systems(dataset: str | None = None) -> list[SystemSummary]:
    """Return the stored systems of one dataset, or of all, by name."""
    _, store = workspace()
    names = SystemSummary.__dataclass_fields__
    return [SystemSummary(**{name: row[name] for name in names}) for row in system_rows(store, dataset)]


def remove_system(dataset: str, name: str) -> None:
    """Delete a system. Scores of runs that had it stay; they cannot be resumed without it.

    Raises:
        OptionError: the dataset has no such system (any more).
    """
    _, store = workspace()
    if not delete_system(store, dataset, name):
        raise OptionError(f"dataset '{dataset}' has no system '{name}'.")


def name_fault(name: str) -> str:
    """Return what is wrong with a system's name ("is empty or …"), or ""."""
    if not name.strip() or name != name.strip():
        return "is empty or has white space at its ends"
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} characters"
    if name.startswith("-"):
        return "begins with a dash, so that commands would take it for an option"
    if "," in name or not name.isprintable():
        return "holds a comma or a character that cannot be printed"
    if name.casefold() == "none":
        return "means no system"
    return ""


def _judged(answer: SystemAnswer) -> SystemAnswer:
    return replace(answer, refused=bool(answer.sentences) and is_refusal(" ".join(answer.sentences)))


def _missing(n_matched: int, n_questions: int) -> list[str]:
    if n_matched == n_questions:
        return []
    return [
        f"questions without an answer, not scored for this system: {n_questions - n_matched:,} of {n_questions:,}; a "
        "ranking that includes it goes over the others only."
    ]
