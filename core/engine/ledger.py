"""What a run's calls to language models took: by configuration, by purpose and in all, each distinct call once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in whatever money the settings count; None where they do not say."""

    input: float | None = None
    output: float | None = None

    def of(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return what so many tokens cost, None where a price is missing."""
        if self.input is None or self.output is None:
            return None
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class Used:
    """What one call took, earlier tries that may be billed included.

    ``seconds`` is None where no answer came; ``cached``: another run had asked before; ``cut``: the bound of tokens
    ended the text.
    """

    input_tokens: int
    output_tokens: int
    seconds: float | None
    cached: bool
    cut: bool = False


@dataclass
class Ledger:
    """Counts as the stages go: one run, one model, one ``price``."""

    price: Price = field(default_factory=Price)
    _calls: dict[str, Used] = field(default_factory=dict)
    _purposes: dict[str, set[str]] = field(default_factory=dict)
    _configurations: dict[str, set[str]] = field(default_factory=dict)
    _answers: dict[str, list[str]] = field(default_factory=dict)
    _sent: int = 0
    _seconds: float = 0.0

    def note(self, purpose: str, key: str, used: Used, configurations: Collection[str]) -> None:
        """Count a call that ``configurations`` needed; the same call again counts once for each of them."""
        self._calls[key] = used
        self._purposes.setdefault(purpose, set()).add(key)
        for configuration in configurations:
            self._configurations.setdefault(configuration, set()).add(key)
            if purpose == "answer":
                self._answers.setdefault(configuration, []).append(key)

    def sent(self, calls: int, seconds: float) -> None:
        """Count ``calls`` that came back in so many ``seconds`` of this evaluation, for the estimates of later ones."""
        self._sent += calls
        self._seconds += seconds

    def record(self) -> dict[str, Any]:
        """Return everything as JSON-able values, {} where no model was asked.

        ``total``, and those under ``purposes`` and ``configurations``: ``calls``, of them ``cached``, ``failed`` (no
        answer came) and ``cut`` (the bound ended the text), ``input_tokens`` and ``output_tokens`` with those of tries
        without an answer that may be billed, ``seconds`` (their sum, each call by itself) and ``price`` (None where the
        settings name none) of all of them, ``spent`` of those that were not cached; ``median_seconds`` is that of a
        configuration's answers. ``speed`` says how many calls this evaluation sent and in how many seconds all of them
        came back.
        """
        if not self._calls:
            return {}
        return {
            "total": self._sum(self._calls),
            "purposes": {purpose: self._sum(keys) for purpose, keys in self._purposes.items()},
            "configurations": {
                name: self._sum(keys) | {"median_seconds": self._median(self._answers.get(name, ()))}
                for name, keys in self._configurations.items()
            },
            "speed": {"calls": self._sent, "seconds": round(self._seconds, 3)},
        }

    def _sum(self, keys: Iterable[str]) -> dict[str, Any]:
        calls = [self._calls[key] for key in keys]
        return {
            "calls": len(calls),
            "cached": sum(used.cached for used in calls),
            "failed": sum(used.seconds is None for used in calls),
            "cut": sum(used.cut for used in calls),
            "input_tokens": sum(used.input_tokens for used in calls),
            "output_tokens": sum(used.output_tokens for used in calls),
            "seconds": round(sum(used.seconds or 0.0 for used in calls), 3),
            "price": self._price(calls),
            "spent": self._price([used for used in calls if not used.cached]),
        }

    def _price(self, calls: Collection[Used]) -> float | None:
        tokens = (sum(used.input_tokens for used in calls), sum(used.output_tokens for used in calls))
        return None if (price := self.price.of(*tokens)) is None else round(price, 6)

    def _median(self, keys: Collection[str]) -> float | None:
        seconds = [used.seconds for key in keys if (used := self._calls[key]).seconds is not None]
        return round(median(seconds), 3) if seconds else None
