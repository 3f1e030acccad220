"""Which system a file is about: as it says, as a person says, or as its name tells among the systems there are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from core.datasets.importers import stem
from core.datasets.importers.judged import JudgedFile

#: characters of a system's name: it stands in every table and figure
_LONGEST = 60
_VOTES = re.compile(r"(?:metric_reference_)?(.+?)_annotator_\d+.*", re.IGNORECASE)
_ENDINGS = (".run", ".trec", ".judgments", ".scores")


class SystemNames:
    """Settles the name of each system of each file."""

    def __init__(self, files: Sequence[JudgedFile], known: Collection[str]) -> None:
        """``known`` are the systems that the collection has already."""
        self._known = {*known}
        for file in files:
            answering = dict.fromkeys((*file.found.rankings, *file.found.responses))
            self._known.update(self._own(file, system) for system in answering)
        self._said: set[tuple[str, str]] = set()

    def of(self, file: JudgedFile, system: str) -> str | None:
        """Return what a system of a file is called; None for judgments of none that is there."""
        if system or system in file.found.rankings or system in file.found.responses:
            name = self._own(file, system)
            if system and name != system and (file.called, system) not in self._said:
                self._said.add((file.called, system))
                file.found.notes.append(f"system '{system}' is called '{name}' here.")
            return name
        return tidy(file.system) if file.system else self._named_in(stem(Path(file.called)))

    def _own(self, file: JudgedFile, system: str) -> str:
        several = len(dict.fromkeys((*file.found.rankings, *file.found.responses))) > 1
        if file.system and not several:
            return tidy(file.system)
        return tidy(system or after_file(file.called))

    def _named_in(self, name: str) -> str | None:
        """Return the one system whose name is in a file's name, or begins with what people labelled."""
        within = [system for system in self._known if system in name]
        if not within and (votes := _VOTES.fullmatch(name)):
            within = [system for system in self._known if system.startswith(votes[1])]
        longest = [system for system in within if len(system) == max(map(len, within))]
        return longest[0] if len(longest) == 1 else None


def after_file(called: str) -> str:
    """Return a file's name without the endings that only tell its format."""
    name = stem(Path(called))
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def tidy(name: str) -> str:
    """Return a name as a system may have it: printable, without commas, of at most 60 characters."""
    shown = "".join(one if one.isprintable() and one != "," else "-" for one in name).strip().lstrip("-").strip()
    return shown[:_LONGEST].strip() or "system"
