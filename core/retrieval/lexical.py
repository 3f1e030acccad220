"""Retrievers that rank by words: BM25, TF-IDF, Euclidean distance of bags of words.

All of ours share the pool's one tokenisation. The ``langchain`` variants keep LangChain's own tokens and formulas; they
exist so that its numbers can be reproduced. A question without any term of the pool is a ``no_match``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.retrieval.lexicon import Lexicon, QueryTerms
from core.retrieval.ordering import batches, best
from core.retrieval.pool import Pool
from core.schema import Ranking

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: BM25's saturation (the paper's kappa) and length normalisation
K1, B = 1.5, 0.75
#: pools above this many passages are ranked by bm25s
BM25S_ABOVE = 5_000


@dataclass(frozen=True, slots=True)
class Weights:
    """A lexicon and what each of its terms is worth in each text: ``terms`` is terms x texts."""

    lexicon: Lexicon
    terms: csr_matrix


def rank_bm25(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank by BM25 (Robertson and Zaragoza 2009) with kappa 1.5 and b 0.75, as in the paper.

    score(p) = sum over the question's tokens t, repeated ones too, of idf(t) f (kappa + 1) /
    (f + kappa (1 - b + b |p| / mean length)), f = count of t in p, idf(t) = ln((N - n + 0.5) / (n + 0.5) + 1).
    """
    if len(pool) > BM25S_ABOVE:
        return _rank_bm25s(pool, questions, depth)
    return _rank_weighted(pool.index("bm25", _bm25_weights), questions, depth)


