from __future__ import annotations

import pytest

from core.retrieval.combinations import fuse, union
from core.retrieval.names import parse_combination
from core.schema import Ranking


def ranking(*passages: int, no_match: bool = False) -> Ranking:
    return Ranking(passages, tuple(1.0 / (i + 1) for i in range(len(passages))), no_match)


def test_fusion_by_hand() -> None:
    members = {"knn": ranking(7, 3, 5, 9), "bm25": ranking(3, 9, 8, 7)}
    fused = fuse(parse_combination("a:knn+bm25"), members, 3)
    # Of the first three: 3 is second and first, 7 first, 9 second, 5 and 8 third each.
    assert fused.passages == (3, 7, 9)
    assert fused.scores == pytest.approx([(1 / 62 + 1 / 61) / 2, 1 / 61 / 2, 1 / 62 / 2], abs=5e-7)


def test_the_order_of_members_breaks_ties() -> None:
    members = {"knn": ranking(1, 2, 3), "bm25": ranking(4, 5, 6)}
    assert fuse(parse_combination("a:knn+bm25"), members, 4).passages == (1, 4, 2, 5)
    assert fuse(parse_combination("a:bm25+knn"), members, 4).passages == (4, 1, 5, 2)
    crossed = {"knn": ranking(9, 2), "bm25": ranking(2, 9)}
    assert fuse(parse_combination("a:knn+bm25"), crossed, 2).passages == (9, 2)
    assert fuse(parse_combination("a:bm25+knn"), crossed, 2).passages == (2, 9)


def test_sums_of_the_same_reciprocals_are_ties_in_whatever_order_they_are_added() -> None:
    # 0 is first, seventh and second; 1 is second, first and seventh: in floating point its sum is larger.
    members = {
        "knn": ranking(0, 1, 10, 11, 12, 13, 14),
        "dps": ranking(1, 20, 21, 22, 23, 24, 0),
        "tfidf": ranking(30, 0, 31, 32, 33, 34, 1),
        "mmr": ranking(40, 41, 42, 43, 44, 45, 46),
    }
    weights = [[0.25 / (60 + rank) for rank in ranks] for ranks in ((1, 7, 2), (2, 1, 7))]
    assert sum(weights[0][:2]) + weights[0][2] < sum(weights[1][:2]) + weights[1][2]
    assert fuse(parse_combination("a-four"), members, 7).passages[:2] == (0, 1)


def test_each_member_gives_its_first_k_only() -> None:
    members = {"knn": ranking(1, 2, 3, 4, 5), "dps": ranking(5, 4, 3, 2, 1)}
    assert fuse(parse_combination("a-two"), members, 2).passages == (1, 5)
    assert union(parse_combination("s-two"), members, 2) == (1, 2, 4, 5)


def test_short_members_and_no_match() -> None:
    members = {"knn": ranking(), "dps": ranking(0, 1, no_match=True)}
    fused = fuse(parse_combination("a-two"), members, 4)
    assert fused.passages == (0, 1)
    assert not fused.no_match
    both = {"knn": ranking(0, no_match=True), "dps": ranking(0, no_match=True)}
    assert fuse(parse_combination("a-two"), both, 4).no_match
    assert union(parse_combination("s-two"), {"knn": ranking(), "dps": ranking()}, 4) == ()


def test_a_missing_member_is_not_passed_over() -> None:
    with pytest.raises(KeyError):
        fuse(parse_combination("a-two"), {"knn": ranking(0)}, 4)
    with pytest.raises(KeyError):
        union(parse_combination("s-two"), {"knn": ranking(0)}, 4)
