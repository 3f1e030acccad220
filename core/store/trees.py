"""Category trees that users keep for a dataset, and how they read labels that a tree does not know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import OptionError
from core.store.database import Store, now
from core.taxonomy.trees import Tree, tree_of_parents


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A tree of one dataset, by its ``name``.

    ``labels`` is the dimension whose labels stand in it. ``tree`` is None where the dataset's own stays and only
    ``mapping`` is the user's: label to category, or to None to set it aside. ``source`` is the file it came from.
    """

    name: str
    labels: str
    tree: Tree | None
    mapping: Mapping[str, str | None]
    source: str
    created: str = ""


def save_tree(store: Store, dataset: str, kept: StoredTree) -> None:
    """Store a tree in the place of one of the same name. Raises OptionError where there is no such dataset."""
    parents = None if kept.tree is None else json.dumps(list(kept.tree.parents.items()), ensure_ascii=False)
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM datasets WHERE name = ?", (dataset,)).fetchone():
            raise OptionError(f"no dataset named '{dataset[:80]}' is stored: import it first.")
        db["trees"].upsert(
            {
                "dataset": dataset,
                "name": kept.name,
                "labels": kept.labels,
                "parents": parents,
                "mapping": json.dumps(dict(kept.mapping), ensure_ascii=False),
                "source": kept.source,
                "created": now(),
            },
            pk=("dataset", "name"),
        )


def delete_tree(store: Store, dataset: str, name: str) -> bool:
    """Delete a tree; return False when there is none of that name."""
    with store.write() as db:
        return bool(db.conn.execute("DELETE FROM trees WHERE dataset = ? AND name = ?", (dataset, name)).rowcount)


def stored_trees(store: Store, dataset: str) -> tuple[StoredTree, ...]:
    """Return a dataset's trees by name."""
    return tuple(
        StoredTree(
            row["name"],
            row["labels"],
            None if row["parents"] is None else _tree(row["name"], row["parents"]),
            json.loads(row["mapping"]),
            row["source"],
            row["created"],
        )
        for row in store.rows("SELECT * FROM trees WHERE dataset = ? ORDER BY name", (dataset,))
    )


def trees_stamp(store: Store, dataset: str) -> str:
    """Return what caches are keyed by: another text after every change of a dataset's trees."""
    (row,) = store.rows("SELECT COUNT(*) AS n, MAX(created) AS newest FROM trees WHERE dataset = ?", (dataset,))
    return f"{row['n']} {row['newest'] or ''}"


def _tree(name: str, parents: str) -> Tree:
    return tree_of_parents(name, [(node, parent) for node, parent in json.loads(parents)])
