from dataclasses import replace

import numpy as np
import pytest

from core.figures.scatter import Cloud
from core.metrics.coverage_scores import Losses, by_group, coverage_scores, curves
from core.services.coverage_captions import (
    column_means,
    extreme_columns,
    growth,
    headline,
    losses_of,
    notes,
    where_lost,
)
from core.services.retrieval_coverage import VIEWS, Association, conclusions, correlations_shown, correlations_table
from core.stats.panel import panel_correlations
from tests.core.metrics.coverage_worlds import coverage_world
from tests.pages.samples import LABELS


def world(**shape):
    return coverage_world(**{"labels": LABELS, "questions": 60, "documents": 20, **shape})


def with_parts(shape_of, row=0, **parts):
    """The same world in which every nugget of one configuration ended in the given shares of parts."""
    numbers = {name: found.copy() for name, found in shape_of.numbers.items()}
    for name in ("grounded", "said_not_grounded", "retrieved_not_said", "not_retrieved", "nowhere"):
        for importance in ("vital", "okay"):
            numbers[f"{name}_{importance}"][row] = parts.get(name, 0) * numbers[f"n_{importance}"][row]
    return replace(shape_of, numbers=numbers)


def association_of(x, y, words=None):
    topics, systems = x.shape
    words = np.full(x.shape, 10.0) if words is None else words
    names = tuple(f"c{i}" for i in range(systems))
    return Association(
        x="alpha_ndcg@10", y="grounded",
        cloud=Cloud(x.ravel(), y.ravel(), names * topics, tuple(f"q{i}" for i in range(topics) for _ in names)),
        means={}, labels={}, correlations=panel_correlations(x, y, words, np.arange(topics), "test"),
    )  # fmt: skip


def test_the_headline_names_the_leader_its_lead_and_where_nuggets_are_lost():
    scores = coverage_scores(world())
    text = headline(scores).text
    leader = scores.ranking.rows[0]
    assert text.startswith(f"Over all 60 questions, {LABELS[leader.id]} has the highest coverage, .")
    assert "; its lead over " in text
    assert text.count("within noise") + text.count("more than noise") == 1
    assert f"Of 100 nuggets, all questions together, {LABELS[leader.id]} grounds" in text


def test_a_filtered_view_has_no_verdict():
    text = headline(coverage_scores(world()), verdicts=False).text
    assert "noise" not in text
    assert " above " in text


def test_a_shared_lead_is_no_lead():
    one = world(configurations=("knn", "bm25"))
    numbers = {name: np.repeat(found[:1], 2, axis=0) for name, found in one.numbers.items()}
    text = headline(coverage_scores(replace(one, numbers=numbers))).text
    assert "kNN and BM25 share the highest coverage" in text


def test_one_configuration_has_nothing_to_be_compared_with():
    assert "nothing is there to compare it with" in headline(coverage_scores(world(configurations=("knn",)))).text


def test_nothing_scored_is_a_caution():
    one = world(configurations=("knn",))
    nothing = {name: np.full_like(found, np.nan) for name, found in one.numbers.items()}
    found = headline(coverage_scores(replace(one, numbers=nothing)))
    assert found.kind == "caution"
    assert found.text.startswith("Nothing can be compared")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"grounded": 1}, "kNN grounds all of its"),
        (
            {"not_retrieved": 1},
            "Of 100 nuggets, all questions together, kNN grounds 0; the largest part of the others, 100, are not "
            "retrieved.",
        ),
        ({"retrieved_not_said": 1}, "the largest part of the others, 100, are retrieved but not said."),
        ({"nowhere": 1}, "the largest part of the others, 100, are in no passage at all."),
        ({"said_not_grounded": 1}, "the largest part of the others, 100, are said without the right citation."),
    ],
)
def test_where_one_configuration_loses_its_nuggets(parts, words):
    scores = coverage_scores(with_parts(world(), **parts))
    assert words in losses_of(scores.configurations[0])


def test_where_most_configurations_lose_theirs():
    scores = coverage_scores(with_parts(world(configurations=("knn", "evidence")), not_retrieved=1))
    assert where_lost(scores) == (
        "For 1 of 1 configuration the greatest loss is nuggets that are not retrieved: 100 % of all."
    )
    assert where_lost(coverage_scores(with_parts(world(configurations=("knn",)), grounded=1))) == ""


def test_the_shares_of_the_greatest_loss_are_those_of_whose_greatest_it_is():
    shape = world(configurations=("knn", "bm25", "s-two"))
    shape = with_parts(shape, 0, not_retrieved=1)
    shape = with_parts(shape, 1, not_retrieved=0.5, grounded=0.5)
    # not the greatest loss of this one, so that its share is not told
    shape = with_parts(shape, 2, not_retrieved=0.25, nowhere=0.75)
    assert where_lost(coverage_scores(shape)) == (
        "For 2 of 3 configurations the greatest loss is nuggets that are not retrieved: 50 % to 100 % of all."
    )


