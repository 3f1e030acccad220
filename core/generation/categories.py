"""What a question may be asked to be: categories with a description and a probability, grouped by dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.errors import InputError, OptionError
from core.taxonomy.bundled import level_names
from core.taxonomy.trees import Tree

#: dimensions that describe who asks, not what is asked
USERS = frozenset({"user_expertise"})
_DESCRIPTIONS = Path(__file__).with_name("descriptions.yaml")


@dataclass(frozen=True, slots=True)
class Category:
    """A category: ``description`` is what the model reads, ``probability`` its weight among the others."""

    name: str
    description: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Categorization:
    """The categories of one dimension, one of which a question has. ``level`` is "" where the dimension is flat."""

    dimension: str
    level: str
    categories: tuple[Category, ...]

    def __post_init__(self) -> None:
        if not self.categories:
            raise InputError(f"'{self.dimension}' has no categories: name at least one.")
        names = [category.name for category in self.categories]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"'{self.dimension}' names the category '{twice}' twice: rename or remove one of them.")
        probabilities = [category.probability for category in self.categories]
        if not all(math.isfinite(one) and one >= 0 for one in probabilities) or sum(probabilities) <= 0:
            raise InputError(
                f"the probabilities of '{self.dimension}' are {', '.join(f'{one:g}' for one in probabilities)}: give "
                "numbers of 0 or more, at least one of them above 0."
            )

    @property
    def shares(self) -> tuple[float, ...]:
        """The probabilities, brought to a sum of 1."""
        total = sum(category.probability for category in self.categories)
        return tuple(category.probability / total for category in self.categories)

    @property
    def label(self) -> str:
        """Dimension and level as they are written: "QC:medium"."""
        return f"{self.dimension}:{self.level}" if self.level else self.dimension

    def category(self, name: str) -> Category:
        """Return a category by its name. Raises OptionError for an unknown one."""
        found = next((category for category in self.categories if category.name == name), None)
        if found is None:
            raise OptionError(f"'{name[:80]}' is no category of '{self.dimension}': choose one of its own.")
        return found


def at_level(tree: Tree, level: str) -> Categorization:
    """Return the categories of one level of a tree, all as likely; "" is the coarsest.

    ``level`` is a name of ``level_names`` or a number from 1. A bundled category brings its description; another one
    is described by its name and the names above it.

    Raises:
        OptionError: the tree has no such level.
    """
    names = level_names(tree)
    numbered = {str(number): place for place, number in enumerate(range(1, len(names) + 1))}
    place = 0 if level == "" else names.index(level) if level in names else numbered.get(level, -1)
    if place < 0:
        raise OptionError(
            f"'{tree.dimension}' has no level '{level[:80]}': choose among {', '.join(name or '1' for name in names)}."
        )
    known = _descriptions().get(tree.dimension, {})
    return Categorization(
        tree.dimension,
        names[place],
        tuple(Category(name, known.get(name) or _from_names(tree, name)) for name in tree.levels[place]),
    )


def _from_names(tree: Tree, name: str) -> str:
    above = [one.replace("_", " ") for one in tree.ancestors(name)]
    inside = f" (a kind of {', a kind of '.join(above)})" if above else ""
    return f"The question is of the category {name.replace('_', ' ')}{inside} of {tree.dimension.replace('_', ' ')}."


@lru_cache(maxsize=1)
def _descriptions() -> Mapping[str, Mapping[str, str]]:
    """What the bundled categories ask for, by dimension and name."""
    import yaml

    found: dict[str, dict[str, str]] = yaml.safe_load(_DESCRIPTIONS.read_text(encoding="utf-8"))
    return found
