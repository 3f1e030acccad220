"""The names that these formats give to the same things: a topic's id and wording, a run, a label, an importance."""

from __future__ import annotations

import re
from typing import Any, cast

from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import canonical_id, id_at
from core.datasets.importers.place import Place, excerpt
from core.schema import Importance

TOPIC_KEYS = ("topic_id", "narrative_id", "request_id", "query_id", "qid", "question_id", "_id", "id")
_WORDING_KEYS = ("problem_statement", "narrative", "question", "query", "text", "topic")
_LABELS = {
    "support": "support",
    "supported": "support",
    "partialsupport": "partial_support",
    "notsupport": "not_support",
    "notsupported": "not_support",
}
FAILED = "failed"


def topic_of(fields: Fields) -> str:
    """Return the topic that a row is about; raises ``InputError`` where it names none."""
    for holder in (fields, _metadata(fields)):
        for key in TOPIC_KEYS:
            if holder.values.get(key) not in (None, ""):
                return id_at(holder.place, holder.named(key), holder.values[key])
    raise fields.problem("topic_id", "the row names no topic", f"name it under one of {', '.join(TOPIC_KEYS)}")


def run_of(fields: Fields) -> str:
    """Return the system that a row comes from, "" where it names none."""
    for holder in (fields, _metadata(fields)):
        for key in ("run_id", "system", "run"):
            if holder.values.get(key) not in (None, ""):
                return str(holder.values[key]).strip()
    return ""


def wording_of(fields: Fields) -> str:
    """Return how a topic is put: its title and what is asked, "" where the row says neither."""
    title = _first_text(fields, ("title", "title_query"))
    asked = _first_text(fields, _WORDING_KEYS)
    if title and asked and title.casefold() not in asked.casefold():
        return f"{title}: {asked}"
    return asked or title


def label_of(raw: object) -> str:
    """Return "support", "partial_support" or "not_support" in whatever spelling, "failed" for any other word."""
    return _LABELS.get(re.sub(r"[^a-z]", "", str(raw).casefold()), FAILED)


def importance_of(raw: object) -> tuple[Importance, bool]:
    """Return how important a nugget is, and whether the file says so in a word we know; "okay" where it does not.

    Nothing said is "vital": a set without importance weighs all nuggets alike.
    """
    if raw in (None, ""):
        return "vital", True
    word = str(raw).strip().casefold()
    return (cast(Importance, word), True) if word in ("vital", "okay") else ("okay", False)


def document_ids(place: Place, field: str, values: list[Any]) -> tuple[str, ...]:
    """Return canonical document ids, each once; raises ``InputError`` for what is none."""
    return tuple(dict.fromkeys(id_at(place, f"{field}[{index}]", value) for index, value in enumerate(values)))


def same_text(text: str) -> str:
    """Return the form in which two spellings of a nugget are the same: case and white space aside."""
    return " ".join(text.split()).casefold()


def topic_name(place: Place, raw: str) -> str:
    """Return a topic that stands as a key of an object; raises ``InputError`` for an empty one."""
    try:
        return canonical_id(raw)
    except ValueError as error:
        raise place.broken(f"the topic {excerpt(raw)} is no id ({error})", "name the topic") from None


def _metadata(fields: Fields) -> Fields:
    return Fields(fields.place, fields.mapping("metadata"), fields.named("metadata"))


def _first_text(fields: Fields, keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.values.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""
