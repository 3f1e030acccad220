"""Sentences and tables about one question, and the finding of a filtered view."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.metrics.scores import Ranking
from core.schema import Nugget, Span
from core.services.effects import effects
from core.services.passages import NuggetFound
from core.services.question_findings import (
    comparison_sentence,
    nuggets_table,
    order_words,
    outcome_sentence,
    outcomes_table,
)
from core.services.questions import Outcome
from tests.pages.samples import logic_scores

KNN = Outcome(
    "knn", "kNN", False, (("Because of ice.", (1,)),), False, 0.5, "causal", "wrong", "scored", 40, 4, ("d#0",), "all"
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "kNN's answer reaches BERTSim .500 and has the wrong relation, causal instead of temporal; its passages "
            "hold all of the evidence.",
        ),
        (
            {"verdict": "right", "evidence": "some"},
            "kNN's answer reaches BERTSim .500 and has the right relation, temporal; its passages hold part of the "
            "evidence.",
        ),
        ({"verdict": "", "evidence": None}, "kNN's answer reaches BERTSim .500."),
        ({"similarity": None, "verdict": "", "evidence": None}, "kNN's answer has no BERTSim."),
        (
            {"refused": True, "evidence": "none"},
            "kNN refused to answer; its passages hold none of the evidence.",
        ),
        ({"sentences": (), "state": "failed: timeout"}, "kNN has no answer (failed: timeout)."),
    ],
)
def test_what_one_configuration_made_of_it(changes: dict[str, object], sentence: str) -> None:
    assert outcome_sentence(replace(KNN, **changes), "temporal") == sentence  # type: ignore[arg-type]


def test_how_the_configurations_compare() -> None:
    better = replace(KNN, id="bm25", label="BM25", similarity=0.75, verdict="right", evidence="some")
    gold = replace(KNN, id="evidence", label="Gold", is_reference=True, similarity=0.99)
    assert comparison_sentence([KNN, better, gold]) == (
        "Of 2 configurations, 1 retrieved all of the evidence, 1 got the relation right, the highest BERTSim is .750, "
        "of BM25."
    )
    same = replace(better, id="svm", label="SVM", verdict="wrong")
    worst = replace(KNN, evidence="none", verdict="wrong", similarity=0.75)
    assert comparison_sentence([worst, replace(same, evidence=None), replace(same, verdict="")]) == (
        "Of 3 configurations, none retrieved all of the evidence, none got the relation right, the highest BERTSim is "
        ".750, of kNN and 2 others."
    )
    assert comparison_sentence([KNN, gold]) == ""
    nothing = replace(KNN, evidence=None, verdict="", similarity=None)
    assert comparison_sentence([nothing, nothing]) == ""


def test_passages_without_ranks_are_in_document_order() -> None:
    assert [order_words(name) for name in ("knn", "a-two", "s:knn+bm25", "s-two", "evidence")] == [
        "best first", "best first", "in document order", "in document order", "in document order",
    ]  # fmt: skip


def test_tables() -> None:
    table = outcomes_table([KNN, replace(KNN, label="BM25", similarity=None, evidence=None)], "temporal")
    assert list(table["evidence held"]) == ["all", ""]
    assert table["BERTSim"].isna().tolist() == [False, True]
    nuggets = [NuggetFound(Nugget("n", "A fact.", "okay", stated=False), held) for held in (True, False, None)]
    other = replace(KNN, label="BM25")
    table = nuggets_table([(KNN, nuggets), (other, nuggets[::-1])])
    assert list(table["in kNN"]) == ["held", "not held", "no evidence marked"]
    assert list(table["in BM25"]) == ["no evidence marked", "not held", "held"]
    assert set(table["stated"]) == {"to be inferred"}
    assert nuggets_table([]).empty
    unsure = NuggetFound(Nugget("n", "t", evidence=((Span("d", 0, 1),),)), None)
    assert list(nuggets_table([(KNN, [unsure])])["in kNN"]) == ["cannot be told"]


def test_effects_say_no_verdict() -> None:
    text = effects(logic_scores(), "opi").text
    assert text.startswith("Over 78 chosen questions, ")
    assert " above " in text
    assert "noise" not in text
    assert " scores highest, ties included, on " in text
    assert "by LRCR, ties included, on" in effects(logic_scores(), "lrcr").text
    one = effects(logic_scores(configurations=("knn",)), "opi").text
    assert one.startswith("Over 78 chosen questions, kNN has the highest OPI(1), ")
    assert "above" not in one
    assert effects(logic_scores(relations=(), n=40), "bertsim").text.startswith("Over 40 chosen questions")


def test_effects_of_equal_and_of_missing_scores() -> None:
    scores = logic_scores(configurations=("knn", "bm25"))
    first = scores.ranking.rows[0]
    tied = replace(
        scores, ranking=replace(scores.ranking, rows=(first, replace(scores.ranking.rows[1], value=first.value)))
    )
    assert "kNN and BM25 share the highest OPI(1)" in effects(tied, "opi").text
    part = replace(scores, ranking=replace(scores.ranking, n_questions=70))
    assert effects(part, "opi").text.startswith("Over the 70 of 78 chosen questions that all have scored, ")
    assert effects(replace(scores, ranking=Ranking("opi", 0, 6, ())), "opi").text.startswith("Nothing can be compared")
