"""Use case *rate on a sheet*: items for one rater as XLSX or CSV, and the scores back, each row checked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from core.errors import InputError, OptionError
from core.people.answers import answer_problem, checked_note
from core.people.records import Study
from core.people.roles import Actor, require
from core.people.rows import assignment_of, item_of, study_of
from core.services import study_sheet_files as sheets
from core.services.annotating import order_of
from core.services.workspace import workspace
from core.store import people as rows
from core.store.database import Store
from core.store.people_presses import Pressed, press, save_note
from core.store.people_queue import assign_many, assignment_of_id

SheetFormat = Literal["xlsx", "csv"]
#: seconds a sheet's items stay in the rater's hands where the study has no deadline
LEASE = 30 * 24 * 3600.0
MOST_ITEMS, LARGEST = 2_000, 20_000_000


@dataclass(frozen=True, slots=True)
class SheetReport:
    """What an import came to: rows ``saved``, stored before with the same answer (``known``), and left ``empty``.

    ``faults`` are the rows (as the spreadsheet counts them) that were not saved, each with one sentence.
    """

    saved: int
    known: int
    empty: int
    faults: tuple[tuple[int, str], ...]


def export_sheet(actor: Actor, study_id: str, rater_id: str, format: SheetFormat, n: int = 100) -> bytes:
    """Return up to ``n`` items for a rater as a sheet; they stay in the rater's hands until the deadline or 30 days.

    Raises:
        AccessError: the actor is neither an owner nor this rater.
        OptionError: no such study, rater or format, the study is not open, or nothing is left for this rater.
    """
    _require(actor, rater_id)
    if format not in get_args(SheetFormat) or not 1 <= n <= MOST_ITEMS:
        raise OptionError(f"a sheet is xlsx or csv, and has 1 to {MOST_ITEMS:,} items: choose so.")
    _, store = workspace()
    study = _study(store, study_id, rater_id)
    if study.state != "open":
        raise OptionError(f"the study is {study.state}, so nothing is given out: resume it first.")
    at = time.time()
    lease = max(_seconds_to(study.design.deadline, at), 3600.0) if study.design.deadline else LEASE
    given = assign_many(store, study_id, rater_id, at, lease, *order_of(study_id, rater_id, study.design.seed), n)
    if not given:
        raise OptionError("nothing is left for this rater to score in this study, so there is no sheet to write.")
    items = {row["id"]: item_of(row) for row in rows.item_rows(store, study_id)}
    table = sheets.sheet_rows(study, [(assignment_of(row), items[row["item"]]) for row in given])
    return sheets.as_csv(table) if format == "csv" else sheets.as_workbook(study, table)


def import_sheet(actor: Actor, study_id: str, rater_id: str, name: str, content: bytes) -> SheetReport:
    """Save the scores of a filled sheet; each row counts by itself, and what is wrong with one is said by its row.

    Raises:
        AccessError: the actor is neither an owner nor this rater.
        OptionError: no such study or rater.
        InputError: the file is no sheet of a study, or too big; nothing was saved.
    """
    _require(actor, rater_id)
    _, store = workspace()
    study = _study(store, study_id, rater_id)
    if len(content) > LARGEST:
        raise InputError(f"{name[:80]} has {len(content):,} bytes: a sheet has at most {LARGEST:,}.")
    with TemporaryDirectory() as folder:
        # under a name of ours: what a browser calls a file leads nowhere
        path = Path(folder) / ("sheet.tsv" if name.casefold().endswith(".tsv") else "sheet.csv")
        path.write_bytes(content)
        try:
            found = sheets.read_sheet(path, study)
        except InputError as error:
            raise InputError(str(error).replace(str(path), name[:80]).replace(path.name, name[:80])) from None
    first: dict[str, int] = {}
    twice: dict[str, list[int]] = {}
    for row in found:
        if row.ids["assignment"] in first:
            twice.setdefault(row.ids["assignment"], [first[row.ids["assignment"]]]).append(row.line)
        first.setdefault(row.ids["assignment"], row.line)
    counts = {"saved": 0, "known": 0, "empty": 0}
    faults: list[tuple[int, str]] = []
    for row in found:
        same = [line for line in twice.get(row.ids["assignment"], ()) if line != row.line]
        outcome = (
            f"the same item stands in row {same[0]} too: keep one of them"
            if same
            else _save(store, study, rater_id, row)
        )
        if outcome in counts:
            counts[outcome] += 1
        else:
            faults.append((row.line, outcome))
    return SheetReport(**counts, faults=tuple(faults))


def _save(store: Store, study: Study, rater_id: str, row: sheets.SheetRow) -> str:
    """Save one row and return "saved", "known" or "empty", or what is wrong with it."""
    if row.ids["study"] != study.id:
        return f"it is of study '{row.ids['study'][:40]}': import it there"
    if row.ids["rater"] != rater_id:
        return f"it is the sheet of '{row.ids['rater'][:40]}': import it for that rater"
    stored = assignment_of_id(store, row.ids["assignment"])
    if stored is None or stored["study"] != study.id or stored["rater"] != rater_id:
        return f"no item '{row.ids['assignment'][:40]}' was given to this rater: the hidden ids were changed"
    try:
        note = checked_note(row.note)
    except InputError as error:
        return str(error)
    if not row.score:
        if note and note != stored["note"] and save_note(store, stored["id"], rater_id, note):
            return "its note could not be saved: the rater was removed from the study"
        return "empty"
    problem, pressed = _pressed(study, rater_id, row, note)
    if problem:
        return problem
    before = _answer(stored)
    if stored["state"] in ("scored", "cannot_judge") and before == _answer_of(pressed):
        return "known"
    _, reason = press(store, pressed, time.time())
    return reason or "saved"


def _pressed(study: Study, rater_id: str, row: sheets.SheetRow, note: str) -> tuple[str, Pressed]:
    ids = row.ids["assignment"], rater_id
    if row.score.casefold() == sheets.CANNOT_JUDGE:
        return "", Pressed(*ids, "cannot_judge", row.ids["token"], note=note)
    second = {sheets.YES: True, sheets.NO: False}.get(row.second.casefold())
    further = {
        aspect.name: row.further[aspect.name] if aspect.options else sheets.number_of(row.further[aspect.name])
        for aspect in study.further
    }
    value = sheets.number_of(row.score)
    problem = answer_problem(study, value, second, further)
    number = value if isinstance(value, float) else None
    return problem, Pressed(*ids, "sheet", row.ids["token"], number, second, further, note)


def _answer(stored: Mapping[str, Any]) -> tuple[Any, ...]:
    found = assignment_of(stored)
    return found.value, found.second, dict(found.further), found.note


def _answer_of(pressed: Pressed) -> tuple[Any, ...]:
    return pressed.value, pressed.second, dict(pressed.further), pressed.note


def _study(store: Store, study_id: str, rater_id: str) -> Study:
    study = study_of(rows.study_row(store, study_id))
    found = rows.rater_row(store, study_id, rater_id)
    if found is None or not found["is_active"] or found["is_model"]:
        raise OptionError(f"'{rater_id[:80]}' is no rater of this study: invite them first.")
    return study


def _require(actor: Actor, rater_id: str) -> None:
    require(actor, "rater" if actor.id == rater_id else "owner")


def _seconds_to(deadline: str, at: float) -> float:
    return datetime.strptime(deadline, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp() - at
