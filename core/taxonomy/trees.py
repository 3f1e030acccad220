"""Category trees: which category lies below which, level by level.

A dataset's card nests them (mapping of node to subtree, list of nodes, one node), other files name each node's parent.
Names are unique within a dimension only (``entity_extraction`` stands in two), so a node is a pair (dimension, name).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, OptionError

#: a card is refused on import when it is nested deeper; a value that holds itself is found by it
DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Tree:
    """One dimension's categories.

    ``parents`` maps every name to its parent's (None at the top), each parent before its children and right before
    them: depth first, siblings as declared.
    """

    dimension: str
    parents: Mapping[str, str | None]

    @property
    def nodes(self) -> tuple[str, ...]:
        """All names, depth first."""
        return tuple(self.parents)

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The names of each level, coarsest first."""
        depth: dict[str, int] = {}
        found: list[list[str]] = []
        for name, parent in self.parents.items():
            depth[name] = 0 if parent is None else depth[parent] + 1
            if depth[name] == len(found):
                found.append([])
            found[depth[name]].append(name)
        return tuple(tuple(level) for level in found)

    def level_of(self, name: str) -> int:
        """Return the number of a node's level, 0 for the coarsest. Raises OptionError for an unknown name."""
        return len(self.ancestors(name))

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return the nodes above a node, nearest first. Raises OptionError for an unknown name."""
        self._check(name)
        found: list[str] = []
        above = self.parents[name]
        while above is not None:
            found.append(above)
            above = self.parents[above]
        return tuple(found)

    def children(self, name: str | None) -> tuple[str, ...]:
        """Return the nodes right below a node, or those at the top for None. Raises OptionError for an unknown name."""
        if name is not None:
            self._check(name)
        return tuple(child for child, parent in self.parents.items() if parent == name)

    def within(self, name: str) -> tuple[str, ...]:
        """Return a node and all nodes below it, depth first. Raises OptionError for an unknown name."""
        self._check(name)
        found = {name: None}
        for child, parent in self.parents.items():
            if parent in found:
                found[child] = None
        return tuple(found)

    def leaves(self, name: str | None = None) -> tuple[str, ...]:
        """Return the leaves at or below a node (a leaf is its own), or all. Raises OptionError for an unknown name."""
        inner = set(self.parents.values())
        among = self.parents if name is None else self.within(name)
        return tuple(node for node in among if node not in inner)

    def _check(self, name: str) -> None:
        if name not in self.parents:
            raise OptionError(f"'{name[:80]}' is no category of '{self.dimension}': choose one of its tree.")


def labelled_trees(
    card: Mapping[str, Any], labels: Mapping[str, Mapping[str, int]]
) -> tuple[dict[str, Tree], tuple[str, ...]]:
    """Return the trees of the dimensions that label any question, in the card's order, then the others by name.

    ``card`` holds nested trees by dimension, ``labels`` counts by dimension and label. Labels that the card's tree does
    not know stand at its top; a card's tree that cannot be read counts as none, and why is in the sentences returned.
    """
    found: dict[str, Tree] = {}
    problems = []
    for dimension in (*(one for one in card if one in labels), *sorted(one for one in labels if one not in card)):
        try:
            parents = nested_tree(dimension, card.get(dimension)).parents
        except InputError as error:
            parents = {}
            problems.append(f"{error} Until then its categories stand side by side.")
        strangers = {label: None for label in sorted(labels[dimension]) if label not in parents}
        found[dimension] = Tree(dimension, {**parents, **strangers})
    return found, tuple(problems)


def nested_tree(dimension: str, nested: Any) -> Tree:
    """Return the tree of nested mappings, lists and names, as ``dataset.yaml`` writes it.

    Raises:
        InputError: a name is no text or stands twice, or the value is nested too deep or within itself.
    """
    return tree_of_parents(dimension, _pairs(dimension, nested, None, 0))


def tree_of_parents(dimension: str, pairs: Iterable[tuple[str, str | None]]) -> Tree:
    """Return the tree of (name, parent's name or None) pairs in any order.

    Raises:
        InputError: a name stands twice, its parent is no node, or nodes lie below each other in a circle.
    """
    parents: dict[str, str | None] = {}
    for name, parent in pairs:
        if name in parents:
            raise InputError(
                f"the tree of '{dimension}' names '{name}' twice, {_below(parents[name])} and {_below(parent)}: "
                "a name stands for one category, so rename one of them."
            )
        parents[name] = parent
    children: dict[str | None, list[str]] = {}
    for name, parent in parents.items():
        if parent is not None and parent not in parents:
            raise InputError(
                f"the tree of '{dimension}' puts '{name}' below '{parent}', which is none of its categories: "
                f"add '{parent}' or correct the name."
            )
        children.setdefault(parent, []).append(name)
    ordered: dict[str, str | None] = {}
    waiting = children.get(None, [])[::-1]
    while waiting:
        name = waiting.pop()
        ordered[name] = parents[name]
        waiting += children.get(name, [])[::-1]
    if len(ordered) < len(parents):
        raise InputError(f"the tree of '{dimension}' runs in a circle: {_circle(parents, ordered)}; cut it open.")
    return Tree(dimension, ordered)


def _pairs(dimension: str, nested: Any, parent: str | None, depth: int) -> Iterator[tuple[str, str | None]]:
    if depth > DEEPEST:
        raise InputError(f"the tree of '{dimension}' is nested more than {DEEPEST} deep: flatten it.")
    if isinstance(nested, Mapping):
        for name, below in nested.items():
            yield _name(dimension, name), parent
            yield from _pairs(dimension, below, name, depth + 1)
    elif isinstance(nested, list | tuple):
        for one in nested:
            if isinstance(one, Mapping):  # a list whose nodes have nodes of their own
                yield from _pairs(dimension, one, parent, depth + 1)
            else:
                yield _name(dimension, one), parent
    elif nested is not None:
        yield _name(dimension, nested), parent


def _name(dimension: str, name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"the tree of '{dimension}' holds {str(name)[:80]!r}, which is no name: write names as texts.")
    if not name.strip():
        raise InputError(f"the tree of '{dimension}' holds an empty name: give every category one.")
    return name


def _below(parent: str | None) -> str:
    return "at the top" if parent is None else f"below '{parent}'"


def _circle(parents: Mapping[str, str | None], reached: Mapping[str, str | None]) -> str:
    """Return "'a' below 'b' below 'a'" for one circle among the nodes that no top node leads to."""
    name: str | None = next(name for name in parents if name not in reached)
    seen: list[str] = []
    while name is not None and name not in seen:
        seen.append(name)
        name = parents[name]
    around = [*seen[seen.index(name) :], name] if name is not None else seen
    return " below ".join(f"'{one}'" for one in around)
