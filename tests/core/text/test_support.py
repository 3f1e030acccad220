from __future__ import annotations

import pytest

from core.text.support import DEFAULT, LENIENT, STRICT, is_supported, sentence_support, whole_support

SENTENCES = [
    "The Marlow ferry runs every forty minutes in summer.",
    "In winter it runs twice a day because the harbour freezes.",
    "A ticket costs 3 crowns.",
]


def best(statement: str) -> float:
    return max(share for _, _, share in sentence_support(statement, SENTENCES))


def test_windows_are_single_sentences_and_neighbours_in_order() -> None:
    windows = [(first, last) for first, last, _ in sentence_support("ferry", SENTENCES)]
    assert windows == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]


def test_a_statement_over_two_sentences_needs_both() -> None:
    shares = {(a, b): share for a, b, share in sentence_support("The ferry runs in summer and winter", SENTENCES)}
    assert shares[0, 1] == 1.0
    assert shares[0, 0] < 1.0 > shares[1, 1]


@pytest.mark.parametrize(
    ("statement", "supported"),
    [
        ("A ticket costs 3 crowns", True),
        ("A ticket costs 30 crowns", False),  # the number guard: every word but the number is there
        ("The ferries run every forty minutes in summers", True),  # endings do not matter
        ("The mill was built by Anna Rusk", False),
    ],
)
def test_support(statement: str, supported: bool) -> None:
    assert is_supported(statement, SENTENCES) is supported


def test_every_number_must_occur_in_the_window_itself() -> None:
    assert best("The ferry costs 3 crowns in summer") < 1.0
    assert whole_support("The ferry costs 3 crowns in summer", " ".join(SENTENCES)) == 1.0
    assert whole_support("The ferry costs 4 crowns in summer", " ".join(SENTENCES)) == 0.0


def test_negation_is_not_seen() -> None:
    """A known limit, which pages say beside every score of this matcher."""
    assert is_supported("The harbour never freezes in winter", SENTENCES)


def test_profiles_are_ordered() -> None:
    assert LENIENT.sentence < DEFAULT.sentence < STRICT.sentence
    assert LENIENT.whole < DEFAULT.whole < STRICT.whole


@pytest.mark.parametrize("statement", ["", "…"])
def test_a_statement_without_words_is_never_supported(statement: str) -> None:
    assert not is_supported(statement, SENTENCES)


def test_no_sentences_support_nothing() -> None:
    assert not is_supported("A ticket costs 3 crowns", [])


def test_scripts_without_spaces_are_compared_by_bigrams() -> None:
    sentences = ["渡船在夏天每四十分钟开一班。", "冬天港口结冰，所以一天只开两班。"]
    assert is_supported("夏天渡船每四十分钟开一班", sentences, "zh")
    assert not is_supported("磨坊由安娜建造", sentences, "zh")
