"""Where the labels of questions stand in a tree: what is known, what is a spelling variant, what is set aside.

A question may be labelled at any level. Labels that name a node and one above it agree: the lower one is kept. Labels
in two branches contradict each other: the question keeps the category in which they agree, if there is one, and is
reported. Nothing is dropped without a word.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.taxonomy.bundled import level_names
from core.taxonomy.trees import Tree

#: how like a node's name a label must be to be suggested, by difflib's ratio
_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class MappedLabel:
    """A label of ``n`` questions that was read as the node ``node``."""

    name: str
    node: str
    n: int


@dataclass(frozen=True, slots=True)
class StrayLabel:
    """A label of ``n`` questions that names no node and counts nowhere; ``suggestion`` is a node it may mean."""

    name: str
    n: int
    suggestion: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A question (its place in the list) labelled in several children of ``parent`` (None: of the top)."""

    question: int
    parent: str | None
    children: tuple[str, ...]


@dataclass(frozen=True)
class PlacedLabels:
    """The labels of Q questions in one tree.

    ``own`` is each question's node, None where it has none; ``mapped``, ``set_aside`` and ``conflicts`` say what had
    to be decided. ``n_unlabelled`` questions carried no label at all.
    """

    tree: Tree
    own: tuple[str | None, ...]
    mapped: tuple[MappedLabel, ...]
    set_aside: tuple[StrayLabel, ...]
    conflicts: tuple[Conflict, ...]
    n_unlabelled: int

    @cached_property
    def levels_of_own(self) -> NDArray[np.int64]:
        """The level of each question's node, (Q,); -1 where it has none."""
        level = {name: number for number, names in enumerate(self.tree.levels) for name in names}
        return np.array([-1 if name is None else level[name] for name in self.own], dtype=np.int64)

    @property
    def independent(self) -> bool:
        """True where several levels have questions of their own, so that each level is a set of its own."""
        inner = set(self.tree.parents.values())
        labelled = {int(level) for level in self.levels_of_own if level >= 0}
        return len(labelled) > 1 and any(name in inner for name in self.own if name is not None)

    def at_level(self, level: int, independent: bool = False) -> tuple[str | None, ...]:
        """Return each question's category at a level, (Q,); None where it has none there.

        Labels below are lifted, and a leaf above stands for itself. ``independent`` leaves all but the questions that
        are labelled at that very level. Raises OptionError for a level the tree does not have.
        """
        if not 0 <= level < len(self.tree.levels):
            raise OptionError(f"'{self.tree.dimension}' has no level {level}: it has {len(self.tree.levels)}.")
        if independent:
            exact = set(self.tree.levels[level])
            return tuple(name if name in exact else None for name in self.own)
        inner = set(self.tree.parents.values())
        lifted: dict[str | None, str | None] = {None: None}
        for name in self.tree.nodes:
            above = (name, *self.tree.ancestors(name))[::-1]
            if len(above) > level:
                lifted[name] = above[level]
            else:
                lifted[name] = None if name in inner else name
        return tuple(lifted[name] for name in self.own)

    def sentences(self) -> tuple[str, ...]:
        """Return in words what was read as something else, what was set aside, and what contradicts itself."""
        said = [f"'{one.name}' ({_questions(one.n)}) was read as '{one.node}'." for one in self.mapped]
        for stray in self.set_aside:
            hint = f"; did you mean '{stray.suggestion}'?" if stray.suggestion else "."
            said.append(f"'{stray.name}' ({_questions(stray.n)}) {stray.reason}{hint}")
        groups = Counter((one.parent, one.children) for one in self.conflicts)
        for (parent, children), n in groups.items():
            below = f"of '{parent}'" if parent is not None else f"of '{self.tree.dimension}'"
            kept = f"counted in '{parent}' only" if parent is not None else "set aside"
            names = " and ".join(f"'{child}'" for child in children)
            verb = "is" if n == 1 else "are"
            said.append(f"{_questions(n)} {verb} labelled in {names}, two children {below}: {kept}.")
        if self.n_unlabelled:
            verb = "carries" if self.n_unlabelled == 1 else "carry"
            said.append(f"{_questions(self.n_unlabelled)} {verb} no label of '{self.tree.dimension}'.")
        return tuple(said)


