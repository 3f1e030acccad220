from __future__ import annotations

import plotly.graph_objects as go
import pytest

from core.figures.lenses import lenses_picture


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_is_a_figure_that_plotly_accepts(theme, narrow) -> None:
    chart = lenses_picture(theme, narrow=narrow)
    figure = go.Figure(chart.figure.to_dict())
    texts = " ".join(note.text for note in figure.layout.annotations)
    assert all(name in texts for name in ("One evaluated run", "Logic", "Coverage", "Granularity"))
    assert all(name in chart.alt for name in ("Logic", "Coverage", "Granularity"))
    assert figure.layout.height <= 520
    low, high = figure.layout.yaxis.range
    assert low > high  # pixels count from the top
