"""Nuggetizer scores and said, cited, grounded against the worked cases.

In one case, "capital_labels", the file shows what a tool that compares case prints: a nugget of importance "Vital" is
none of its vital ones, and weighs nothing. Our rule is that words compare without case, so that case has a test of
its own, which says where the two numbers come from.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.metrics.coverage import NuggetMatch, nugget_states, response_coverage
from core.metrics.nuggetizer import nuggetizer_scores
from core.nuggets.holding import Item, Support
from core.nuggets.matching import Match
from core.nuggets.outcomes import NuggetOutcome, Pool, outcomes_of
from core.schema import Nugget, NuggetAnswer, Question

CAPITALS = "capital_labels"


@pytest.fixture(scope="module")
def vectors(shared: Path) -> dict[str, Any]:
    return dict(json.loads((shared / "coverage" / "nugget_vectors.json").read_text(encoding="utf-8")))


def test_nuggetizer_scores(vectors: dict[str, Any]) -> None:
    assert len(vectors["nuggetizer"]) == 5
    for case in vectors["nuggetizer"]:
        if case["id"] == CAPITALS:
            continue
        scores = nuggetizer_scores((nugget["importance"], nugget["assignment"]) for nugget in case["nuggets"])
        expected = case["nuggetizer"]
        assert scores.n_failed == 0
        assert scores.vital == pytest.approx(expected["vital_score"], abs=1e-9), case["id"]
        assert scores.all == pytest.approx(expected["all_score"], abs=1e-9), case["id"]
        assert scores.strict_vital == pytest.approx(expected["strict_vital_score"], abs=1e-9), case["id"]
        assert scores.strict_all == pytest.approx(expected["strict_all_score"], abs=1e-9), case["id"]
        assert scores.weighted == pytest.approx(case["weighted_score"], abs=1e-9), case["id"]
        assert scores.strict_weighted == pytest.approx(case["strict_weighted_score"], abs=1e-9), case["id"]


def test_capitals_do_not_take_a_nugget_away(vectors: dict[str, Any]) -> None:
    case = next(case for case in vectors["nuggetizer"] if case["id"] == CAPITALS)
    rows = [(nugget["importance"], nugget["assignment"]) for nugget in case["nuggets"]]
    scores = nuggetizer_scores(rows)
    assert scores.all == pytest.approx(case["nuggetizer"]["all_score"], abs=1e-9)
    assert scores == nuggetizer_scores((importance.lower(), label) for importance, label in rows)
    # without the nuggets written in capitals come the file's vital and weighted scores
    as_printed = nuggetizer_scores(row for row in rows if row[0].islower())
    assert as_printed.vital == case["nuggetizer"]["vital_score"] != scores.vital
    assert as_printed.strict_vital == case["nuggetizer"]["strict_vital_score"] != scores.strict_vital
    assert as_printed.weighted == case["weighted_score"] != scores.weighted
    assert as_printed.strict_weighted == case["strict_weighted_score"] != scores.strict_weighted


def test_only_vital_nuggets_do_not_invent_an_okay_one(vectors: dict[str, Any]) -> None:
    """The trap of a tool that counts at least one nugget of each kind in the denominator."""
    case = next(case for case in vectors["nuggetizer"] if case["id"] == "all_vital_full")
    scores = nuggetizer_scores((nugget["importance"], nugget["assignment"]) for nugget in case["nuggets"])
    assert scores.weighted == 1.0
    assert scores.weighted != pytest.approx(case["open_rag_eval_weighted_quirk"])


def _nugget(name: str, bank: dict[str, Any]) -> Nugget:
    answers = tuple(NuggetAnswer(text, documents=tuple(ids)) for text, ids in bank["answers"].items())
    return Nugget(name, name, aggregator=bank["type"], answers=answers)


def _in_a_run(nuggets: tuple[Nugget, ...], sentences: list[dict[str, Any]]) -> tuple[NuggetOutcome, ...]:
    """What a run says of the same: its own code decides what is cited and grounded, not that of ``core.metrics``."""
    judged = tuple(sorted({one for nugget in nuggets for answer in nugget.answers for one in answer.documents}))
    support = Support(Question("t", "t", "", (), nuggets=nuggets, judged=judged), {}, lambda _statement, _item: False)
    matches = []
    for claim in support.claims:
        nugget = nuggets[claim.statement.nugget]
        meant = [nugget.id, claim.statement.text]
        windows = tuple((place, place) for place, one in enumerate(sentences) if meant in one["matches"])
        matches.append(Match(bool(windows), windows=windows))
    cited = {place: [Item(name, name) for name in one["citations"]] for place, one in enumerate(sentences)}
    return outcomes_of(nuggets, support, Pool(frozenset(), frozenset()), None, matches, cited)


def test_said_cited_grounded(vectors: dict[str, Any]) -> None:
    assert len(vectors["argue"]) == 5
    for case in vectors["argue"]:
        nuggets = [_nugget(name, bank) for name, bank in case["nugget_bank"].items()]
        matches = [
            NuggetMatch(place, nugget, answer)
            for place, sentence in enumerate(case["sentences"])
            for nugget, answer in sentence["matches"]
        ]
        states = nugget_states(nuggets, matches, [sentence["citations"] for sentence in case["sentences"]])
        coverage, expected = response_coverage(states), case["expected"]
        for ours, name in (
            (coverage.info_recall, "info_recall"),
            (coverage.cited, "cited"),
            (coverage.grounded, "grounded"),
        ):
            assert ours == pytest.approx(expected[name]["coverage"], abs=1e-9), (case["id"], name)
            assert round(ours * coverage.n) == expected[name]["covered"], (case["id"], name)
        found = _in_a_run(tuple(nuggets), case["sentences"])
        for name in ("info_recall", "cited", "grounded"):
            flag = "said" if name == "info_recall" else name
            assert sum(getattr(one, flag) for one in found) == expected[name]["covered"], (case["id"], name)
        assert sum(one.share_of_answers for one in found) / len(found) == pytest.approx(
            expected["info_recall"]["partial_coverage"], abs=1e-9
        )
        soft = (coverage.soft_info_recall, coverage.soft_cited, coverage.soft_grounded)
        for ours, name in zip(soft, ("info_recall", "cited", "grounded"), strict=True):
            assert ours == pytest.approx(expected[name]["partial_coverage"], abs=1e-9), (case["id"], name)
