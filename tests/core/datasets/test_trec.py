"""TREC lines that every tool reads alike: one word an id, scores that keep the order, topics in one piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.datasets.trec import diversity_lines, run_lines
from core.errors import InputError
from tests.core.datasets.judged.written import lines, read


def test_a_run() -> None:
    assert list(run_lines({"q 1": ["b", "a", "b"], "q2": []}, "my system")) == [
        "q_1 Q0 b 1 1.0 my_system\n",
        "q_1 Q0 a 2 0.5 my_system\n",
    ]


def test_judgments_say_who_holds_nothing_too() -> None:
    judgments = {"q1": {"d1": {"n2", "n1"}, "d2": frozenset[str]()}}
    assert list(diversity_lines(judgments, {"q1": "n1"})) == ["q1 n1 d1 1\n", "q1 n2 d1 1\n", "q1 n1 d2 0\n"]


def test_ids_that_would_become_one_are_refused() -> None:
    with pytest.raises(InputError, match="document ids 'a b' and 'a_b' are the same without their blanks"):
        list(run_lines({"q": ["a b", "a_b"]}, "r"))


@given(st.lists(st.from_regex(r"[A-Za-z][A-Za-z-]{0,5}", fullmatch=True), unique=True, min_size=1, max_size=30))
def test_what_is_written_is_read_back_in_its_order(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    path = tmp_path_factory.mktemp("run") / "x.run"
    lines(path, *(line.rstrip("\n") for line in run_lines({"q1": ids}, "r")))
    assert read(path).found.rankings == {"r": {"q1": tuple(ids)}}
