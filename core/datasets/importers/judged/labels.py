"""Our own form of nugget labels: rows ``system, topic, nugget, label`` and perhaps ``sentence`` and ``answer``.

``nugget`` is its id or its text, ``sentence`` counts from 0 and is left out for the whole answer. Any table will do.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.ids import id_at
from core.datasets.importers.judged.found import Found, GivenLabel
from core.datasets.importers.judged.naming import FAILED, TOPIC_KEYS, label_of
from core.datasets.importers.place import Place, excerpt
from core.datasets.importers.rows import RowFile

_TOPIC_COLUMNS = ("topic", "question", *TOPIC_KEYS)


def looks_like_labels(columns: Sequence[str]) -> bool:
    """Return whether a table's columns are those of labels."""
    return {"system", "nugget", "label"} <= set(columns) and bool(set(_TOPIC_COLUMNS) & set(columns))


def read_labels(rows: RowFile) -> Found:
    """Return the labels of a table. Raises ``InputError`` for a cell that cannot be read."""
    found, failed = Found(), 0
    for place, row in rows:
        found.n_rows += 1
        column = next((name for name in _TOPIC_COLUMNS if row.get(name) not in (None, "")), _TOPIC_COLUMNS[0])
        topic = id_at(place, column, row.get(column))
        nugget, system = (
            text_of(place, "nugget", row.get("nugget")).strip(),
            text_of(place, "system", row.get("system")),
        )
        if not nugget:
            raise place.problem("nugget", "the nugget is empty", "give its id or its text")
        label = label_of(row.get("label"))
        failed += label == FAILED
        given = GivenLabel(nugget, label, _sentence(place, row.get("sentence")), str(row.get("answer") or "").strip())
        found.labels.setdefault(system.strip(), {}).setdefault(topic, []).append(given)
    if failed:
        found.notes.append(f"labels in another word than the three, which count as failed: {failed:,}.")
    return found


def _sentence(place: Place, value: object) -> int | None:
    text = text_of(place, "sentence", value).strip().removesuffix(".0")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise place.problem("sentence", f"{excerpt(value)} is no number of a sentence", "give a whole number from 0")
    return int(text)