def place_labels(
    tree: Tree,
    labels: Sequence[str | Sequence[str] | None],
    mapping: Mapping[str, str | None] | None = None,
) -> PlacedLabels:
    """Return where the labels of Q questions stand in ``tree``.

    ``labels`` has one entry a question: None (or ""), a name, or several names. A label that differs from exactly one
    node's name in case, width, blanks, hyphens and underscores only is read as that node. ``mapping`` holds
    the user's own decisions: label to node, or to None to set it aside.

    Raises:
        OptionError: ``mapping`` names a node that the tree does not have.
    """
    decided = dict(mapping or {})
    for label, node in decided.items():
        if node is not None and node not in tree.parents:
            raise OptionError(
                f"'{label[:80]}' is mapped to '{node[:80]}', which is no category of '{tree.dimension}': choose one."
            )
    names = [_names(entry) for entry in labels]
    counts = Counter(name for entry in names for name in entry)
    known: dict[str, str] = {}
    mapped: list[MappedLabel] = []
    stray: list[StrayLabel] = []
    for name, n in sorted(counts.items()):
        node, reason = _node_of(tree, name, decided)
        if node is None:
            suggestion = None if name in decided else suggested_node(tree, name)
            stray.append(StrayLabel(name, n, suggestion, reason))
            continue
        known[name] = node
        if node != name:
            mapped.append(MappedLabel(name, node, n))
    own: list[str | None] = []
    conflicts: list[Conflict] = []
    for number, entry in enumerate(names):
        node, conflict = _agreed(tree, {known[name] for name in entry if name in known})
        own.append(node)
        if conflict is not None:
            conflicts.append(Conflict(number, node, conflict))
    unlabelled = sum(not entry for entry in names)
    return PlacedLabels(tree, tuple(own), tuple(mapped), tuple(stray), tuple(conflicts), unlabelled)


def suggested_node(tree: Tree, name: str) -> str | None:
    """Return the node whose name is most like ``name``, or None where none is like it."""
    plain = {_plain(node): node for node in reversed(tree.nodes)}
    near = difflib.get_close_matches(_plain(name), list(plain), n=1, cutoff=_ALIKE)
    return plain[near[0]] if near else None


def level_name(tree: Tree, level: int) -> str:
    """Return what a level is called in a sentence: "medium", "level 2", or "the categories" of a flat tree."""
    name = level_names(tree)[level]
    if not name:
        return "the categories"
    return f"level {name}" if name.isdigit() else name


def _node_of(tree: Tree, name: str, decided: Mapping[str, str | None]) -> tuple[str | None, str]:
    """Return the node a label stands for, or None and why it stands for none."""
    if name in decided:
        return decided[name], "was set aside as asked"
    if name in tree.parents:
        return name, ""
    alike = [node for node in tree.nodes if _plain(node) == _plain(name)]
    if len(alike) == 1:
        return alike[0], ""
    if alike:
        return None, f"may mean {' or '.join(repr(node) for node in alike)} and is set aside"
    return None, f"is no category of '{tree.dimension}' and is set aside"


def _agreed(tree: Tree, nodes: set[str]) -> tuple[str | None, tuple[str, ...] | None]:
    """Return the lowest node that no label contradicts, and the children between which the labels disagree."""
    # from the top down: each path as far as all labels that reach there agree
    paths = [(node, *tree.ancestors(node))[::-1] for node in nodes]
    agreed: str | None = None
    for level in range(max(map(len, paths), default=0)):
        here = {path[level] for path in paths if len(path) > level}
        if len(here) > 1:
            return agreed, tuple(name for name in tree.nodes if name in here)
        agreed = here.pop()
    return agreed, None


def _names(entry: str | Sequence[str] | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    several = (entry,) if isinstance(entry, str) else tuple(entry)
    return tuple(dict.fromkeys(name for name in several if name.strip()))


def _plain(name: str) -> str:
    """Return a name without what spelling variants differ in."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\s_\-\u2010-\u2015]+", "", folded)


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n:,} questions"
