from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from langchain_core.retrievers import BaseRetriever

from core.errors import OptionError
from core.retrieval.combinations import fuse
from core.retrieval.langchain_adapter import as_langchain
from core.retrieval.names import RETRIEVERS, parse_combination, parse_retriever
from core.retrieval.outcome import Outcome, RankingFailure
from core.retrieval.pool import Pool
from core.retrieval.rankers import rank
from core.schema import Ranking
from tests.core.retrieval.pools import TEXTS, passages_of, pool_of, random_vectors

FACTORIES = "tests.core.retrieval.factories"


def run(factory: str, questions: list[str], pool: Pool | None = None, depth: int = 4) -> list[Outcome]:
    return rank(parse_retriever(f"{FACTORIES}:{factory}"), pool or pool_of(), questions, None, depth, 0)


def test_a_retriever_of_ones_own() -> None:
    assert run("backwards", ["a", "b"]) == [Ranking((5, 4, 3, 2), (1.0, 0.5, 0.333333, 0.25))] * 2


def test_an_exception_fails_its_question_only() -> None:
    good, bad, again = run("sometimes", ["good", "bad", "good again"])
    assert good == again == Ranking((0, 1, 2), (1.0, 0.5, 0.333333))
    assert bad == RankingFailure("TimeoutError: no answer within 5 s")


def test_results_are_found_by_their_text_where_they_carry_no_id() -> None:
    pool = pool_of(["same", "other", "same"])
    assert run("by_text", ["a"], pool) == [Ranking((0, 1, 2), (1.0, 0.5, 0.333333))]


def test_repeated_results_count_once() -> None:
    assert run("repeats", ["a"]) == [Ranking((1, 0), (1.0, 0.5))]


def test_no_result_is_an_empty_ranking() -> None:
    assert run("nothing", ["a"]) == [Ranking((), ())]


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        ("foreign", "result 2 is no passage of the pool: its passage_id is 'x#1' and its text 'elsewhere'"),
        ("no_documents", "result 1 is a str and no LangChain Document"),
        ("broken", f"{FACTORIES}:broken made no retriever of the passages: RuntimeError: no index"),
    ],
)
def test_what_cannot_be_ranked_says_why(factory: str, reason: str) -> None:
    assert run(factory, ["a", "b"]) == [RankingFailure(reason)] * 2


def test_a_retriever_that_returns_no_list() -> None:
    (outcome,) = run("no_list", ["a"])
    assert isinstance(outcome, RankingFailure)
    assert "NoneType" in outcome.reason


@pytest.mark.parametrize(
    ("reference", "part"),
    [
        ("no_such_package.module:f", "ModuleNotFoundError"),
        (f"{FACTORIES}:absent", "AttributeError"),
        (f"{FACTORIES}:NOT_CALLABLE", "is not a function"),
        (f"{FACTORIES}:no_retriever", "returned a list"),
    ],
)
def test_a_factory_that_cannot_be_used(reference: str, part: str) -> None:
    with pytest.raises(OptionError, match=part) as caught:
        rank(parse_retriever(reference), pool_of(), ["a"], None, 4, 0)
    assert "\n" not in str(caught.value)


VECTORS = random_vectors(len(TEXTS))
POOL = Pool(passages_of(TEXTS), VECTORS)


def encode(texts: object) -> np.ndarray:
    assert list(texts) == ["When does the ferry run in winter?"]  # type: ignore[call-overload]
    return random_vectors(1, seed=4)


def refuse(texts: object) -> np.ndarray:
    raise AssertionError("a lexical retriever needs no vectors")


@pytest.mark.parametrize("name", [*RETRIEVERS, "bm25/langchain", "tfidf/paper", "tfidf/langchain"])
def test_each_of_ours_is_a_langchain_retriever(name: str) -> None:
    spec = parse_retriever(name)
    uses_vectors = name in ("dps", "knn", "svm", "mmr")
    retriever = as_langchain(spec, POOL, encode if uses_vectors else refuse, k=3)
    assert isinstance(retriever, BaseRetriever)
    question = "When does the ferry run in winter?"
    documents = retriever.invoke(question)
    (ranking,) = rank(spec, POOL, [question], random_vectors(1, seed=4), 3, 0)
    assert isinstance(ranking, Ranking)
    assert [d.page_content for d in documents] == [TEXTS[p] for p in ranking.passages]
    assert [d.metadata for d in documents] == [
        {"passage_id": f"d#{p}", "document_id": "d", "start": 0, "end": len(TEXTS[p]), "score": score}
        for p, score in zip(ranking.passages, ranking.scores, strict=True)
    ]
    assert len(retriever.batch([question, question])) == 2


def test_an_a_combination_is_a_langchain_retriever() -> None:
    question, combination = "When does the ferry run in winter?", parse_combination("a-four")
    documents = as_langchain(combination, POOL, encode, k=3).invoke(question)
    members = {
        m: r
        for m in combination.members
        for r in rank(parse_retriever(m), POOL, [question], random_vectors(1, seed=4), 3, 0)
        if isinstance(r, Ranking)
    }
    fused = fuse(combination, members, 3)
    assert [(d.metadata["passage_id"], d.metadata["score"]) for d in documents] == [
        (f"d#{p}", score) for p, score in zip(fused.passages, fused.scores, strict=True)
    ]


def test_an_external_retriever_that_fails_raises() -> None:
    retriever = as_langchain(parse_retriever(f"{FACTORIES}:sometimes"), POOL, refuse, k=2)
    with pytest.raises(RuntimeError, match="TimeoutError"):
        retriever.invoke("bad")


def test_what_is_no_retriever_is_refused() -> None:
    with pytest.raises(OptionError, match="set of sentences"):
        as_langchain(parse_combination("s-two"), POOL, encode, k=3)
    with pytest.raises(OptionError, match="at least 1"):
        as_langchain(parse_retriever("knn"), POOL, encode, k=0)


def test_names_and_rankers_import_nothing_heavy() -> None:
    code = (
        "import sys, core.retrieval.names, core.retrieval.rankers, core.retrieval.combinations, core.text.chunking;"
        "heavy = {'torch', 'scipy', 'sklearn', 'langchain_core', 'langchain_text_splitters', 'bm25s', 'pandas'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
