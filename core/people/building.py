"""From answers to items: what several systems said alike is one item, credited to all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.people.drawing import shared_places
from core.people.records import Credit, Design, Gold, Item


@dataclass(frozen=True, slots=True)
class Produced:
    """One system's answer to a question. ``passages`` are ids: texts are looked up for what becomes an item."""

    credit: Credit
    question_id: str
    relation: str
    question: str
    reference: str
    answer: str
    cluster: str
    passages: tuple[str, ...] = ()


def merged(produced: Iterable[Produced], *, by_passages: bool) -> list[tuple[Produced, tuple[Credit, ...]]]:
    """Return each distinct answer to each question once, with all systems that gave it, in the order they came.

    Answers are alike when they differ in nothing but white space. ``by_passages``: and rest on the same passages, as
    where a rater is asked whether these support the answer, which holds for one set of passages alone.
    """
    groups: dict[tuple[str, str, tuple[str, ...]], list[Produced]] = {}
    for one in produced:
        key = (one.question_id, " ".join(one.answer.split()), one.passages if by_passages else ())
        groups.setdefault(key, []).append(one)
    return [(group[0], tuple(one.credit for one in group)) for group in groups.values()]


def with_gold(items: Sequence[Item], design: Design, study: str) -> list[Item]:
    """Return a study's items numbered, some marked as shared by all raters, those of known score after the others."""
    shared = shared_places(len(items), design.shared, design.seed)
    marked = [replace(item, is_shared=place in shared) for place, item in enumerate(items)]
    known = [_known(gold, number) for number, gold in enumerate(design.gold, start=1)]
    return [
        replace(item, id=f"{study}-{ordinal:05d}", ordinal=ordinal) for ordinal, item in enumerate([*marked, *known])
    ]


def _known(gold: Gold, number: int) -> Item:
    return Item(
        id="",
        ordinal=0,
        question_id=f"known-{number}",
        relation="",
        question=gold.question,
        reference=gold.reference,
        answer=gold.answer,
        passages=gold.passages,
        cluster=f"known-{number}",
        is_shared=True,
        gold=gold.value,
    )
