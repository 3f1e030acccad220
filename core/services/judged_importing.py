"""Use case *import what other tools made*: judgments become a collection, rankings and responses its systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.datasets.importers import name_fault as dataset_name_fault
from core.datasets.importers.judged import FORMATS, SYSTEM_FORMATS, JudgedFile, format_of, read_file
from core.datasets.importers.judged.questions import RELEVANT, holders, names_of, topics_of
from core.datasets.importers.judged.segments import strip_segments
from core.datasets.importers.judged.systems import systems_of
from core.datasets.importers.judged.topic_names import TopicNames
from core.datasets.importers.source import text_name
from core.datasets.language import detect_language
from core.datasets.validation import labels
from core.errors import InputError, OptionError
from core.schema import NOT_MATCHABLE, Card, Dataset, Question
from core.services.judged_reports import FileReport, GivenFile, ImportedCollection, SystemReport
from core.services.judged_systems import records_of
from core.services.workspace import workspace
from core.store.collections import SystemRecord, save_collection
from core.store.datasets import dataset_fingerprint, dataset_rows, load_dataset
from core.store.systems import system_fingerprint, system_rows

#: note of a collection's card that holds what other evaluators measured
SCORES = "scores of others"


@dataclass(frozen=True)
class ReadCollection:
    """Files joined with what is stored, and not stored yet. ``dataset`` is None where its topics stay as they are."""

    report: ImportedCollection
    dataset: Dataset | None
    systems: Mapping[str, SystemRecord]
    before: str
    source: str

    @property
    def fingerprint(self) -> str:
        """What would be stored, in short."""
        topics = "" if self.dataset is None else dataset_fingerprint(self.dataset)
        answers = {name: system_fingerprint(record.answers) for name, record in sorted(self.systems.items())}
        return f"{self.before}:{topics}:{sorted(answers.items())}"


def import_collection(
    files: Sequence[GivenFile], name: str, *, grade: int = 1, segments: bool = False, systems_only: bool = False
) -> ImportedCollection:
    """Read files into the collection of this name, and store it; the arguments are those of ``read_collection``."""
    return store_collection(
        read_collection(files, name, grade=grade, segments=segments, systems_only=systems_only)
    )  # fmt: skip


def read_collection(
    files: Sequence[GivenFile], name: str, *, grade: int = 1, segments: bool = False, systems_only: bool = False
) -> ReadCollection:
    """Return what files give for the collection of this name, which may be stored; nothing is stored.

    ``grade`` is the lowest judgment that counts as yes, ``segments`` says that ids of parts (``doc#5``) stand for their
    documents. With ``systems_only`` the name is that of a stored dataset of any kind, whose questions stay as they are.

    Raises:
        InputError: a file cannot be read or says something else than another; nothing can be told of any of them.
        OptionError: a name that cannot be used, or a dataset that takes no judgments.
    """
    _, store = workspace()
    stored = {row["name"]: row["fingerprint"] for row in dataset_rows(store)}
    base = load_dataset(store, name) if name in stored else None
    _check_target(name, base, systems_only)
    reports, read = _read(files, grade, segments)
    questions, names = _topics(base, read, systems_only)
    dataset = None if systems_only else _dataset(name, base, questions, read)
    given = systems_of(
        questions,
        names,
        read,
        known=[row["name"] for row in system_rows(store, name)],
        documents={one.id: one for one in base.documents} if base and base.documents else None,
    )
    records, systems = records_of(name, given, read, questions)
    changed = dataset is not None and (base is None or dataset_fingerprint(dataset) != stored[name])
    report = ImportedCollection(
        name=name,
        files=tuple(_with_found(report, read) for report in reports),
        n_topics=len(questions),
        n_nuggets=sum(nugget.id != RELEVANT for question in questions for nugget in question.nuggets),
        n_judged=sum(len(question.judged) for question in questions),
        systems=systems,
        notes=tuple(_notes(questions, systems)),
        known=not changed,
    )
    source = ", ".join(one.called for one in read)
    return ReadCollection(report, dataset if changed else None, records, stored.get(name, ""), source)


def store_collection(read: ReadCollection) -> ImportedCollection:
    """Store what was read, all of it or nothing, and return the report.

    Raises:
        OptionError: the collection has changed since, or a run was made with what would be replaced.
    """
    _, store = workspace()
    save_collection(
        store,
        read.report.name,
        read.dataset,
        read.systems,
        before=read.before,
        labels=labels(read.dataset) if read.dataset else {},
        source=read.source,
        source_hash="",
        format="judged",
    )
    return read.report


def _check_target(name: str, base: Dataset | None, systems_only: bool) -> None:
    if systems_only and base is None:
        raise OptionError(f"no dataset named '{name}' is stored: import it first.")
    if not systems_only and base is not None and base.documents:
        raise OptionError(
            f"'{name}' is a dataset with documents of its own, to which no judgments are added: give another "
            f"--collection, or --as-system {name} for rankings and responses."
        )
    if fault := dataset_name_fault(name):
        raise OptionError(f"The collection's name {name!r} {fault}: choose another.")


def _read(files: Sequence[GivenFile], grade: int, segments: bool) -> tuple[list[FileReport], list[JudgedFile]]:
    reports: list[FileReport] = []
    read: list[JudgedFile] = []
    for given in files:
        called = given.called or text_name(given.path)
        one = read_file(given.path, format=given.format, called=called, system=given.system, grade=grade)
        if one is None:
            reports.append(FileReport(called, "", "left out: nothing in it tells one of the formats"))
            continue
        if segments:
            strip_segments(one.found)
        read.append(one)
        reports.append(FileReport(called, one.format, FORMATS[one.format]))
    if not read:
        which = reports[0].called if len(reports) == 1 else "None of the files"
        raise InputError(
            f"{which}: the format cannot be told from what is in it; say it with --read FILE=FORMAT (formats: "
            f"{', '.join(FORMATS)})."
        )
    return reports, read


def _topics(
    base: Dataset | None, read: Sequence[JudgedFile], systems_only: bool
) -> tuple[tuple[Question, ...], TopicNames]:
    questions = base.questions if base else ()
    if systems_only:
        judging = [one.called for one in read if one.found.held or one.found.relevant]
        if judging:
            raise OptionError(f"{judging[0]} holds judgments and no system: import it with --collection NAME.")
        return questions, names_of(questions)
    joined, names = topics_of(questions, read)
    if not joined:
        raise InputError(
            "None of the files holds judgments or nuggets, which a collection is made of: add them, or name a stored "
            "dataset with --as-system."
        )
    return joined, names


def _dataset(name: str, base: Dataset | None, questions: tuple[Question, ...], read: Sequence[JudgedFile]) -> Dataset:
    if base is not None:
        notes = {**base.card.notes, **_scores(base.card.notes, read)}
        return Dataset(replace(base.card, notes=notes), (), questions)
    wording = " ".join(nugget.text for question in questions for nugget in question.nuggets[:3])
    card = Card(
        name,
        title=name,
        description=f"A judged collection: {len(questions):,} topics with what others judged of them.",
        language=detect_language(wording),
        source=", ".join(one.called for one in read),
        notes=_scores({}, read),
    )
    return Dataset(card, (), questions)


def _scores(before: Mapping[str, Any], read: Sequence[JudgedFile]) -> dict[str, Any]:
    """Return the card's note of what other evaluators measured: by file and measure, the mean over its topics."""
    told = dict(before.get(SCORES, {}))
    for one in read:
        for by_measure in one.found.scores.values():
            told[one.called] = {
                measure: (
                    f"{values['all']:g} (as the file says)"
                    if "all" in values
                    else f"{sum(values.values()) / len(values):.4f} (mean of {len(values)} topics)"
                )
                for measure, values in by_measure.items()
            }
    return {SCORES: told} if told else {}


def _with_found(report: FileReport, read: Sequence[JudgedFile]) -> FileReport:
    """Complete a file's report by what joining has told of it."""
    found = next((one.found for one in read if one.called == report.called and one.format == report.format), None)
    if found is None:
        return report
    return replace(
        report,
        n_rows=found.n_rows,
        n_skipped=found.n_skipped,
        skipped=tuple(found.skipped),
        notes=tuple(found.notes),
    )


def _notes(questions: Sequence[Question], systems: Sequence[SystemReport]) -> list[str]:
    reasons: dict[str, int] = {}
    for question in questions:
        if reason := question.meta.get(NOT_MATCHABLE):
            reasons[str(reason)] = reasons.get(str(reason), 0) + 1
    notes = [f"topics of which only rankings can be scored, {n:,}: of each, {reason}." for reason, n in reasons.items()]
    nuggets = [nugget for question in questions for nugget in question.nuggets]
    bare = sum(not holders(nugget) for nugget in nuggets)
    if bare and any(question.judged for question in questions):
        notes.append(f"nuggets that no judged document holds: {bare:,}.")
    if systems and not any(question.judged for question in questions):
        notes.append("no document was judged, so that neither rankings nor citations can be scored; add judgments.")
    return notes


def holds_a_system(source: Path) -> bool:
    """Return whether a file is a ranking, responses or labels in a form of another evaluation tool."""
    try:
        return format_of(source) in SYSTEM_FORMATS
    except InputError:
        # whoever reads it then says what is wrong with it
        return False
