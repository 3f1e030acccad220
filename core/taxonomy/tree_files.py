"""Trees that somebody writes in YAML: any depth, any branching, several dimensions in one text.

Two ways of writing are read, one a dimension::

    topic:                          topic:
      science:                        - {name: science}
        - physics                     - {name: physics, parent: science}
        - biology:
            - botany
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import yaml

from core.errors import InputError
from core.taxonomy.trees import Tree, nested_tree, tree_of_parents

#: a text of more characters is no tree that anybody labels questions with
MOST_CHARACTERS = 1_000_000


def trees_from_yaml(text: str, where: str = "the tree file") -> dict[str, Tree]:
    """Return the trees of a YAML text by dimension, in its order; ``where`` names it in messages.

    Raises:
        InputError: the text is no YAML, names no dimension, repeats a name, puts a node below one that does not exist,
            lets nodes lie below each other in a circle, or is nested too deep.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"{where} has {len(text):,} characters: a tree may have at most {MOST_CHARACTERS:,}.")
    try:
        # our loader is a SafeLoader: it makes plain values only
        found = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise InputError(f"{where} is not valid YAML: {_place(error)}; correct it there.") from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deep to be read: flatten it.") from error
    if not isinstance(found, Mapping) or not found:
        raise InputError(
            f"{where} holds no tree: write the name of a dimension, a colon, and its categories nested below it."
        )
    trees = {}
    for dimension, nested in found.items():
        if not isinstance(dimension, str) or not dimension.strip():
            raise InputError(f"{where} calls a dimension {dimension!r}: write its name as a text.")
        tree = _tree(dimension, nested)
        if not tree.parents:
            raise InputError(f"{where} names no category of '{dimension}': nest at least one below it.")
        trees[dimension] = tree
    return trees


def _tree(dimension: str, nested: Any) -> Tree:
    if isinstance(nested, list) and nested and all(isinstance(one, Mapping) and "name" in one for one in nested):
        return tree_of_parents(dimension, _edges(dimension, nested))
    return nested_tree(dimension, nested)


def _edges(dimension: str, rows: list[Mapping[Any, Any]]) -> Iterator[tuple[str, str | None]]:
    for number, row in enumerate(rows, 1):
        if strange := [str(key) for key in row if key not in ("name", "parent")]:
            raise InputError(
                f"category {number} of '{dimension}' has the field '{strange[0][:80]}': use 'name' and 'parent' only."
            )
        name, parent = row["name"], row.get("parent")
        if not isinstance(name, str) or not isinstance(parent, str | None):
            raise InputError(f"category {number} of '{dimension}' has a name or parent that is no text: write texts.")
        yield name, parent


def _place(error: yaml.YAMLError) -> str:
    """Return what PyYAML found and where, on one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} in line {mark.line + 1}, column {mark.column + 1}"
    return " ".join(str(error).split())


class _Loader(yaml.SafeLoader):
    """A safe loader that takes a key once: the plain one keeps the last of two without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping of a node, checked for keys that stand twice."""
        seen: set[Any] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise yaml.MarkedYAMLError(problem=f"'{key.value}' stands twice", problem_mark=key.start_mark)
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep)
