"""The offline matcher against people: three labellers of three systems' articles on ten topics (WikiVideo, MiRAGE)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.nuggets.calibration import Labelled, calibrate

SYSTEMS = {
    "qwen3_llm": "qwen3_llm_only_relevant_citations",
    "qwen_72b_cag": "qwen_72b_cag_relevant_citations",
    "qwen_72b_rag": "qwen_72b_rag_relevant_citations",
}


@pytest.fixture(scope="module")
def labels(shared: Path) -> list[Labelled]:
    """The majority of three on every pair of claim and article that all three labelled, topics in the file's order."""
    folder = shared / "coverage" / "mirage_wikivideo"
    found = []
    for system, predictions in SYSTEMS.items():
        people = [
            json.loads((folder / "human_reference_judgments" / f"metric_reference_{system}_annotator_{n}_DONE.json")
                       .read_text(encoding="utf-8"))
            for n in (1, 2, 3)
        ]  # fmt: skip
        articles = json.loads((folder / "model_preds" / f"{predictions}.json").read_text(encoding="utf-8"))
        for topic in people[0]:
            for claims in zip(*(one[topic]["claims"] for one in people), strict=True):
                votes = [claim["judgment"] for claim in claims]
                if None not in votes:
                    sentences = tuple(articles[topic]["sentences"])
                    found.append(Labelled(topic, claims[0]["claim"], sentences, sum(votes) >= 2))
    return found


def test_kappa_of_the_union_rule_on_topics_that_did_not_choose_it(labels: list[Labelled]) -> None:
    assert len(labels) == 906
    found = calibrate(labels)
    assert found.split
    assert found.tested.kappa is not None
    assert found.tested.low is not None
    assert found.default.kappa is not None
    assert found.tested.kappa >= 0.50
    assert found.default.kappa >= 0.50
    assert found.tested.low > 0.40
    assert abs(found.tested.bias) < 0.05
