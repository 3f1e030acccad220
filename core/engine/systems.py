"""Answers of other RAG systems as configurations of a run: which of them, what each was made from, what each says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import OptionError

#: a system's configuration id is this and its name
PREFIX = "system:"


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """An imported system: its name, and the hash of everything it gave."""

    name: str
    fingerprint: str

    @property
    def id(self) -> str:
        """The configuration's id."""
        return PREFIX + self.name

    def as_spec(self) -> dict[str, Any]:
        """Return what decides the system's answers."""
        return asdict(self)


def is_system(configuration_id: str) -> bool:
    """Return whether a configuration is an imported system, which retrieved and answered elsewhere."""
    return configuration_id.startswith(PREFIX)


def chosen_systems(choice: str, there: Sequence[SystemSpec]) -> tuple[SystemSpec, ...]:
    """Return the systems a choice means: "" all that are ``there``, "none", or names with commas between them.

    Raises:
        OptionError: a name that is not there.
    """
    if not choice.strip():
        return tuple(there)
    if choice.strip().casefold() == "none":
        return ()
    names = {name.strip() for name in choice.split(",") if name.strip()}
    unknown = sorted(names - {system.name for system in there})
    if unknown:
        known = ", ".join(f"'{system.name}'" for system in there) or "none yet"
        raise OptionError(
            f"--systems names '{unknown[0]}', which was not imported for this dataset (imported: {known}): choose "
            "among those, or bring it in with `import FILE --as-system DATASET`."
        )
    return tuple(system for system in there if system.name in names)


def choice_of(systems: Sequence[SystemSpec]) -> str:
    """Return the choice that means just these systems, whatever is imported later."""
    return ",".join(system.name for system in systems) or "none"


def systems_made_with(run_id: str, resolved: Mapping[str, Any], there: Sequence[SystemSpec]) -> tuple[SystemSpec, ...]:
    """Return the systems that a run was made with; ``resolved`` is what its choices resolved to.

    Raises:
        OptionError: one of them is not ``there`` any more, or other answers stand under its name.
    """
    made = tuple(SystemSpec(**system) for system in resolved.get("systems", ()))
    now = {system.name: system for system in there}
    for system in made:
        if now.get(system.name) != system:
            what = "has other answers now" if system.name in now else "is not there any more"
            raise OptionError(
                f"run '{run_id}' was made with the system '{system.name}', which {what}: import the answers of then "
                "under that name, or evaluate the dataset anew."
            )
    return made
