"""Use case *look at some of a run's questions*: which relations, split and categories there are, and which match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.errors import OptionError
from core.figures.notation import count, listed
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import dataset_rows
from core.store.run_questions import question_labels
from core.store.runs import no_run, run_row
from core.taxonomy.relations import in_order
from core.taxonomy.trees import Tree, labelled_trees


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
    """Return the labels of a run's questions; read once a run, whose questions never change, and card.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    return _labels(store, run_id, _source(store, run_id))


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
    return _matching(store, run_id, _source(store, run_id), where)


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


def _source(store: Store, run_id: str) -> str:
    rows = store.rows(
        "SELECT d.source_hash FROM runs r JOIN datasets d ON d.name = r.dataset WHERE r.id = ?", (run_id,)
    )
    if not rows:
        raise no_run(run_id)
    return str(rows[0]["source_hash"])


@lru_cache(maxsize=16)
def _labels(store: Store, run_id: str, source_hash: str) -> RunQuestions:
    del source_hash  # another one when the dataset has got another card, and with it other trees
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
    trees, problems = labelled_trees(card["trees"], used)
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
        problems=problems,
    )


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
def _matching(store: Store, run_id: str, source_hash: str, where: Where) -> tuple[str, ...]:
    questions = _labels(store, run_id, source_hash)
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
