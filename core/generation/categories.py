"""What a question may be asked to be: categories with a description and a probability, grouped by dimension."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import InputError, OptionError
from core.taxonomy.trees import Tree, nested_tree

#: names of the levels of a tree with three, as the bundled trees have them
LEVEL_NAMES = ("coarse", "medium", "fine")
#: dimensions that describe who asks, not what is asked
USERS = frozenset({"user_expertise"})
_OWN = "_"
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


def bundled_dimensions() -> tuple[str, ...]:
    """Return the dimensions that the product describes, trees first."""
    return tuple(_bundled())


def bundled_tree(dimension: str) -> Tree:
    """Return the tree of a bundled dimension. Raises OptionError for any other."""
    if dimension not in _bundled():
        raise OptionError(
            f"'{dimension[:80]}' is no bundled dimension: choose among {', '.join(bundled_dimensions())}."
        )
    return nested_tree(dimension, nested_names(dimension))


def nested_names(dimension: str) -> Any:
    """Return a bundled dimension's tree as a dataset's card writes it: nested names."""
    return _names(_bundled()[dimension])


def level_names(tree: Tree) -> tuple[str, ...]:
    """Return how the levels of a tree are called, coarsest first: by name where there are three, else by number."""
    depth = len(tree.levels)
    if depth == 1:
        return ("",)
    return LEVEL_NAMES if depth == len(LEVEL_NAMES) else tuple(str(number) for number in range(1, depth + 1))


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
    known = _described(tree.dimension)
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
def _bundled() -> Mapping[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load(_DESCRIPTIONS.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=16)
def _described(dimension: str) -> Mapping[str, str]:
    return dict(_pairs(_bundled().get(dimension, {})))


def _pairs(nested: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, below in nested.items():
        if name == _OWN:
            continue
        if isinstance(below, str):
            yield name, below
        else:
            yield name, below[_OWN]
            yield from _pairs(below)


def _names(nested: Mapping[str, Any]) -> Any:
    below: dict[str, Any] = {
        name: None if isinstance(inner, str) else _names(inner) for name, inner in nested.items() if name != _OWN
    }
    return list(below) if all(inner is None for inner in below.values()) else below
