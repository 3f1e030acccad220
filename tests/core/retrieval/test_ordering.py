from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.ordering import batches, best
from core.retrieval.pool import Pool
from tests.core.retrieval.pools import passages_of, random_vectors


def test_higher_first_then_document_order() -> None:
    (ranking,) = best(np.array([[0.1, 0.5, 0.5000004, 0.7, 0.5]]), 4)
    assert ranking.passages == (3, 1, 2, 4)
    assert ranking.scores == (0.7, 0.5, 0.5, 0.5)


def test_fewer_than_depth_are_all_returned() -> None:
    assert best(np.array([[1.0, 2.0]]), 20)[0].passages == (1, 0)


def test_no_match_is_document_order_and_flagged() -> None:
    matched, unmatched = best(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), 2, np.array([False, True]))
    assert matched.passages == (2, 0)
    assert not matched.no_match
    assert (unmatched.passages, unmatched.scores, unmatched.no_match) == ((0, 1), (0.0, 0.0), True)


def test_there_is_no_negative_zero() -> None:
    assert str(best(np.array([[-1e-9]]), 1)[0].scores[0]) == "0.0"


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=400), st.integers(1, 25))
def test_long_rows_are_selected_as_short_ones_are_sorted(values: list[int], depth: int) -> None:
    (ranking,) = best(np.array([values]) / 3, depth)
    assert list(ranking.passages) == sorted(range(len(values)), key=lambda i: (-values[i], i))[:depth]


def test_batches_cover_the_questions() -> None:
    for n_questions, n_passages in ((0, 5), (1, 0), (10, 3_000_000), (5, 100_000_000)):
        parts = batches(n_questions, n_passages)
        assert [i for part in parts for i in range(n_questions)[part]] == list(range(n_questions))
    assert len(batches(10, 3_000_000)) == 5


def test_a_pool_wants_a_vector_a_passage() -> None:
    with pytest.raises(ValueError, match="do not fit 3 passages"):
        Pool(passages_of(["a", "b", "c"]), random_vectors(2))
    with pytest.raises(ValueError, match="without vectors"):
        _ = Pool(passages_of(["a"]), None).unit


def test_a_pool_makes_an_index_once() -> None:
    pool = Pool(passages_of(["a b a", "b"]), None)
    assert pool.index("x", lambda p: [len(p)]) is pool.index("x", lambda p: [len(p)])
    assert pool.lexicon is pool.lexicon
    assert pool.vocabulary == {"a": 0, "b": 1}
    assert pool.counts.toarray().tolist() == [[2, 1], [0, 1]]
    assert pool.lengths.tolist() == [3, 1]


def test_a_zero_vector_has_no_direction() -> None:
    vectors = random_vectors(3)
    vectors[1] = 0
    assert np.linalg.norm(Pool(passages_of(["a", "b", "c"]), vectors).unit, axis=1).round(12).tolist() == [1, 0, 1]
