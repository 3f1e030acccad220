"""Several retrievers as one: A- fuses rankings, S- unites what they found."""

from __future__ import annotations

from collections.abc import Mapping

from core.retrieval.names import FUSION_C, CombinationSpec
from core.retrieval.ordering import DECIMALS
from core.schema import Ranking

# Equal sums of reciprocals, added in another order, differ in the last bits.
_EQUAL_DECIMALS = 12


def fuse(combination: CombinationSpec, members: Mapping[str, Ranking], k: int) -> Ranking:
    """Return the best ``k`` passages of the members' first ``k`` by weighted reciprocal rank fusion.

    score(p) = sum over members m of w / (60 + rank of p in m), with equal weights w = 1 / number of members; ranks
    count from 1 (Cormack, Clarke and Buettcher, SIGIR 2009; weights as in LangChain's EnsembleRetriever). Of equal
    passages the one found first goes first: by the first member, then the second, each in its own order.
    ``no_match`` is set where it is set for all members. Raises KeyError where a member's ranking is missing.
    """
    weight = 1.0 / len(combination.members)
    scores: dict[int, float] = {}
    for member in combination.members:
        for rank, passage in enumerate(members[member].passages[:k], start=1):
            scores[passage] = scores.get(passage, 0.0) + weight / (FUSION_C + rank)
    ordered = sorted(scores, key=lambda passage: -round(scores[passage], _EQUAL_DECIMALS))[:k]
    return Ranking(
        tuple(ordered),
        tuple(round(scores[passage], DECIMALS) for passage in ordered),
        no_match=all(members[member].no_match for member in combination.members),
    )


def union(combination: CombinationSpec, members: Mapping[str, Ranking], k: int) -> tuple[int, ...]:
    """Return the passages that any member has among its first ``k``, each once, in document order.

    Raises KeyError where a member's ranking is missing.
    """
    return tuple(sorted({passage for member in combination.members for passage in members[member].passages[:k]}))
