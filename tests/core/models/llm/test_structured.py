"""JSON in what a model wrote: found where it is, never guessed where it is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.exceptions import SchemaError

from core.models.llm.structured import Unparsable, parsed

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"label": {"enum": ["yes", "no"]}},
        "required": ["label"],
        "additionalProperties": False,
    }
)
YES = {"label": "yes"}


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "yes"}',
        ' \n{"label":\n"yes"}\n',
        '```json\n{"label": "yes"}\n```',
        'Of course!\n```\n{"label": "yes"}\n```\nAnything else?',
        'The label is {"label": "yes"}, I think.',
        'It is {"label": "yes"}. Again: {"label": "yes"}',
        'A set {1, 2} and [a list], then {"label": "yes"}',
        '{"label": "maybe"} is wrong; {"label": "yes"}',
        '<think>{"label": "no"}</think>\n{"label": "yes"}',
    ],
)
def test_the_value_is_found(text: str) -> None:
    assert parsed(text, SCHEMA) == YES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty answer"),
        ("  \n", "empty answer"),
        ("<think>hm</think>", "empty answer"),
        ("yes", "no JSON"),
        ('{"label": "yes"', "no JSON"),
        ('{"label": NaN}', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"label": "maybe"}', "does not fit the schema: 'maybe'"),
        ('{"label": "yes", "why": "because"}', "does not fit the schema"),
        ('{"verdict": "yes"}', "does not fit the schema"),
        ('[{"label": "yes"}]', "does not fit the schema"),
        ('{"label": "yes"} or {"label": "no"}', "several different values"),
    ],
)
def test_what_is_no_value_is_said_and_not_guessed(text: str, said: str) -> None:
    found = parsed(text, SCHEMA)
    assert isinstance(found, Unparsable)
    assert said in found.reason
    assert len(found.reason) < 250


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    value=st.dictionaries(st.text(max_size=5), _json, min_size=1), before=st.text("abc .\n"), after=st.text("abc .\n")
)
def test_any_object_is_found_between_prose(value: Any, before: str, after: str) -> None:
    assert parsed(before + json.dumps(value) + after, '{"type": "object"}') == value


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    found = parsed(text, SCHEMA)
    assert isinstance(found, Unparsable) or found in ({"label": "yes"}, {"label": "no"})


def test_a_citation_in_prose_is_no_list() -> None:
    schema = '{"type": "array", "items": {"type": "integer"}}'
    assert isinstance(parsed("The ferry runs [1] and the mill stands [2].", schema), Unparsable)
    assert parsed("```\n[1, 2]\n```", schema) == [1, 2]


def test_a_schema_of_ours_that_is_none_is_a_bug_not_a_failure() -> None:
    with pytest.raises(SchemaError):
        parsed("{}", '{"type": "nothing"}')
