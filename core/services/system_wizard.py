"""Use case *import another RAG's answers step by step*: dataset and file, columns, report, storing, undo."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from core.datasets.importers import stem
from core.datasets.importers.preview import preview
from core.datasets.importers.system_fields import SYSTEM_FIELDS, guess_fields
from core.errors import BusyError, InputError, OptionError, TrilensError
from core.services import uploads
from core.services.draft_files import MOST_SKIPPED, in_its_owners_words, kept, said, source_of
from core.services.roots import root_file
from core.services.system_admin import delete, runs_having
from core.services.system_drafts import SystemChoice, SystemDraft, SystemReport, loaded, saved
from core.services.system_importing import LONGEST_NAME, ReadSystem, name_fault, read_answers, store_answers
from core.services.workspace import workspace
from core.store.datasets import dataset_rows
from core.store.systems import system_fingerprint, system_rows

#: what a system is called until its owner gives it a name
_UNNAMED = "my system"


def upload(stream: uploads.Readable, name: str, dataset: str) -> SystemDraft:
    """Keep an upload that answers the questions of a stored dataset, and return what can be said of it unread.

    Raises:
        OptionError: no such dataset is stored.
        InputError: the file cannot be imported; nothing is kept.
        StoreError: the disk is full.
    """
    _check_dataset(dataset)
    identifier, folder = uploads.new_folder()
    with kept(identifier):
        uploads.keep(stream, name, folder)
        return _begun(SystemDraft(identifier, uploads.tidy_name(name), SystemChoice(dataset)))


def choose(root: str, path: str, dataset: str) -> SystemDraft:
    """Return the same for a file under an import root, which stays where it is.

    Raises:
        OptionError: there is no such dataset, root or file.
        InputError: it cannot be imported.
    """
    _check_dataset(dataset)
    called = uploads.tidy_name(root_file(root, path).name)
    identifier, _ = uploads.new_folder()
    with kept(identifier):
        return _begun(SystemDraft(identifier, called, SystemChoice(dataset), root=root, path=path))


def draft(identifier: str) -> SystemDraft:
    """Return an import on its way, as the store is now. Raises OptionError when there is none of that id (any more)."""
    found = loaded(identifier)
    if found.stored and _fingerprints(found.stored_for).get(found.stored) != found.stored_fingerprint:
        found = replace(found, stored="", stored_for="", stored_fingerprint="")
    if found.report and found.report.fingerprint:
        report = found.report
        same = [name for name, one in _fingerprints(report.choice.dataset).items() if one == report.fingerprint]
        found = replace(found, report=replace(report, known=same[0] if same else ""))
    return found


def decide(identifier: str, choice: SystemChoice) -> SystemDraft:
    """Set dataset and columns, whether or not the file can be read so; "" for a dataset that is still to be chosen.

    Raises:
        OptionError: no such draft, or a dataset, field or column that is not offered.
    """
    found = draft(identifier)
    names = {"", *(column.name for column in found.columns)}
    if choice.dataset:
        _check_dataset(choice.dataset)
    if not set(choice.mapping.values()) <= names or not set(choice.mapping) <= set(SYSTEM_FIELDS):
        raise OptionError("This file has no such field or column: choose one of those offered.")
    return saved(replace(found, choice=choice))


def fault(choice: SystemChoice) -> str:
    """Return in a sentence what is still to be chosen before the file can be read, or ""."""
    if not choice.dataset:
        return "Choose the dataset whose questions were answered."
    if not choice.mapping.get("answer"):
        return "Choose the column of the answer."
    if not (choice.mapping.get("id") or choice.mapping.get("question")):
        return "Choose the column of the question id or of the question."
    twice = [column for column, n in Counter(filter(None, choice.mapping.values())).items() if n > 1]
    if twice:
        return f"Column '{twice[0]}' is chosen more than once: leave one of them."
    return ""


def rename(identifier: str, name: str) -> SystemDraft:
    """Set the name the system will get, usable or not. Raises OptionError when there is no such draft."""
    return saved(replace(draft(identifier), name=name))


def forget(identifier: str) -> SystemDraft:
    """Forget what the last check gave, so that the next one reads the file anew. Raises OptionError as ``draft``."""
    return saved(replace(draft(identifier), report=None))


def check(identifier: str) -> SystemReport:
    """Read the whole file as chosen and report on it; nothing is stored but the report.

    Raises:
        OptionError: there is no such draft.
    """
    found = draft(identifier)
    try:
        read = _read(found)
    except TrilensError as problem:
        report = SystemReport(found.choice, problem=said(found, str(problem)))
    else:
        seen = read.report
        report = SystemReport(
            found.choice,
            n_rows=seen.n_rows,
            n_matched=seen.n_matched,
            n_questions=seen.n_questions,
            n_answers=seen.n_answers,
            n_refused=seen.n_refused,
            n_contexts=seen.n_contexts,
            n_located=seen.n_located,
            skipped=tuple((skip.line, skip.field, skip.reason) for skip in seen.skipped[:MOST_SKIPPED]),
            n_skipped=len(seen.skipped),
            notes=tuple(said(found, note) for note in seen.notes),
            fingerprint=system_fingerprint(read.answers),
        )
    # read again: what was chosen meanwhile is kept, and this report is not on it then
    saved(replace(draft(identifier), report=report))
    return report


def store(identifier: str) -> SystemDraft:
    """Import the answers as they were checked, under the draft's name.

    Raises:
        OptionError: no such draft, it was not checked as it is chosen now, its name cannot be used or is taken, or the
            same answers are stored already.
        InputError: the file cannot be read any more.
    """
    found = draft(identifier)
    if found.stored:
        return found
    report = found.checked
    if report is None or report.problem:
        raise OptionError("The file has not been checked as it is chosen now: check it first.")
    if wrong := name_fault(found.name):
        raise OptionError(f"The name {wrong}: choose another one.")
    if report.known:
        raise OptionError(f"The same answers are stored already, as '{report.known}': nothing was imported.")
    dataset = found.choice.dataset
    if found.name in _fingerprints(dataset):
        raise OptionError(f"A system named '{found.name}' with other answers is stored already: choose another name.")
    with in_its_owners_words(found):
        read = _read(found)
    if system_fingerprint(read.answers) != report.fingerprint:
        raise OptionError("The file has changed since it was checked: go back to the columns and check it again.")
    imported = store_answers(replace(read, report=replace(read.report, name=found.name)))
    return saved(
        replace(
            draft(identifier), stored=imported.name, stored_for=dataset, stored_fingerprint=report.fingerprint
        )
    )  # fmt: skip


def undo(identifier: str) -> SystemDraft:
    """Remove the system that a draft was imported as, as long as no run has it; the draft stays.

    Raises:
        OptionError: there is no such draft, or nothing that was imported from it.
        BusyError: a run has the system.
    """
    found = draft(identifier)
    if not found.stored:
        raise OptionError("Nothing that was imported from this file is stored: there is nothing to undo.")
    if runs := runs_having(found.stored_for, found.stored):
        raise BusyError(f"Run '{runs[0]}' has the system '{found.stored}': delete it on its dataset's page instead.")
    delete(found.stored_for, found.stored)
    return saved(replace(found, stored="", stored_for="", stored_fingerprint=""))


def _begun(found: SystemDraft) -> SystemDraft:
    source = source_of(found)
    with in_its_owners_words(found):
        seen = preview(source)
    if seen.format == "trilens":
        raise InputError(f"{found.called} is a Trilens folder, which holds questions: choose a table of answers.")
    guessed = guess_fields([column.name for column in seen.columns])
    mapping = {name: guessed[name][0] if name in guessed else "" for name in SYSTEM_FIELDS}
    return saved(
        replace(
            found,
            size=uploads.size_of(source),
            columns=seen.columns,
            choice=replace(found.choice, mapping=mapping),
            name=_usable(stem(Path(found.called))),
            notes=tuple(said(found, note) for note in seen.notes),
        )
    )


def _usable(name: str) -> str:
    """Return a name that a system can have, as near to ``name`` as possible."""
    tidy = "".join("-" if character == "," or not character.isprintable() else character for character in name)
    tidy = tidy.strip().lstrip("-").strip()[:LONGEST_NAME].strip()
    return _UNNAMED if name_fault(tidy) else tidy


def _read(found: SystemDraft) -> ReadSystem:
    chosen = found.choice
    if wrong := fault(chosen):
        raise OptionError(wrong)
    _check_dataset(chosen.dataset)
    # every field is said, so that none is guessed where a person chose no column
    mapping = {name: chosen.mapping.get(name, "") for name in SYSTEM_FIELDS}
    return read_answers(source_of(found), chosen.dataset, name=_UNNAMED, mapping=mapping, called=found.called)


def _check_dataset(name: str) -> None:
    _, database = workspace()
    if name not in {row["name"] for row in dataset_rows(database)}:
        raise OptionError(f"No dataset '{name[:80]}' is stored here (any more): choose one of those offered.")


def _fingerprints(dataset: str) -> dict[str, str]:
    """Return what a dataset's systems hold, by name."""
    _, database = workspace()
    return {row["name"]: row["fingerprint"] for row in system_rows(database, dataset)}
