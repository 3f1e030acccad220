"""What language models answered in a study: beside people's answers, never among them, and outside every queue."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import OptionError
from core.store.database import Store
from core.store.people import touch
from core.store.people_queue import write_press


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One answer of a model to an item; ``state`` is "scored" or "cannot_judge"."""

    item: str
    state: str
    value: float | None
    second: bool | None
    further: Mapping[str, float | str]
    note: str


def model_rated(store: Store, study: str, rater: str) -> frozenset[str]:
    """Return the items that a model has answered."""
    rows = store.rows("SELECT item FROM study_assignments WHERE study = ? AND rater = ?", (study, rater))
    return frozenset(row["item"] for row in rows)


def put_model_rows(store: Store, study: str, rater: str, rows: Sequence[ModelRow], at: float) -> None:
    """Store a model's answers with a row of the history for each; what it answered before stays as it was.

    Raises OptionError where the study has been deleted meanwhile.
    """
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM studies WHERE id = ?", (study,)).fetchone():
            raise OptionError(f"study '{study[:80]}' has been deleted meanwhile: `study list` shows those there are.")
        for place, row in enumerate(rows):
            identifier = secrets.token_hex(8)
            found = db.conn.execute(
                "INSERT OR IGNORE INTO study_assignments (id, study, item, rater, is_model, number, place, systems, "
                "state, token, leased_until, shown, value, second, further, note, decided) "
                "VALUES (?, ?, ?, ?, 1, ?, ?, '[]', ?, '', 0, 0, ?, ?, ?, ?, ?)",
                (
                    identifier, study, row.item, rater, place, place, row.state, row.value, row.second,
                    json.dumps(dict(row.further), ensure_ascii=False), row.note, at,
                ),
            )  # fmt: skip
            if found.rowcount:
                pressed = {"id": identifier, "study": study, "item": row.item}
                action = "vote" if row.state == "scored" else "cannot_judge"
                number = write_press(db, pressed, rater, action, "", row.value)
                db.conn.execute("UPDATE study_assignments SET decided_by = ? WHERE id = ?", (number, identifier))
        touch(db, study)
