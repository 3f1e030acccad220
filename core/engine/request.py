"""The choices that make a run, as one would type them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields

from core.errors import OptionError
from core.models.embeddings import DEFAULT_ENCODER


@dataclass(frozen=True, slots=True)
class Request:
    """The choices as one would type them; ``command`` prints them back."""

    dataset: str
    scope: str = ""
    retrievers: str = "all"
    combinations: str = "all"
    k: int = 4
    chunking: str = "exact"
    chunk_words: int = 100
    encoder: str = DEFAULT_ENCODER
    similarity_encoder: str = DEFAULT_ENCODER
    answerer: str = "extractive"
    relations: str = "local"
    #: imported systems that stand beside the others: "" all that the dataset has, "none", or names
    systems: str = ""
    sample: str = ""
    split: str = ""
    limit: int | None = None
    seed: int = 0
    #: the language model of answers and relations: an endpoint of the settings, "local", or "" where none takes part
    endpoint: str = ""
    #: a run sends at most so many calls, and pays for so many tokens; they decide no answer, so the run's id stays
    max_calls: int | None = None
    max_tokens: int | None = None
    #: who tells which nuggets an answer says: "offline" with a profile or threshold, or "llm"
    matcher: str = "offline"
    #: how often a sampled answer is asked for; its repeats are averaged within the question
    repeats: int = 1

    def options(self) -> str:
        """Return what differs from the defaults, as one would type it; "" when nothing does."""
        return shlex.join(self._options())

    def command(self) -> str:
        """Return the command line that makes just this run."""
        return shlex.join([".venv/bin/python", "-m", "core", "evaluate", self.dataset, *self._options()])

    def _options(self) -> list[str]:
        words = []
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value != field.default:
                words += [f"--{field.name.replace('_', '-')}", str(value)]
        return words


def check_limits(request: Request) -> None:
    """Raise OptionError where a spending limit allows nothing."""
    for name in ("max_calls", "max_tokens"):
        if (most := getattr(request, name)) is not None and most < 1:
            raise OptionError(f"--{name.replace('_', '-')} is {most}: it must be 1 or more.")
