"""Which questions are rated, in which order each rater sees the items: draws that a seed decides. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from core.schema import content_hash

One = TypeVar("One")


def drawn_questions(relations: Mapping[str, str], n: int, seed: int) -> tuple[str, ...]:
    """Return ``n`` question ids (0, or more than there are: all), stratified by relation, in the order given.

    ``relations`` maps ids to relations ("" where there is none). Every relation gives as many as the others as far as
    it has them; what is left over goes to relations in seeded order. Equal arguments give equal draws.
    """
    if not 0 < n < len(relations):
        return tuple(relations)
    strata: dict[str, list[str]] = {}
    for identifier, relation in relations.items():
        strata.setdefault(relation, []).append(identifier)
    shuffled = [_shuffled(members, seed, "questions", relation) for relation, members in sorted(strata.items())]
    turns = _shuffled(shuffled, seed, "relations")
    chosen: set[str] = set()
    depth = 0
    while len(chosen) < n:
        for members in turns:
            if depth < len(members) and len(chosen) < n:
                chosen.add(members[depth])
        depth += 1
    return tuple(identifier for identifier in relations if identifier in chosen)


def shared_places(n_items: int, share: float, seed: int) -> frozenset[int]:
    """Return the places (from 0) of the items that all raters see: the share of them, rounded, drawn by the seed."""
    return frozenset(_shuffled(range(n_items), seed, "shared")[: round(share * n_items)])


@lru_cache(maxsize=512)
def rater_order(study: str, rater: str, seed: int, n_items: int) -> tuple[int, ...]:
    """Return the ordinals (from 0) of a study's items in one rater's own order."""
    return tuple(_shuffled(range(n_items), seed, "order", study, rater))


def system_order(systems: Sequence[One], seed: int, rater: str, item: str) -> tuple[One, ...]:
    """Return the systems an item is credited to in an order drawn for one rater: what a blinded name stands for."""
    return tuple(_shuffled(systems, seed, "systems", rater, item))


def _shuffled(members: Sequence[One], seed: int, *words: str) -> list[One]:
    found = list(members)
    random.Random(content_hash(seed, *words)).shuffle(found)
    return found
