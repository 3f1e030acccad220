"""One topic under many names: its id in judgments, its title in responses, with blanks or underscores."""

from __future__ import annotations

import unicodedata

from core.errors import InputError


class TopicNames:
    """Knows which names mean the same topic, and by which of them the collection calls it."""

    def __init__(self) -> None:
        self._root: dict[str, str] = {}
        self._id: dict[str, str] = {}

    def link(self, one: str, other: str) -> None:
        """Let two names mean the same topic. Raises ``InputError`` where the collection has one of each."""
        first, second = self._find(_spelling(one)), self._find(_spelling(other))
        if first == second:
            return
        if first in self._id and second in self._id:
            raise InputError(
                f"'{self._id[first]}' and '{self._id[second]}' are two topics of the collection, while a file says "
                f"that '{one}' and '{other}' are one: import the file into a collection of its own."
            )
        self._root[second] = first
        if second in self._id:
            self._id[first] = self._id.pop(second)

    def claim(self, name: str) -> str:
        """Return what the topic of this name is called in the collection, from now on ``name`` if nothing so far."""
        return self._id.setdefault(self._find(_spelling(name)), name)

    def known(self, name: str) -> str | None:
        """Return what the collection calls the topic, None where it has none of this name."""
        return self._id.get(self._find(_spelling(name)))

    def _find(self, name: str) -> str:
        while (above := self._root.setdefault(name, name)) != name:
            name = above
        return name


def _spelling(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).replace("_", " ").split()).casefold()
