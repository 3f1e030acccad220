"""Who holds what: which statements of a question's nuggets are held by what was retrieved or cited.

Each statement is decided on one basis: by the documents that somebody *judged* to hold it; else by its marked
*evidence*; else by the offline matcher over the text, which is called *derived*. Something that is known by its text
alone, from no document of ours, is decided by the matcher on any basis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.nuggets.evidence import held_by
from core.nuggets.matching import Matcher, Statement, statements_of
from core.schema import Document, EvidenceGroup, Passage, Question
from core.text.sentences import sentence_spans

Basis = Literal["judged", "evidence", "derived"]


@dataclass(frozen=True, slots=True)
class Item:
    """Something that was retrieved or cited.

    ``id`` is what rankings call it. ``document_id`` is "" where nobody knows, ``start`` and ``end`` are None where it
    is not placed in a document of ours, ``text`` is "" where it is not known.
    """

    id: str
    document_id: str = ""
    start: int | None = None
    end: int | None = None
    text: str = ""

    @property
    def passage(self) -> Passage | None:
        """The item as a passage of a document of ours, None where it has no place."""
        if self.start is None or self.end is None:
            return None
        return Passage(self.document_id, 0, self.start, self.end, self.text)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement and on what basis it is held: ``documents`` of a judged one, ``evidence`` of a marked one."""

    statement: Statement
    basis: Basis
    documents: frozenset[str] = frozenset()
    evidence: tuple[EvidenceGroup, ...] = ()


#: whether one item, by its text, says a statement
Says = Callable[[Statement, Item], bool]


def claims_of(question: Question) -> tuple[Claim, ...]:
    """Return a question's statements in order, each with its basis.

    What an answer of a nugget does not have of its own it has from its nugget. Where documents were judged for the
    question and a statement marks no evidence, none of them holds it.
    """
    claims = []
    for statement in statements_of(question.nuggets):
        nugget = question.nuggets[statement.nugget]
        own = nugget if statement.answer is None else nugget.answers[statement.answer]
        if not own.documents and not own.evidence:
            own = nugget
        if own.documents or (question.judged and not own.evidence):
            claims.append(Claim(statement, "judged", documents=frozenset(own.documents)))
        elif own.evidence:
            claims.append(Claim(statement, "evidence", evidence=own.evidence))
        else:
            claims.append(Claim(statement, "derived"))
    return tuple(claims)


class Support:
    """Which of one question's statements items hold; statements and nuggets are named by their places."""

    def __init__(self, question: Question, documents: Mapping[str, Document], says: Says) -> None:
        self.claims = claims_of(question)
        self._nuggets = question.nuggets
        self._documents, self._says = documents, says
        self._alone: dict[Item, frozenset[int]] = {}

    def together(self, items: Sequence[Item]) -> frozenset[int]:
        """Return the statements that the items hold; spans of one group of evidence may lie in several of them."""
        passages = [passage for item in items if (passage := item.passage)]
        return frozenset(place for place, claim in enumerate(self.claims) if self._held(claim, items, passages))

    def alone(self, item: Item) -> frozenset[int]:
        """Return the statements that an item holds by itself."""
        if item not in self._alone:
            self._alone[item] = self.together([item])
        return self._alone[item]

    def holds(self, item: Item) -> frozenset[int]:
        """Return the nuggets that an item holds by itself: with several answers, those of which it holds any."""
        return frozenset(self.claims[place].statement.nugget for place in self.alone(item))

    def nuggets_held(self, held: Iterable[int]) -> frozenset[int]:
        """Return the nuggets of whose statements those ``held`` are enough: any (OR) or all of them (AND)."""
        there = frozenset(held)
        places: dict[int, list[int]] = {}
        for place, claim in enumerate(self.claims):
            places.setdefault(claim.statement.nugget, []).append(place)
        return frozenset(
            nugget
            for nugget, statements in places.items()
            if (all if self._nuggets[nugget].aggregator == "AND" else any)(place in there for place in statements)
        )

    def _held(self, claim: Claim, items: Sequence[Item], passages: Sequence[Passage]) -> bool:
        if claim.basis == "judged" and any(item.document_id in claim.documents for item in items):
            return True
        if claim.basis == "evidence" and held_by(claim.evidence, passages, self._documents) == "all":
            return True
        return any(self._says(claim.statement, item) for item in items if _by_text(claim.basis, item))


def _by_text(basis: Basis, item: Item) -> bool:
    """Whether only an item's text can tell what it holds."""
    if not item.text:
        return False
    if basis == "judged":
        return not item.document_id
    return basis == "derived" or item.start is None


def said_by_text(matcher: Matcher, language: str) -> Says:
    """Return how the offline matcher decides by an item's text."""

    def says(statement: Statement, item: Item) -> bool:
        return matcher.match(statement.text, _sentences(item.text, language), language).said

    return says


@lru_cache(maxsize=5_000)
def _sentences(text: str, language: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in sentence_spans(text, language))
