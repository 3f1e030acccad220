"""Drawing questions."""

from __future__ import annotations

import pytest

from core.engine.selection import select
from core.errors import OptionError
from core.schema import Question


def _questions(relations: list[str | None]) -> list[Question]:
    return [Question(f"q{i}", f"Question {i}?", "Yes.", ("d",), relation=r) for i, r in enumerate(relations)]


def test_all_in_order_without_a_sample() -> None:
    assert select(_questions([None] * 3)) == ["q0", "q1", "q2"]


def test_a_sample_is_seeded_and_keeps_the_order() -> None:
    questions = _questions([None] * 50)
    drawn = select(questions, sample="10", seed=3)
    assert drawn == select(questions, sample="10", seed=3)
    assert drawn != select(questions, sample="10", seed=4)
    assert drawn == sorted(drawn, key=lambda name: int(name[1:]))
    assert len(set(drawn)) == 10


def test_balanced_draws_as_many_of_each_relation() -> None:
    questions = _questions(["a"] * 20 + ["b"] * 3 + [None] * 5 + ["c"] * 9)
    drawn = dict.fromkeys("abc", 0)
    by_id = {q.id: q for q in questions}
    for name in select(questions, sample="balanced:5"):
        drawn[by_id[name].relation or ""] += 1
    assert drawn == {"a": 5, "b": 3, "c": 5}


def test_limit_cuts_after_the_draw() -> None:
    questions = _questions(["a"] * 20)
    assert select(questions, sample="10", limit=4, seed=1) == select(questions, sample="10", seed=1)[:4]


@pytest.mark.parametrize("sample", ["0", "-3", "many", "balanced:", "balanced:0", "unbalanced:5", "1.5"])
def test_a_bad_sample_is_one_sentence(sample: str) -> None:
    with pytest.raises(OptionError, match="--sample") as caught:
        select(_questions(["a"]), sample=sample)
    assert "\n" not in str(caught.value)


def test_balanced_without_labels_says_what_is_missing() -> None:
    with pytest.raises(OptionError, match="relation labels"):
        select(_questions([None] * 4), sample="balanced:2")


def test_a_limit_below_one() -> None:
    with pytest.raises(OptionError, match="--limit"):
        select(_questions(["a"]), limit=0)


def test_a_split_is_taken_before_the_sample_is_drawn() -> None:
    questions = [
        Question(f"q{i}", "Why?", "Yes.", ("d",), relation="ab"[i % 2], split="test" if i < 10 else "train")
        for i in range(40)
    ]
    assert select(questions, split="test") == [f"q{i}" for i in range(10)]
    assert len(select(questions, split="train")) == 30
    drawn = select(questions, split="test", sample="balanced:3", seed=1)
    assert len(drawn) == 6
    assert set(drawn) <= {f"q{i}" for i in range(10)}
    assert len(select(questions, split="train", sample="50")) == 30
    assert select(questions, split="test", limit=2) == ["q0", "q1"]
    with pytest.raises(OptionError, match="'train' or 'test'"):
        select(questions, split="dev")
    with pytest.raises(OptionError, match="marked as test"):
        select(_questions(["a"]), split="test")
