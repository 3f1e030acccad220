"""Use case *import step by step*: choose a file, say what its columns hold, see what that gives, store it, undo it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.datasets.importers import ImportResult, name_fault, read_dataset, stem
from core.datasets.importers.columns import ALIASES
from core.datasets.importers.preview import REQUIRED, preview
from core.datasets.validation import labels, warnings
from core.errors import BusyError, OptionError, TrilensError
from core.services import uploads
from core.services.dataset_admin import delete
from core.services.draft_files import MOST_SKIPPED, in_its_owners_words, kept, said, source_of
from core.services.drafts import Choice, Draft, Report, loaded, saved
from core.services.importing import is_new_card, own_card, put_card, source_hash, store_result
from core.services.roots import root_file
from core.services.workspace import workspace
from core.store.browse import runs_on
from core.store.datasets import dataset_fingerprint, dataset_of_fingerprint, dataset_rows


def upload(stream: uploads.Readable, name: str) -> Draft:
    """Keep an upload and return what can be said of it before it is read.

    Raises:
        InputError: it cannot be imported; nothing is kept.
        StoreError: the disk is full.
    """
    identifier, folder = uploads.new_folder()
    with kept(identifier):
        uploads.keep(stream, name, folder)
        return _begun(Draft(identifier, uploads.tidy_name(name)))


def choose(root: str, path: str) -> Draft:
    """Return the same for a file under an import root, which stays where it is.

    Raises:
        OptionError: there is no such root or file.
        InputError: it cannot be imported.
    """
    called = uploads.tidy_name(root_file(root, path).name)
    identifier, _ = uploads.new_folder()
    with kept(identifier):
        return _begun(Draft(identifier, called, root=root, path=path))


def draft(identifier: str) -> Draft:
    """Return an import on its way, as the store is now. Raises OptionError when there is none of that id (any more)."""
    found = loaded(identifier)
    _, store = workspace()
    stored = {row["name"]: row["fingerprint"] for row in dataset_rows(store)}
    if found.stored and stored.get(found.stored) != found.stored_fingerprint:
        found = replace(found, stored="", stored_fingerprint="")
    if found.report:
        known = dataset_of_fingerprint(store, found.report.fingerprint) or ""
        new_card = bool(known) and is_new_card(known, found.report.card)
        found = replace(found, report=replace(found.report, known=known, new_card=new_card))
    return found


def decide(identifier: str, choice: Choice) -> Draft:
    """Set format and columns, whether or not they can be read; ``check`` says what is wrong with them.

    Raises:
        OptionError: no such draft, or a format, field or column that it does not have.
    """
    found = draft(identifier)
    names = {"", *(column.name for column in found.columns)}
    if choice.format not in found.formats:
        raise OptionError(f"This file cannot be read as '{choice.format[:80]}': choose another format.")
    if not {*choice.mapping.values(), *choice.categories} <= names or not set(choice.mapping) <= set(ALIASES):
        raise OptionError("This file has no such field or column: choose one of those offered.")
    return saved(replace(found, choice=choice))


def rename(identifier: str, name: str) -> Draft:
    """Set the name the dataset will get, usable or not. Raises OptionError when there is no such draft."""
    return saved(replace(draft(identifier), name=name))


def forget(identifier: str) -> Draft:
    """Forget what the last check gave, so that the next one reads the file anew. Raises OptionError as ``draft``."""
    return saved(replace(draft(identifier), report=None))


def check(identifier: str) -> Report:
    """Read the whole file as chosen and report on it; nothing is stored but the report.

    Raises:
        OptionError: there is no such draft.
    """
    found = draft(identifier)
    try:
        result = _read(found)
    except TrilensError as problem:
        report = Report(found.choice, problem=said(found, str(problem)))
    else:
        report = Report(
            found.choice,
            labels=labels(result.dataset),
            skipped=tuple((skip.line, skip.field, skip.reason) for skip in result.skipped[:MOST_SKIPPED]),
            n_skipped=len(result.skipped),
            notes=tuple(said(found, note) for note in result.notes),
            warnings=tuple(str(warning) for warning in warnings(result.dataset)),
            fingerprint=dataset_fingerprint(result.dataset),
            card=own_card(result),
        )
    # read again: what was chosen meanwhile is kept, and this report is not on it then
    saved(replace(draft(identifier), report=report))
    return report


def store(identifier: str) -> Draft:
    """Import the file as it was checked, under the draft's name.

    Raises:
        OptionError: no such draft, it was not checked as it is chosen now, its name cannot be used or is taken, or the
            same content is stored already.
        InputError: the file cannot be read any more.
    """
    found = draft(identifier)
    if found.stored:
        return found
    report = _checked(found)
    if fault := name_fault(found.name):
        raise OptionError(f"The name {fault}: choose another one.")
    _, database = workspace()
    if report.known:
        raise OptionError(f"The same content is stored already, as '{report.known}': nothing was imported.")
    if found.name in {row["name"] for row in dataset_rows(database)}:
        raise OptionError(f"A dataset named '{found.name}' with other content is stored already: choose another name.")
    result, digest = _read_again(found, report)
    imported = store_result(result, found.name, found.called, digest)
    return saved(replace(draft(identifier), stored=imported.name, stored_fingerprint=report.fingerprint))


def take_card(identifier: str) -> str:
    """Replace the card of the dataset that holds the same content by the file's, and return the dataset's name.

    Raises:
        OptionError: no such draft, it was not checked as it is chosen now, or no dataset has the same content and
            another card (any more).
        InputError: the file cannot be read any more.
    """
    found = draft(identifier)
    report = _checked(found)
    result, digest = _read_again(found, report)
    if not report.known or not put_card(report.known, result, found.called, digest):
        raise OptionError("No stored dataset has the same content and another card: nothing was changed.")
    return report.known


def undo(identifier: str) -> Draft:
    """Remove the dataset that a draft was imported as, as long as no run uses it; the draft stays.

    Raises:
        OptionError: there is no such draft, or nothing that was imported from it.
        BusyError: a run uses the dataset.
    """
    found = draft(identifier)
    if not found.stored:
        raise OptionError("Nothing that was imported from this file is stored: there is nothing to undo.")
    _, database = workspace()
    if used := runs_on(database, found.stored):
        raise BusyError(
            f"Run '{used[0]['title'] or used[0]['id']}' uses dataset '{found.stored}': delete it on its own page, with "
            "its runs."
        )
    delete(found.stored, fingerprint=found.stored_fingerprint, only_unused=True)
    return saved(replace(found, stored="", stored_fingerprint=""))


def _begun(found: Draft) -> Draft:
    source = source_of(found)
    with in_its_owners_words(found):
        seen = preview(source)
    return saved(
        replace(
            found,
            size=uploads.size_of(source),
            formats=seen.formats,
            columns=seen.columns,
            choice=Choice(seen.format, {one: seen.mapping.get(one, "") for one in ALIASES}, seen.categories),
            name=_usable(seen.name or stem(Path(found.called.removesuffix(".zip")))),
            notes=tuple(said(found, note) for note in seen.notes),
        )
    )


def _checked(found: Draft) -> Report:
    report = found.checked
    if report is None or report.problem:
        raise OptionError("The file has not been checked as it is chosen now: check it first.")
    return report


def _read_again(found: Draft, report: Report) -> tuple[ImportResult, str]:
    """Return what the file holds, which is what was checked, and the digest of its source."""
    chosen = found.choice
    with in_its_owners_words(found):
        result = _read(found)
        digest = source_hash(
            source_of(found), chosen.format, found.name, chosen.mapping, chosen.categories, found.called
        )
    if dataset_fingerprint(result.dataset) != report.fingerprint:
        raise OptionError("The file has changed since it was checked: go back to the columns and check it again.")
    return result, digest


def _usable(name: str) -> str:
    """Return a name that a dataset can have, as near to ``name`` as possible."""
    tidy = "".join("-" if character in "/\\" or not character.isprintable() else character for character in name)
    tidy = tidy.strip().lstrip("-").strip()[:60].strip()
    return "dataset" if name_fault(tidy) else tidy


def _read(found: Draft) -> ImportResult:
    chosen = found.choice
    missing = [one for one in REQUIRED.get(chosen.format, ()) if not chosen.mapping.get(one)]
    if missing:
        raise OptionError(f"No column is chosen for {' and '.join(missing)}: choose one.")
    return read_dataset(
        source_of(found),
        format=chosen.format,
        name="dataset" if name_fault(found.name) else found.name,
        mapping=chosen.mapping if found.is_mapped else None,
        categories=chosen.categories if found.is_mapped else None,
        called=found.called,
    )
