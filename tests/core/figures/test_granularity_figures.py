"""The figures of the Granularity page: trees, levels, two trees crossed."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.granularity_boxes import icicle_boxes, treemap_boxes
from core.figures.granularity_interaction import interaction_figure
from core.figures.granularity_levels import levels_figure
from core.figures.granularity_tree import diverging, finest, tree_figure
from core.figures.theme import contrast, ink
from core.metrics.granularity import interaction, level_table, node_means
from core.taxonomy.bundled import BUNDLED_TREES
from core.taxonomy.labels import place_labels
from core.taxonomy.trees import nested_tree

QC = BUNDLED_TREES["QC"]
DEEP = nested_tree(
    "deep", {f"a{i}": {f"a{i}b{j}": [f"a{i}b{j}c{k}" for k in range(3)] for j in range(3)} for i in range(4)}
)
HOSTILE = nested_tree("x", {"<script>alert(1)</script>": ["<b>bold</b> & more", "日本語のカテゴリ"]})


def filled(tree, per_leaf=8, seed=0):
    labels = [leaf for leaf in tree.leaves() for _ in range(per_leaf)]
    scores = np.random.default_rng(seed).random(len(labels))
    return scores, place_labels(tree, labels)


def means(tree=QC, **more):
    return node_means(*filled(tree, **more))


def bars(chart):
    return [trace for trace in chart.figure.data if trace.type == "bar"]


def names(chart):
    return [one[0] for trace in bars(chart) for one in trace.customdata]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tree", [QC, DEEP, HOSTILE, BUNDLED_TREES["phrasing"]])
def test_every_property_passes_plotlys_own_check(tree, theme, narrow):
    scores, placed = filled(tree)
    nodes = node_means(scores, placed)
    table = level_table(scores, placed, seed_text="t", draws=50)
    pair = (tree.levels[-1][0], tree.levels[-1][1])
    other = ["plain" if i % 2 else "odd" for i in range(len(scores))]
    crossed = interaction(
        scores, placed.at_level(len(tree.levels) - 1), other, first_pair=pair, second_pair=("plain", "odd"),
        seed_text="t", draws=50,
    )  # fmt: skip
    charts = [
        tree_figure(nodes, "BERTSim", theme, narrow=narrow, chosen=nodes[0].name),
        tree_figure(nodes, "BERTSim", theme, narrow=narrow, layout="treemap"),
        tree_figure(nodes, "BERTSim", theme, narrow=narrow, difference=("kNN", "BM25"), lower_is_better=True),
        interaction_figure(crossed, "BERTSim", theme, narrow=narrow),
    ]
    if any(row.power is not None for row in table.rows):
        charts.append(levels_figure(table, theme, narrow=narrow))
    for chart in charts:
        assert go.Figure(chart.figure.to_dict()).data
        assert chart.alt
        assert chart.figure.layout.height <= 524


@pytest.mark.parametrize("layout", [icicle_boxes, treemap_boxes])
def test_areas_are_by_questions_and_children_lie_within_their_parent(layout):
    nodes = means(QC, per_leaf=5)
    more = {"sideways": False} if layout is icicle_boxes else {}
    boxes = {box.node.name: box for box in layout(nodes, 800.0, 400.0, **more)}
    assert set(boxes) == set(QC.nodes)
    top = [boxes[name] for name in QC.levels[0]]
    assert sum(box.width * box.height for box in top) == pytest.approx(800 * 400 / (3 if more else 1))
    assert top[0].width * top[0].height == pytest.approx(top[1].width * top[1].height)
    for name, parent in QC.parents.items():
        if parent is None:
            continue
        one, above = boxes[name], boxes[parent]
        assert above.left - 1e-6 <= one.left
        assert one.left + one.width <= above.left + above.width + 1e-6
        if layout is treemap_boxes:
            assert above.top + above.head - 1e-6 <= one.top
            assert one.top + one.height <= above.top + above.height + 1e-6


def test_categories_and_levels_without_a_question_take_no_room():
    placed = place_labels(QC, ["simple"] * 6 + ["complex"] * 9)
    nodes = node_means(np.linspace(0, 1, 15), placed)
    assert [node.name for node in finest(nodes)] == ["simple", "complex"]
    boxes = icicle_boxes(nodes, 900.0, 100.0, sideways=False)
    assert [(box.node.name, box.width, box.height) for box in boxes] == [
        ("simple", pytest.approx(360), pytest.approx(100)), ("complex", pytest.approx(540), pytest.approx(100)),
    ]  # fmt: skip
    chart = tree_figure(nodes, "BERTSim", "light")
    assert "12 categories without a scored question: no area" in chart.key
    with pytest.raises(ValueError, match="no category"):
        tree_figure(node_means(np.full(15, np.nan), placed), "BERTSim", "light")
    assert treemap_boxes(node_means(np.full(15, np.nan), placed), 10.0, 10.0) == []


def test_too_small_categories_are_hatched_and_carry_no_colour():
    placed = place_labels(QC, ["simple"] * 3 + ["complex"] * 9)
    chart = tree_figure(node_means(np.linspace(0, 1, 12), placed), "BERTSim", "dark")
    small, scored = sorted(bars(chart), key=lambda trace: trace.name, reverse=True)
    assert [list(one) for one in small.customdata] == [["simple"]]
    assert small.marker.pattern.shape == "/"
    assert scored.marker.pattern.shape is None
    assert "hatched: fewer than 5 questions" in chart.key
    assert "too few" in small.hovertext[0]


def test_value_and_n_stand_in_the_node_and_can_be_read():
    nodes = means()
    chart = tree_figure(nodes, "BERTSim", "light")
    (words,) = (trace for trace in chart.figure.data if trace.name == "names")
    simple = next(text for text in words.text if text.startswith("simple"))
    assert "n = 32" in simple
    assert f"<b>.{round(nodes[0].mean.value * 1000):03d}</b>" in simple
    fills = [colour for trace in bars(chart) for colour in trace.marker.color]
    assert all(contrast(ink(colour), colour) >= 4.5 for colour in fills)


def test_a_difference_is_centred_on_nothing_and_says_who_is_better():
    nodes = means(seed=3)
    gaps = tree_figure(nodes, "BERTSim", "light", difference=("kNN", "BM25"))
    assert any(key.startswith("purple: kNN is better, orange: BM25 is") for key in gaps.key)
    assert diverging(0.0, 0.1) == "#F7F7F7"
    assert diverging(0.5, 0.1) == diverging(0.1, 0.1) != diverging(-0.1, 0.1)
    words = [text for trace in gaps.figure.data if trace.type == "scatter" for text in trace.text]
    assert any("<b>+." in text for text in words)


def test_lower_is_better_turns_the_ramp():
    placed = place_labels(QC, ["simple"] * 6 + ["complex"] * 6)
    nodes = node_means(np.array([0.0] * 6 + [1.0] * 6), placed)
    usual, turned = (
        bars(tree_figure(nodes, "x", "light", lower_is_better=one))[0].marker.color for one in (False, True)
    )
    assert usual == turned[::-1]


def test_the_chosen_category_is_framed_and_a_click_names_it():
    chart = tree_figure(means(), "BERTSim", "light", chosen="single_fact")
    assert [trace.name for trace in chart.figure.data if trace.name == "chosen"] == ["chosen"]
    assert set(names(chart)) == set(QC.nodes)


def test_names_of_a_dataset_are_text_and_nothing_else():
    chart = tree_figure(means(HOSTILE), "BERTSim", "light")
    shown = [text for trace in chart.figure.data for text in (trace.hovertext or trace.text or ())]
    assert shown
    assert all("<script>" not in text and "<b>bold" not in text for text in shown)


def test_levels_that_are_not_measured_are_named():
    placed = place_labels(QC, ["simple"] * 6 + ["complex"] * 6)
    table = level_table(np.linspace(0, 1, 12), placed, seed_text="t", draws=50)
    chart = levels_figure(table, "light")
    assert "not measured: medium, fine" in chart.key
    empty = level_table(np.full(12, np.nan), placed, seed_text="t", draws=50)
    with pytest.raises(ValueError, match="no level"):
        levels_figure(empty, "light")


def test_an_interaction_with_an_empty_cell_draws_what_there_is():
    scores = np.array([0.1, 0.2, 0.3, 0.9, 0.8, 0.7])
    first, second = ["a"] * 3 + ["b"] * 3, ["c"] * 3 + ["d"] * 3
    found = interaction(scores, first, second, first_pair=("a", "b"), second_pair=("c", "d"), seed_text="t", draws=50)
    chart = interaction_figure(found, "BERTSim", "light")
    assert [trace.name for trace in chart.figure.data] == ["c", "d"]
    assert [list(trace.y) for trace in chart.figure.data] == [[pytest.approx(0.2)], [pytest.approx(0.8)]]
    assert "hollow: fewer than 5 questions" in chart.key
    nothing = interaction(
        np.full(6, np.nan), first, second, first_pair=("a", "b"), second_pair=("c", "d"), seed_text="t", draws=50
    )
    with pytest.raises(ValueError, match="no cell"):
        interaction_figure(nothing, "BERTSim", "light")
