from dataclasses import replace
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from core.errors import OptionError
from core.figures.coverage_heatmap import coverage_heatmap
from core.figures.coverage_measures import NAMES, PARTS, UNKNOWN, card_id, full_name, rows_of, symbol
from core.figures.coverage_points import points
from core.figures.curves import curves, spread
from core.figures.logic import AVERAGE
from core.figures.losses import losses, part_colours
from core.figures.scatter import MOST, Cloud, scatter
from core.figures.theme import contrast, ink, palette
from core.metrics.cards import metric_card
from core.metrics.coverage_scores import MEASURES, by_group, coverage_scores
from core.metrics.coverage_scores import curves as curves_of
from core.metrics.scores import FAILED
from tests.core.figures.coverage_samples import SHAPES, observed, scored
from tests.pages.samples import LABELS

MEASURES_SHOWN = ("grounded", "said", "alpha_ndcg@10", "strec@10")


def trace(chart, name):
    return next(t for t in chart.figure.data if t.name == name)


def heatmap_of(world, measure, **options):
    groups = ["abc"[i % 3] for i in range(len(world.question_ids))]
    return coverage_heatmap(
        coverage_scores(world), by_group(world, measure, groups), ("a", "b", "c"), measure, "light", **options
    )


def cloud(n=200):
    generator = np.random.default_rng(0)
    names = [("knn", "bm25")[i % 2] for i in range(n)]
    return Cloud(generator.random(n), generator.random(n), tuple(names), tuple(f"q{i}" for i in range(n)))


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_property_passes_plotlys_own_check(shape, theme, narrow):
    world = observed(**shape)
    scores = coverage_scores(world)
    panels = [curves_of(world, name) for name in ("alpha_ndcg", "strec")]
    charts = [
        losses(scores, theme, narrow=narrow, chosen=(scores.configurations[0].id, "grounded")),
        points(scores, MEASURES_SHOWN, theme, narrow=narrow),
        heatmap_of(world, "said", narrow=narrow),
        curves(panels, LABELS, theme, shown=world.configurations[0], k=5, handed_on=4, narrow=narrow),
        scatter(cloud(), {"knn": (0.4, 0.5)}, LABELS, ("alpha_ndcg@10", "grounded"), theme, narrow=narrow),
    ]
    for chart in charts:
        assert go.Figure(chart.figure.to_dict()).data
        assert chart.alt
        assert "<b>other" not in chart.figure.to_json()


def test_a_bar_is_the_partition_of_a_configurations_nuggets():
    scores = scored()
    chart = losses(scores, "light")
    bars = [t for t in chart.figure.data if t.type == "bar"]
    assert [bar.name for bar in bars] == list(PARTS.values())
    for row, configuration in enumerate(rows_of(scores)):
        assert sum(bar.x[row] for bar in bars) == pytest.approx(1.0)
        assert bars[0].x[row] == pytest.approx(configuration.micro["grounded"].value)
        assert list(bars[0].customdata[row]) == [configuration.id, "grounded"]


def test_what_nobody_knows_is_a_segment_of_its_own():
    world = observed(configurations=("system:other",), questions=4)
    unknown = np.full((1, 4), np.nan, np.float32)
    parts = ("retrieved_not_said", "not_retrieved", "nowhere")
    columns = {f"{part}_{importance}": unknown for part in parts for importance in ("vital", "okay")}
    scores = coverage_scores(replace(world, numbers={**world.numbers, **columns}))
    chart = losses(scores, "light")
    found = scores.configurations[0].losses
    assert trace(chart, UNKNOWN).x[0] == pytest.approx(found.unknown / found.n)
    assert sum(bar.x[0] for bar in chart.figure.data) == pytest.approx(1.0)


def test_the_best_is_on_top_and_the_reference_below_a_gap():
    scores = scored()
    layout = losses(scores, "light").figure.layout
    assert ["evidence" if "Gold" in text else "" for text in layout.yaxis.ticktext][-1] == "evidence"
    assert layout.yaxis.tickvals[-1] - layout.yaxis.tickvals[-2] > 1
    values = [row.macro["grounded"].value for row in rows_of(scores)[:-1]]
    assert values == sorted(values, reverse=True)


def test_the_chosen_segment_is_framed_at_its_place():
    scores = scored()
    one = rows_of(scores)[1]
    (frame,) = losses(scores, "light", chosen=(one.id, "said_not_grounded")).figure.layout.shapes
    assert (frame.x0, frame.x1) == pytest.approx(
        (one.losses.share("grounded"), one.losses.share("grounded") + one.losses.share("said_not_grounded"))
    )
    assert not losses(scores, "light", chosen=("nobody", "grounded")).figure.layout.shapes


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_on_bars_can_be_read_and_neighbours_differ(theme):
    colours = list(part_colours(theme).values())
    assert all(contrast(ink(tone), tone) >= 4.5 for tone in colours)
    assert len(set(colours)) == len(PARTS)
    assert contrast(colours[0], palette(theme).ground) >= 3


