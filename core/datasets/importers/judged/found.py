"""What one file of another evaluation tool says, topic by topic, before it is joined with what other files say.

Topics, nuggets, documents and systems are known by the ids that the file gives, in their canonical form. A system
without a name of its own is "" here: its file's name stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.datasets.importers.result import Skip
from core.schema import Nugget

#: skipped entries that are kept one by one; all are counted
MOST_SKIPPED = 1_000


@dataclass(frozen=True, slots=True)
class TopicText:
    """What a topic is called: its wording, a reference answer ("" for none), other names that files give it."""

    text: str = ""
    answer: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """A produced text: its sentences, and for each the ids of the documents it cites.

    ``references`` are the documents that the system says it was given, in its order; () where it says nothing.
    """

    sentences: tuple[str, ...]
    cited: tuple[tuple[str, ...], ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A judgment of a nugget, which is known by its id or its text; the rest is as in ``schema.NuggetLabel``."""

    nugget: str
    label: str
    sentence: int | None = None
    answer: str = ""


@dataclass(slots=True)
class Found:
    """Everything that one file says.

    ``held`` is topic → nugget id → documents judged to hold it; ``relevant`` topic → documents judged relevant to it;
    ``judged`` topic → all documents judged. ``rankings``, ``responses``, ``labels`` and ``votes`` (text of a nugget →
    whether one person found it in the answer, None where the person did not say) are by system, then topic.
    ``scores`` are another evaluator's: system → measure → topic ("all" for the mean) → value. ``exhaustive`` says that
    a nugget without a label was judged and not found.
    """

    n_rows: int = 0
    topics: dict[str, TopicText] = field(default_factory=dict)
    nuggets: dict[str, tuple[Nugget, ...]] = field(default_factory=dict)
    held: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    relevant: dict[str, list[str]] = field(default_factory=dict)
    judged: dict[str, list[str]] = field(default_factory=dict)
    rankings: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    responses: dict[str, dict[str, Response]] = field(default_factory=dict)
    labels: dict[str, dict[str, list[GivenLabel]]] = field(default_factory=dict)
    votes: dict[str, dict[str, dict[str, bool | None]]] = field(default_factory=dict)
    scores: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    exhaustive: bool = False
    skipped: list[Skip] = field(default_factory=list)
    n_skipped: int = 0
    notes: list[str] = field(default_factory=list)

    def skip(self, line: int, name: str, reason: str, rows: int = 1) -> None:
        """Count what is left out, and keep the first of it with the reason."""
        self.n_skipped += rows
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(Skip(line, name, reason))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems the file is about, in its order."""
        of = (self.rankings, self.responses, self.labels, self.votes, self.scores)
        return tuple(dict.fromkeys(system for by_system in of for system in by_system))


def first_of(names: Sequence[str], shown: int = 3) -> str:
    """Return "12 ('a', 'b', 'c' …)": how many there are and what the first are called."""
    listed = ", ".join(f"'{name}'" for name in names[:shown])
    return f"{len(names):,} ({listed}{' …' if len(names) > shown else ''})"
