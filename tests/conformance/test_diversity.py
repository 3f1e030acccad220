"""Nugget measures against the worked cases, pyndeval, ir-measures and the published numbers of real runs.

pyndeval wants a topic's rows together and sums nuggets in the order in which it met them, so rows are given sorted.
ir-measures is asked for one relevance level a call: with two it answers 0 for the second.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.curves import ranking_curves
from core.metrics.diversity import (
    alpha_dcg,
    alpha_ndcg,
    judged_at,
    ndcg_nuggets,
    recipe_alpha_ndcg,
    subtopic_recall,
)
from core.metrics.judgments import JudgedTopic, binarised, ranked_by_score
from core.metrics.ranking import average_precision, precision, recall, reciprocal_rank

pyndeval = pytest.importorskip("pyndeval")

CUTOFFS = (1, 2, 3, 5, 10, 20)
DOCUMENTS = [f"d{i:02}" for i in range(14)]
#: rows (nugget, document, grade) of one topic
ROWS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "3", "4", "5", "6"]), st.sampled_from(DOCUMENTS), st.integers(0, 2)),
    min_size=1,
    max_size=45,
    unique_by=lambda row: row[:2],
).map(sorted)
#: few different scores, so that ties are common
SCORES = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "new1", "new2", "zz"]), st.sampled_from([0.0, 0.5, 1.0, 2.0, 2.5]), min_size=1
)


def _cases(shared: Path) -> list[dict[str, Any]]:
    path = shared / "coverage" / "vectors.json"
    return list(json.loads(path.read_text(encoding="utf-8"))["cases"])


def _value(name: str, ranking: tuple[str, ...], judgments: Mapping[str, set[str]], alpha: float) -> float:
    measure, k = name.split("@")
    if measure == "strec":
        return subtopic_recall(ranking, judgments, int(k))
    return {"alpha-nDCG": alpha_ndcg, "alpha-DCG": alpha_dcg}[measure](ranking, judgments, int(k), alpha)


def test_every_worked_case(shared: Path) -> None:
    compared = 0
    for case in _cases(shared):
        topics = {row[0] for row in case["qrels"]}
        values: dict[str, dict[str, float]] = {}
        for topic in topics:
            rows = [(nugget, document, grade) for t, nugget, document, grade in case["qrels"] if t == topic]
            judgments = binarised(rows, case["relevance_level"])
            ranking = ranked_by_score((document, score) for t, document, score in case["run"] if t == topic)
            assert list(ranking) == case["ranking"].get(topic, []), case["id"]
            expected = case["expected"].get(topic) or case["expected_missing_as_zero"][topic]
            names = expected.keys() | case["mean_over_qrels_topics"].keys()
            values[topic] = {name: _value(name, ranking, judgments, case["alpha"]) for name in names}
            for name, value in expected.items():
                assert values[topic][name] == pytest.approx(value, abs=1e-9), (case["id"], topic, name)
                compared += 1
        for name, value in case["mean_over_qrels_topics"].items():
            mean = sum(values[topic][name] for topic in topics) / len(topics)
            assert mean == pytest.approx(value, abs=1e-9), (case["id"], name)
    assert compared > 200


@settings(deadline=None, max_examples=300)
@given(ROWS, SCORES, st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), st.sampled_from([1, 2]))
def test_random_topics_are_pyndevals(
    rows: list[tuple[str, str, int]], scores: dict[str, float], alpha: float, level: int
) -> None:
    names = [f"{measure}@{k}" for measure in ("alpha-nDCG", "alpha-DCG", "strec") for k in CUTOFFS]
    evaluator = pyndeval.RelevanceEvaluator([("t", *row) for row in rows], names, relevance_level=level, alpha=alpha)
    expected = evaluator.evaluate([("t", document, score) for document, score in scores.items()])["t"]
    judgments, ranking = binarised(rows, level), ranked_by_score(scores.items())
    for name in names:
        assert _value(name, ranking, judgments, alpha) == pytest.approx(expected[name], abs=1e-9), name
    curves = ranking_curves(JudgedTopic(judgments), ranking, 20, alpha)
    for k in CUTOFFS:
        assert curves.alpha_ndcg[k - 1] == pytest.approx(expected[f"alpha-nDCG@{k}"], abs=1e-9)


def test_a_repeated_document_is_pyndevals() -> None:
    rows = [("1", "a", 1), ("2", "a", 1), ("1", "b", 1), ("3", "c", 1)]
    run = [("t", "a", 9.0), ("t", "a", 8.0), ("t", "c", 7.0), ("t", "b", 6.0)]
    names = ["alpha-nDCG@2", "alpha-nDCG@5", "strec@2"]
    expected = pyndeval.ndeval([("t", *row) for row in rows], run, names)["t"]
    for name in names:
        assert _value(name, ("a", "a", "c", "b"), binarised(rows), 0.5) == pytest.approx(expected[name])


def _lancer(shared: Path, name: str) -> tuple[dict[str, dict[str, set[str]]], dict[str, tuple[str, ...]]]:
    folder = shared / "coverage" / "lancer_neuclir24"
    rows: dict[str, list[tuple[str, str, int]]] = {}
    for line in (folder / "nuggets_tau3.divqrels").read_text(encoding="utf-8").splitlines():
        topic, nugget, document, grade = line.split()
        rows.setdefault(topic, []).append((nugget, document, int(grade)))
    run: dict[str, list[tuple[str, float]]] = {}
    for line in (folder / "runs" / name).read_text(encoding="utf-8").splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, []).append((document, float(score)))
    return (
        {topic: binarised(of_topic) for topic, of_topic in rows.items()},
        {topic: ranked_by_score(of_topic) for topic, of_topic in run.items()},
    )


def test_real_runs_give_the_published_means(shared: Path) -> None:
    path = shared / "coverage" / "lancer_neuclir24" / "expected.json"
    published = json.loads(path.read_text(encoding="utf-8"))["neuclir24"]
    assert len(published) == 3
    for name, expected in published.items():
        topics, run = _lancer(shared, name)
        assert len(topics) == 19
        for measure, value in expected.items():
            values = [_value(measure, run.get(topic, ()), topics[topic], 0.5) for topic in topics]
            assert sum(values) / len(values) == pytest.approx(value, abs=5e-7), (name, measure)


def test_binary_and_count_gains_lie_far_apart_on_a_real_run(shared: Path) -> None:
    topics, run = _lancer(shared, "lsr-milco-neuclir.run")
    binary = [ndcg_nuggets(run[topic], topics[topic], 20) for topic in topics]
    count = [ndcg_nuggets(run[topic], topics[topic], 20, "count") for topic in topics]
    assert sum(binary) / 19 == pytest.approx(0.88, abs=0.005)
    assert sum(count) / 19 == pytest.approx(0.60, abs=0.005)


def test_the_recipe_leaves_the_range_on_real_runs(shared: Path) -> None:
    """The trap: it rises with k on every run and says more than 2 where alpha-nDCG says less than 1."""
    for name in ("bm25-neuclir.run", "plaidx-neuclir.run", "qwen3-embed-8b-neuclir.run"):
        topics, run = _lancer(shared, name)
        means = [sum(recipe_alpha_ndcg(run[t], topics[t], k) for t in topics) / 19 for k in (5, 10, 20)]
        assert means == sorted(means)
        assert means[-1] > 2
        assert sum(alpha_ndcg(run[t], topics[t], 20) for t in topics) / 19 < 1


@settings(deadline=None, max_examples=60)
@given(ROWS, SCORES, st.sampled_from([1, 3, 5, 10]))
def test_relevance_measures_are_trec_evals(rows: list[tuple[str, str, int]], scores: dict[str, float], k: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR, Judged, P, Qrel, R, ScoredDoc, nDCG

    judgments, ranking = binarised(rows), ranked_by_score(scores.items())
    # scores of its own for every rank: trec_eval breaks ties the other way round
    run = [ScoredDoc("t", document, -float(rank)) for rank, document in enumerate(ranking)]

    def of(measure: Any, count: bool = False) -> float:
        grades = [Qrel("t", d, len(held) if count else min(len(held), 1)) for d, held in judgments.items()]
        return float(ir_measures.calc_aggregate([measure], grades, run)[measure])

    assert average_precision(ranking, judgments) == pytest.approx(of(AP), abs=1e-6)
    assert average_precision(ranking, judgments, k) == pytest.approx(of(AP @ k), abs=1e-6)
    assert reciprocal_rank(ranking, judgments) == pytest.approx(of(RR), abs=1e-6)
    assert recall(ranking, judgments, k) == pytest.approx(of(R @ k), abs=1e-6)
    assert precision(ranking, judgments, k) == pytest.approx(of(P @ k), abs=1e-6)
    assert ndcg_nuggets(ranking, judgments, k) == pytest.approx(of(nDCG @ k), abs=1e-6)
    assert ndcg_nuggets(ranking, judgments, k, "count") == pytest.approx(of(nDCG @ k, count=True), abs=1e-6)
    if len(ranking) >= k:  # a shorter ranking has k ranks for us, its own length for ir-measures
        assert judged_at(ranking, judgments, k) == pytest.approx(of(Judged @ k), abs=1e-6)
    assert not math.isnan(judged_at(ranking, judgments, k))
