"""What is to be generated, and the draw of every attempt: a function of the plan and its seed alone.

A *set* asks for so many questions of every category of one level: sets of several levels are independent of each other.
A plan without sets asks for ``questions`` in all. Every further dimension and the user are drawn by probability.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from core.errors import OptionError
from core.generation.categories import Categorization, Category
from core.schema import Document, content_hash
from core.text.sentences import sentence_spans
from core.text.tokens import count_words

#: words of a document that a model is shown: longer ones are shown in part
SHOWN_WORDS = 700
#: a document of fewer words has nothing to ask about that is shorter than itself
FEWEST_WORDS = 12
MOST_PAIRS, MOST_ATTEMPTS, MOST_QUESTIONS = 10, 20, 100_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is asked, but for documents and model.

    ``sets``: levels of which each category gets ``per_category`` questions. ``drawn``: dimensions of which each
    question gets one category by its probability. ``users``: the same for who asks. ``questions`` is the number in all
    where there are no sets. ``pairs`` are asked for in each of at most ``attempts`` calls for a question.
    """

    sets: tuple[Categorization, ...] = ()
    drawn: tuple[Categorization, ...] = ()
    users: tuple[Categorization, ...] = ()
    per_category: int = 5
    questions: int = 0
    pairs: int = 3
    attempts: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        dimensions = [one.dimension for one in (*self.drawn, *self.users)]
        if not self.sets and not dimensions:
            raise OptionError("nothing says what to ask: choose a dimension and a level, or give a config file.")
        if twice := next((one for one in dimensions if dimensions.count(one) > 1), None):
            raise OptionError(f"'{twice}' is drawn twice: name each dimension once.")
        labels = [one.label for one in self.sets]
        if twice := next((one for one in labels if labels.count(one) > 1), None):
            raise OptionError(f"'{twice}' is asked for twice: name each level once.")
        if clash := next((one.dimension for one in self.sets if one.dimension in dimensions), None):
            raise OptionError(
                f"'{clash}' is both a set and drawn: a question has one category of a dimension, so leave out one."
            )
        for name, value, low, high in (
            ("questions a category", self.per_category, 1, 10_000),
            ("pairs a call", self.pairs, 1, MOST_PAIRS),
            ("attempts", self.attempts, 1, MOST_ATTEMPTS),
        ):
            if not low <= value <= high:
                raise OptionError(f"{name}: {value} lies outside {low} to {high:,}; choose a number between.")
        if not 1 <= self.wanted <= MOST_QUESTIONS:
            raise OptionError(f"{self.wanted:,} questions lie outside 1 to {MOST_QUESTIONS:,}: choose other numbers.")

    @property
    def wanted(self) -> int:
        """How many questions are asked for in all."""
        if not self.sets:
            return self.questions
        return self.per_category * sum(len(one.categories) for one in self.sets)

    def as_record(self) -> dict[str, Any]:
        """Return the plan as JSON-able values, from which ``plan_of`` makes it again."""
        return asdict(self)


def plan_of(record: Mapping[str, Any]) -> Plan:
    """Return the plan of a record."""
    made = {
        name: tuple(
            Categorization(
                one["dimension"], one["level"], tuple(Category(**category) for category in one["categories"])
            )
            for one in record[name]
        )
        for name in ("sets", "drawn", "users")
    }
    return Plan(**{**record, **made})


@dataclass(frozen=True, slots=True)
class Slot:
    """One question that is wanted: ``group`` is its set ("" without one), ``target`` its category there."""

    id: str
    group: str
    dimension: str = ""
    target: str = ""

    @property
    def cell(self) -> tuple[str, str]:
        """What counts are kept by: (set, category)."""
        return self.group, self.target


@dataclass(frozen=True, slots=True)
class Draw:
    """One attempt at a slot: the piece ``[start, end)`` of a document, and the categories by dimension."""

    slot: Slot
    attempt: int
    document_id: str
    start: int
    end: int
    categories: Mapping[str, str]
    users: Mapping[str, str]
    #: tells the call from others with an equal prompt, which would get the same pairs
    repeat: int

    @property
    def key(self) -> str:
        """Names the attempt within its generation."""
        return f"{self.slot.id}/{self.attempt}"


def slots(plan: Plan) -> tuple[Slot, ...]:
    """Return what is wanted, the categories of a set in turn, so that a stop leaves all as full."""
    if not plan.sets:
        return tuple(Slot(f"q{number:05d}", "") for number in range(1, plan.questions + 1))
    return tuple(
        Slot(f"{one.label}:{category.name}:{number:03d}", one.label, one.dimension, category.name)
        for number in range(1, plan.per_category + 1)
        for one in plan.sets
        for category in one.categories
    )


def draw(plan: Plan, slot: Slot, attempt: int, documents: tuple[Document, ...]) -> Draw:
    """Return the draw of an attempt: equal arguments give the same one, whatever was drawn before."""
    dice = random.Random(content_hash(plan.seed, slot.id, attempt))
    document = documents[dice.randrange(len(documents))]
    start, end = _piece(document, dice)
    categories = {slot.dimension: slot.target} if slot.target else {}
    categories |= {one.dimension: _one(one, dice) for one in plan.drawn}
    users = {one.dimension: _one(one, dice) for one in plan.users}
    return Draw(slot, attempt, document.id, start, end, categories, users, dice.randrange(1, 2**31))


def survivor(plan: Plan, found: Draw, candidates: int) -> int:
    """Return which of so many pairs (from 0) that passed everything is kept for a draw."""
    return random.Random(content_hash(plan.seed, "survivor", found.key)).randrange(candidates)


def usable(documents: tuple[Document, ...]) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """Return the documents that can be asked about, and the ids of those too short for any question.

    Raises:
        OptionError: none can be asked about.
    """
    kept = tuple(document for document in documents if count_words(document.text) >= FEWEST_WORDS)
    if not kept:
        raise OptionError(
            f"No document has {FEWEST_WORDS} words or more, so that none is longer than a question: give longer ones."
        )
    chosen = {document.id for document in kept}
    return kept, tuple(document.id for document in documents if document.id not in chosen)


def _one(categorization: Categorization, dice: random.Random) -> str:
    return dice.choices([one.name for one in categorization.categories], categorization.shares)[0]


def _piece(document: Document, dice: random.Random) -> tuple[int, int]:
    """Whole sentences of a long document, from one that is drawn on; all of a document that is short enough."""
    spans, lengths, last = _sentences(document.text, document.language or "en")
    if sum(lengths) <= SHOWN_WORDS:
        return 0, len(document.text)
    first = dice.randrange(last + 1)
    words, place = 0, first
    while place < len(spans) and (words == 0 or words + lengths[place] <= SHOWN_WORDS):
        words += lengths[place]
        place += 1
    start, end = spans[first][0], spans[place - 1][1]
    if words > 2 * SHOWN_WORDS:
        # one "sentence" without an end (a table, a list of names): its beginning
        end = start + max(1, (end - start) * SHOWN_WORDS // words)
    return start, end


@lru_cache(maxsize=256)
def _sentences(text: str, language: str) -> tuple[list[tuple[int, int]], list[int], int]:
    """The sentences of a text, their words, and the last one that has a whole piece from it on."""
    spans = sentence_spans(text, language)
    lengths = [count_words(text[start:end]) for start, end in spans]
    left = 0
    for place in range(len(spans) - 1, -1, -1):
        left += lengths[place]
        if left >= SHOWN_WORDS:
            return spans, lengths, place
    return spans, lengths, 0
