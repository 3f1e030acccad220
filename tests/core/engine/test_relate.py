"""Which questions are held out together."""

from __future__ import annotations

from core.engine.relate import _document_groups
from core.schema import Question


def _question(*documents: str) -> Question:
    return Question("q", "What?", "That.", documents)


def test_a_question_over_two_documents_joins_them() -> None:
    chain = [_question("b", "c"), _question("c", "d"), _question("d")]
    groups = _document_groups([_question("a"), *chain, _question("e")])
    assert groups[1] == groups[2] == groups[3]
    assert len({groups[0], groups[1], groups[4]}) == 3


def test_single_documents_stay_apart() -> None:
    assert _document_groups([_question("a"), _question("b"), _question("a")]) == ["a", "b", "a"]
