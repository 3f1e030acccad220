"""Facts from reference answers, by surface rules and from a model's reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.llm.structured import Unparsable
from core.nuggets.creation import MOST, created_facts, creation_call, facts_of
from core.text.tokens import lexical_tokens


@pytest.mark.parametrize(
    ("language", "answer", "facts"),
    [
        (
            "en",
            "The Marlow mill was built in 1871, and it ground oats until 1902; afterwards it served as a school.",
            ["The Marlow mill was built in 1871.", "It ground oats until 1902.", "Afterwards it served as a school."],
        ),
        ("en", "Anna Rusk, Tom Hale, and the miller.", ["Anna Rusk, Tom Hale, and the miller."]),
        ("en", "Forty minutes", ["Forty minutes."]),
        ("en", "It froze: yes.", ["It froze: yes."]),
        ("en", "It runs. It runs.", ["It runs."]),
        (
            "en",
            "The lamp burns from dusk to dawn; and the horn sounds in fog.",
            ["The lamp burns from dusk to dawn.", "The horn sounds in fog."],
        ),
        ("de", "Die Mühle wurde 1871 gebaut und sie mahlte Hafer bis 1902.",
         ["Die Mühle wurde 1871 gebaut.", "Sie mahlte Hafer bis 1902."]),
        ("zh", "磨坊建于1871年；它一直磨燕麦。", ["磨坊建于1871年。", "它一直磨燕麦。"]),
        ("", "Nobody said which language; it is split at its marks all the same.",
         ["Nobody said which language.", "It is split at its marks all the same."]),
        ("en", "…", []),
        ("en", "", []),
    ],
)  # fmt: skip
def test_facts(language: str, answer: str, facts: list[str]) -> None:
    assert facts_of(answer, language) == facts


_DROPPED = {"and", "but", "while", "whereas", "und", "aber", "et", "mais", "pero", "mas", "maar"}


@given(st.text(alphabet="abcd ;:,.and1", max_size=80))
def test_no_word_is_added_and_none_but_conjunctions_is_lost(answer: str) -> None:
    facts = facts_of(answer, "en")
    said = {token for fact in facts for token in lexical_tokens(fact)}
    assert said <= set(lexical_tokens(answer))


def test_a_models_facts() -> None:
    assert created_facts('{"facts": ["The mill  is old.", " ", "The mill is old.", "It is green."]}') == [
        "The mill is old.",
        "It is green.",
    ]
    for reply in ('{"facts": []}', '{"facts": [" "]}', "The mill is old.", json.dumps({"facts": ["x"] * (MOST + 1)})):
        assert isinstance(created_facts(reply), Unparsable)


def test_what_is_asked_holds_question_and_answer_as_material() -> None:
    call = creation_call('Why "so"?', "Because.")
    assert json.loads(call.messages[1].content) == {"question": 'Why "so"?', "answer": "Because."}
    assert json.loads(call.schema)["properties"]["facts"]["maxItems"] == MOST
