import itertools
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from core.figures.grid import FEW
from core.figures.logic import AVERAGE, heatmap, rows_of
from core.figures.theme import contrast, palette
from core.metrics.scores import LogicCell
from tests.pages.samples import LABELS, NOTHING, RELATIONS, logic_scores, measure, opi, with_cell

THEMES = ("light", "dark")


def trace(chart, name):
    return next(t for t in chart.figure.data if t.name == name)


def names(chart):
    return [t.name for t in chart.figure.data]


def annotated(chart):
    return [a.text for a in chart.figure.layout.annotations]


def same(value):
    return LogicCell(value, value, value)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("shape", [{}, {"n": 1}, {"relations": ()}, {"configurations": ("knn",)}])
def test_every_property_passes_plotlys_own_check(shape, theme, narrow):
    chart = heatmap(logic_scores(**shape), "opi", theme, narrow=narrow)
    assert go.Figure(chart.figure.to_dict()).data


def test_values_stand_in_the_cells_and_all_cells_can_be_picked():
    scores = logic_scores()
    chart = heatmap(scores, "bertsim", "light")
    texts = dict(zip(zip(trace(chart, "values").x, trace(chart, "values").y, strict=True),
                     trace(chart, "values").text, strict=True))  # fmt: skip
    layer = trace(chart, "cells")
    assert layer.marker.opacity == 0
    picked = {tuple(pair): (x, y) for pair, x, y in zip(layer.customdata, layer.x, layer.y, strict=True)}
    assert len(picked) == len(LABELS) * (len(RELATIONS) + 1)
    knn = next(c for c in scores.configurations if c.id == "knn")
    assert texts[picked["knn", "causal"]] == f"{knn.relations['causal'].bertsim.value:.3f}"[1:]
    assert texts[picked["knn", AVERAGE]] == f"{knn.bertsim.value:.3f}"[1:]


@pytest.mark.parametrize("theme", THEMES)
def test_every_value_has_contrast_with_its_own_cell(theme):
    chart = heatmap(logic_scores(n=40), "opi", theme)
    cells, values = trace(chart, "scored"), trace(chart, "values")
    fill = {
        (x, round(base + 0.465, 6)): tone for x, base, tone in zip(cells.x, cells.base, cells.marker.color, strict=True)
    }
    assert len(fill) == len(values.text)
    for x, y, tone in zip(values.x, values.y, values.textfont.color, strict=True):
        assert contrast(tone, fill[x, round(y, 6)]) >= 4.5


def test_hover_gives_interval_n_failures_and_all_three_measures():
    scores = logic_scores()
    chart = heatmap(with_cell(scores, "knn", "causal", same(measure(0.5, 5, failed=1, refused=2))), "lrcr", "light")
    layer = trace(chart, "cells")
    hover = next(h for pair, h in zip(layer.customdata, layer.hovertext, strict=True) if pair == ["knn", "causal"])
    lines = hover.split("<br>")
    assert lines[0] == "kNN · causal"
    assert lines[1].startswith("LRCR .500 (.053 to .947)")
    assert {line.split()[0] for line in lines[2:4]} == {"OPI(1)", "BERTSim"}
    assert lines[4] == "5 of 6 questions scored, 1 failed, 2 refusals"


def test_rows_by_average_or_in_the_fixed_order_and_the_reference_apart():
    scores = logic_scores()
    by_average = [c.id for c in rows_of(scores, "opi", "average")]
    values = [c.opi.value for c in rows_of(scores, "opi", "average")][:-1]
    assert values == sorted(values, reverse=True)
    assert by_average[-1] == "evidence"
    fixed = [c.id for c in rows_of(scores, "opi", "fixed")]
    assert fixed[:4] == ["dps", "knn", "svm", "mmr"]
    assert fixed[-1] == "evidence"
    chart = heatmap(scores, "opi", "light")
    rows = sorted(set(trace(chart, "cells").y))
    gaps = [round(b - a, 6) for a, b in itertools.pairwise(rows)]
    assert gaps[-1] > 1
    assert set(gaps[:-1]) == {1.0}


def test_a_row_has_at_least_28_pixels_and_the_demo_fits_a_laptop():
    layout = heatmap(logic_scores(), "opi", "light").figure.layout
    low, high = layout.yaxis.range
    inner = layout.height - layout.margin.t - layout.margin.b
    assert inner / (low - high) >= 28 * 0.99
    assert layout.height <= 520


