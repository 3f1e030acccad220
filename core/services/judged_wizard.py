"""Use case *import what other tools made step by step*: files, what each is, report, storing, undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from core.datasets.importers import name_fault, stem
from core.datasets.importers.judged import FORMATS, SYSTEM_FORMATS, format_of
from core.errors import BusyError, OptionError, TrilensError
from core.services import uploads
from core.services.dataset_admin import delete
from core.services.draft_files import MOST_SKIPPED, kept
from core.services.judged_drafts import (
    DraftFile,
    FileSeen,
    JudgedChoice,
    JudgedDraft,
    JudgedReport,
    SystemSeen,
    loaded,
    saved,
)
from core.services.judged_importing import ReadCollection, read_collection, store_collection
from core.services.judged_reports import GivenFile
from core.services.roots import root_file
from core.services.workspace import workspace
from core.store.browse import runs_on
from core.store.datasets import dataset_rows

#: files of one import; more are for the command line, which takes folders
MOST_FILES = 100
HIGHEST_GRADE = 100


def upload(files: Sequence[tuple[uploads.Readable, str]]) -> JudgedDraft:
    """Keep uploads (content, name) and return what can be said of them from their first rows.

    Raises:
        OptionError: there is none, or too many.
        InputError: one is empty or too large; nothing is kept.
        StoreError: the disk is full.
    """
    _check_number(len(files))
    identifier, folder = uploads.new_folder()
    with kept(identifier):
        found = []
        for number, (stream, name) in enumerate(files):
            place = folder / str(number)
            place.mkdir()
            uploads.keep(stream, name, place)
            found.append(DraftFile(uploads.tidy_name(name)))
        return _begun(identifier, found)


def choose(files: Sequence[tuple[str, str]]) -> JudgedDraft:
    """Return the same for files (root, path) under import roots, which stay where they are.

    Raises:
        OptionError: there is none, too many, or no such root or file.
    """
    _check_number(len(files))
    found = [DraftFile(uploads.tidy_name(root_file(root, path).name), root=root, path=path) for root, path in files]
    identifier, _ = uploads.new_folder()
    with kept(identifier):
        return _begun(identifier, found)


def draft(identifier: str) -> JudgedDraft:
    """Return an import on its way, as the store is now. Raises OptionError when there is none of that id (any more)."""
    found = loaded(identifier)
    stored = _stored()
    if found.stored and found.stored not in stored:
        found = replace(found, stored="", stored_fingerprint="")
    return found


def decide(identifier: str, choice: JudgedChoice) -> JudgedDraft:
    """Set what each file is and where the files belong, whether or not they can be read so.

    Raises:
        OptionError: no such draft, or a dataset, format or grade that is not offered.
    """
    found = draft(identifier)
    if choice.dataset and choice.dataset not in _stored():
        raise OptionError(f"No dataset '{choice.dataset[:80]}' is stored here (any more): choose one of those offered.")
    if len(choice.formats) != len(found.files) or len(choice.systems) != len(found.files):
        raise OptionError("These are not the files of this import: choose the files again.")
    if not {*choice.formats} <= {"", *FORMATS}:
        raise OptionError("There is no such format: choose one of those offered.")
    if not 0 <= choice.grade <= HIGHEST_GRADE:
        raise OptionError(f"The lowest judgment that counts is a number from 0 to {HIGHEST_GRADE}.")
    return saved(replace(found, choice=choice))


def fault(found: JudgedDraft) -> str:
    """Return in a sentence what is still to be chosen before the files can be read, or ""."""
    if not any(found.choice.formats):
        return "Say of at least one file what it is."
    if not found.choice.dataset and all(one in ("", *SYSTEM_FORMATS) for one in found.choice.formats):
        return "Rankings and responses alone make no collection: choose the one they belong to, or add judgments."
    return ""


def rename(identifier: str, name: str) -> JudgedDraft:
    """Set the name of the new collection, usable or not. Raises OptionError when there is no such draft."""
    return saved(replace(draft(identifier), name=name))


def forget(identifier: str) -> JudgedDraft:
    """Forget what the last check gave, so that the next one reads the files anew. Raises OptionError as ``draft``."""
    return saved(replace(draft(identifier), report=None))


def check(identifier: str) -> JudgedReport:
    """Read all files as chosen and report on them; nothing is stored but the report.

    Raises:
        OptionError: there is no such draft.
    """
    found = draft(identifier)
    try:
        read = _read(found, found.choice.dataset or found.id)
    except TrilensError as problem:
        report = JudgedReport(found.choice, problem=_said(found, str(problem)))
    else:
        seen = read.report
        skips = ((one.line, f"{file.called}: {one.field}", one.reason) for file in seen.files for one in file.skipped)
        report = JudgedReport(
            found.choice,
            n_topics=seen.n_topics,
            n_nuggets=seen.n_nuggets,
            n_judged=seen.n_judged,
            files=tuple(
                FileSeen(
                    one.called, one.about, one.n_rows, one.n_skipped, tuple(_said(found, note) for note in one.notes)
                )
                for one in seen.files
            ),
            systems=tuple(SystemSeen(**asdict(one)) for one in seen.systems),
            skipped=tuple(one for one, _ in zip(skips, range(MOST_SKIPPED), strict=False)),
            notes=seen.notes,
            known=bool(found.choice.dataset) and seen.known and all(system.known for system in seen.systems),
            fingerprint=read.fingerprint,
        )
    # read again: what was chosen meanwhile is kept, and this report is not on it then
    saved(replace(draft(identifier), report=report))
    return report


def store(identifier: str) -> JudgedDraft:
    """Import the files as they were checked: into the chosen dataset, else as a collection of the draft's name.

    Raises:
        OptionError: no such draft, it was not checked as it is chosen now, its name cannot be used or is taken, or
            all of it is stored already.
        InputError: a file cannot be read any more.
    """
    found = draft(identifier)
    if found.stored:
        return found
    report = found.checked
    if report is None or report.problem:
        raise OptionError("The files have not been checked as they are chosen now: check them first.")
    if report.known:
        raise OptionError(f"All of it is stored already in '{found.choice.dataset}': nothing was imported.")
    name = found.choice.dataset or found.name
    if not found.choice.dataset and (wrong := name_fault(name)):
        raise OptionError(f"The name {wrong}: choose another one.")
    if not found.choice.dataset and name in _stored():
        raise OptionError(f"A dataset named '{name}' is stored already: choose another name.")
    try:
        read = _read(found, name)
    except TrilensError as problem:
        raise type(problem)(_said(found, str(problem))) from problem
    if read.fingerprint != report.fingerprint:
        raise OptionError("The files or the dataset have changed since they were checked: check them again.")
    store_collection(read)
    made = "" if found.choice.dataset else _stored()[name]
    return saved(replace(draft(identifier), stored=name, stored_fingerprint=made))


def undo(identifier: str) -> JudgedDraft:
    """Remove the collection that a draft has made, as long as no run uses it; the draft stays.

    Raises:
        OptionError: there is no such draft, it made no collection, or others have added to it since.
        BusyError: a run uses the collection.
    """
    found = draft(identifier)
    if not found.stored_fingerprint:
        raise OptionError("This import added to what was stored before: remove its systems on the dataset's page.")
    _, database = workspace()
    if used := runs_on(database, found.stored):
        raise BusyError(
            f"Run '{used[0]['title'] or used[0]['id']}' uses '{found.stored}': delete it on its page, with its runs."
        )
    if _stored().get(found.stored) != found.stored_fingerprint:
        raise OptionError(f"'{found.stored}' has been added to since: delete it on its own page.")
    delete(found.stored, fingerprint=found.stored_fingerprint, only_unused=True)
    return saved(replace(found, stored="", stored_fingerprint=""))


def _begun(identifier: str, files: Sequence[DraftFile]) -> JudgedDraft:
    looked: list[DraftFile] = []
    for number, one in enumerate(files):
        source = _source(identifier, number, one)
        one = replace(one, size=uploads.size_of(source))
        try:
            looked.append(replace(one, format=format_of(source)))
        except TrilensError as problem:
            # of one that may be of two formats a person says which; a broken one is left out unless that is chosen
            looked.append(replace(one, problem=str(problem).replace(str(source), one.called)))
    choice = JudgedChoice("", tuple(one.format for one in looked), ("",) * len(looked))
    return saved(JudgedDraft(identifier, tuple(looked), choice, name=_name(looked)))


def _name(files: Sequence[DraftFile]) -> str:
    """Return a name for a new collection: that of the file with its topics or judgments."""
    judging = [one for one in files if one.format and one.format not in SYSTEM_FORMATS]
    name = stem(Path((judging or list(files))[0].called))
    return name if not name_fault(name) else "judgments"


def _read(found: JudgedDraft, name: str) -> ReadCollection:
    if wrong := fault(found):
        raise OptionError(wrong)
    chosen = found.choice
    given = [
        GivenFile(_source(found.id, number, one), one.called, chosen.formats[number], chosen.systems[number].strip())
        for number, one in enumerate(found.files)
        if chosen.formats[number]
    ]
    documents = {row["name"]: row["n_documents"] for row in dataset_rows(workspace()[1])}
    return read_collection(
        given,
        name,
        grade=chosen.grade,
        segments=chosen.segments,
        systems_only=bool(documents.get(chosen.dataset, 0)),
    )


def _source(identifier: str, number: int, one: DraftFile) -> Path:
    """Return where a file lies. Raises OptionError when it is gone."""
    if one.root:
        return root_file(one.root, one.path)
    within = sorted(path for path in (uploads.folder_of(identifier) / str(number)).glob("*"))
    if not within:
        raise OptionError("This upload is no longer there: choose the files again.")
    return within[0]


def _said(found: JudgedDraft, sentence: str) -> str:
    """Return a reader's sentence with the files called as their owner calls them."""
    for number, one in enumerate(found.files):
        try:
            source = _source(found.id, number, one)
        except TrilensError:
            continue
        sentence = sentence.replace(str(source), one.called)
    return sentence


def _check_number(n: int) -> None:
    if not 1 <= n <= MOST_FILES:
        raise OptionError(f"Choose between 1 and {MOST_FILES} files: the command line takes whole folders.")


def _stored() -> dict[str, str]:
    """Return what the stored datasets hold, by name."""
    _, database = workspace()
    return {row["name"]: row["fingerprint"] for row in dataset_rows(database)}
