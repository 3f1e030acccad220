"""Features and lexical cues."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.relations.cues import N_CUES, PER_TEXT, _of_text
from core.relations.features import cues, features, n_features, question_features

NAMES = [
    "length", "numbers", "share of numbers", "sentences", "question mark", "cause", "condition", "likelihood",
    "comparison", "likeness", "order", "quantity", "generality", "obligation", "degree", "negation",
    "who or where", "which or what", "how", "yes or no",
]  # fmt: skip


def cue(text: str, name: str) -> float:
    return float(cues(text, "")[NAMES.index(name)])


def test_there_is_a_name_for_every_cue() -> None:
    assert len(NAMES) == PER_TEXT == N_CUES // 2


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Why did it freeze?", "cause"),
        ("Warum fror es?", "cause"),
        ("Pourquoi a-t-il gelé ?", "cause"),
        ("为什么结冰?", "cause"),
        ("What if it had been warm?", "condition"),
        ("It most likely froze.", "likelihood"),
        ("Is A larger than B?", "comparison"),
        ("Whose role mirrors his?", "likeness"),
        ("What came before the flood?", "order"),
        ("How many steps?", "quantity"),
        ("¿Cuántos pasos?", "quantity"),
        ("多少级台阶?", "quantity"),
        ("What usually happens?", "generality"),
        ("May we remove it?", "obligation"),
        ("How badly was it hurt?", "degree"),
        ("It didn’t freeze.", "negation"),
        ("Es fror nicht.", "negation"),
        ("Who froze?", "who or where"),
        ("谁结冰?", "who or where"),
        ("Which one?", "which or what"),
        ("How is it?", "how"),
        ("Is it?", "yes or no"),
    ],
)
def test_a_cue_fires_on_its_words_and_not_on_others(text: str, name: str) -> None:
    assert cue(text, name) > 0
    assert cue("the mill by the river", name) == 0


def test_openings_count_at_the_opening_only() -> None:
    assert cue("…Who built it?", "who or where") == 1
    assert cue("the man who built it", "who or where") == 0


def test_words_are_whole_words() -> None:
    assert cue("the knifed nobody thanked", "condition") == 0
    assert cue("the knifed nobody thanked", "negation") == 0


def test_numbers_in_any_notation() -> None:
    assert cue("1,200.50 and 3", "numbers") == pytest.approx(np.log1p(2))
    assert cue("٣ و ٤", "numbers") == pytest.approx(np.log1p(2))


def test_question_and_answer_have_halves_of_their_own() -> None:
    both = cues("Why?", "Because it froze at 3.")
    assert both.dtype == np.float32
    assert np.array_equal(both[:PER_TEXT], cues("Why?", "")[:PER_TEXT])
    assert np.array_equal(both[PER_TEXT:], cues("", "Because it froze at 3.")[PER_TEXT:])


@given(st.text(max_size=300), st.text(max_size=300))
def test_cues_of_any_text_are_finite_and_not_negative(question: str, answer: str) -> None:
    found = cues(question, answer)
    assert found.shape == (N_CUES,)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_cues_of_a_long_text_take_no_time() -> None:
    _of_text.cache_clear()
    began = time.perf_counter()
    cues("why " * 20_000, "if they " * 20_000)
    assert time.perf_counter() - began < 5


@settings(deadline=None)
@given(st.integers(0, 5), st.integers(1, 8))
def test_shape_and_blocks(n: int, d: int) -> None:
    generator = np.random.default_rng(n * 10 + d)
    question, answer, text = (generator.normal(size=(n, d)).astype(np.float32) for _ in range(3))
    some = generator.random((n, N_CUES)).astype(np.float32)
    rows = features(question, answer, text, some)
    assert rows.shape == (n, n_features(d))
    assert rows.dtype == np.float32
    blocks = np.split(rows, [d * i for i in range(1, 10)], axis=1)
    for block, vectors in zip(blocks[:3], (question, answer, text), strict=True):
        assert np.allclose(block, 2 * vectors)
    for place, (left, right) in enumerate(((question, answer), (question, text), (answer, text))):
        assert np.allclose(blocks[3 + place], 2 * np.sqrt(d) * left * right, atol=1e-5)
        assert np.allclose(blocks[6 + place], 2 * np.abs(left - right), atol=1e-5)
    assert np.allclose(blocks[9], 3 * some)
    alone = question_features(question, some)
    assert np.array_equal(alone, np.concatenate((blocks[0], blocks[9][:, :PER_TEXT]), axis=1))


def test_the_ablation_does_not_see_the_answer() -> None:
    question = np.ones((1, 4), np.float32)
    one, two = cues("Why?", "Because it froze.")[None], cues("Why?", "In 1871.")[None]
    assert np.array_equal(question_features(question, one), question_features(question, two))
