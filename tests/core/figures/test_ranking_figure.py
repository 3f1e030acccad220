from dataclasses import replace

import plotly.graph_objects as go
import pytest

from core.figures.confusion import confusion
from core.figures.notation import beta_symbol, count, decimal, estimate, interval, listed, measured, per_cent
from core.figures.ranking import ranking, ticks
from tests.pages.samples import classifier, logic_scores, measure


def trace(chart, name):
    return next(t for t in chart.figure.data if t.name == name)


@pytest.mark.parametrize("kind", [{}, {"narrow": True}, {"compact": True}, {"narrow": True, "compact": True}])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_property_passes_plotlys_own_check(theme, kind):
    for shape in ({}, {"n": 1}, {"relations": ()}, {"configurations": ("knn", "evidence")}):
        chart = ranking(logic_scores(**shape), theme, **kind)
        assert go.Figure(chart.figure.to_dict()).data
        assert chart.figure.layout.height <= 520


def test_points_and_bands_are_the_rankings_values_and_intervals():
    scores = logic_scores()
    chart = ranking(scores, "light")
    for name in ("dense", "lexical", "combined by rank (A-)", "combined by sentence (S-)"):
        points = trace(chart, name)
        for identifier, x, up, down in zip(
            points.customdata, points.x, points.error_x.array, points.error_x.arrayminus, strict=True
        ):
            row = next(r for r in scores.ranking.rows if r.id == identifier)
            assert (x, x + up, x - down) == pytest.approx((row.value, row.high, row.low))


def test_best_is_on_top():
    scores = logic_scores()
    layout = ranking(scores, "light").figure.layout
    labels = {c.id: c.label for c in scores.configurations}
    assert list(layout.yaxis.ticktext) == [labels[r.id] for r in scores.ranking.rows]
    assert layout.yaxis.range[0] > layout.yaxis.range[1]


def test_both_averages_and_the_words_are_there_and_the_reference_is_a_line():
    scores = logic_scores()
    chart = ranking(scores, "light")
    means = trace(chart, "mean of the relations' OPIs")
    assert list(means.x) == [r.mean_of_relations for r in scores.ranking.rows]
    bars = next(t for t in chart.figure.data if t.type == "bar")
    assert bars.xaxis == "x2"
    assert chart.figure.layout.xaxis2.range[0] == 0
    evidence = next(c for c in scores.configurations if c.id == "evidence")
    assert chart.figure.layout.shapes[0].x0 == evidence.opi.value
    assert any(a.text == f"Gold evidence {decimal(evidence.opi.value)}" for a in chart.figure.layout.annotations)


def test_every_row_has_its_number_with_the_interval():
    scores = logic_scores()
    texts = [a.text for a in ranking(scores, "light").figure.layout.annotations]
    for row in scores.ranking.rows:
        assert any(t.startswith(decimal(row.value)) and f"({interval(row.low, row.high)})" in t for t in texts)


def test_without_relations_there_is_one_average():
    chart = ranking(logic_scores(relations=(), n=40), "light")
    assert "mean of the relations' OPIs" not in [t.name for t in chart.figure.data]
    assert chart.figure.layout.xaxis.title.text == "BERTSim (right is better)"


def test_fewer_than_five_questions_are_hollow():
    chart = ranking(logic_scores(relations=("causal",), n=4), "light")
    assert trace(chart, "dense").marker.symbol == "circle-open"
    assert "hollow: fewer than 5 questions" in chart.key
    assert trace(ranking(logic_scores(relations=("causal",), n=5), "light"), "dense").marker.symbol == "circle"


def test_the_key_says_on_which_questions_and_who_is_not_ranked():
    scores = logic_scores()
    table = replace(scores.ranking, n_questions=70, left_out={"evidence": "reference", "edi": "it has no score"})
    key = ranking(replace(scores, ranking=table), "light").key
    assert key[0] == "on the 70 questions that every configuration has scored, of 78"
    assert "not ranked: EDI (it has no score)" in key
    assert not any("evidence" in line for line in key)


def test_nothing_ranked_is_an_error():
    with pytest.raises(ValueError, match="nothing is ranked"):
        ranking(logic_scores(configurations=("evidence",)), "light")


def test_names_from_data_are_text():
    scores = logic_scores(labels={"knn": "<b>kNN</b>"})
    layout = ranking(scores, "light").figure.layout
    assert "&lt;b&gt;kNN&lt;/b&gt;" in layout.yaxis.ticktext


def test_ticks_are_round_and_inside():
    assert ticks(0.35, 0.83, 7) == ([0.4, 0.5, 0.6, 0.7, 0.8], [".4", ".5", ".6", ".7", ".8"])
    assert ticks(0.701, 0.734, 4) == ([0.71, 0.72, 0.73], [".71", ".72", ".73"])
    assert ticks(0.5, 0.5, 4)[0] == [0.5]


def test_confusion_counts_shares_and_the_commonest_mistake():
    chart = confusion(["a", "b"], [[3, 1], [0, 0]], "light")
    assert go.Figure(chart.figure.to_dict()).data
    layer = trace(chart, "cells")
    hovers = {tuple(pair): hover for pair, hover in zip(layer.customdata, layer.hovertext, strict=True)}
    assert hovers["a", "a"] == "a<br>3 of 4 rightly recognised (75 %)"
    assert hovers["a", "b"] == "a<br>1 of 4 taken for b (25 %)"
    assert hovers["b", "a"] == "b: no gold answer"
    assert "Most often a is taken for b (1 time)" in chart.alt
    thirteen = classifier()["confusion"]
    assert confusion(thirteen["labels"], thirteen["matrix"], "dark", narrow=True).figure.layout.height <= 520


def test_notation():
    assert [decimal(x) for x in (0.742, -0.05, 1.0, 0.0, -0.0001)] == [".742", "−.050", "1.000", ".000", ".000"]
    assert decimal(0.996, 2) == "1.00"
    assert estimate(0.742, 0.711, 0.773) == ".742 (.711 to .773)"
    assert estimate(0.5, None, None) == ".500"
    assert measured(measure(None, 3)) == "no relation labels"
    assert measured(measure(None, 0, failed=2)) == "failed"
    assert per_cent(0.714) == "71 %"
    assert count(1, "question") == "1 question"
    assert count(1200, "question") == "1,200 questions"
    assert [beta_symbol(b) for b in (0.0, 0.16, 1.0, 10.0, float("inf"))] == ["0", "0.16", "1", "10", "∞"]
    assert [listed(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
