from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.content import content_words, four_grams, number_words


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("The keeper's lamps were burning.", "en", ["keeper", "lamp", "burn"]),
        ("Could it have carried 1,450 kg?", "en", ["carri", "1,450", "kg"]),
        ("Die Häuser der Stadt sind alt", "de", ["haus", "stadt", "alt"]),
        ("Las casas de la ciudad", "es", ["cas", "ciud"]),
        ("船在冬天停航", "zh", ["船在", "在冬", "冬天", "天停", "停航"]),
        ("الكتاب على الطاولة", "ar", ["كتاب", "طاول"]),
        ("Who is it?", "en", ["who", "is", "it"]),  # nothing but stop words: they are what there is
        ("", "en", []),
        ("Talon vene", "xx", ["talon", "vene"]),  # no list, no stemmer: words as they are
    ],
)
def test_content_words(text: str, language: str, words: list[str]) -> None:
    assert list(content_words(text, language)) == words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,450 tonnes", {"1450"}),
        ("1 450 tonnes", {"1450"}),
        ("1\u202f450,5 t", {"1450.5"}),
        ("3, 5 and 7", {"3", "5", "7"}),
        ("2.5 or 2,5", {"2.5"}),
        ("from 12-14 to ١٢", {"12", "14"}),
        ("in 2018 210 men", {"2018", "210"}),
        ("version 1.2.3", {"1.2.3"}),
        ("none", set()),
    ],
)
def test_number_words(text: str, numbers: set[str]) -> None:
    assert number_words(text) == numbers


def test_four_grams_of_short_words_are_the_words() -> None:
    assert four_grams("sea salt") == {"sea", "salt"}
    assert four_grams("salted herring") == {"salt", "herr", "erri", "rrin", "ring"}


@given(st.text(max_size=80), st.sampled_from(["en", "de", "zh", "ar", "", "xx-YY"]))
def test_any_text_in_any_language(text: str, language: str) -> None:
    words = content_words(text, language)
    assert all(words)
    assert content_words(text, language) == words
    assert all(len(gram) <= 4 for gram in four_grams(text, language))
    number_words(text)
