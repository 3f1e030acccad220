"""Which passages, put into a ranking, would raise its subtopic recall most. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from core.figures.notation import decimal, listed


def helpful(
    ranking: Sequence[str], holders: Mapping[str, Collection[int]], supported: int, k: int, rank: int, most: int = 3
) -> tuple[str, ...]:
    """Return at most ``most`` sentences about passages which, put in at ``rank``, would raise StRecall@k most.

    ``holders`` are those passages that are known to hold nuggets, by their places; ``supported`` nuggets are held by
    anything at all. Passages that push another one out of the first k are charged for it.
    """
    if not supported:
        return ()

    def reached(first: Sequence[str]) -> frozenset[int]:
        return frozenset(nugget for name in first[:k] for nugget in holders.get(name, ()))

    now = reached(ranking)
    gains = []
    for name in holders:
        if name in ranking[:k]:
            continue
        moved = [*ranking[: rank - 1], name, *(other for other in ranking[rank - 1 :] if other != name)]
        then = reached(moved)
        if len(then) > len(now):
            gains.append((len(then), name, sorted(then - now)))
    gains.sort(key=lambda gain: (-gain[0], gain[1]))
    return tuple(
        f"Adding {name} at rank {rank} would raise StRecall@{k} by {decimal((n - len(now)) / supported)}, from "
        f"{decimal(len(now) / supported)} to {decimal(n / supported)}: it holds "
        f"{'nugget' if len(new) == 1 else 'nuggets'} {listed([f'n{place + 1}' for place in new])}."
        for n, name, new in gains[:most]
    )
