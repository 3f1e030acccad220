"""One entry for all retrievers: many questions against one pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval import dense, lexical
from core.retrieval.names import RetrieverSpec, needs_vectors
from core.retrieval.outcome import Outcome, RankingFailure
from core.retrieval.pool import Pool
from core.schema import Ranking

__all__ = ["RankingFailure", "rank"]

_LEXICAL: dict[str, Callable[[Pool, Sequence[str], int], list[Ranking]]] = {
    "bm25": lexical.rank_bm25,
    "bm25/langchain": lexical.rank_bm25_langchain,
    "tfidf": lexical.rank_tfidf,
    "tfidf/paper": lexical.rank_tfidf_paper,
    "tfidf/langchain": lexical.rank_tfidf_langchain,
    "edi": lexical.rank_edi,
}
_DENSE: dict[str, Callable[[Pool, NDArray[np.float32], int], list[Ranking]]] = {
    "dps": dense.rank_dps,
    "knn": dense.rank_knn,
    "mmr": dense.rank_mmr,
}


def rank(
    retriever: RetrieverSpec,
    pool: Pool,
    questions: Sequence[str],
    vectors: NDArray[np.float32] | None,
    depth: int,
    seed: int,
) -> list[Outcome]:
    """Return for each question its first ``depth`` passages (all where there are fewer), best first.

    ``vectors`` are the questions' pooled, un-normalised embeddings (Q x d), None for a retriever that needs none.
    Scores are rounded to 1e-6 and ties go by document order. Only a retriever of the user's own can fail on a
    question.

    Raises:
        OptionError: the factory of a retriever of the user's own cannot be imported, or makes something else.
        ValueError: vectors are missing or do not fit the questions.
    """
    if not questions:
        return []
    if retriever.factory is not None:
        from core.retrieval.external import rank_external

        return rank_external(retriever.factory, pool, questions, depth)
    if needs_vectors(retriever):
        if vectors is None or len(vectors) != len(questions):
            raise ValueError(f"{retriever.id} needs one vector a question")
        if not len(pool):
            return [Ranking((), ())] * len(questions)
        if retriever.name == "svm":
            from core.retrieval.svm import rank_svm

            return [*rank_svm(pool, vectors, depth, seed)]
        return [*_DENSE[retriever.name](pool, vectors, depth)]
    if not len(pool):
        return [Ranking((), ())] * len(questions)
    return [*_LEXICAL[retriever.id](pool, questions, depth)]
