from __future__ import annotations

import json

import pytest

from core.errors import OptionError
from core.retrieval.names import (
    COMBINATIONS,
    RETRIEVERS,
    needs_vectors,
    parse_combination,
    parse_combinations,
    parse_retriever,
    parse_retrievers,
)


def test_the_seven() -> None:
    specs = parse_retrievers("all")
    assert tuple(s.id for s in specs) == RETRIEVERS
    assert [s.label for s in specs] == ["DPS", "kNN", "BM25", "SVM", "TF-IDF", "MMR", "EDI"]
    assert [s.id for s in specs if needs_vectors(s)] == ["dps", "knn", "svm", "mmr"]
    assert needs_vectors("knn")
    assert not needs_vectors("bm25/langchain")


@pytest.mark.parametrize(
    ("text", "identity", "name", "variant", "label"),
    [
        ("kNN", "knn", "knn", "", "kNN"),
        (" bm25 ", "bm25", "bm25", "paper", "BM25"),
        ("bm25/paper", "bm25", "bm25", "paper", "BM25"),
        ("BM25/LangChain", "bm25/langchain", "bm25", "langchain", "BM25 (LangChain)"),
        ("tfidf", "tfidf", "tfidf", "cosine", "TF-IDF"),
        ("tfidf/paper", "tfidf/paper", "tfidf", "paper", "TF-IDF (paper)"),
        ("tfidf/langchain", "tfidf/langchain", "tfidf", "langchain", "TF-IDF (LangChain)"),
    ],
)
def test_variants(text: str, identity: str, name: str, variant: str, label: str) -> None:
    spec = parse_retriever(text)
    assert (spec.id, spec.name, spec.variant, spec.factory, spec.label) == (identity, name, variant, None, label)


def test_a_retriever_of_ones_own_keeps_its_case() -> None:
    spec = parse_retriever("My.Package:Factory.make")
    assert spec.id == spec.label == spec.factory == "My.Package:Factory.make"
    assert not needs_vectors(spec)


@pytest.mark.parametrize("text", ["", "bm42", "knn/paper", "bm25/", "bm25/okapi", "pkg:", ":f", "pkg.mod:f()", "a b:c"])
def test_an_unknown_retriever_is_told_which_there_are(text: str) -> None:
    if text == "bm25/":
        assert parse_retriever(text).id == "bm25"
        return
    with pytest.raises(OptionError, match=r"dps, knn, bm25, bm25/langchain.*package\.module:factory"):
        parse_retriever(text)


def test_lists_keep_order_and_name_each_once() -> None:
    assert [s.id for s in parse_retrievers("edi, knn,bm25/paper,bm25,pkg.m:f")] == ["edi", "knn", "bm25", "pkg.m:f"]
    assert [s.id for s in parse_retrievers("all,bm25/langchain")] == [*RETRIEVERS, "bm25/langchain"]
    for text in ("", "knn,,bm25", "knn,"):
        with pytest.raises(OptionError, match="empty entry"):
            parse_retrievers(text)


@pytest.mark.parametrize(
    ("text", "label", "kind", "members"),
    [
        ("a-seven", "A-Seven", "A", RETRIEVERS),
        ("A-Four", "A-Four", "A", ("knn", "dps", "tfidf", "mmr")),
        ("s-two", "S-Two", "S", ("knn", "dps")),
        ("a:knn+bm25/langchain", "A (kNN + BM25 (LangChain))", "A", ("knn", "bm25/langchain")),
        ("S:bm25/paper+Pkg.mod:make", "S (BM25 + Pkg.mod:make)", "S", ("bm25", "Pkg.mod:make")),
    ],
)
def test_combinations(text: str, label: str, kind: str, members: tuple[str, ...]) -> None:
    spec = parse_combination(text)
    assert (spec.label, spec.kind, spec.members) == (label, kind, members)
    assert parse_combination(spec.id) == spec


@pytest.mark.parametrize("text", ["a-three", "seven", "x:knn+bm25", ""])
def test_an_unknown_combination_is_told_which_there_are(text: str) -> None:
    with pytest.raises(OptionError, match=r"a-seven, a-four.*a:knn"):
        parse_combination(text)


@pytest.mark.parametrize("text", ["a:knn", "a:knn+knn", "s:bm25+bm25/paper"])
def test_a_combination_has_different_members(text: str) -> None:
    with pytest.raises(OptionError, match="at least two members"):
        parse_combination(text)


def test_a_combination_with_an_unknown_member() -> None:
    with pytest.raises(OptionError, match="'bm42' does not exist"):
        parse_combination("a:knn+bm42")


def test_lists_of_combinations() -> None:
    assert tuple(c.id for c in parse_combinations("all")) == COMBINATIONS
    assert parse_combinations("None") == ()
    assert [c.id for c in parse_combinations("s-two,a:edi+knn,s-two")] == ["s-two", "a:edi+knn"]


def test_specs_are_json_and_tell_everything_apart() -> None:
    specs = [*parse_retrievers("all,bm25/langchain,tfidf/paper,tfidf/langchain,p.m:f")]
    assert len({json.dumps(s.as_spec(), sort_keys=True) for s in specs}) == len(specs) == len({hash(s) for s in specs})
    orders = [parse_combination(text).as_spec() for text in ("a:knn+bm25", "a:bm25+knn", "s:knn+bm25")]
    assert len({json.dumps(spec, sort_keys=True) for spec in orders}) == 3
    assert orders[0]["c"] == 60
