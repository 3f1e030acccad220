"""The words that differ between a reference and a produced answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.services.word_differences import differing_words


def marked(reference: str, produced: str) -> tuple[list[str], list[str]]:
    left, right = differing_words(reference, produced)
    return [one.text for one in left if one.marked], [one.text for one in right if one.marked]


def test_only_the_words_that_differ_are_marked():
    assert marked("The pump failed in May.", "The pump stopped in May.") == (["failed"], ["stopped"])


def test_what_one_text_adds_is_marked_there_alone():
    assert marked("The seal broke.", "The seal broke in cold weather.") == ([], ["in cold weather"])


def test_case_punctuation_and_spelling_forms_do_not_differ():
    assert marked("Caf\u00e9, open!", "cafe\u0301  OPEN") == ([], [])


def test_characters_are_compared_where_a_script_has_no_spaces():
    assert marked("泵在五月停了", "泵在六月停了") == (["五"], ["六"])


def test_arabic_words_are_compared():
    assert marked("توقفت المضخة اليوم", "توقفت المضخة أمس") == (["اليوم"], ["أمس"])


def test_an_empty_answer_leaves_the_whole_reference_marked():
    assert marked("Two words.", "") == (["Two words"], [])
    assert differing_words("", "") == ((), ())


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_character_is_lost_and_equal_texts_have_no_mark(reference, produced):
    left, right = differing_words(reference, produced)
    assert "".join(one.text for one in left) == reference
    assert "".join(one.text for one in right) == produced
    assert marked(reference, reference) == ([], [])
