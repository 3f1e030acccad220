from __future__ import annotations

import pytest

from core.datasets.wording_checks import copied_answers, variations
from core.schema import Card, Dataset, Document, Question

TEXT = "The Marlow ferry runs every forty minutes in summer. It stops. A ticket costs three crowns."
TREE = {
    "LV": {
        "similar_to_document": {"exact": ["verbatim_terminology", "high_lexical_overlap"]},
        "distant_from_document": {"other": ["low_lexical_overlap", "domain_shift_terminology"]},
    }
}


def dataset(question: str = "ferry in summer", answer: str = "Often.", **labels: object) -> Dataset:
    one = Question("q", question, answer, ("d",), **labels)  # type: ignore[arg-type]
    return Dataset(Card("trial", trees=TREE), (Document("d", TEXT, language="en"),), (one,))


@pytest.mark.parametrize(
    ("answer", "relation", "found"),
    [
        ("The Marlow ferry runs every forty minutes in summer.", "causal", ["q"]),
        ("the marlow ferry runs every forty minutes in summer", None, ["q"]),  # spelling and full stop do not matter
        ("The Marlow ferry runs every forty minutes in summer.", "direct matching", []),
        ("It stops.", "causal", []),  # too short to be a copy
        ("Every forty minutes in summer.", "causal", []),
        ("Often. The Marlow ferry runs every forty minutes in summer.", "causal", ["q"]),
    ],
)
def test_copied_answers(answer: str, relation: str | None, found: list[str]) -> None:
    assert list(copied_answers(dataset(answer=answer, relation=relation))) == found


@pytest.mark.parametrize(
    ("question", "category", "agrees", "in_band"),
    [
        ("ferry in summer", "high_lexical_overlap", True, True),
        ("ferry in summer", "low_lexical_overlap", False, False),
        ("ferry in summer", "verbatim_terminology", True, None),
        ("vessel on holidays", "low_lexical_overlap", True, True),
        ("vessel on holidays", "similar_to_document", False, None),  # an inner node is a label too
        ("ferry on holidays", "high_lexical_overlap", True, False),
    ],
)
def test_variation_is_measured(question: str, category: str, agrees: bool, in_band: bool | None) -> None:
    (found,) = variations(dataset(question, categories={"LV": category}))
    assert (found.agrees, found.in_band) == (agrees, in_band)


def test_what_cannot_be_measured_is_left_out() -> None:
    assert variations(dataset("Marlow", categories={"LV": "low_lexical_overlap"})) == []
    assert variations(dataset(categories={"LV": "another"})) == []
    assert variations(dataset()) == []
    flat = Dataset(Card("flat", trees={"LV": ["low_lexical_overlap"]}), dataset().documents, dataset().questions)
    assert variations(flat) == []