def test_failures_are_told_under_the_bars():
    world = observed()
    state = world.state.copy()
    state[0, :2] = FAILED
    numbers = {name: found.copy() for name, found in world.numbers.items()}
    for name, found in numbers.items():
        if not name.startswith("n_"):
            found[0, :2] = np.nan
    chart = losses(coverage_scores(replace(world, state=state, numbers=numbers)), "light")
    assert "kNN: 2 answers failed and left out" in chart.key


def test_nothing_scored_is_no_chart():
    scores = scored()
    nothing = [replace(c, losses=replace(c.losses, n=0)) for c in scores.configurations]
    with pytest.raises(ValueError, match="no nugget is scored"):
        losses(replace(scores, configurations=tuple(nothing)), "light")


def test_points_are_means_with_their_intervals():
    scores = scored()
    chart = points(scores, MEASURES_SHOWN, "light")
    for name in MEASURES_SHOWN:
        marks = trace(chart, name)
        for (identifier, measure), x in zip(marks.customdata, marks.x, strict=True):
            found = next(c for c in scores.configurations if c.id == identifier)
            assert x == found.macro[measure].value
    assert any("for want of a ranking" in text for text in chart.key)
    assert any("hollow" in text for text in points(scored(questions=3), MEASURES_SHOWN, "light").key)


def test_the_map_has_every_cell_and_the_average_apart():
    world = observed()
    chart = heatmap_of(world, "grounded")
    cells = trace(chart, "cells")
    assert len(cells.x) == len(world.configurations) * 4
    assert [AVERAGE in tuple(one) for one in cells.customdata].count(True) == len(world.configurations)
    hatched = heatmap_of(world, "strec@5")
    assert "hatched: not applicable" in hatched.key
    assert len(trace(hatched, "not_applicable").x) == 2 * 4


def test_curves_are_the_means_at_every_k():
    world = observed()
    panel = curves_of(world, "strec")
    chart = curves([panel], LABELS, "light", shown="knn", k=5)
    line = trace(chart, "knn")
    assert list(line.x) == list(range(1, 21))
    assert list(line.y) == [point.value for point in panel.of["knn"]]
    assert list(line.customdata[0]) == ["knn"]
    assert chart.figure.data[-1].name == "knn"
    assert not [t for t in chart.figure.data if t.name == "s-two"]


@pytest.mark.parametrize("wanted", [[0.5] * 6, [0.1, 0.11, 0.9], [0.99, 0.98, 0.97], []])
def test_names_are_moved_apart_and_keep_their_order(wanted):
    named = {f"n{i}": place for i, place in enumerate(wanted)}
    found = spread(named, 0.05, (0.0, 1.0))
    places = sorted(found.values())
    assert all(b - a >= 0.05 - 1e-9 for a, b in pairwise(places))
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    order = sorted(named, key=named.get)
    assert sorted(found, key=found.get) == order


def test_a_large_cloud_is_sampled_and_says_so():
    chart = scatter(cloud(4_000), {"knn": (0.4, 0.5)}, LABELS, ("alpha_ndcg@10", "grounded"), "light", sentence="r .5.")
    pairs = [t for t in chart.figure.data if t.name == "pairs"]
    assert sum(len(t.x) for t in pairs) == MOST
    assert [{one[0] for one in t.customdata} for t in pairs] == [{"knn"}, {"bm25"}]
    assert "800 of 4,000 points drawn, correlations over all" in chart.key
    assert chart.alt.endswith("r .5.")
    assert list(trace(chart, "means").customdata[0]) == ["knn", ""]
    again = scatter(cloud(4_000), {"knn": (0.4, 0.5)}, LABELS, ("alpha_ndcg@10", "grounded"), "light")
    assert list(trace(again, "pairs").x) == list(pairs[0].x)


def test_names_of_marks_do_not_lie_on_each_other():
    means = {"knn": (0.5, 0.5), "bm25": (0.51, 0.505), "a-two": (0.9, 0.5)}
    texts = trace(scatter(cloud(), means, LABELS, ("strec@5", "said"), "light"), "means").text
    assert [bool(text) for text in texts].count(True) == 2


def test_every_measure_has_names_and_a_card():
    for measure in MEASURES:
        assert symbol(measure)
        assert full_name(measure)
        assert metric_card(card_id(measure).partition("@")[0])
    assert set(NAMES) == {measure.partition("@")[0] for measure in MEASURES}


def test_an_unknown_measure_has_no_card():
    with pytest.raises(OptionError):
        metric_card(card_id("accuracy"))
