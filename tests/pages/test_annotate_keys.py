"""Which key gives which score, and whose a press is."""

from __future__ import annotations

import pytest

from core.services.rating_guidelines import default_guidelines
from pages.shared.annotate_keys import GUIDELINES, NOTE, SKIP, UNDO, as_score, score_key, widget_key


@pytest.mark.parametrize(
    ("scale", "expected"),
    [((0, 3, 7), ["0", "3", "7"]), ((0.0, 1.0, 2.0), ["0", "1", "2"]), ((0, 5, 10), [None] * 3),
     ((0, 0.5, 1), [None] * 3), ((-1, 0, 1), [None] * 3)],
)  # fmt: skip
def test_digits_are_keys_where_every_score_is_one(scale, expected):
    assert [score_key(score, scale) for score in scale] == expected


def test_no_two_items_tokens_or_actions_share_a_widget():
    actions = [f"score-{as_score(score)}" for score in (0, 0.5, 3, 7)] + ["undo", "skip"]
    made = {widget_key(action, item, token) for action in actions for item in ("a", "b") for token in ("1", "2")}
    assert len(made) == len(actions) * 4


def test_no_action_takes_the_key_of_another_or_of_streamlit():
    assert len({UNDO, SKIP, NOTE, GUIDELINES}) == 4
    # "c" and "r" are Streamlit's own and refused by it
    assert not {UNDO, SKIP, NOTE, GUIDELINES} & {"c", "r", *"0123456789"}


def test_the_guidelines_show_one_example_a_level():
    text = default_guidelines()
    assert [line[3] for line in text.splitlines() if line.startswith("## ")] == ["7", "3", "0"]
    assert text.count("- Question:") == text.count("- Reference:") == text.count("- Answer:") == 3
