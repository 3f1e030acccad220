"""Config files of DataMorgana: what kinds of questions and of users there are, and how often each is drawn.

JSON or YAML: ``question_categorizations`` and ``user_categorizations``, each a list of
``{categorization_name (or name), categories: [{name, description, probability}]}``.
They are read as they are; other keys are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.datasets.importers.dimensions import dimension
from core.datasets.importers.encoding import inspect_text
from core.errors import InputError

#: (dimension, ((name, description, probability), …))
Described = tuple[str, tuple[tuple[str, str, float], ...]]
_KEYS = ("question_categorizations", "user_categorizations")
_LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class MorganaConfig:
    """The categorizations of a config file, in its order; ``questions`` and ``users`` may be empty, not both."""

    questions: tuple[Described, ...]
    users: tuple[Described, ...]


def read_config(path: Path, called: str | None = None) -> MorganaConfig:
    """Return what a config file says; ``called`` is what its owner calls it.

    Raises:
        InputError: it cannot be read, is neither JSON nor YAML, or lacks what is needed, with the place.
    """
    import yaml

    name = called or str(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{name} is larger than {_LARGEST // 1_000_000} MB, which no config is: check the file.")
        with inspect_text(path).open(None) as file:
            # YAML reads JSON too, but for tabs, which a JSON reader takes
            value = yaml.safe_load(file.read().replace("\t", "  "))
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror}): check the path and its permissions.") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{name} is neither JSON nor YAML ({_short(error)}): correct it.") from None
    if not isinstance(value, Mapping) or not any(value.get(key) for key in _KEYS):
        raise InputError(
            f"{name} holds neither question_categorizations nor user_categorizations: is it the right file?"
        )
    questions, users = (_categorizations(name, key, value.get(key)) for key in _KEYS)
    dimensions = [one for one, _ in (*questions, *users)]
    if twice := next((one for one in dimensions if dimensions.count(one) > 1), None):
        raise InputError(f"{name} has two categorizations of '{twice}': keep one of them.")
    return MorganaConfig(questions, users)


def _categorizations(name: str, key: str, value: Any) -> tuple[Described, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InputError(f"{name}, {key}: it must be a list of categorizations.")
    return tuple(_categorization(name, f"{key}[{place}]", one) for place, one in enumerate(value))


def _categorization(name: str, where: str, value: Any) -> Described:
    called = (value.get("categorization_name") or value.get("name")) if isinstance(value, Mapping) else None
    if not isinstance(called, str) or not called.strip():
        raise InputError(f"{name}, {where}: it needs a categorization_name and categories.")
    categories = value.get("categories")
    if not isinstance(categories, list) or not categories:
        raise InputError(f"{name}, {where}.categories: '{called}' must list at least one category.")
    return dimension(called), tuple(
        _category(name, f"{where}.categories[{place}]", one) for place, one in enumerate(categories)
    )


def _category(name: str, where: str, value: Any) -> tuple[str, str, float]:
    called = value.get("name") if isinstance(value, Mapping) else None
    if not isinstance(called, str) or not called.strip():
        raise InputError(f"{name}, {where}.name: every category needs a name.")
    description = value.get("description") or called.replace("_", " ")
    probability = value.get("probability", 1.0)
    if not isinstance(description, str):
        raise InputError(f"{name}, {where}.description: it must be a text.")
    if isinstance(probability, bool) or not isinstance(probability, int | float):
        raise InputError(f"{name}, {where}.probability: {str(probability)[:40]!r} is no number.")
    return called.strip(), description.strip(), float(probability)


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
