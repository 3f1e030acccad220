"""Our retrievers and A- combinations wherever LangChain expects a ``BaseRetriever``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from numpy.typing import NDArray
from pydantic import ConfigDict

from core.errors import OptionError
from core.retrieval.combinations import fuse
from core.retrieval.external import as_document, load_factory
from core.retrieval.names import CombinationSpec, RetrieverSpec, needs_vectors, parse_retriever
from core.retrieval.outcome import RankingFailure
from core.retrieval.pool import Pool
from core.retrieval.rankers import rank
from core.schema import Ranking

__all__ = ["PoolRetriever", "as_langchain", "load_factory"]

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class PoolRetriever(BaseRetriever):
    """Searches a pool; each document's metadata holds passage_id, document_id, start, end and score."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    # pydantic checks nothing of these: the pool holds matrices, and `as_langchain` has checked the rest.
    retriever: Any
    pool: Any
    encode: Any
    k: int
    seed: int = 0

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        ranking = self._ranking(query)
        documents = []
        for place, score in zip(ranking.passages[: self.k], ranking.scores, strict=False):
            document = as_document(self.pool.passages[place])
            document.metadata["score"] = score
            documents.append(document)
        return documents

    def _ranking(self, query: str) -> Ranking:
        if isinstance(self.retriever, CombinationSpec):
            members = {member: self._rank_one(parse_retriever(member), query) for member in self.retriever.members}
            return fuse(self.retriever, members, self.k)
        return self._rank_one(self.retriever, query)

    def _rank_one(self, retriever: RetrieverSpec, query: str) -> Ranking:
        vectors = self.encode([query]) if needs_vectors(retriever) else None
        (outcome,) = rank(retriever, self.pool, [query], vectors, self.k, self.seed)
        if isinstance(outcome, RankingFailure):
            raise RuntimeError(f"{retriever.id} failed: {outcome.reason}")
        return outcome


def as_langchain(
    retriever: RetrieverSpec | CombinationSpec, pool: Pool, encode: Encode, k: int, seed: int = 0
) -> BaseRetriever:
    """Return a LangChain retriever that delivers the first ``k`` passages of ``pool``.

    ``encode`` gives raw pooled embeddings of texts (n x d); it is called for retrievers that rank by them only.

    Raises:
        OptionError: ``k`` is below 1, or the combination unites sentences (S-) and so has no ranking of passages.
    """
    if k < 1:
        raise OptionError(f"k is {k}: a retriever must deliver at least 1 passage.")
    if isinstance(retriever, CombinationSpec) and retriever.kind == "S":
        raise OptionError(f"Combination {retriever.id!r} is a set of sentences, not a ranking: use an A- combination.")
    return PoolRetriever(retriever=retriever, pool=pool, encode=encode, k=k, seed=seed)
