"""Spending: never above a limit whatever ends in which order, and nothing set aside is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Completion, Message
from core.models.llm.faults import Fault
from core.models.llm.purse import Purse, Spent


def _purse(max_calls: int | None, max_tokens: int | None) -> Purse:
    return Purse(Endpoint("mine", "openai", "m", "https://a/v1", max_calls=max_calls, max_tokens=max_tokens), Spent())


@given(
    max_calls=st.none() | st.integers(1, 20),
    max_tokens=st.none() | st.integers(1, 500),
    steps=st.lists(st.tuples(st.integers(1, 60), st.sampled_from(["answer", "rate", "timeout", "broken off", "wait"]))),
)
def test_no_order_of_endings_exceeds_a_limit(
    max_calls: int | None, max_tokens: int | None, steps: list[tuple[int, str]]
) -> None:
    purse = _purse(max_calls, max_tokens)
    under_way: list[tuple[int, str]] = []

    def end(tokens: int, how: str) -> None:
        endings = {
            "answer": Completion("", tokens // 2, tokens // 2, 0.1, "stop"),
            "rate": Fault("rate", "too many requests", status=429),
            "timeout": Fault("timeout", "no answer"),
            "broken off": None,
        }
        purse.book(tokens, endings[how])

    for tokens, how in steps:
        if how == "wait":
            for flying in under_way:
                end(*flying)
            under_way.clear()
        elif purse.take(tokens):
            under_way.append((tokens, how))
        assert max_calls is None or purse.spent.calls + len(under_way) <= max_calls
        assert max_tokens is None or purse.spent.tokens + sum(flying[0] for flying in under_way) <= max_tokens
    for flying in under_way:
        end(*flying)
    assert purse.is_idle


def test_what_may_be_billed_counts_and_what_was_turned_away_does_not() -> None:
    purse = _purse(None, 1000)
    for fault, calls in (
        (Fault("timeout", "no answer"), 1),
        (Fault("format", "no JSON"), 2),
        (Fault("rate", "too many", status=429), 2),
        (Fault("connection", "no connection"), 2),
        (Fault("too_long", "prompt", status=400), 2),
    ):
        assert purse.take(10)
        purse.book(10, fault)
        assert (purse.spent.calls, purse.spent.tokens) == (calls, 10 * calls)


def test_tokens_are_counted_only_where_they_are_limited() -> None:
    call = Call((Message("user", "one two"),), max_tokens=100)
    assert _purse(5, None).most(call) == 0
    assert _purse(None, 1000).most(call) == 2 + 4 + 100
