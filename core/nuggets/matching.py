"""Who says what, offline: which statements an answer says, and in which of its sentences.

A nugget makes one *statement* (its own text), or one for each of its answers. The rule is that of
``core.text.support``: a statement is said where a sentence window or the answer as a whole holds enough of its words.
It under-counts paraphrase and does not see negation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import OptionError
from core.schema import Nugget
from core.text.support import DEFAULT, LENIENT, STRICT, Profile, sentence_support, whole_support

#: raised when the rule says something else of the same texts
VERSION = 1
PROFILES = {profile.name: profile for profile in (LENIENT, DEFAULT, STRICT)}
#: how much more than of a window must be found of a whole answer, which holds more words to find them among
_MARGIN = 0.05
_THRESHOLD = re.compile(r"0?\.\d{1,4}|1(?:\.0{1,4})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Statement:
    """What one nugget states: its place among the question's nuggets, and that of its answer (None: it has none)."""

    nugget: int
    answer: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """What an answer says of one statement.

    ``windows`` are the sentences ``(first, last)``, from 0, that say it; they may be empty although it is ``said``,
    where only the answer as a whole says it. ``partial`` marks support that is only partial.
    """

    said: bool
    partial: bool = False
    windows: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Matcher:
    """The offline rule at one profile."""

    profile: Profile = DEFAULT

    @property
    def label(self) -> str:
        """The name people read, with its profile."""
        return f"offline matcher, {self.profile.name} profile"

    def as_spec(self) -> dict[str, Any]:
        """Return what decides a match besides the texts."""
        return {
            "name": "offline",
            "version": VERSION,
            "profile": self.profile.name,
            "sentence": self.profile.sentence,
            "whole": self.profile.whole,
        }

    def match(self, statement: str, sentences: Sequence[str], language: str) -> Match:
        """Return what an answer, given as its sentences, says of a statement.

        A window of two sentences says it only where it holds more of it than either sentence alone: otherwise the
        citations of a neighbour that adds nothing would count. Partial support is less than the strict profile asks
        for; such a statement is said all the same, as it was when the thresholds were measured.
        """
        windows = sentence_support(statement, sentences, language)
        alone = {first: share for first, last, share in windows if first == last}
        saying = tuple(
            (first, last)
            for first, last, share in windows
            if share >= self.profile.sentence and (first == last or share > max(alone[first], alone[last]))
        )
        best = max((share for _, _, share in windows), default=0.0)
        # the dearer rule is asked only where it can change anything
        needed = best < max(STRICT.sentence, self.profile.sentence)
        whole = whole_support(statement, " ".join(sentences), language) if needed else 0.0
        said = bool(saying) or whole >= self.profile.whole
        return Match(said, said and best < STRICT.sentence and whole < STRICT.whole, saying)


def matcher_named(choice: str) -> Matcher:
    """Return the offline matcher a choice means: "offline", or "offline:" and a profile or a threshold such as 0.42.

    Raises:
        OptionError: it means none.
    """
    name, _, profile = choice.strip().casefold().partition(":")
    profile = profile or DEFAULT.name
    if name == "offline" and profile in PROFILES:
        return Matcher(PROFILES[profile])
    if name == "offline" and _THRESHOLD.fullmatch(profile) and float(profile) > 0:
        return Matcher(profile_at(float(profile)))
    raise OptionError(
        f"--matcher is '{choice}': choose 'offline', 'offline:' with {', '.join(PROFILES)} or a threshold above 0 and "
        "at most 1 such as offline:0.42, or 'llm'."
    )


def profile_at(threshold: float) -> Profile:
    """Return the profile whose windows need this share, in (0, 1]; whole answers need a little more, as elsewhere."""
    return Profile(f"{threshold:g}", threshold, min(round(threshold + _MARGIN, 4), 1.0))


def statements_of(nuggets: Sequence[Nugget]) -> tuple[Statement, ...]:
    """Return the statements of nuggets in order: those of its answers where a nugget has any, else its own."""
    return tuple(
        statement
        for place, nugget in enumerate(nuggets)
        for statement in (
            [Statement(place, number, answer.text) for number, answer in enumerate(nugget.answers)]
            or [Statement(place, None, nugget.text)]
        )
    )
