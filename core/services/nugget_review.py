"""Use case *review nuggets in a table*: proposals, changes page by page, a dataset of what is kept, undo."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from core.datasets.importers import name_fault
from core.datasets.importers.nugget_table import numbered
from core.datasets.validation import labels
from core.errors import BusyError, OptionError
from core.figures.notation import count
from core.schema import Importance
from core.services import uploads
from core.services.dataset_admin import delete
from core.services.draft_files import kept
from core.services.nugget_creating import FORMAT, offline_facts, with_nuggets, without_nuggets
from core.services.nugget_drafts import (
    AskedQuestion,
    NuggetDraft,
    NuggetPage,
    NuggetRow,
    NuggetTally,
    load_draft,
    load_page,
    load_pages,
    save_draft,
    save_page,
    tally,
)
from core.services.workspace import workspace
from core.store.browse import runs_on
from core.store.datasets import dataset_rows, load_dataset, save_dataset

#: questions on a page: a hundred rows or so
PAGE_SIZE = 25
#: characters of a nugget; a longer one is no atomic fact
LONGEST_NUGGET = 1_000
IMPORTANCE: tuple[Importance, ...] = ("vital", "okay")


def begin(dataset: str) -> NuggetDraft:
    """Propose nuggets for a stored dataset by surface rules, a kept and vital one a fact of the reference answers.

    Raises:
        OptionError: no such dataset, or nothing to take facts from.
        StoreError: the disk is full; nothing is kept.
    """
    _, store = workspace()
    fingerprint = _stored().get(dataset, "")
    found = load_dataset(store, dataset)
    wanted = without_nuggets(found, dataset)
    facts = offline_facts(found, wanted)
    n_pages = math.ceil(len(wanted) / PAGE_SIZE)
    identifier, _ = uploads.new_folder()
    with kept(identifier):
        for number in range(1, n_pages + 1):
            asked = wanted[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
            rows = (NuggetRow(one.id, fact, proposed=fact) for one in asked for fact in facts[one.id])
            questions = tuple(AskedQuestion(one.id, one.question, one.answer) for one in asked)
            save_page(identifier, NuggetPage(number, n_pages, questions, tuple(rows)))
        return save_draft(NuggetDraft(identifier, dataset, fingerprint, len(wanted), n_pages, name=_free_name(dataset)))


def under_way(dataset: str, fingerprint: str) -> str:
    """Return the review (its id) of a dataset with this content that was touched last and is not saved, "" for none."""
    for identifier in uploads.reviews():
        # one may be discarded while they are looked through
        with contextlib.suppress(OptionError):
            found = draft(identifier)
            if (found.dataset, found.fingerprint, found.stored) == (dataset, fingerprint, ""):
                return identifier
    return ""


def draft(identifier: str) -> NuggetDraft:
    """Return a review, as the store is now. Raises OptionError when there is none of that id (any more)."""
    found = load_draft(identifier)
    if found.stored and _stored().get(found.stored) != found.stored_fingerprint:
        found = replace(found, stored="", stored_fingerprint="")
    return found


def page(identifier: str, number: int) -> NuggetPage:
    """Return the page nearest to ``number``, which counts as seen from now on. Raises OptionError as ``draft``."""
    found = load_page(load_draft(identifier), number)
    if not found.seen:
        found = replace(found, seen=True)
        save_page(identifier, found)
    return found


def progress(identifier: str) -> NuggetTally:
    """Return what the review has made so far. Raises OptionError as ``draft``."""
    return tally(load_draft(identifier))


def change(identifier: str, number: int, changes: Mapping[int, Mapping[str, Any]]) -> None:
    """Change rows of a page: row (from 0) → field ("text", "importance", "keep") → its value.

    A text may be empty until the nuggets are saved. What is changed already is not written again.

    Raises:
        OptionError: there is no such review, row, field or importance, or a text is too long; nothing is changed.
    """
    found = load_page(load_draft(identifier), number)
    rows = list(found.rows)
    for at, values in changes.items():
        if not 0 <= at < len(rows):
            raise OptionError("This page has no such row (any more): load the page again.")
        rows[at] = replace(rows[at], **{name: _value(name, value) for name, value in values.items()})
    if tuple(rows) != found.rows:
        save_page(identifier, replace(found, rows=tuple(rows)))


def add(identifier: str, number: int, question: str, text: str) -> None:
    """Add a vital nugget after the others of a question of this page.

    Raises:
        OptionError: there is no such review or question on the page, or the text is empty or too long.
    """
    found = load_page(load_draft(identifier), number)
    text = _value("text", text)
    if not text:
        raise OptionError("The new nugget has no text: write the fact that a full answer needs.")
    order = [one.id for one in found.questions]
    if question not in order:
        raise OptionError("This page has no such question: choose one of those offered.")
    rows = sorted((*found.rows, NuggetRow(question, text)), key=lambda row: order.index(row.question))
    save_page(identifier, replace(found, rows=tuple(rows), version=found.version + 1))


def put_back(identifier: str, number: int) -> None:
    """Make a page what was proposed: what was added goes, what was changed or dropped comes back.

    Raises:
        OptionError: there is no such review.
    """
    found = load_page(load_draft(identifier), number)
    rows = tuple(NuggetRow(row.question, row.proposed, proposed=row.proposed) for row in found.rows if row.proposed)
    save_page(identifier, replace(found, rows=rows, version=found.version + 1))


def rename(identifier: str, name: str) -> NuggetDraft:
    """Set the name of the new dataset, usable or not. Raises OptionError as ``draft``."""
    return save_draft(replace(draft(identifier), name=name))


def store(identifier: str) -> NuggetDraft:
    """Save a dataset with the nuggets that are kept, under the review's name; its card says where they come from.

    Raises:
        OptionError: no such review, its dataset is another one now, nothing is kept, a kept nugget has no text, or the
            name cannot be used or is taken.
    """
    found = draft(identifier)
    if found.stored:
        return found
    _, database = workspace()
    stored = _stored()
    if stored.get(found.dataset) != found.fingerprint:
        raise OptionError(
            f"'{found.dataset}' is no longer what these nuggets were proposed for: discard them and propose anew."
        )
    if wrong := name_fault(found.name):
        raise OptionError(f"The name {wrong}: choose another one.")
    if found.name in stored:
        raise OptionError(f"A dataset named '{found.name}' is stored already: choose another name.")
    pages = load_pages(found)
    texts = _kept_texts(pages)
    dataset = load_dataset(database, found.dataset)
    made = with_nuggets(dataset, found.dataset, numbered(texts), _derived(found, tally(found)))
    save_dataset(
        database, made, source=found.dataset, source_hash="", format=FORMAT, labels=labels(made), name=found.name
    )
    return save_draft(replace(found, stored=found.name, stored_fingerprint=_stored()[found.name]))


def undo(identifier: str) -> NuggetDraft:
    """Remove the dataset that a review was saved as, as long as no run uses it; the review stays.

    Raises:
        OptionError: there is no such review, or nothing that was saved from it.
        BusyError: a run uses the dataset.
    """
    found = draft(identifier)
    if not found.stored:
        raise OptionError("Nothing that was saved from this review is stored: there is nothing to undo.")
    _, database = workspace()
    if used := runs_on(database, found.stored):
        raise BusyError(
            f"Run '{used[0]['title'] or used[0]['id']}' uses '{found.stored}': delete it on its page, with its runs."
        )
    delete(found.stored, fingerprint=found.stored_fingerprint, only_unused=True)
    return save_draft(replace(found, stored="", stored_fingerprint=""))


def discard(identifier: str) -> None:
    """Delete a review with all that was changed in it; a dataset that was saved from it stays."""
    uploads.remove(identifier)


def _value(name: str, value: Any) -> Any:
    """Return a cell as a row keeps it: what the browser sent is checked here."""
    if name == "text":
        text = " ".join(str(value or "").split())
        if len(text) > LONGEST_NUGGET:
            raise OptionError(f"A nugget is longer than {LONGEST_NUGGET:,} characters: write one fact, in a sentence.")
        return text
    if name == "importance":
        if value not in IMPORTANCE:
            raise OptionError("A nugget is either vital or okay: choose one of the two.")
        return value
    if name == "keep":
        return bool(value)
    raise OptionError("This table has no such column to change: load the page again.")


def _kept_texts(pages: list[NuggetPage]) -> dict[str, dict[str, Importance]]:
    """Return the importance of each kept text by question id; one that is kept twice counts once."""
    texts: dict[str, dict[str, Importance]] = {}
    for one in pages:
        for row in one.rows:
            if row.keep and not row.text:
                raise OptionError(
                    f"A nugget of question '{row.question[:80]}' on page {one.number:,} has no text: write one, or "
                    "take its tick away."
                )
            if row.keep:
                texts.setdefault(row.question, {}).setdefault(row.text, row.importance)
    if not texts:
        n_rows = sum(len(one.rows) for one in pages)
        raise OptionError(f"None of the {n_rows:,} nuggets is kept: keep at least one.")
    return texts


def _derived(found: NuggetDraft, counted: NuggetTally) -> str:
    return (
        "derived from the reference answers by surface rules and reviewed in the browser: "
        f"{counted.n_seen:,} of {found.n_questions:,} questions looked at, "
        f"{count(counted.n_rows - counted.n_kept, 'nugget')} dropped, {counted.n_changed:,} rewritten or added"
    )


def _free_name(dataset: str) -> str:
    """Return a name for the new dataset that is not taken, where there is a usable one."""
    taken = _stored()
    names = chain([f"{dataset}-nuggets"], (f"{dataset}-nuggets-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _stored() -> dict[str, str]:
    """Return what the stored datasets hold, by name."""
    _, database = workspace()
    return {row["name"]: row["fingerprint"] for row in dataset_rows(database)}
