"""How the labels and texts of a stored dataset are distributed, with a sentence on each, and what to beware of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.datasets.validation import FEWEST_QUESTIONS, warnings
from core.figures.distributions import Lengths, Node
from core.figures.notation import count, listed, per_cent
from core.services.browsing import StoredDataset, stored_dataset, trees
from core.services.workspace import workspace
from core.store import browse
from core.store.datasets import load_dataset
from core.taxonomy.relations import in_order
from core.taxonomy.trees import Tree
from core.text.tokens import count_words

#: bins of a histogram of lengths at most
_BINS = 20
#: round widths of a bin: 1, 2, 5, 10 …
_WIDTHS = tuple(step * 10**power for power in range(12) for step in (1, 2, 5))
_LENSES = ("Logic", "Coverage", "Granularity")


@dataclass(frozen=True)
class Distributions:
    """Counts over a whole dataset.

    ``splits[split][i]`` counts the questions of ``relations[i]`` ("" for none, of either). ``trees[dimension]`` are
    the nodes of a category dimension depth first. ``nuggets`` maps a number of nuggets to how many questions have it.
    """

    relations: tuple[str, ...]
    splits: Mapping[str, tuple[int, ...]]
    trees: Mapping[str, tuple[Node, ...]]
    nuggets: Mapping[int, int]
    n_vital: int
    lengths: tuple[Lengths, ...]
    languages: Mapping[str, int]
    warnings: tuple[str, ...]


def distributions(name: str) -> Distributions:
    """Return the counts of a stored dataset. Reads all of it: to be kept by the dataset's version.

    Raises:
        OptionError: there is no such dataset.
    """
    _, store = workspace()
    dataset = stored_dataset(name)
    cells = browse.relation_splits(store, name)
    relations = in_order({relation for relation, _ in cells if relation})
    if any(relation == "" for relation, _ in cells):
        relations.append("")
    splits = sorted({split for _, split in cells}, key=lambda split: (split == "", split != "train", split))
    labelled = dataset.labels.get("categories", {})
    asked, answered = zip(
        *((count_words(q), count_words(a)) for q, a in browse.question_texts(store, name)), strict=True
    )
    documents = [count_words(text) for text in browse.document_texts(store, name)]
    languages: Mapping[str, int] = dataset.labels.get("languages", {})
    return Distributions(
        relations=tuple(relations),
        splits={split: tuple(cells.get((relation, split), 0) for relation in relations) for split in splits},
        trees={dimension: _nodes(tree, labelled[dimension]) for dimension, tree in trees(dataset).items()},
        nuggets=browse.nugget_counts(store, name),
        n_vital=browse.vital_nuggets(store, name),
        lengths=tuple(
            lengths(what, words)
            for what, words in (("documents", documents), ("questions", asked), ("answers", answered))
            # a judged collection has no documents, and perhaps no reference answers
            if any(words)
        ),
        languages=dict(sorted(languages.items(), key=lambda pair: (-pair[1], pair[0]))),
        # that there are no relations is said with what else is missing
        warnings=tuple(str(one) for one in warnings(load_dataset(store, name)) if one.check != "no-relations"),
    )


def lengths(what: str, words: Sequence[int]) -> Lengths:
    """Return how long ``what`` are: ``words`` is the length of each, at least one."""
    numbers = np.asarray(words)
    low, median, high = (round(float(x)) for x in np.percentile(numbers, (10, 50, 90)))
    # a few giants would press all others into one bin: whatever is above the 99th percentile shares the last one
    first, last = int(numbers.min()), round(float(np.percentile(numbers, 99)))
    width = next(step for step in _WIDTHS if step * _BINS > last - first)
    first -= first % width
    edges = tuple(range(first, max(last, first) + width + 1, width))
    counts, _ = np.histogram(np.minimum(numbers, edges[-1]), edges)
    return Lengths(what, edges, tuple(counts.tolist()), low, median, high)


def finding(dataset: StoredDataset) -> str:
    """Return what a dataset is, in a sentence: "520 questions over 52 documents, labelled for all three lenses; …"."""
    over = count(dataset.n_documents, "document") if dataset.n_documents else "judged documents, known by their ids"
    size = f"{count(dataset.n_questions, 'question')} over {over}"
    there = lenses(dataset)
    if not there:
        return f"{size}, without labels for any lens: only BERTSim can compare configurations."
    labelled = "all three lenses" if len(there) == len(_LENSES) else f"{listed(list(there))} alone"
    return f"{size}, labelled for {labelled}{_each_relation(dataset)}."


def lenses(dataset: StoredDataset) -> tuple[str, ...]:
    """Return the lenses for which a dataset has labels."""
    labels = dataset.labels
    there = (bool(labels.get("relations")), bool(labels.get("with_nuggets")), bool(labels.get("categories")))
    return tuple(lens for lens, labelled in zip(_LENSES, there, strict=True) if labelled)


def missing_labels(dataset: StoredDataset) -> tuple[str, ...]:
    """Return what lenses a dataset cannot be read through, and which labels would change that."""
    needs = {
        "Logic": "no question has a relation, so there is no LRCR and no OPI: give each its logical relation",
        "Coverage": "no question has nuggets: give each the facts that a full answer needs",
        "Granularity": "no question has categories: give each its place in a category tree",
    }
    there = lenses(dataset)
    return tuple(f"{lens}: {need}." for lens, need in needs.items() if lens not in there)


def relation_sentence(found: Distributions) -> str:
    """Return how many questions each relation has, and whether that is enough to compare configurations on it."""
    sizes = {
        relation: sum(numbers[i] for numbers in found.splits.values())
        for i, relation in enumerate(found.relations)
        if relation
    }
    few = [relation for relation, n in sizes.items() if n < FEWEST_QUESTIONS]
    if not few:
        return f"Each has at least {FEWEST_QUESTIONS} questions, below which scores are mostly noise."
    if len(few) == len(sizes):
        return f"All have fewer than {FEWEST_QUESTIONS} questions, so scores relation by relation are mostly noise."
    named = listed(few) if len(few) <= 3 else f"{len(few)} of {len(sizes)}"
    return f"Fewer than {FEWEST_QUESTIONS} questions, so mostly noise: {named}."


def nugget_sentence(found: Distributions) -> str:
    """Return how many nuggets a question has, and how many of them are vital."""
    n = sum(k * questions for k, questions in found.nuggets.items())
    total = sum(found.nuggets.values())
    without = found.nuggets.get(0, 0)
    sentence = f"{n / total:.1f} nuggets a question on average; {per_cent(found.n_vital / n)} are vital"
    return f"{sentence}; {count(without, 'question')} without any." if without else f"{sentence}."


def tree_sentence(nodes: Sequence[Node]) -> str:
    """Return how evenly the questions lie on the finest level of a dimension."""
    finest = max(node.depth for node in nodes)
    level = [node for node in nodes if node.depth == finest]
    most, least = max(level, key=lambda node: node.n), min(level, key=lambda node: node.n)
    where = "" if finest == 0 else f" of level {finest + 1}"
    if most.n == least.n:
        return f"Every category{where} has {count(most.n, 'question')}."
    return f"From {count(least.n, 'question')} ({least.name}) to {most.n:,} ({most.name}) a category{where}."


def length_sentence(found: Distributions) -> str:
    """Return the middle of each kind of text."""
    parts = [f"{one.what} {one.low:,} to {one.high:,}" for one in found.lengths]
    return f"Four of five lie between these numbers of words: {listed(parts)}."


def language_sentence(found: Distributions) -> str:
    """Return in which languages the documents are: "all documents in en"."""
    named = [(code or "an unknown language", n) for code, n in found.languages.items()]
    if len(named) == 1:
        return f"all documents in {named[0][0]}"
    return f"documents in {listed([f'{code} ({n:,})' for code, n in named[:5]])}"


def _each_relation(dataset: StoredDataset) -> str:
    sizes = list(dataset.labels.get("relations", {}).values())
    if not sizes:
        return ""
    without = dataset.labels.get("without_relation", 0)
    rest = f"; {count(without, 'question')} {'has' if without == 1 else 'have'} none" if without else ""
    if len(sizes) == 1:
        return f"; the only relation has {sizes[0]:,}{rest}"
    if min(sizes) == max(sizes):
        return f"; every relation has {sizes[0]:,}{rest}"
    return f"; relations have {min(sizes):,} to {max(sizes):,}{rest}"


def _nodes(tree: Tree, labelled: Mapping[str, int]) -> tuple[Node, ...]:
    """Return a tree's nodes down to the finest level that labels any question."""
    nodes = [
        Node(name, tree.level_of(name), sum(labelled.get(below, 0) for below in tree.within(name)))
        for name in tree.nodes
    ]
    finest = max((node.depth for node in nodes if node.n), default=0)
    return tuple(node for node in nodes if node.depth <= finest)