def rank_bm25_langchain(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank as LangChain's BM25Retriever: ``rank_bm25.BM25Okapi`` over tokens between blanks, case kept.

    Its idf is ln(N - n + 0.5) - ln(n + 0.5), a negative one replaced by a quarter of the mean.
    """
    return _rank_weighted(pool.index("bm25/langchain", _okapi_weights), questions, depth)


def rank_tfidf(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank by the cosine (in [0, 1]) of TF-IDF vectors: counts times ln((1 + N) / (1 + n)) + 1, over our tokens."""
    return _rank_weighted(pool.index("tfidf", _tfidf_weights), questions, depth, normalise=_tfidf_question_norms)


def rank_tfidf_paper(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank by the sum of TF x IDF over the question's tokens: TF = count / length of the passage, IDF = ln(N / n)."""
    return _rank_weighted(pool.index("tfidf/paper", _plain_tfidf_weights), questions, depth)


def rank_tfidf_langchain(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank as LangChain's TFIDFRetriever: cosine over scikit-learn's default ``TfidfVectorizer``.

    Its tokens have two or more word characters and end at blanks and punctuation only, so Chinese hardly matches.
    """
    vectorizer, matrix = pool.index("tfidf/langchain", _sklearn_tfidf)
    rankings: list[Ranking] = []
    for rows in batches(len(questions), len(pool)):
        part = questions[rows]
        if vectorizer is None:
            rankings += best(np.zeros((len(part), len(pool))), depth, np.ones(len(part), dtype=np.bool_))
            continue
        vectors = vectorizer.transform(part)
        rankings += best((vectors @ matrix.T).toarray(), depth, np.diff(vectors.indptr) == 0)
    return rankings


def rank_edi(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank by the Euclidean distance of bags of words, smallest first; the score is the distance with a minus sign.

    As a question is short, it mostly picks the shortest passages.
    """
    terms = pool.lexicon.query(questions)
    squares = np.asarray(pool.counts.multiply(pool.counts).sum(axis=1), dtype=np.float64).ravel()
    transposed = pool.index("counts by term", lambda p: p.counts.T.tocsr())
    rankings: list[Ranking] = []
    for rows in batches(len(questions), len(pool)):
        part = terms[rows]
        own = np.asarray(part.counts.multiply(part.counts).sum(axis=1)).ravel() + part.unknown_squares
        distances = np.sqrt(own[:, None] + squares[None, :] - 2.0 * (part.counts @ transposed).toarray())
        rankings += best(-distances, depth, part.no_match)
    return rankings


def _rank_weighted(
    weights: Weights,
    questions: Sequence[str],
    depth: int,
    normalise: Callable[[Weights, QueryTerms], NDArray[np.float64]] | None = None,
) -> list[Ranking]:
    """Rank by the sum of a passage's weights over the question's terms, divided by the question's own norm."""
    terms = weights.lexicon.query(questions)
    rankings: list[Ranking] = []
    for rows in batches(len(questions), weights.terms.shape[1]):
        part = terms[rows]
        scores = (part.counts @ weights.terms).toarray()
        if normalise is not None:
            scores /= normalise(weights, part)[:, None]
        rankings += best(scores, depth, part.no_match)
    return rankings


def _scaled(
    lexicon: Lexicon, value: Callable[[NDArray[np.float64], NDArray[Any], NDArray[Any]], NDArray[np.float64]]
) -> Weights:
    """Return weights that ``value`` makes of each count, its text and its term."""
    matrix = lexicon.counts.copy()
    texts = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    matrix.data = value(matrix.data, texts, matrix.indices)
    return Weights(lexicon, matrix.T.tocsr())


def _saturated(lexicon: Lexicon, idf: NDArray[np.float64]) -> Weights:
    lengths = lexicon.lengths / max(lexicon.lengths.mean(), 1e-12)
    return _scaled(
        lexicon,
        lambda count, text, term: idf[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[text])),
    )


def _bm25_weights(pool: Pool) -> Weights:
    n = pool.lexicon.frequencies
    return _saturated(pool.lexicon, np.log((len(pool) - n + 0.5) / (n + 0.5) + 1))


def _okapi_weights(pool: Pool) -> Weights:
    from rank_bm25 import BM25Okapi

    texts = [passage.text for passage in pool.passages]
    idf = BM25Okapi([text.split() for text in texts], k1=K1, b=B).idf
    lexicon = Lexicon(texts, str.split)
    return _saturated(lexicon, np.array([idf[term] for term in lexicon.vocabulary]))


def _smooth_idf(lexicon: Lexicon) -> NDArray[np.float64]:
    return np.asarray(np.log((1 + lexicon.counts.shape[0]) / (1 + lexicon.frequencies)) + 1)


def _tfidf_weights(pool: Pool) -> Weights:
    lexicon, idf = pool.lexicon, _smooth_idf(pool.lexicon)
    norms = np.sqrt(lexicon.counts.multiply(lexicon.counts) @ idf**2)
    # One idf more than the passage's own: the question's weight of a term is its count times idf, too.
    return _scaled(lexicon, lambda count, text, term: count * idf[term] ** 2 / norms[text])


def _tfidf_question_norms(weights: Weights, terms: QueryTerms) -> NDArray[np.float64]:
    squares = terms.counts.multiply(terms.counts) @ _smooth_idf(weights.lexicon) ** 2
    return np.where(terms.no_match, 1.0, np.sqrt(squares))


def _plain_tfidf_weights(pool: Pool) -> Weights:
    lexicon = pool.lexicon
    idf = np.log(len(pool) / lexicon.frequencies)
    return _scaled(lexicon, lambda count, text, term: count / lexicon.lengths[text] * idf[term])


def _sklearn_tfidf(pool: Pool) -> tuple[Any, Any]:
    """Return the fitted vectorizer and the passages' vectors, or two Nones where no passage has a token for it."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer()
    tokenize = vectorizer.build_analyzer()
    texts = [passage.text for passage in pool.passages]
    if not any(tokenize(text) for text in texts):
        return None, None
    return vectorizer, vectorizer.fit_transform(texts)


def _rank_bm25s(pool: Pool, questions: Sequence[str], depth: int) -> list[Ranking]:
    """Rank as ``rank_bm25`` by an eagerly scored index: the time of a question follows its terms' postings."""
    index = pool.index("bm25s", _bm25s_index)
    terms = pool.lexicon.query(questions)
    rankings: list[Ranking] = []
    for row in range(len(questions)):
        part = terms[row : row + 1]
        if part.no_match[0]:
            scores = np.zeros(len(pool))
        else:
            scores = index.get_scores_from_ids(np.repeat(part.counts.indices, part.counts.data.astype(np.int64)))
        rankings += best(scores[None, :], depth, part.no_match)
    return rankings


def _bm25s_index(pool: Pool) -> Any:
    from bm25s import BM25

    counts = pool.counts
    tokens = np.repeat(counts.indices, counts.data.astype(np.int64))
    ends = np.cumsum(pool.lengths).astype(np.int64)
    # ATIRE's term frequency with Lucene's idf is the paper's formula.
    index = BM25(k1=K1, b=B, method="atire", idf_method="lucene", dtype="float64", backend="numpy")
    texts = [part.tolist() for part in np.split(tokens, ends[:-1])]
    index.index((texts, dict(pool.vocabulary)), create_empty_token=False, show_progress=False)
    return index
