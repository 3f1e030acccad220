"""The matcher over many texts at once says what it says of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.nuggets import derived
from core.nuggets.derived import said_by
from core.nuggets.matching import Matcher
from core.text.support import DEFAULT, LENIENT, STRICT, Profile

_WORDS = st.sampled_from(
    ["ferry", "ferries", "mill", "summer", "winter", "the", "12", "1902", "grounds", "crowns", "of"]
)
_SENTENCE = st.lists(_WORDS, max_size=7).map(" ".join)


@pytest.mark.parametrize("profile", [LENIENT, DEFAULT, STRICT])
@given(st.lists(_SENTENCE, max_size=4), st.lists(st.lists(_SENTENCE, max_size=3), max_size=5))
def test_as_pair_by_pair(profile: Profile, statements: list[str], texts: list[list[str]]) -> None:
    matcher = Matcher(profile)
    expected = {
        (row, column)
        for row, statement in enumerate(statements)
        for column, sentences in enumerate(texts)
        if matcher.match(statement, sentences, "en").said
    }
    assert set(said_by(matcher, statements, texts, "en")) == expected


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    statements = ["The ferry runs in summer.", "The mill ground oats.", "A ticket costs 3 crowns."]
    texts = [["The ferry runs in summer."], ["The mill ground oats.", "A ticket costs 3 crowns."], []]
    whole = set(said_by(Matcher(), statements, texts, "en"))
    monkeypatch.setattr(derived, "_TEXTS", 1)
    monkeypatch.setattr(derived, "_STATEMENTS", 2)
    assert set(said_by(Matcher(), statements, texts, "en")) == whole == {(0, 0), (1, 1), (2, 1)}
