from __future__ import annotations

import pytest

from core.text.overlap import lexical_overlap

DOCUMENT = "The Marlow ferry runs every forty minutes. Captain Rusk sounds the horn in fog."


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("How often does the Marlow ferry run?", 2 / 3),  # often, ferry, run; Marlow is a name
        ("When does the Rusk vessel leave Marlow?", 0.0),
        ("ferry horn fog", 1.0),
        ("Marlow Rusk", None),  # nothing but names
    ],
)
def test_share_of_content_words_without_names(question: str, share: float | None) -> None:
    found = lexical_overlap(question, DOCUMENT)
    assert found == (None if share is None else pytest.approx(share))


def test_a_capital_at_the_beginning_of_a_sentence_makes_no_name() -> None:
    assert lexical_overlap("Ferry horn", "Ferry in sight. Horn heard.") == 1.0


def test_german_capitals_are_no_names() -> None:
    assert lexical_overlap("Fährt die Fähre im Sommer?", "Die Fähre fährt im Sommer stündlich.", "de") == 1.0
