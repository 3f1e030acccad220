"""What a run may spend at an endpoint, and what it has spent."""

from __future__ import annotations

from dataclasses import dataclass

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Completion, Tokens
from core.models.llm.faults import Fault
from core.models.llm.tokens import TokenCounter


@dataclass(slots=True)
class Spent:
    """Requests that were answered, or may have been, and their tokens in and out."""

    calls: int = 0
    tokens: int = 0


class Purse:
    """Keeps what was spent and what is under way within ``max_calls`` and ``max_tokens``.

    A request is let go only when its prompt and the longest answer it may get still fit; what it really took is booked
    when it ends. One the endpoint turned away costs nothing; one that timed out or was broken off counts in full,
    because it may be billed; one whose answer is of no use costs what that answer took.
    """

    def __init__(self, endpoint: Endpoint, spent: Spent) -> None:
        """Go on from what was spent before."""
        self.spent = spent
        self._max_calls = endpoint.max_calls
        self._max_tokens = endpoint.max_tokens
        self._counter = TokenCounter(endpoint)
        self._thinking = endpoint.thinking_tokens
        self._calls_out = 0
        self._tokens_out = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is set aside."""
        return self._calls_out == 0

    def most(self, call: Call) -> int:
        """Return the tokens a call may take at most; 0 where tokens are not limited, so nobody counts them."""
        return 0 if self._max_tokens is None else sum(self._longest(call))

    def lost(self, call: Call, fault: Fault) -> Tokens:
        """Return the tokens in and out, at most, that a request without a usable answer may be billed for."""
        if not fault.may_be_billed:
            return (0, 0)
        return self._longest(call) if fault.tokens is None else fault.tokens

    def _longest(self, call: Call) -> Tokens:
        return self._counter.prompt(call), call.max_tokens + self._thinking

    def take(self, tokens: int) -> bool:
        """Set a request and its tokens aside; return whether they fit."""
        if self._max_calls is not None and self.spent.calls + self._calls_out >= self._max_calls:
            return False
        if self._max_tokens is not None and self.spent.tokens + self._tokens_out + tokens > self._max_tokens:
            return False
        self._calls_out += 1
        self._tokens_out += tokens
        return True

    def give_back(self, tokens: int) -> None:
        """Take back what was set aside for a request that was never sent."""
        self._calls_out -= 1
        self._tokens_out -= tokens

    def book(self, tokens: int, ending: Completion | Fault | None) -> None:
        """Book what a request took that had ``tokens`` set aside; None means that it was broken off."""
        self.give_back(tokens)
        if isinstance(ending, Completion):
            self.spent.calls += 1
            self.spent.tokens += ending.input_tokens + ending.output_tokens
        elif ending is None or ending.may_be_billed:
            self.spent.calls += 1
            self.spent.tokens += tokens if ending is None or ending.tokens is None else sum(ending.tokens)

    @property
    def reached(self) -> str:
        """Which limit is reached, as the settings name it."""
        return "max_calls" if self._max_calls is not None and self.spent.calls >= self._max_calls else "max_tokens"

    def limit(self) -> str:
        """Return which limit is reached, in words."""
        if self.reached == "max_calls":
            return f"{self._max_calls:,} calls (max_calls), and all are used"
        return f"{self._max_tokens:,} tokens (max_tokens); {self.spent.tokens:,} are used and the next call may not fit"
