"""``dataset.yaml``: what a Trilens dataset says of itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.datasets.importers.fields import Fields
from core.datasets.importers.place import Place, excerpt, suggestion
from core.datasets.importers.plain import plain
from core.errors import InputError
from core.schema import Card

CARD_FILE = "dataset.yaml"
_TEXTS = ("name", "title", "description", "licence", "language", "source")
_MAPPINGS = ("trees", "relations", "notes")
#: A file of a few lines can stand for billions of values (anchors that repeat each other) or for endless ones.
_MOST_NODES = 100_000
_DEEPEST = 100


def read_card(folder: Path) -> Card:
    """Return the folder's card; without a ``dataset.yaml`` one that only bears the folder's name.

    Raises ``InputError`` for YAML that is broken, an unknown or wrongly typed field, and a tree that is none.
    """
    path = folder / CARD_FILE
    if not os.path.lexists(path):
        return Card(name=folder.resolve().name)
    values, line_of = _yaml(path)

    def at(key: str) -> Fields:
        """Every problem is reported at the line of its own top-level field."""
        return Fields(Place(path, line_of.get(key, 1)), {key: values.get(key)})

    for key in values:
        at(key).only((*_TEXTS, *_MAPPINGS))
    for dimension, tree in at("trees").mapping("trees").items():
        _check_tree(at("trees"), f"trees.{dimension}", tree)
    texts = {key: at(key).optional_text(key) for key in _TEXTS}
    return Card(
        **{**texts, "name": texts["name"] or folder.resolve().name, "language": at("language").language("language")},
        trees=at("trees").mapping("trees"),
        relations=at("relations").texts_by_name("relations"),
        # YAML reads 2026-01-31 as a date, which JSON does not know.
        notes=plain(at("notes").mapping("notes")),
    )


def _yaml(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the file's fields and the line on which each begins."""
    import yaml

    try:
        content = path.read_bytes()
        node = yaml.compose(content, Loader=yaml.SafeLoader)
        _check_nodes(path, node)
        value = yaml.safe_load(content)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the file.") from None
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # YAML takes a value for a date or a number (2026-02-31), and Python knows none like it
        raise InputError(f"{path} holds a value that cannot be read ({error}); put it in quotes.") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deep to be read; flatten it.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Place(path, mark.line + 1 if mark else 1).broken(f"broken YAML ({what})", "correct the file") from None
    if not isinstance(node, yaml.MappingNode) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{path} holds no named fields; write at least 'name: …'.")
    return value, {key.value: key.start_mark.line + 1 for key, _ in node.value}


def _check_nodes(path: Path, root: Any) -> None:
    """Refuse what can be written in YAML and not be kept: names given twice, endless or endlessly deep values."""
    import yaml

    seen, inside = 0, [root]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for node in inside:
            if isinstance(node, yaml.MappingNode):
                below += [part for pair in node.value for part in pair]
                _refuse_twins(path, node)
            elif isinstance(node, yaml.SequenceNode):
                below += node.value
            elif node is not None and not _can_be_stored(node.value):
                raise Place(path, node.start_mark.line + 1).broken("the text holds half a character", "repair it")
        seen, inside = seen + len(below), below
        if seen > _MOST_NODES:
            raise InputError(f"{path} holds more than {_MOST_NODES:,} values, repetitions counted; shorten it.")
        if not inside:
            return
    line = inside[0].start_mark.line + 1
    raise Place(path, line).broken(f"the value is nested more than {_DEEPEST} deep", "flatten or remove it")


def _refuse_twins(path: Path, node: Any) -> None:
    names: set[str] = set()
    for key, _ in node.value:
        if isinstance(key.value, str) and key.value in names:
            raise Place(path, key.start_mark.line + 1).broken(f"'{key.value}' is given twice", "give it once")
        names.add(str(key.value))


def _can_be_stored(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _check_tree(fields: Fields, path: str, tree: object) -> None:
    """A tree is a mapping of node to tree, a list of nodes, one node, or nothing."""
    if isinstance(tree, dict):
        children = list(tree.values())
        names = list(tree)
    else:
        children = []
        names = tree if isinstance(tree, list) else [] if tree is None else [tree]
    for name in names:
        if not isinstance(name, str):
            raise fields.problem(path, f"{excerpt(name)} is no node name", "write names as texts, in quotes")
    for name, child in zip(names, children, strict=False):
        _check_tree(fields, f"{path}.{name}", child)


def tree_nodes(tree: Any) -> set[str]:
    """Return the names of all nodes of a tree, at every level."""
    if isinstance(tree, Mapping):
        return set(tree).union(*map(tree_nodes, tree.values()))
    if isinstance(tree, list):
        return set(tree)
    return set() if tree is None else {tree}


def check_labels(fields: Fields, card: Card, nodes: Mapping[str, set[str]]) -> None:
    """Raise ``InputError`` where a question's relation or category is none of those its card declares.

    A card that declares no relations, or no tree for a dimension, leaves the labels free. ``nodes`` are the names in
    the card's trees by dimension.
    """
    relation = None if fields.values.get("relation") is None else fields.text("relation")
    if relation is not None and card.relations and relation not in card.relations:
        raise fields.problem(
            "relation", f"'{relation}' is not declared in {CARD_FILE}", suggestion(relation, card.relations)
        )
    for dimension, node in fields.texts_by_name("categories").items():
        if dimension in nodes and node not in nodes[dimension]:
            raise fields.problem(
                f"categories.{dimension}",
                f"'{node}' is no node of its tree",
                suggestion(node, sorted(nodes[dimension])),
            )
