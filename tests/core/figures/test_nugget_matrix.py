import plotly.graph_objects as go
import pytest

from core.figures.nugget_matrix import Column, Line, matrix

LINES = [Line("The <b>ferry</b> runs.", "n1", "grounded"), Line("The bell rings.", "n2 (okay)", "not retrieved")]
COLUMNS = [Column(str(i), f"text {i}") for i in range(1, 4)]
MARKS = [["held_cited", "none", "held"], ["none", "none", "none"]]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_property_passes_plotlys_own_check(theme, narrow):
    for columns, marks in ((COLUMNS, MARKS), ([Column(str(i), "") for i in range(20)], [["held"] * 20, ["none"] * 20])):
        chart = matrix(LINES, columns, marks, "passages", theme, after=2, narrow=narrow)
        assert go.Figure(chart.figure.to_dict()).data
        assert "<b>ferry" not in chart.figure.to_json()


def test_cells_stand_where_the_marks_are():
    chart = matrix(LINES, COLUMNS, MARKS, "passages", "light")
    drawn = {(bar.name, x, base + 0.42) for bar in chart.figure.data if bar.type == "bar"
             for x, base in zip(bar.x, bar.base, strict=True)}  # fmt: skip
    assert drawn == {("held_cited", 0, 0), ("held", 2, 0)}
    assert chart.key == ("■ holds it", "c holds it, and the answer cites it")


def test_the_alt_says_what_is_found_and_what_not():
    chart = matrix(LINES, COLUMNS, MARKS, "passages", "light")
    assert chart.alt == "2 nuggets by 3 passages; found: n1; in none: n2 (okay)."


def test_the_line_stands_behind_what_was_handed_on():
    chart = matrix(LINES, COLUMNS, MARKS, "passages", "light", after=2)
    assert [shape.x0 for shape in chart.figure.layout.shapes] == [1.5]
    assert "left of the dashed line: the 2 that were handed to the answerer" in chart.key
    assert not matrix(LINES, COLUMNS, MARKS, "passages", "light", after=3).figure.layout.shapes


def test_crowded_heads_are_thinned_on_a_narrow_page():
    columns = [Column(str(i), "") for i in range(1, 21)]
    marks = [["none"] * 20] * 2
    heads = matrix(LINES, columns, marks, "passages", "light", narrow=True).figure.layout.xaxis.ticktext
    assert list(heads) == ["1", "5", "10", "15", "20"]


@pytest.mark.parametrize(("lines", "columns"), [([], COLUMNS), (LINES, [])])
def test_a_matrix_needs_both_sides(lines, columns):
    with pytest.raises(ValueError, match="a nugget and a column"):
        matrix(lines, columns, [], "passages", "light")
