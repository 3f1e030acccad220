"""Two trees crossed: whether what one does to the score depends on the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.errors import OptionError
from core.metrics.granularity import Interaction, interaction
from core.services import trees
from core.services.catalogue import run as run_summary
from core.services.granularity import Choice, seed_of
from core.services.granularity_scores import documents, scores
from core.taxonomy.bundled import level_names

#: the pair of dimensions that the paper crosses
_PAPER = ("LV", "QC")


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two categories of each of two trees."""

    first: str
    first_pair: tuple[str, str]
    second: str
    second_pair: tuple[str, str]


def crossable(run_id: str) -> dict[str, tuple[str, ...]]:
    """Return the categories that questions of a run stand in, by tree, of trees with two or more of one level."""
    found = {}
    for name, dimension in trees.dimensions(run_id).items():
        own = Counter(node for node in trees.placed(run_id, name).own if node is not None)
        used = tuple(node for node in dimension.tree.nodes if any(own[below] for below in dimension.tree.within(node)))
        if _first_pair(dimension, used) is not None:
            found[name] = used
    return found


def default_crossing(run_id: str, first: str = "", second: str = "") -> Crossing | None:
    """Return the crossing shown at first, None where a run has fewer than two trees that can be crossed.

    The paper's two dimensions where both are there, else the first two; ``first`` and ``second`` choose otherwise. Of
    each the first two categories of the coarsest level that has two.
    """
    can = crossable(run_id)
    if len(can) < 2:
        return None
    wanted = _PAPER if set(_PAPER) <= set(can) else tuple(can)[:2]
    one = first if first in can else wanted[0]
    rest = [name for name in (second, *wanted, *can) if name in can and name != one]
    pairs = [_first_pair(trees.dimension(run_id, name), can[name]) for name in (one, rest[0])]
    return Crossing(one, pairs[0] or ("", ""), rest[0], pairs[1] or ("", ""))


def crossed(choice: Choice, crossing: Crossing) -> Interaction:
    """Return how two trees act together on the scores of one configuration.

    Raises:
        OptionError: there is no such run, tree, measure or configuration; the trees are one; or of a pair one category
            does not exist, holds the other, or is the other.
    """
    run = run_summary(choice.run_id)
    if crossing.first == crossing.second:
        raise OptionError("a tree cannot be crossed with itself: choose another one.")
    return interaction(
        scores(run, choice.quality, choice.configuration),
        _members(choice.run_id, crossing.first, crossing.first_pair),
        _members(choice.run_id, crossing.second, crossing.second_pair),
        documents(run.id),
        first_pair=crossing.first_pair,
        second_pair=crossing.second_pair,
        seed_text=f"{seed_of(choice)}|{crossing.first}|{crossing.second}",
    )


def _members(run_id: str, name: str, pair: tuple[str, str]) -> list[str | None]:
    """Return which of two categories each question lies in, at or below it."""
    dimension = trees.dimension(run_id, name)
    within = {node: frozenset(dimension.tree.within(node)) for node in pair}
    if len(within) < 2 or pair[0] in within[pair[1]] or pair[1] in within[pair[0]]:
        raise OptionError(f"of '{name}' two categories are needed of which neither holds the other: choose others.")
    return [next((node for node in pair if own in within[node]), None) for own in trees.placed(run_id, name).own]


def _first_pair(dimension: trees.Dimension, used: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the first two categories that are used of the coarsest level that has two."""
    for level in range(len(level_names(dimension.tree))):
        there = [node for node in dimension.tree.levels[level] if node in used]
        if len(there) > 1:
            return there[0], there[1]
    return None
