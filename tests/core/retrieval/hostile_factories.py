"""Retrievers that do what none should."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

ASKED: list[str] = []
MADE: list[str] = []
INTERRUPT_AT = 0


class _Does(BaseRetriever):
    documents: list[Document]
    what: Any

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        self.what(query)
        return self.documents


def _leave(query: str) -> None:
    raise SystemExit(0)


def _cancel(query: str) -> None:
    raise asyncio.CancelledError


def _complain(query: str) -> None:
    raise ValueError("half a character \ud800 and " + "x" * 100_000)


def _count(query: str) -> None:
    ASKED.append(query)
    print("talk")
    if len(ASKED) == INTERRUPT_AT:
        raise KeyboardInterrupt


def leaves(documents: list[Document]) -> BaseRetriever:
    return _Does(documents=documents, what=_leave)


def cancelled(documents: list[Document]) -> BaseRetriever:
    return _Does(documents=documents, what=_cancel)


def complains(documents: list[Document]) -> BaseRetriever:
    return _Does(documents=documents, what=_complain)


def counts(documents: list[Document]) -> BaseRetriever:
    MADE.append("counts")
    return _Does(documents=documents, what=_count)


def leaves_early(documents: list[Document]) -> BaseRetriever:
    raise SystemExit(0)


async def later(documents: list[Document]) -> BaseRetriever:
    return _Does(documents=documents, what=_count)


exec("def without_a_file(documents): return counts(documents)")
