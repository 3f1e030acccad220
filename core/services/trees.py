"""Use case *which trees do a run's questions stand in*: the dataset's, bundled ones, relations, and the user's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.errors import InputError, OptionError
from core.services.question_filter import RunQuestions, run_questions
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import dataset_rows
from core.store.runs import run_row
from core.store.trees import StoredTree, delete_tree, save_tree, stored_trees, trees_stamp
from core.taxonomy.bundled import BUNDLED_TREES, RELATION, relation_tree
from core.taxonomy.labels import PlacedLabels, place_labels
from core.taxonomy.trees import Tree, nested_tree, tree_of_parents

#: where a tree comes from: the user, the dataset's card, the product, or nowhere (labels side by side)
Origin = Literal["yours", "dataset", "bundled", "labels"]
#: what the bundled dimensions are called in full
TITLES: Mapping[str, str] = {
    "QC": "question complexity (QC)",
    "AT": "answer type (AT)",
    "LV": "linguistic variation (LV)",
    "user_expertise": "user expertise",
    RELATION: "logical relation",
}
#: a bundled tree is taken for a dimension of its name when it knows this share of the labels
_KNOWN = 0.5
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Dimension:
    """A tree with the labels that stand in it.

    ``name`` is the tree's, ``labels`` the dimension of the questions' labels, which differs where a user's tree sorts
    other labels. ``mapping`` is the user's reading of labels that the tree does not know.
    """

    name: str
    tree: Tree
    labels: str
    mapping: Mapping[str, str | None]
    origin: Origin

    @property
    def title(self) -> str:
        """The name as people read it."""
        return TITLES.get(self.name, self.name)


def dimensions(run_id: str) -> dict[str, Dimension]:
    """Return the trees in which any of a run's questions stands, by name, relations after categories.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    dataset = dataset_of(run_id)
    return _dimensions(store, run_id, dataset, _card_stamp(store, dataset), trees_stamp(store, dataset))


def dimension(run_id: str, name: str) -> Dimension:
    """Return one of ``dimensions``. Raises OptionError where the run has none of that name."""
    found = dimensions(run_id)
    if name not in found:
        raise OptionError(f"no question of this run stands in a tree '{name[:80]}': choose one that is listed.")
    return found[name]


def labels_of(run_id: str, labels: str) -> tuple[str | None, ...]:
    """Return the label of each of a run's questions in one dimension, in the order of ``run_questions``."""
    questions = run_questions(run_id)
    if labels == RELATION:
        return tuple(name or None for name in questions.relation_of)
    return tuple(one.get(labels) or None for one in questions.categories_of)


def placed(run_id: str, name: str, other: str = "") -> PlacedLabels:
    """Return where a run's questions stand in one of its trees, in the order of ``run_questions``.

    Of run ``other`` where one is named: the same tree, filled with its questions. Raises OptionError as ``dimension``.
    """
    _, store = workspace()
    dataset = dataset_of(run_id)
    stamps = (_card_stamp(store, dataset), trees_stamp(store, dataset))
    return _placed(store, run_id, dataset, stamps, name, other or run_id)


def label_dimensions(run_id: str) -> tuple[str, ...]:
    """Return the dimensions that label any of a run's questions."""
    questions = run_questions(run_id)
    return (*questions.trees, *((RELATION,) if questions.relations else ()))


def own_trees(run_id: str) -> tuple[StoredTree, ...]:
    """Return the trees and readings that users keep for a run's dataset."""
    _, store = workspace()
    return stored_trees(store, dataset_of(run_id))


def keep_tree(run_id: str, tree: Tree, labels: str, mapping: Mapping[str, str | None], source: str) -> None:
    """Keep a tree for a run's dataset, in the place of one of the same name.

    Raises:
        OptionError: no question has labels of that dimension, none of its labels stands in the tree, the mapping names
            no category of it, or the name is too long.
    """
    if not tree.dimension.strip() or len(tree.dimension) > _LONGEST_NAME:
        raise OptionError(f"the name of a tree must have 1 to {_LONGEST_NAME} characters: rename it in the file.")
    if labels not in label_dimensions(run_id):
        raise OptionError(f"no question of this run has a label of '{labels[:80]}': choose a dimension that is listed.")
    found = place_labels(tree, labels_of(run_id, labels), mapping)
    if not any(found.own):
        raise OptionError(
            f"none of the labels of '{labels[:80]}' is a category of '{tree.dimension}': correct the names in the file "
            "or map the labels."
        )
    _, store = workspace()
    save_tree(store, dataset_of(run_id), StoredTree(tree.dimension, labels, tree, _of_labels(found, mapping), source))


