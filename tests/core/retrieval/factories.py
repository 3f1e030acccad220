"""Retrievers as a user might bring them, good and bad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

NOT_CALLABLE = 3


class Scripted(BaseRetriever):
    documents: list[Document]
    answer: Any

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return self.answer(query, self.documents)


def _factory(answer: Callable[[str, list[Document]], Any]) -> Callable[[list[Document]], BaseRetriever]:
    return lambda documents: Scripted(documents=documents, answer=answer)


def _raise_on_bad(query: str, documents: list[Document]) -> list[Document]:
    if "bad" in query:
        raise TimeoutError("no answer\nwithin 5 s")
    return documents[:3]


backwards = _factory(lambda _, documents: documents[::-1])
sometimes = _factory(_raise_on_bad)
by_text = _factory(lambda _, documents: [Document(page_content=d.page_content) for d in documents])
foreign = _factory(
    lambda _, documents: [documents[0], Document(page_content="elsewhere", metadata={"passage_id": "x#1"})]
)
repeats = _factory(lambda _, documents: [documents[1], documents[1], documents[0]])
nothing = _factory(lambda *_: [])
no_list = _factory(lambda *_: None)
no_documents = _factory(lambda *_: ["text"])


def broken(documents: list[Document]) -> BaseRetriever:
    raise RuntimeError("no index")


def no_retriever(documents: list[Document]) -> list[Document]:
    return documents