def test_the_three_states_look_different():
    scores = with_cell(logic_scores(), "svm", "causal", same(NOTHING))
    scores = with_cell(scores, "mmr", "fuzzy", same(measure(None, 0, failed=6)))
    scores = with_cell(scores, "bm25", "fuzzy", same(measure(0.5, FEW - 1, failed=2)))
    scores = with_cell(scores, "knn", "fuzzy", same(measure(0.5, FEW, failed=1)))
    chart = heatmap(scores, "opi", "light")
    assert trace(chart, "not_applicable").marker.pattern.shape == "/"
    assert len(trace(chart, "not_applicable").x) == 1
    assert trace(chart, "few").marker.pattern.shape == "."
    assert len(trace(chart, "few").x) == 1
    outline = trace(chart, "failed")
    assert outline.line.color == palette("light").failed
    assert list(outline.x).count(None) == 3
    assert "×" in trace(chart, "values").text
    assert trace(chart, "values on dots").text == (".500",)
    assert len(chart.key) == 4


def test_marks_that_do_not_occur_are_not_explained():
    chart = heatmap(logic_scores(), "opi", "light")
    assert names(chart) == ["scored", "values", "marks", "cells"]
    assert chart.key == ("colour from .25 to .90, the stronger the better",)


def test_narrow_uses_abbreviations_two_digits_and_full_names_on_hover():
    chart = heatmap(logic_scores(), "opi", "light", narrow=True)
    labels = annotated(chart)
    assert "CAU" in labels
    assert "causal" not in labels
    assert "Gold<br>evidence" in labels
    heads = {a.text: a.hovertext for a in chart.figure.layout.annotations}
    assert heads["CAU"] == "causal"
    assert all(len(text) == 3 for text in trace(chart, "values").text)


def test_more_relations_than_fit_are_stacked_in_bands_without_losing_a_cell():
    relations = tuple(f"label {i}" for i in range(30))
    scores = logic_scores(relations=relations)
    for narrow, bands in ((True, 3), (False, 2)):
        chart = heatmap(scores, "opi", "light", narrow=narrow)
        layer = trace(chart, "cells")
        pairs = {tuple(pair) for pair in layer.customdata}
        assert len(pairs) == len(LABELS) * 31
        assert len(set(zip(layer.x, layer.y, strict=True))) == len(pairs)
        assert annotated(chart).count("kNN") == bands
        assert max(layer.x) < chart.figure.layout.xaxis.range[1]
        assert max(layer.y) < chart.figure.layout.yaxis.range[0]


def test_beta_changes_the_numbers():
    low, high = (trace(heatmap(logic_scores(beta=beta), "opi", "light"), "values").text for beta in (0.1, 10.0))
    assert low != high
    assert opi(0.0, 0.7, 0.5) == pytest.approx(0.7)


def test_without_relations_only_the_average_is_left():
    chart = heatmap(logic_scores(relations=(), n=40), "bertsim", "light")
    assert {pair[1] for pair in trace(chart, "cells").customdata} == {AVERAGE}
    assert "<b>all questions</b>" in annotated(chart)
    assert "by all questions" in chart.alt


def test_names_from_data_are_text():
    bad = '<a href="https://example.org">x</a> & <b>y</b>'
    chart = heatmap(logic_scores(relations=(bad, "causal"), labels={"knn": "<i>kNN</i>"}), "opi", "light")
    written = [
        *annotated(chart),
        *trace(chart, "cells").hovertext,
        *(a.hovertext for a in chart.figure.layout.annotations),
    ]
    assert not any("<a" in text or "<i>" in text or "<b>y" in text for text in written)
    assert any("&lt;i&gt;kNN" in text for text in written)


def test_alt_says_the_finding():
    scores = logic_scores()
    best = next(c for c in rows_of(scores, "opi", "average"))
    alt = heatmap(scores, "opi", "light").alt
    assert alt.startswith("Heatmap of OPI(1): 14 configurations by 13 logical relations")
    assert f"highest average {best.label}, " in alt
    assert "Gold evidence" not in alt


def test_nothing_scored_is_said():
    nothing = measure(None, 0, failed=6)
    scores = logic_scores(configurations=("knn",), relations=("causal",))
    one = scores.configurations[0]
    scores = replace(
        scores,
        configurations=(replace(one, opi=nothing, bertsim=nothing, lrcr=nothing, relations={"causal": same(nothing)}),),
    )
    chart = heatmap(scores, "opi", "dark")
    assert chart.alt.endswith("Nothing is scored.")
    assert chart.key == ("orange frame: some or all questions failed",)
