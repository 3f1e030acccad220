"""Sentences of what a model wrote, and which of them each marker belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.citing import cited_sentences


@pytest.mark.parametrize(
    ("text", "sentences", "citations"),
    [
        ("It runs [1]. It stops [2].", ("It runs.", "It stops."), ((0, 1), (1, 2))),
        ("It runs. [1] It stops. [2][3]", ("It runs.", "It stops."), ((0, 1), (1, 2), (1, 3))),
        ("It runs [1], [3]. It stops.", ("It runs.", "It stops."), ((0, 1), (0, 3))),
        ("It runs [2-4].", ("It runs.",), ((0, 2), (0, 3), (0, 4))),
        ("It runs [1] daily [1].", ("It runs daily.",), ((0, 1),)),
        ("It runs. It stops.\n[2]", ("It runs.", "It stops."), ((1, 2),)),
        ("- It runs [1]\n- It stops [2]", ("- It runs", "- It stops"), ((0, 1), (1, 2))),
        ("[1] It runs. [2] It stops.", ("It runs.", "It stops."), ((0, 1), (1, 2))),
        ("[1] It runs. [2][3] It stops. It waits.", ("It runs.", "It stops.", "It waits."), ((0, 1), (1, 2), (1, 3))),
        ("[1] It runs. It stops. [2]", ("It runs.", "It stops."), ((0, 1), (1, 2))),
        ("[1] It runs.\nIt stops [2].", ("It runs.", "It stops."), ((0, 1), (1, 2))),
        ("The year [2019] counts [1].", ("The year [2019] counts.",), ((0, 1),)),
        ("[1]", (), ()),
        ("[1]\n\nIt runs.", ("It runs.",), ()),
        ("... !\n", (), ()),
        ("", (), ()),
        ("<think>Is it [3]?\n\nYes.</think>\nIt runs [1].", ("It runs.",), ((0, 1),)),
        ("<think>Is it [3]? Yes, and", (), ()),
    ],
)
def test_markers_belong_to_the_sentence_they_end(
    text: str, sentences: tuple[str, ...], citations: tuple[tuple[int, int], ...]
) -> None:
    found = cited_sentences(text)
    assert found.sentences == sentences
    assert found.citations == citations


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("zh", "每天两班[1]。冬天停航【2】。", ("每天两班。", "冬天停航。")),
        ("ja", "一日二便です［1］。冬は休みます。［2］", ("一日二便です。", "冬は休みます。")),
        ("ar", "تبحر العبارة مرتين [١]. تتوقف شتاء [٢].", ("تبحر العبارة مرتين.", "تتوقف شتاء.")),
    ],
)
def test_brackets_and_digits_of_other_scripts(language: str, text: str, sentences: tuple[str, ...]) -> None:
    found = cited_sentences(text, language)
    assert found.sentences == sentences
    assert found.citations == ((0, 1), (1, 2))


def test_a_model_that_writes_blanks_for_ever_holds_nothing_up() -> None:
    assert cited_sentences("It runs" + " " * 200_000 + "[1].").citations == ((0, 1),)


@given(st.text(alphabet="ab. [1]2,\n-!。［］<think>/", max_size=80))
def test_any_text_is_read(text: str) -> None:
    found = cited_sentences(text)
    assert all(sentence == " ".join(sentence.split()) != "" for sentence in found.sentences)
    assert all(0 <= sentence < len(found.sentences) for sentence, _ in found.citations)
    assert len(set(found.citations)) == len(found.citations)


@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.sets(st.integers(1, 9))), min_size=1, max_size=5))
def test_what_was_asked_for_comes_back(given_sentences: list[tuple[str, set[int]]]) -> None:
    """Sentences with markers in the asked form give exactly these sentences and markers."""
    text = " ".join(
        f"Keeper {name} climbs{''.join(f' [{number}]' for number in sorted(numbers))}."
        for name, numbers in given_sentences
    )
    found = cited_sentences(text)
    assert found.sentences == tuple(f"Keeper {name} climbs." for name, _ in given_sentences)
    assert set(found.citations) == {(i, number) for i, (_, numbers) in enumerate(given_sentences) for number in numbers}
