"""What became of each nugget of a question in one answer: held by the passages, said, cited, grounded, or lost where.

Samuel et al. (arXiv 2603.08819): InfoR counts the nuggets that are said, nugget coverage those that are said in a
sentence that cites what holds them (here called grounded). Always said >= cited >= grounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from core.metrics.coverage_observations import Part
from core.nuggets.holding import Item, Support
from core.nuggets.matching import Match
from core.schema import Nugget


@dataclass(frozen=True, slots=True)
class NuggetOutcome:
    """One nugget in one answer.

    ``retrieved``: the passages handed on hold it together, None where they are not known. ``supported``: something in
    the pool, or some judged document, holds it alone; ``reachable``: the whole pool holds it together. ``grounded`` is
    None where it is said and nobody knows what holds it.
    ``share_of_answers`` in [0, 1] is 1 or 0 but for a nugget that needs several answers. ``sentences`` are those of
    the answer (from 0) that say it. ``derived``: that it is held was decided by the matcher. The answer's part is all
    False where there is no answer.
    """

    nugget: str
    said: bool
    cited: bool
    grounded: bool | None
    partial: bool
    retrieved: bool | None
    supported: bool
    reachable: bool
    share_of_answers: float
    sentences: tuple[int, ...]
    derived: bool

    @property
    def part(self) -> Part | None:
        """What became of it, one of a partition; None where what holds it or what was retrieved is not known."""
        if self.grounded:
            return "grounded"
        if self.said:
            return None if self.grounded is None else "said_not_grounded"
        if self.retrieved is None:
            return None
        if self.retrieved:
            return "retrieved_not_said"
        return "not_retrieved" if self.reachable else "nowhere"

    def as_record(self) -> list[Any]:
        """Return the outcome as JSON-able values, in the order of the fields."""
        return list(astuple(self))


def outcome_of_record(record: Sequence[Any]) -> NuggetOutcome:
    """Return the outcome that ``as_record`` made this of."""
    values: dict[str, Any] = dict(zip((field.name for field in fields(NuggetOutcome)), record, strict=True))
    return NuggetOutcome(**{**values, "sentences": tuple(values["sentences"])})


@dataclass(frozen=True)
class Pool:
    """What a question could have been answered from: statements held by one thing in it, and by all of it together."""

    alone: frozenset[int]
    together: frozenset[int]


def outcomes_of(
    nuggets: Sequence[Nugget],
    support: Support,
    pool: Pool,
    handed_on: Sequence[Item] | None,
    matches: Sequence[Match],
    cited_by: Mapping[int, Sequence[Item]],
    *,
    provable: bool = True,
) -> tuple[NuggetOutcome, ...]:
    """Return one outcome a nugget, in order.

    Args:
        nuggets: the question's.
        support: who holds what, for the same question.
        pool: what the question could have been answered from.
        handed_on: what the answer was made from, None where nobody knows.
        matches: what the answer says of each statement of ``support``, all unsaid for a refusal or where none is.
        cited_by: what each sentence of the answer (from 0) cites.
        provable: whether anybody knows what holds the nuggets.
    """
    retrieved = None if handed_on is None else support.nuggets_held(support.together(handed_on))
    supported = {support.claims[place].statement.nugget for place in pool.alone}
    reachable = support.nuggets_held(pool.together)
    cited: list[bool] = []
    grounded: list[bool] = []
    for place, match in enumerate(matches):
        proofs = [
            [item for sentence in range(first, last + 1) for item in cited_by.get(sentence, ())]
            for first, last in match.windows
            if match.said
        ]
        cited.append(any(proofs))
        # a sentence may cite one passage for each span of a group of evidence
        grounded.append(any(place in _held(support, items) for items in proofs if items))
    found = []
    for number, nugget in enumerate(nuggets):
        places = [place for place, claim in enumerate(support.claims) if claim.statement.nugget == number]
        needed = all if nugget.aggregator == "AND" else any
        said = needed(matches[place].said for place in places)
        share = sum(matches[place].said for place in places) / len(places)
        outcome = NuggetOutcome(
            nugget=nugget.id,
            said=said,
            cited=needed(cited[place] for place in places),
            grounded=None if said and not provable else needed(grounded[place] for place in places),
            partial=_partial(said, [matches[place] for place in places]),
            retrieved=None if retrieved is None else number in retrieved,
            supported=number in supported,
            reachable=number in reachable,
            share_of_answers=share if nugget.aggregator == "AND" else float(said),
            sentences=tuple(
                sorted(
                    {
                        sentence
                        for place in places
                        if matches[place].said
                        for first, last in matches[place].windows
                        for sentence in range(first, last + 1)
                    }
                )
            ),
            derived=any(support.claims[place].basis == "derived" for place in places),
        )
        if not outcome.said >= outcome.cited >= bool(outcome.grounded):
            raise AssertionError(f"nugget {nugget.id!r} is cited without being said, or grounded without being cited")
        found.append(outcome)
    return tuple(found)


def _held(support: Support, items: Sequence[Item]) -> frozenset[int]:
    return support.alone(items[0]) if len(items) == 1 else support.together(items)


def _partial(said: bool, matches: Sequence[Match]) -> bool:
    """Support is partial where no answer that counts is supported fully."""
    full = [match for match in matches if match.said and not match.partial]
    return not full if said else any(match.partial for match in matches)
