"""Bars of a dataset's distributions: right numbers, nothing left out unsaid, no markup from names."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from core.figures.chart import Chart
from core.figures.distributions import (
    Lengths,
    Node,
    length_bars,
    name_bars,
    nugget_bars,
    relation_bars,
    tree_bars,
)

BAD = "**bold** <img src=x onerror=alert(1)>"
TREE = [Node("hard", 0, 5), Node("complex", 1, 3), Node("deep", 1, 2), Node("easy", 0, 4), Node(BAD, 1, 4)]
LENGTHS = [
    Lengths("documents", (0, 50, 100), (3, 4), 20, 60, 90),
    Lengths("questions", (5, 6), (7,), 5, 5, 5),
    Lengths("answers", (0, 1, 2, 3), (0, 0, 7), 2, 2, 2),
]


def bars(chart: Chart) -> list[go.Bar]:
    return [trace for trace in chart.figure.data if trace.type == "bar"]


def written(chart: Chart) -> str:
    return str(chart.figure.to_dict())


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_property_passes_plotlys_own_check(theme: str, narrow: bool) -> None:
    charts = [
        relation_bars(["causal", BAD, ""], {"train": (1, 2, 0), "": (3, 0, 4)}, theme, narrow=narrow),  # type: ignore[arg-type]
        relation_bars(["causal"], {"": (1,)}, theme, narrow=narrow),  # type: ignore[arg-type]
        tree_bars(TREE, theme, narrow=narrow),  # type: ignore[arg-type]
        name_bars({"en": 3, "": 1, BAD: 2}, "document", theme, narrow=narrow),  # type: ignore[arg-type]
        nugget_bars({0: 1, 2: 5, 40: 1}, theme),  # type: ignore[arg-type]
        length_bars(LENGTHS, theme, narrow=narrow),  # type: ignore[arg-type]
    ]
    for chart in charts:
        assert go.Figure(chart.figure.to_dict()).data
        assert chart.figure.layout.height <= 520
        assert chart.alt.endswith(".")
        assert "<img" not in written(chart)


def test_relations_are_stacked_by_split_with_their_total() -> None:
    chart = relation_bars(["causal", "temporal", ""], {"train": (1, 2, 0), "test": (3, 0, 4)}, "light")
    assert [(bar.name, list(bar.x)) for bar in bars(chart)] == [("train", [1, 2, 0]), ("test", [3, 0, 4])]
    assert [text.strip("\u2009") for text in chart.figure.data[-1].text] == ["4", "2", "4"]
    assert [text.strip("\u2009") for text in chart.figure.layout.yaxis.ticktext] == [
        "causal",
        "temporal",
        "no relation",
    ]
    assert chart.figure.layout.showlegend
    assert "2 to 4 questions each" in chart.alt
    assert not relation_bars(["causal"], {"": (1,)}, "light").figure.layout.showlegend


def test_many_relations_share_a_last_bar() -> None:
    names = [f"r{i:02}" for i in range(50)]
    chart = relation_bars(names, {"": tuple(range(50))}, "light")
    labels = [text.strip("\u2009") for text in chart.figure.layout.yaxis.ticktext]
    assert labels == [*names[31:], "31 others"]
    assert bars(chart)[0].x[-1] == sum(range(31))


def test_a_tree_is_indented_and_every_level_adds_up() -> None:
    chart = tree_bars(TREE, "light")
    assert list(bars(chart)[0].x) == [5, 3, 2, 4, 4]
    shifts = [a.xshift for a in chart.figure.layout.annotations]
    assert [shift - shifts[0] for shift in shifts] == [0, 14, 14, 0, 14]
    assert "5 categories on 2 levels: hard 5, easy 4." in chart.alt


def test_a_large_tree_says_what_it_leaves_out() -> None:
    deep = [Node("top", 0, 30), *(Node(f"leaf {i}", 1, 1) for i in range(30))]
    chart = tree_bars(deep, "light")
    assert list(bars(chart)[0].x) == [30]
    assert chart.key == ("level 2 left out: 30 categories",)
    flat = tree_bars([Node(f"n{i}", 0, i) for i in range(30)], "light")
    assert list(bars(flat)[0].x) == list(range(10, 30))
    assert flat.key == ("the 20 most frequent of 30 categories",)


def test_nuggets_from_none_to_twelve_and_more() -> None:
    chart = nugget_bars({0: 1, 2: 5}, "light")
    assert list(bars(chart)[0].y) == [1, 0, 5]
    many = nugget_bars({3: 2, 12: 1, 40: 7}, "light")
    assert bars(many)[0].x[-1] == "12+"
    assert bars(many)[0].y[-1] == 8
    assert list(bars(nugget_bars({0: 4}, "light"))[0].y) == [4]


def test_lengths_stand_side_by_side_or_below_each_other() -> None:
    wide, narrow = (length_bars(LENGTHS, "light", narrow=n).figure.layout for n in (False, True))
    assert wide.xaxis.domain[1] < wide.xaxis2.domain[0]
    assert narrow.yaxis.domain[0] > narrow.yaxis2.domain[1]
    assert narrow.yaxis3.domain[0] >= 0
    assert "median 60 words, 80 % between 20 and 90" in length_bars(LENGTHS, "light").alt