def keep_mapping(run_id: str, name: str, mapping: Mapping[str, str | None]) -> None:
    """Keep how labels that a tree does not know are read; none takes an earlier reading back.

    Raises:
        OptionError: there is no such tree, or the mapping names no category of it.
    """
    chosen = dimension(run_id, name)
    place_labels(chosen.tree, labels_of(run_id, chosen.labels), mapping)
    _, store = workspace()
    dataset = dataset_of(run_id)
    before = next((one for one in stored_trees(store, dataset) if one.name == name), None)
    tree = before.tree if before else None
    if tree is None and not mapping:
        delete_tree(store, dataset, name)
        return
    save_tree(store, dataset, StoredTree(name, chosen.labels, tree, mapping, before.source if before else ""))


def remove_tree(run_id: str, name: str) -> None:
    """Delete a tree that a user keeps for a run's dataset. Raises OptionError where there is none of that name."""
    _, store = workspace()
    if not delete_tree(store, dataset_of(run_id), name):
        raise OptionError(f"no tree '{name[:80]}' is kept for this dataset any more: nothing was deleted.")


def dataset_of(run_id: str) -> str:
    """Return the name of a run's dataset. Raises OptionError where there is no such run."""
    _, store = workspace()
    return _dataset_of(store, run_id)


@lru_cache(maxsize=256)
def _dataset_of(store: Store, run_id: str) -> str:
    # a run's dataset never changes, and its row holds the ids of all questions
    return str(run_row(store, run_id)["dataset"])


def tree_stamp(run_id: str) -> str:
    """Return what caches of a run's trees are keyed by, beside the run's own stamp."""
    _, store = workspace()
    return trees_stamp(store, dataset_of(run_id))


def suggested_labels(run_id: str, tree: Tree) -> str:
    """Return the dimension most of whose labels a tree knows: what an uploaded tree is probably for.

    Raises:
        OptionError: the run's questions have no labels.
    """
    known = {}
    for name in label_dimensions(run_id):
        found = place_labels(tree, labels_of(run_id, name))
        known[name] = (sum(own is not None for own in found.own), name == tree.dimension)
    if not known:
        raise OptionError("the questions of this run have no labels: import the dataset with a column of categories.")
    return max(known, key=lambda name: known[name])


def _of_labels(found: PlacedLabels, mapping: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the part of a mapping that concerns labels which occur."""
    occurring = {one.name for one in found.mapped} | {one.name for one in found.set_aside}
    return {name: node for name, node in mapping.items() if name in occurring}


def _card_stamp(store: Store, dataset: str) -> str:
    rows = store.rows("SELECT source_hash FROM datasets WHERE name = ?", (dataset,))
    if not rows:
        raise OptionError(f"dataset '{dataset}' has been deleted meanwhile: choose another run.")
    return str(rows[0]["source_hash"])


@lru_cache(maxsize=64)
def _placed(store: Store, run_id: str, dataset: str, stamps: tuple[str, str], name: str, other: str) -> PlacedLabels:
    del store, dataset, stamps  # another one when the trees have changed; a run's questions never do
    chosen = dimension(run_id, name)
    return place_labels(chosen.tree, labels_of(other, chosen.labels), chosen.mapping)


@lru_cache(maxsize=32)
def _dimensions(store: Store, run_id: str, dataset: str, card_stamp: str, stamp: str) -> dict[str, Dimension]:
    del card_stamp, stamp
    questions = run_questions(run_id)
    card = next(row["card"] for row in dataset_rows(store) if row["name"] == dataset)
    kept = stored_trees(store, dataset)
    readings = {one.name: one.mapping for one in kept if one.tree is None}
    found = {}
    for name in questions.trees:
        tree, origin = _tree_of(name, card["trees"].get(name), questions)
        found[name] = Dimension(name, tree, name, _valid(tree, readings.get(name, {})), origin)
    if questions.relations:
        found[RELATION] = Dimension(RELATION, relation_tree(questions.relations), RELATION, {}, "labels")
    known = set(found)
    for one in kept:
        if one.tree is not None and one.labels in known:
            found[one.name] = Dimension(one.name, one.tree, one.labels, one.mapping, "yours")
    return found


def _tree_of(name: str, nested: object, questions: RunQuestions) -> tuple[Tree, Origin]:
    """Return the card's tree, else a bundled one that knows the labels, else the labels side by side."""
    labels = [one[name] for one in questions.categories_of if one.get(name)]
    if nested:
        try:
            return nested_tree(name, nested), "dataset"
        except InputError:
            pass  # ``RunQuestions.problems`` says so; its labels then stand side by side
    elif name in BUNDLED_TREES and _share_known(BUNDLED_TREES[name], labels) >= _KNOWN:
        return BUNDLED_TREES[name], "bundled"
    return tree_of_parents(name, [(label, None) for label in sorted(set(labels))]), "labels"


def _share_known(tree: Tree, labels: Sequence[str]) -> float:
    counts = Counter(labels)
    own = place_labels(tree, list(counts)).own
    known = sum(n for n, node in zip(counts.values(), own, strict=True) if node is not None)
    return known / max(counts.total(), 1)


def _valid(tree: Tree, mapping: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return a reading without categories that the tree, whose card may have changed, no longer has."""
    return {name: node for name, node in mapping.items() if node is None or node in tree.parents}