def test_what_nobody_judged_is_told_of_systems_alone():
    names = ("knn", "system:far", "system:near")
    shape = world(configurations=names, labels={"knn": "kNN", "system:far": "far", "system:near": "near"})
    numbers = {**shape.numbers, "judged@10": np.array([[0.2], [0.5], [1.0]]) * np.ones((1, 60))}
    scores = coverage_scores(replace(shape, numbers=numbers))

    def told(k):
        texts = [f.text for f in notes(scores, "offline matcher", by_construction=False, importance="all", k=k)]
        return [text for text in texts if "nobody judged" in text]

    assert told(10) == [
        "Documents that nobody judged count as holding nothing: of the first 10 ranks of far 50 % show a judged one, "
        "of the others' up to 100 %."
    ]
    ours = world()
    ours = coverage_scores(replace(ours, numbers={**ours.numbers, "judged@10": np.full((5, 60), 0.2)}))
    assert not any("judged one" in f.text for f in notes(ours, "", by_construction=False, importance="all", k=10))


def test_which_kinds_are_covered_best_leaves_out_kinds_with_few_questions():
    shape = world()
    groups = ["rare" if i == 0 else "ab"[i % 2] for i in range(60)]
    found = by_group(shape, "said", groups)
    means = column_means(coverage_scores(shape), found)
    assert set(means) == {"a", "b"}
    assert "InfoR is highest for" in extreme_columns(means, "said")
    assert extreme_columns({"a": 0.5}, "said") == ""
    assert extreme_columns({"a": 0.5, "b": 0.5}, "said") == ""


def test_how_recall_grows():
    shape = world()
    text = growth((curves(shape, "alpha_ndcg"), curves(shape, "strec")), LABELS, 5)
    assert text.startswith("kNN has the highest StRecall@5, ")
    assert "its first 20 passages reach" in text
    assert growth((curves(world(configurations=("s-two",)), "strec"),), LABELS, 5) == ""


def test_notes_name_the_matcher_and_what_it_misses():
    scores = coverage_scores(world())
    texts = [
        f.text for f in notes(scores, "offline matcher, strict profile", by_construction=True, importance="vital", k=10)
    ]
    assert "cites where they stand" in texts[0]
    assert any("offline matcher, strict profile" in text and "negation" in text for text in texts)
    assert any("count every nugget, vital or not" in text for text in texts)
    other = [f.text for f in notes(scores, "language model judge-1", by_construction=False, importance="all", k=10)]
    assert not any("negation" in text or "where they stand" in text for text in other)


def test_notes_say_what_was_matched_and_what_is_above_one():
    shape = world()
    unproven = {name: np.full_like(found, np.nan) if name.startswith("grounded") else found
                for name, found in shape.numbers.items()}  # fmt: skip
    unproven["alpha_ndcg@10"] = np.full_like(shape.numbers["alpha_ndcg@10"], 1.02)
    scores = coverage_scores(replace(shape, numbers=unproven), ranked_by="said")
    texts = [f.text for f in notes(scores, "offline matcher", by_construction=False, importance="all", k=10)]
    assert any("negation is not seen" in text for text in texts)
    assert any("α-nDCG@10 is above 1 for" in text for text in texts)


def test_conclusions_give_interval_and_n_and_say_what_cannot_be_concluded():
    generator = np.random.default_rng(0)
    x = generator.random((40, 6))
    found = association_of(x, 0.5 * x + 0.1 * generator.random((40, 6)))
    told = conclusions(found)
    assert told[0].text.startswith("How coverage goes with α-nDCG@10: Pearson's r is .")
    assert "over 240 pairs" in told[0].text
    assert "once question means are removed" in told[0].text
    assert told[-1].kind == "caution"
    assert "None of them says that better retrieval caused the coverage." in told[-1].text
    assert not any("sign turns" in finding.text for finding in told)


def test_a_reversal_is_told():
    """Questions that are easy on both sides, within which better retrieval goes with worse coverage."""
    generator = np.random.default_rng(1)
    ease = np.linspace(0, 1, 40)[:, None]
    inside = 0.1 * generator.standard_normal((40, 6))
    found = association_of(ease + inside, ease - inside)
    (text,) = {f.text for f in conclusions(found) if "sign turns" in f.text and "question means removed" in f.text}
    assert "intervals do not allow chance" in text


def test_what_does_not_vary_has_no_correlation():
    told = conclusions(association_of(np.full((5, 3), 0.5), np.random.default_rng(0).random((5, 3))))
    assert [finding.kind for finding in told] == ["caution"]
    assert "cannot be told here" in told[0].text


def test_every_view_is_a_row_with_its_n():
    generator = np.random.default_rng(2)
    found = association_of(generator.random((30, 5)), generator.random((30, 5)), generator.random((30, 5)))
    table = correlations_table(found, "offline matcher, default profile", "supported")
    assert list(table["view"]) == list(VIEWS.values())
    assert list(table["n"])[:1] == [150]
    assert set(table["matcher"]) == {"offline matcher, default profile"}
    assert list(correlations_shown(found)["view"]) == list(VIEWS.values())
    assert list(correlations_shown(found)["n"])[::2] == ["150 pairs", "30 questions", "5 configurations"]


def test_what_nobody_can_place_may_be_the_largest_part():
    losses = Losses(n=100, parts={"grounded": 17, "said_not_grounded": 20, "retrieved_not_said": 0, "not_retrieved": 0,
                                  "nowhere": 0}, n_questions=10, n_failed=0)  # fmt: skip
    scores = coverage_scores(with_parts(world(configurations=("knn",)), grounded=1))
    told = losses_of(replace(scores.configurations[0], losses=losses))
    assert told.endswith("the largest part of the others, 63, are not said, where nobody knows what was retrieved.")
