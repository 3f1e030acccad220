"""Typed access to the fields of hand-written JSON: a wrong type or a misspelt name is said at once and in place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.datasets.importers.place import Place, excerpt, suggestion
from core.errors import InputError

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object with its place. ``path`` is where in the row it stands ("nuggets[0].evidence[1][0]")."""

    place: Place
    values: Mapping[str, Any]
    path: str = ""

    def named(self, key: str) -> str:
        """Return the key with the path that leads to it."""
        return f"{self.path}.{key}" if self.path else key

    def problem(self, key: str, what: str, remedy: str) -> InputError:
        """Return the error for one key of this object."""
        return self.place.problem(self.named(key), what, remedy)

    def only(self, known: Collection[str]) -> None:
        """Raise ``InputError`` for a key that is not known, with the one that was probably meant."""
        for key in self.values:
            if key not in known:
                raise self.problem(key, "there is no field of this name", suggestion(key, known))

    def text(self, key: str) -> str:
        """Return a text that must be there and not blank."""
        value = self.values.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise self.problem(key, f"the {key} is {'missing' if key not in self.values else 'empty'}", "fill it in")
        return self.optional_text(key)

    def optional_text(self, key: str) -> str:
        """Return a text, "" when it is absent."""
        value = self.values.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.problem(key, f"{excerpt(value)} is not a text", "write it in quotes")
        return value

    def language(self, key: str) -> str:
        """Return a language code such as "en" or "zh-Hant" (BCP 47), "" when it is absent."""
        value = self.optional_text(key).strip()
        if value and not _LANGUAGE_TAG.fullmatch(value):
            raise self.problem(key, f"{excerpt(value)} is no language code", "write one such as en or zh-Hant")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.problem(key, f"{excerpt(value)} is neither true nor false", "write true or false")
        return value

    def offset(self, key: str) -> int:
        """Return a character offset: an integer that is not negative."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.problem(key, f"{excerpt(value)} is no offset", "give a whole number from 0")
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object, empty when it is absent."""
        value = self.values.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise self.problem(key, f"{excerpt(value)} is no mapping of names", "write {name: value, …}")
        return value

    def texts_by_name(self, key: str) -> dict[str, str]:
        """Return an object whose values are all texts, empty when it is absent."""
        entries = Fields(self.place, self.mapping(key), self.named(key))
        return {name: entries.text(name) for name in entries.values}

    def items(self, key: str) -> list[Any]:
        """Return a list, empty when it is absent."""
        value = self.values.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.problem(key, f"{excerpt(value)} is not a list", "write […]")
        return value

    def objects(self, key: str) -> Iterator[Fields]:
        """Yield the objects of a list, each with its path."""
        for index, item in enumerate(self.items(key)):
            yield self.child(f"{key}[{index}]", item)

    def child(self, key: str, value: object) -> Fields:
        """Return ``value``, which stands under ``key``, as fields; raises ``InputError`` unless it is an object."""
        if not isinstance(value, dict):
            raise self.problem(key, f"{excerpt(value)} is not an object", "write {…} with named fields")
        return Fields(self.place, value, self.named(key))
