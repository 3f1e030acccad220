"""One canonical form for every id, whatever file it came from."""

from __future__ import annotations

import math
import re

from core.datasets.importers.place import Place

_INTEGER = re.compile(r"([+-]?)0*(\d+)(?:\.0+)?", re.ASCII)
_HEX = "[0-9a-fA-F]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_URN_UUID = re.compile(rf"(?:.*/)?<?urn:uuid:({_UUID})>?(?:\.txt)?|({_UUID})", re.IGNORECASE | re.DOTALL)


def canonical_id(raw: object) -> str:
    """Return the one form in which an id is stored and compared.

    - White space at both ends is removed.
    - What looks like an integer becomes its decimal string: ``7``, ``7.0`` (as spreadsheets store it), ``"7"``,
      ``"007"``, ``"+7"`` and ``"7.0"`` are all ``"7"``.
    - A UUID in one of the forms ``X``, ``urn:uuid:X``, ``<urn:uuid:X>`` or ``s3://…/<urn:uuid:X>.txt`` becomes
      ``X`` in lower case.
    - Everything else stays as it is.

    Raises ``ValueError`` for an empty id and for what is no id at all (a boolean, a list, a number that is not finite).
    """
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueError("an id must be a text or a number" if raw is not None else "the id is empty")
    if isinstance(raw, float) and not math.isfinite(raw):
        raise ValueError("the id is empty" if math.isnan(raw) else "the id is not a finite number")
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    text = str(raw).strip()
    if not text:
        raise ValueError("the id is empty")
    if integer := _INTEGER.fullmatch(text):
        sign = "-" if integer[1] == "-" and integer[2] != "0" else ""
        return sign + integer[2]
    if uuid := _URN_UUID.fullmatch(text):
        return (uuid[1] or uuid[2]).lower()
    return text


def id_at(place: Place, field: str, raw: object) -> str:
    """Return ``canonical_id(raw)``; raises ``InputError`` naming the place where that fails."""
    try:
        return canonical_id(raw)
    except ValueError as error:
        raise place.problem(field, str(error), "give an id of its own to each") from None


class IdRegister:
    """Remembers which ids a file has defined and refuses the second definition."""

    def __init__(self, kind: str) -> None:
        """``kind`` is the noun of the messages ("question", "document")."""
        self._kind = kind
        self._defined: dict[str, tuple[int, str]] = {}

    def define(self, place: Place, field: str, raw: object) -> str:
        """Return the canonical id; raises ``InputError`` where it was defined before, in whatever spelling."""
        identity = id_at(place, field, raw)
        spelling = str(raw).strip()
        if identity in self._defined:
            line, earlier = self._defined[identity]
            same = f" (written {earlier!r} there; both are {identity!r})" if earlier != spelling else ""
            raise place.problem(
                field,
                f"the {self._kind} id {spelling!r} is a duplicate of the one on {place.unit} {line}{same}",
                "give every one an id of its own",
            )
        self._defined[identity] = (place.line, spelling)
        return identity
