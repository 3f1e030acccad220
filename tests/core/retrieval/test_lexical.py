from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from core.retrieval import lexical
from core.retrieval.names import parse_retriever
from core.retrieval.pool import Pool
from core.retrieval.rankers import rank
from core.schema import Ranking
from core.text.tokens import lexical_tokens
from tests.core.retrieval.pools import TEXTS, passages_of, pool_of

QUESTIONS = [
    "How often does the ferry run in winter?",
    "the the the day?",
    "What does a ticket cost: three crowns or more crowns?",
    "Who dammed the river",
]
LEXICAL = ["bm25", "bm25/langchain", "tfidf", "tfidf/paper", "tfidf/langchain", "edi"]


def ranked(name: str, pool: Pool, questions: list[str], depth: int = 20) -> list[Ranking]:
    outcomes = rank(parse_retriever(name), pool, questions, None, depth, seed=0)
    assert all(isinstance(outcome, Ranking) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Ranking)]


def assert_scores(rankings: list[Ranking], expected: list[list[float]]) -> None:
    for ranking, scores in zip(rankings, expected, strict=True):
        order = sorted(range(len(scores)), key=lambda i: (-round(scores[i], 6), i))
        assert list(ranking.passages) == order[: len(ranking.passages)]
        assert ranking.scores == pytest.approx([scores[i] for i in ranking.passages], abs=1.1e-6)


BAGS = [Counter(lexical_tokens(text)) for text in TEXTS]
N = len(BAGS)


def df(term: str) -> int:
    return sum(term in bag for bag in BAGS)


def test_bm25_is_the_papers_formula() -> None:
    mean = sum(bag.total() for bag in BAGS) / N

    def score(question: str, bag: Counter[str]) -> float:
        total = 0.0
        for t in lexical_tokens(question):
            idf = math.log((N - df(t) + 0.5) / (df(t) + 0.5) + 1)
            total += idf * bag[t] * 2.5 / (bag[t] + 1.5 * (1 - 0.75 + 0.75 * bag.total() / mean))
        return total

    assert_scores(ranked("bm25", pool_of(), QUESTIONS), [[score(q, bag) for bag in BAGS] for q in QUESTIONS])


def test_tfidf_is_the_cosine_of_weighted_counts() -> None:
    def vector(bag: Counter[str]) -> dict[str, float]:
        return {t: count * (math.log((1 + N) / (1 + df(t))) + 1) for t, count in bag.items() if df(t)}

    def cosine(left: dict[str, float], right: dict[str, float]) -> float:
        product = sum(value * right.get(t, 0.0) for t, value in left.items())
        return product / math.hypot(*left.values()) / math.hypot(*right.values())

    expected = [[cosine(vector(Counter(lexical_tokens(q))), vector(bag)) for bag in BAGS] for q in QUESTIONS]
    assert_scores(ranked("tfidf", pool_of(), QUESTIONS), expected)


def test_tfidf_paper_is_a_sum_over_the_questions_terms() -> None:
    def score(question: str, bag: Counter[str]) -> float:
        return sum(bag[t] / bag.total() * math.log(N / df(t)) for t in lexical_tokens(question) if df(t))

    expected = [[score(q, bag) for bag in BAGS] for q in QUESTIONS]
    assert_scores(ranked("tfidf/paper", pool_of(), QUESTIONS), expected)


def test_edi_is_the_distance_of_bags_of_words() -> None:
    def distance(left: Counter[str], right: Counter[str]) -> float:
        return math.sqrt(sum((left[t] - right[t]) ** 2 for t in {*left, *right}))

    expected = [[-distance(Counter(lexical_tokens(q)), bag) for bag in BAGS] for q in QUESTIONS]
    assert_scores(ranked("edi", pool_of(), QUESTIONS), expected)


@pytest.mark.parametrize("name", LEXICAL)
def test_without_a_match_passages_come_in_document_order(name: str) -> None:
    none, some, empty = ranked(name, pool_of(), ["xylophone zebra", "ferry", "?!"], depth=4)
    for ranking in (none, empty):
        assert (ranking.passages, ranking.scores, ranking.no_match) == ((0, 1, 2, 3), (0.0,) * 4, True)
    assert not some.no_match


@pytest.mark.parametrize("name", LEXICAL)
@pytest.mark.parametrize("texts", [["😀", "!!"], ["one"], ["x", "x", "x"]])
def test_degenerate_pools(name: str, texts: list[str]) -> None:
    for ranking in ranked(name, pool_of(texts), ["one question", "x", "😀"], depth=4):
        assert sorted(ranking.passages) == list(range(len(texts)))
        assert all(math.isfinite(score) for score in ranking.scores)


@pytest.mark.parametrize("name", LEXICAL)
def test_an_empty_pool_and_no_questions(name: str) -> None:
    assert ranked(name, pool_of([]), ["one"]) == [Ranking((), ())]
    assert ranked(name, pool_of(), []) == []


@pytest.mark.parametrize("name", ["bm25", "tfidf", "tfidf/paper"])
def test_chinese_is_found(name: str) -> None:
    pool = pool_of(["价格是三元。", "渡轮每天两班。", "河流被筑坝。"])
    (ranking,) = ranked(name, pool, ["渡轮几点开？"])
    assert ranking.passages[0] == 1
    assert not ranking.no_match


def test_rankings_do_not_depend_on_the_batch() -> None:
    for name in LEXICAL:
        together = ranked(name, pool_of(), QUESTIONS)
        assert [ranked(name, pool_of(), [question])[0] for question in QUESTIONS] == together


def zipf_texts(n: int, length: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    probabilities = 1 / np.arange(1, 2_001)
    probabilities /= probabilities.sum()
    return [
        " ".join(f"w{i}" for i in generator.choice(2_000, size=generator.integers(3, length), p=probabilities))
        for _ in range(n)
    ]


def test_bm25s_ranks_large_pools_as_small_ones_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(passages_of(zipf_texts(lexical.BM25S_ABOVE + 100, 40, seed=1)), None)
    questions = [*zipf_texts(50, 15, seed=2), "w1 w1 w7 w7 w7", "nothing known"]
    used = []
    original = lexical._rank_bm25s
    monkeypatch.setattr(lexical, "_rank_bm25s", lambda *a: used.append(1) or original(*a))
    by_bm25s = ranked("bm25", pool, questions)
    monkeypatch.setattr(lexical, "BM25S_ABOVE", 10**9)
    assert used == [1]
    assert ranked("bm25", pool, questions) == by_bm25s
    assert used == [1]
    assert by_bm25s[-1].no_match
