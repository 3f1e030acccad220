import itertools

import pytest

from core.figures.configurations import FAMILIES, family, in_order, symbol
from core.figures.theme import (
    CIVIDIS,
    colour,
    colour_range,
    contrast,
    ink,
    palette,
    shade,
    template,
    translucent,
)

THEMES = ("light", "dark")


@pytest.mark.parametrize("theme", THEMES)
def test_text_on_every_shade_has_contrast_of_4_5(theme):
    for step in range(201):
        tone = shade(step / 200, 0.0, 1.0, theme)
        assert contrast(ink(tone), tone) >= 4.5, tone


def test_ink_reads_on_any_colour():
    for channels in itertools.product(range(0, 256, 15), repeat=3):
        tone = "#{:02X}{:02X}{:02X}".format(*channels)
        assert contrast(ink(tone), tone) >= 4.5, tone


@pytest.mark.parametrize("theme", THEMES)
def test_better_stands_out_from_the_ground_step_by_step(theme):
    tones = palette(theme)
    against = [contrast(step, tones.ground) for step in tones.ramp]
    assert against == sorted(against)
    assert against[-1] > 10


@pytest.mark.parametrize("theme", THEMES)
def test_frame_texts_and_marks_read_on_the_ground(theme):
    tones = palette(theme)
    assert contrast(tones.text, tones.ground) >= 7
    assert contrast(tones.muted, tones.ground) >= 4.5
    assert contrast(tones.failed, tones.ground) >= 3
    for name in FAMILIES:
        # marks also differ by shape and stand beside their name; orange and purple on white stay below 3
        assert contrast(tones.families[name], tones.ground) >= 2, name


def test_shade_clamps_and_survives_an_empty_range():
    assert shade(-1, 0, 1, "dark") == CIVIDIS[0]
    assert shade(2, 0, 1, "dark") == CIVIDIS[-1]
    assert shade(0.5, 0.5, 0.5, "light").startswith("#")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (0.0, 1.0)),
        ([0.31, 0.88], (0.3, 0.9)),
        ([0.7, 0.7], (0.6, 0.8)),
        ([0.0, 1.0], (0.0, 1.0)),
        ([-0.12, 0.4], (-0.15, 0.4)),
    ],
)
def test_colour_range_is_round_and_at_least_a_fifth_wide(values, expected):
    assert colour_range(values) == pytest.approx(expected)


def test_colour_range_always_holds_its_values():
    for low in range(-20, 100, 7):
        for width in range(0, 60, 3):
            values = [low / 100, (low + width) / 100]
            start, end = colour_range(values)
            assert start <= values[0] + 1e-9
            assert end >= values[1] - 1e-9
            assert end - start >= 0.2 - 1e-9


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("knn", "dense"),
        ("dps", "dense"),
        ("svm", "dense"),
        ("mmr", "dense"),
        ("bm25", "lexical"),
        ("tfidf/paper", "lexical"),
        ("bm25/langchain", "lexical"),
        ("edi", "lexical"),
        ("a-seven", "fused"),
        ("s-two", "union"),
        ("a:knn+bm25", "fused"),
        ("s:knn+bm25/langchain", "union"),
        ("evidence", "reference"),
        ("mypackage.retrievers:make", "imported"),
        ("knowledge-base", "imported"),
    ],
)
def test_family(identifier, expected):
    assert family(identifier) == expected


def test_order_is_dense_lexical_combinations_reference_imported():
    shuffled = ["zeta", "evidence", "s-two", "a-seven", "a-two", "edi", "bm25", "mmr", "knn", "alpha", "tfidf"]
    assert in_order(shuffled) == [
        "knn", "mmr", "bm25", "tfidf", "edi", "a-two", "a-seven", "s-two", "evidence", "alpha", "zeta",
    ]  # fmt: skip


def test_one_colour_and_one_mark_a_family():
    for theme in THEMES:
        assert len({palette(theme).families[name] for name in FAMILIES}) == len(FAMILIES)
        assert colour("knn", theme) == colour("mmr", theme) != colour("bm25", theme)
    assert len({mark for _, mark in FAMILIES.values()}) == len(FAMILIES)
    assert symbol("a-two") == "diamond"


def test_template_is_valid_and_transparent():
    import plotly.graph_objects as go

    for theme in THEMES:
        checked = go.layout.Template(template(theme))
        assert checked.layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert translucent("#0072B2", 0.3) == "rgba(0,114,178,0.3)"


def test_config_ramps_are_the_figures_ramps():
    import tomllib
    from pathlib import Path

    config = tomllib.loads(Path(".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    for theme in THEMES:
        assert tuple(config[theme]["chartSequentialColors"]) == palette(theme).ramp
        assert config[theme]["backgroundColor"] == palette(theme).ground
        assert config[theme]["textColor"] == palette(theme).text
