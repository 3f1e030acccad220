"""Our ``langchain`` chunks against LangChain's own splitter with the same settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from core.schema import Document
from core.text.chunking import Chunking, chunk
from core.text.tokens import count_words
from tests.core.text.hostile import EXAMPLES, document_texts


def splitter(size: int, overlap: int) -> RecursiveCharacterTextSplitter:
    return RecursiveCharacterTextSplitter(
        separators=["\n\n", "\n", r"(?<=[.?!])\s+", " "],
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=count_words,
    )


def assert_same(text: str, chunking: Chunking) -> None:
    theirs = [piece.strip() for piece in splitter(chunking.size, chunking.overlap_words).split_text(text)]
    ours = chunk(Document("d", text), chunking)
    assert [passage.text for passage in ours] == [piece for piece in theirs if piece]
    assert all(text[passage.start : passage.end] == passage.text for passage in ours)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("size", [5, 100])
def test_hostile_texts(name: str, size: int) -> None:
    assert_same(EXAMPLES[name], Chunking("langchain", size))


@given(document_texts, st.integers(1, 15), st.sampled_from([0, 0.2, 0.5]))
def test_any_text(text: str, size: int, overlap: float) -> None:
    assert_same(text, Chunking("langchain", size, overlap))


def test_real_documents(shared: Path) -> None:
    rows = (shared / "hierarag" / "rq3_documents.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in rows]
    assert len(texts) == 20
    for text in texts:
        assert_same(text, Chunking("langchain"))
        for passage in chunk(Document("d", text), Chunking("langchain")):
            assert count_words(passage.text) <= 100
            assert passage.text[0] not in ".?!"  # no full stop was moved to the next chunk
