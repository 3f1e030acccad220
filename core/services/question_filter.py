"""Use case *look at some of a run's questions*: which relations, split and categories there are, and which match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.errors import InputError, OptionError
from core.figures.notation import count, listed
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import dataset_rows
from core.store.run_questions import question_labels
from core.store.runs import no_run, run_row
from core.taxonomy.relations import in_order
from core.taxonomy.trees import Tree, nested_tree


@dataclass(frozen=True, slots=True)
class Where:
    """Which questions: any of ``relations`` (none: all), the ``split`` ("": all), and in every one of ``categories``.

    A category is (dimension, node of its tree); an inner node stands for everything below it.
    """

    relations: tuple[str, ...] = ()
    split: str = ""
    categories: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """Return whether this narrows anything."""
        return bool(self.relations or self.split or self.categories)

    def in_words(self) -> str:
        """Return "split test; causal and temporal; QC simple"."""
        parts = [f"split {self.split}"] if self.split else []
        parts += [listed(list(self.relations))] if self.relations else []
        parts += [f"{dimension} {node}" for dimension, node in self.categories]
        return "; ".join(parts)


#: all questions
EVERYTHING = Where()


@dataclass(frozen=True)
class RunQuestions:
    """The labels of a run's questions, in the dataset's order.

    ``relations`` and ``splits`` count them by name; ``trees`` are the dimensions that label any of them, and
    ``nodes[dimension][node]`` counts the questions at or below a node. ``problems`` says which of the card's trees
    cannot be read (their labels then stand side by side).
    """

    ids: tuple[str, ...]
    relation_of: tuple[str, ...]
    split_of: tuple[str, ...]
    categories_of: tuple[Mapping[str, str], ...]
    relations: Mapping[str, int]
    splits: Mapping[str, int]
    trees: Mapping[str, Tree]
    nodes: Mapping[str, Mapping[str, int]]
    problems: tuple[str, ...] = ()


def run_questions(run_id: str) -> RunQuestions:
    """Return the labels of a run's questions; read once a run, whose questions never change.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    return _labels(store, run_id)


def matching(run_id: str, where: Where) -> tuple[str, ...]:
    """Return the ids of a run's questions that match, in the dataset's order.

    Raises:
        OptionError: there is no such run, or none of its questions carries a label that ``where`` names.
    """
    questions = run_questions(run_id)
    if not where:
        return questions.ids
    _check(questions, where)
    _, store = workspace()
    return _matching(store, run_id, where)


def filtered_sentence(run_id: str, where: Where) -> str:
    """Return what a filtered view covers: "120 of 520 questions: split test. Effects and intervals only.".

    "" for a view of all questions. Raises OptionError as ``matching`` does.
    """
    if not where:
        return ""
    n, total = len(matching(run_id, where)), len(run_questions(run_id).ids)
    if n == 0:
        return f"None of the {count(total, 'question')} of this run matches: {where.in_words()}."
    return (
        f"{n:,} of {count(total, 'question')}: {where.in_words()}. A filtered view shows effects and intervals only, "
        "no verdicts on noise."
    )


@lru_cache(maxsize=16)
def _labels(store: Store, run_id: str) -> RunQuestions:
    rows = question_labels(store, run_id)
    dataset = run_row(store, run_id)["dataset"]
    card = next((row["card"] for row in dataset_rows(store) if row["name"] == dataset), None)
    if card is None:
        # deleted between the two, and its runs with it
        raise no_run(run_id)
    relations = Counter(row["relation"] for row in rows if row["relation"])
    splits = Counter(row["split"] for row in rows if row["split"])
    used: dict[str, Counter[str]] = {}
    for row in rows:
        for dimension, node in row["categories"].items():
            used.setdefault(dimension, Counter())[node] += 1
    # dimensions in the card's order, then those only questions name
    names = [*(d for d in card["trees"] if d in used), *sorted(d for d in used if d not in card["trees"])]
    trees, problems = {}, []
    for dimension in names:
        trees[dimension], problem = _tree(dimension, card["trees"].get(dimension), used[dimension])
        problems += [problem] if problem else []
    return RunQuestions(
        ids=tuple(row["id"] for row in rows),
        relation_of=tuple(row["relation"] or "" for row in rows),
        split_of=tuple(row["split"] or "" for row in rows),
        categories_of=tuple(row["categories"] for row in rows),
        relations={name: relations[name] for name in in_order(set(relations))},
        splits=dict(sorted(splits.items())),
        trees=trees,
        nodes={
            dimension: {node: sum(used[dimension][below] for below in tree.within(node)) for node in tree.nodes}
            for dimension, tree in trees.items()
        },
        problems=tuple(problems),
    )


def _tree(dimension: str, nested: object, labels: Mapping[str, int]) -> tuple[Tree, str]:
    """Return a dimension's tree, with labels it does not know at its top, and what was wrong with the card's."""
    problem = ""
    try:
        tree = nested_tree(dimension, nested)
    except InputError as error:
        tree, problem = nested_tree(dimension, None), f"{error} Until then its categories stand side by side."
    strangers = {name: None for name in sorted(labels) if name not in tree.parents}
    return Tree(dimension, {**tree.parents, **strangers}), problem


def _check(questions: RunQuestions, where: Where) -> None:
    for relation in where.relations:
        if relation not in questions.relations:
            raise OptionError(f"no question of this run has the relation '{relation[:80]}': choose one that is listed.")
    if where.split and where.split not in questions.splits:
        raise OptionError(f"no question of this run is in the split '{where.split[:80]}': choose one that is listed.")
    for dimension, node in where.categories:
        if dimension not in questions.trees:
            raise OptionError(f"no question of this run has a category of '{dimension[:80]}': choose another one.")
        questions.trees[dimension].ancestors(node)


@lru_cache(maxsize=64)
def _matching(store: Store, run_id: str, where: Where) -> tuple[str, ...]:
    questions = _labels(store, run_id)
    relations = frozenset(where.relations or (*questions.relations, ""))
    allowed = [(dimension, frozenset(questions.trees[dimension].within(node))) for dimension, node in where.categories]
    return tuple(
        identifier
        for identifier, relation, split, categories in zip(
            questions.ids, questions.relation_of, questions.split_of, questions.categories_of, strict=True
        )
        if relation in relations
        and where.split in ("", split)
        and all(categories.get(dimension) in nodes for dimension, nodes in allowed)
    )
