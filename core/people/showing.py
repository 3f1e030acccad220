"""What a rater is shown and told: an item, or why there is none; what became of a press; how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.people.records import Aspect, Template


@dataclass(frozen=True, slots=True)
class Assigned:
    """An item to answer. Nothing of it tells whose answer it is, or what others or a metric gave.

    ``reference`` is "" in the template "questions", whose ``passages`` are the document. ``second_question`` is ""
    where none is asked; ``further`` are the aspects asked besides the score. ``leased_until`` is UTC, ISO 8601.
    """

    assignment: str
    token: str
    study_id: str
    template: Template
    question: str
    reference: str
    answer: str
    passages: tuple[str, ...]
    scale: tuple[float, ...]
    second_question: str
    further: tuple[Aspect, ...]
    note: str
    leased_until: str


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing to answer now. ``reason``: "finished" for this rater, or why the study gives nothing out."""

    reason: Literal["finished", "paused", "closed", "late", "removed"]
    sentence: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the store holds now, as read back. ``saved`` is UTC, ISO 8601; ``clock`` its time of day, "12:04:31".

    ``value`` is None for what is no score, and for an answer that was opened again.
    """

    assignment: str
    action: str
    value: float | None
    saved: str

    @property
    def clock(self) -> str:
        """The time of day of ``saved``, UTC."""
        return self.saved[11:19]


@dataclass(frozen=True, slots=True)
class Refused:
    """A press that did not count, and one sentence that says why. Nothing was changed."""

    assignment: str
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """``done`` of ``total`` that this rater can still get at most; others take from the same pool.

    ``seconds`` is the median active time of the newest answers, ``minutes_left`` what is left at that pace; None before
    the first answer. ``refused`` counts presses that did not count.
    """

    done: int
    total: int
    seconds: float | None
    minutes_left: float | None
    refused: int


@dataclass(frozen=True, slots=True)
class StudyToRate:
    """A study somebody is invited to, with their own progress in it."""

    study_id: str
    name: str
    state: str
    progress: RaterProgress
