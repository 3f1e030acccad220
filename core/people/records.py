"""What a study of people's ratings is made of. Frozen records; how they are stored is the store's business."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: "paused" hands out nothing and takes no score; "closed" the same, for good until it is resumed
StudyState = Literal["open", "paused", "closed"]
#: "answers": produced answers against references; "questions": generated questions against their document
Template = Literal["answers", "questions"]
#: what became of an item in one rater's hands
#: "open": on the rater's screen or waiting for them under a lease; "scored" and "cannot_judge": answered;
#: "skipped" and "expired": back in the pool; "withdrawn": the rater was removed before answering
AssignmentState = Literal["open", "scored", "cannot_judge", "skipped", "expired", "withdrawn"]
#: the two that are a rating; "cannot_judge" has no value and is never counted as 0
RatingStatus = Literal["scored", "cannot_judge"]

ANSWERED: tuple[RatingStatus, ...] = ("scored", "cannot_judge")
#: the scale of arXiv 2410.02932, section 4.2
DEFAULT_SCALE = (0.0, 3.0, 7.0)


@dataclass(frozen=True, slots=True)
class Aspect:
    """One further thing asked about an item: a number on ``scale``, or one of ``options`` where the scale is ().

    ``name`` is its key in a vote's ``further``; ``question`` is what the rater reads.
    """

    name: str
    question: str
    scale: tuple[float, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gold:
    """An item whose score is known; all raters see it, and it is credited to no configuration."""

    question: str
    reference: str
    answer: str
    value: float
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """Everything an owner chooses. Equal designs over equal runs give equal items in equal order.

    ``runs`` and ``configurations`` (ids as in the run's spec, "evidence" too; () = all) say whose answers are rated;
    of the template "questions" ``dataset`` says which question set and ``dimension`` which of its category trees is
    asked for. ``n_questions`` (0 = all) are drawn stratified by relation. ``raters_per_item`` people answer each item;
    ``shared`` is the share of items, in [0, 1], that all raters see. ``scale`` is in ascending order.
    ``second_question`` ("" = none) is asked as yes or no. ``deadline`` is a date and time in UTC, ISO 8601, or "".
    """

    name: str
    runs: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    template: Template = "answers"
    dataset: str = ""
    dimension: str = ""
    n_questions: int = 50
    raters_per_item: int = 2
    shared: float = 0.0
    scale: tuple[float, ...] = DEFAULT_SCALE
    second_question: str = ""
    gold: tuple[Gold, ...] = ()
    seed: int = 0
    deadline: str = ""
    guidelines: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """A stored study. ``further`` are the aspects asked besides the score (the template "questions" has three).

    ``labels`` gives the readable name of each credited system (``Credit.key``). ``left_out`` counts answers that could
    not be rated, by reason. ``version`` is another one whenever something of the study changed: a cache key.
    """

    id: str
    state: StudyState
    design: Design
    further: tuple[Aspect, ...]
    labels: Mapping[str, str]
    left_out: Mapping[str, int]
    n_items: int
    created: str
    owner: str
    version: int

    @property
    def name(self) -> str:
        """The name people read."""
        return self.design.name

    @property
    def scale(self) -> tuple[float, ...]:
        """The values a score may have, ascending."""
        return self.design.scale


@dataclass(frozen=True, slots=True, order=True)
class Credit:
    """A system whose answer an item is: a configuration of a run."""

    run: str
    configuration: str

    @property
    def key(self) -> str:
        """Names it in ``Study.labels``."""
        return f"{self.run}/{self.configuration}"


@dataclass(frozen=True, slots=True)
class Item:
    """Texts to rate, kept with the study so that they outlive run and dataset.

    ``id`` is unique in the store. ``credits`` are all systems that gave just this answer; () for gold items and for
    generated questions. ``cluster`` names what makes questions dependent: the source document. ``is_shared``: all
    raters see it. ``gold`` is the known score or None. ``assigned`` is the hidden category of a generated question.
    """

    id: str
    ordinal: int
    question_id: str
    relation: str
    question: str
    reference: str
    answer: str
    passages: tuple[str, ...] = ()
    credits: tuple[Credit, ...] = ()
    cluster: str = ""
    is_shared: bool = False
    gold: float | None = None
    assigned: str = ""


@dataclass(frozen=True, slots=True)
class Rater:
    """Somebody invited to a study. ``label`` ("Rater 3", "model: …") may be shown to anybody, ``name`` to owners.

    ``id`` is an actor's id, or "model: …" for a language model, which is never counted among the people.
    """

    id: str
    label: str
    name: str
    is_model: bool
    is_active: bool
    invited: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """One item in one rater's hands. ``place`` is its place in the rater's own seeded order of the study's items.

    ``token`` is the one-time token of the showing that is open, "" where none is. ``systems`` are the item's credits in
    the order drawn for this rater. ``seconds`` is the active time on it so far, capped per showing.
    """

    id: str
    study: str
    item: str
    rater: str
    place: int
    systems: tuple[Credit, ...]
    state: AssignmentState
    token: str
    leased_until: str
    value: float | None
    second: bool | None
    further: Mapping[str, float | str]
    note: str
    seconds: float
    decided: str


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's answer to one item: ``value`` is None exactly where the status is "cannot_judge".

    ``rater`` is the rater's label, never the name. ``seconds`` is active time. ``saved`` is UTC, ISO 8601.
    """

    item: str
    rater: str
    value: float | None
    status: RatingStatus
    second: bool | None = None
    further: Mapping[str, float | str] = field(default_factory=dict)
    note: str = ""
    seconds: float = 0.0
    saved: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    """One row of the history: what was pressed, and whether the store took it. Nothing of it is ever changed.

    ``action``: "vote", "cannot_judge", "skip", "undo", "expire" (nobody pressed: the lease ran out), "restore" (an
    undone score stands again because nobody gave another), "adjudicate", "sheet". ``reason`` says why it was refused.
    """

    number: int
    assignment: str
    item: str
    rater: str
    action: str
    outcome: Literal["accepted", "refused"]
    reason: str
    value: float | None
    at: str


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The final score of an item on which raters differ, by whom and why."""

    item: str
    value: float
    reason: str
    by: str
    at: str
