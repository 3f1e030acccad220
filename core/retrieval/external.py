"""Retrievers of the user's own: ``package.module:factory``, a function from LangChain documents to a retriever."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from core.errors import OptionError
from core.retrieval.ordering import DECIMALS
from core.retrieval.outcome import Outcome, RankingFailure
from core.retrieval.pool import Pool
from core.schema import Passage, Ranking

Factory = Callable[[list[Document]], BaseRetriever]

#: longest reason that is kept: it is stored for every question
_LONGEST_REASON = 300


def as_document(passage: Passage) -> Document:
    """Return a passage as LangChain sees it; ``metadata`` holds passage_id, document_id, start and end."""
    return Document(
        page_content=passage.text,
        metadata={
            "passage_id": passage.id,
            "document_id": passage.document_id,
            "start": passage.start,
            "end": passage.end,
        },
    )


def load_factory(reference: str) -> Factory:
    """Return the function that ``package.module:function`` names. Raises OptionError where it cannot be imported."""
    module_name, _, attribute = reference.partition(":")
    try:
        with redirect_stdout(sys.stderr):  # standard output is ours: it may be read by a program
            found: object = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too, which would end the run as if all had been done
        raise OptionError(
            f"Retriever {reference!r} cannot be imported ({_described(error)}): check the name, and that its folder is "
            "on PYTHONPATH."
        ) from error
    if not callable(found):
        raise OptionError(
            f"Retriever {reference!r} is not a function: name one that takes documents and returns a retriever."
        )
    return found


def rank_external(reference: str, pool: Pool, questions: Sequence[str], depth: int) -> list[Outcome]:
    """Return the ranking of each question by the retriever a factory makes of the pool, or why there is none.

    LangChain retrievers return no scores: the score of rank r is 1 / r. An exception fails its question only; one
    while the retriever is made fails all questions of this pool. The retriever is made once a pool.

    Raises:
        OptionError: the factory cannot be imported, or what it makes is no LangChain retriever.
    """
    retriever = pool.index(reference, lambda pool: _made(reference, pool))
    if isinstance(retriever, RankingFailure):
        return [retriever] * len(questions)
    places = pool.index("places of passages", _Places)
    outcomes: list[Outcome] = []
    for question in questions:
        try:
            with redirect_stdout(sys.stderr):
                delivered = retriever.invoke(question)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            outcomes.append(RankingFailure(_described(error)))
            continue
        outcomes.append(places.ranking(delivered, depth))
    return outcomes


def _made(reference: str, pool: Pool) -> BaseRetriever | RankingFailure:
    """Return the retriever that a factory makes of the pool, or why it makes none."""
    factory = load_factory(reference)
    try:
        with redirect_stdout(sys.stderr):
            retriever: object = factory([as_document(passage) for passage in pool.passages])
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return RankingFailure(f"{reference} made no retriever of the passages: {_described(error)}")
    if not isinstance(retriever, BaseRetriever):
        if inspect.iscoroutine(retriever):
            retriever.close()  # so that nobody warns of one that was never awaited
        raise OptionError(
            f"Retriever {reference!r} returned a {type(retriever).__name__}: it must return a LangChain BaseRetriever."
        )
    return retriever


class _Places:
    """Finds delivered documents in the pool: by ``metadata["passage_id"]``, else by their exact text."""

    def __init__(self, pool: Pool) -> None:
        self._by_id = {passage.id: place for place, passage in enumerate(pool.passages)}
        self._by_text: dict[str, list[int]] = {}
        for place, passage in enumerate(pool.passages):
            self._by_text.setdefault(passage.text, []).append(place)

    def ranking(self, delivered: object, depth: int) -> Outcome:
        """Return delivered documents as a ranking, each passage once, or what could not be found."""
        if not isinstance(delivered, list):
            return RankingFailure(
                f"the retriever returned a {type(delivered).__name__} where a list of documents belongs"
            )
        chosen: dict[int, None] = {}
        for position, document in enumerate(delivered, start=1):
            if len(chosen) == depth:
                break
            if not isinstance(document, Document):
                return RankingFailure(f"result {position} is a {type(document).__name__} and no LangChain Document")
            place = self._place(document, chosen)
            if place is None:
                named = document.metadata.get("passage_id")
                return RankingFailure(
                    _cut(
                        f"result {position} is no passage of the pool: its passage_id is {named!r} and its text "
                        f"{document.page_content[:60]!r}"
                    )
                )
            chosen.setdefault(place)
        return Ranking(tuple(chosen), tuple(round(1 / rank, DECIMALS) for rank in range(1, len(chosen) + 1)))

    def _place(self, document: Document, chosen: dict[int, None]) -> int | None:
        named = document.metadata.get("passage_id")
        if isinstance(named, str) and named in self._by_id:
            return self._by_id[named]
        same = self._by_text.get(document.page_content, [])
        # Of passages with the same text the first that is not in the ranking yet.
        return next((place for place in same if place not in chosen), same[0] if same else None)


def _described(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return _cut(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def _cut(reason: str) -> str:
    """Return a reason that can be stored: not too long, and without half characters."""
    whole = reason.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole if len(whole) <= _LONGEST_REASON else whole[: _LONGEST_REASON - 1] + "…"
