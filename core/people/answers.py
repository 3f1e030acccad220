"""What may be said about an item: values on the study's scale, and a note of bounded length. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TypeGuard

from core.errors import InputError
from core.people.records import Study

#: characters of a note
NOTE_LIMIT = 2_000

Number = float | int


def checked_note(text: str) -> str:
    """Return a note as it is kept: plain text without control characters. Raises InputError where it is too long."""
    lines = text.replace("\r\n", "\n")
    # control characters, and halves of characters that a browser may send, are no text
    note = "".join(one for one in lines if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cs")).strip()
    if len(note) > NOTE_LIMIT:
        raise InputError(f"The note has {len(note):,} characters and was not saved: shorten it to {NOTE_LIMIT:,}.")
    return note


def answer_problem(asked: Study, value: object, second: object, further: Mapping[str, object]) -> str:
    """Return why an answer cannot count in a study, whatever its token, or ""."""
    if not is_number(value) or value not in asked.scale:
        known = ", ".join(f"{one:g}" for one in asked.scale)
        shown = f"{value:g}" if is_number(value) else str(value)[:20]
        return f"'{shown}' is not on the scale: {known}"
    if bool(asked.design.second_question) != isinstance(second, bool):
        return "the second question needs yes or no" if second is None else "no second question is asked"
    if unknown := next((name for name in further if name not in {one.name for one in asked.further}), None):
        return f"{str(unknown)[:40]!r} is not asked"
    for aspect in asked.further:
        given = further.get(aspect.name)
        fits = given in aspect.options if aspect.options else is_number(given) and given in aspect.scale
        if not fits:
            return f"{aspect.question!r} needs one of the answers offered"
    return ""


def is_number(value: object) -> TypeGuard[Number]:
    """Return whether a value is a number that a float can hold; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
