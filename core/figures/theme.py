"""Colours, order and templates that every figure shares.

A configuration has one colour and one mark on every page. Colours are Okabe and Ito's eight
(safe for the common colour blindnesses), one a family of configurations; the mark says the family again, and the name
stands beside it (``configurations.py``). Magnitudes use cividis, turned so that the better value stands out from the
ground; differences use PuOr.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from core.figures.configurations import family

Theme = Literal["light", "dark"]

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif'

#: cividis from its dark to its light end (Nuñez, Anderton and Renslow 2018), ten steps
CIVIDIS = (
    "#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8779", "#A59C74", "#C3B369", "#E1CC55", "#FEE838",
)  # fmt: skip
#: the same from light to dark, its light end faded towards white: on a white ground bright yellow would shout "worst"
FADED = (
    "#FFF9CB", "#F4ECBE", "#E1D9B4", "#C7C2A9", "#ABA99F", "#8B8C8E", "#696F7D", "#455273", "#123570",
    "#00224E",
)  # fmt: skip
#: ColorBrewer's PuOr, orange to purple, its middle standing for 0
PUOR = (
    "#7F3B08", "#B35806", "#E08214", "#FDB863", "#FEE0B6", "#F7F7F7", "#D8DAEB", "#B2ABD2", "#8073AC", "#542788",
    "#2D004B",
)  # fmt: skip


#: the least difference the two ends of a ramp stand for
SPREAD = 0.2


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme. ``ramp`` runs from the worst to the best value."""

    ground: str
    text: str
    muted: str
    grid: str
    hatch: str
    failed: str
    accent: str
    ramp: tuple[str, ...]
    families: dict[str, str]


_LIGHT = Palette(
    ground="#FFFFFF",
    text="#1E222A",
    muted="#5C6470",
    grid="#E7E9ED",
    hatch="#9AA1AC",
    failed="#D55E00",
    accent="#4B45B8",
    ramp=FADED,
    families={
        "dense": "#0072B2", "lexical": "#E69F00", "fused": "#009E73", "union": "#CC79A7", "reference": "#5C6470",
        "imported": "#56B4E9",
    },
)  # fmt: skip
_DARK = Palette(
    ground="#14171C",
    text="#E7E9ED",
    muted="#A3ABB8",
    grid="#2A2F38",
    hatch="#6B7380",
    failed="#FF7A1A",
    accent="#ADA6FF",
    ramp=CIVIDIS,
    families={
        "dense": "#56B4E9", "lexical": "#E69F00", "fused": "#2BBE93", "union": "#CC79A7", "reference": "#A3ABB8",
        "imported": "#F0E442",
    },
)  # fmt: skip


def palette(theme: Theme) -> Palette:
    """Return the colours of a theme; anything but "dark" is light."""
    return _DARK if theme == "dark" else _LIGHT


def colour(configuration_id: str, theme: Theme) -> str:
    """Return the one colour of a configuration, "#RRGGBB"."""
    return palette(theme).families[family(configuration_id)]


def colour_range(values: Sequence[float]) -> tuple[float, float]:
    """Return ends for the ramp: the values' range, rounded out to .05 and at least .2 wide.

    The least width keeps a map of equal values from looking like a map of differences.
    """
    if not values:
        return 0.0, 1.0
    low, high = math.floor(min(values) * 20 + 1e-9) / 20, math.ceil(max(values) * 20 - 1e-9) / 20
    if high - low < SPREAD:
        middle = (low + high) / 2
        low = math.floor((middle - SPREAD / 2) * 20 + 1e-9) / 20
        high = low + SPREAD
    return round(low, 2), round(high, 2)


def translucent(hex_colour: str, alpha: float) -> str:
    """Return "rgba(r,g,b,alpha)" of a "#RRGGBB" colour, alpha in [0, 1]."""
    r, g, b = _channels(hex_colour)
    return f"rgba({r},{g},{b},{alpha:g})"


def blended(hex_colour: str, ground: str, share: float) -> str:
    """Return "#RRGGBB" of ``share`` (in [0, 1]) of a colour on a ground, where a translucent one could not be read."""
    pair = zip(_channels(hex_colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02X}" for a, b in pair)


@lru_cache(maxsize=4096)
def shade(value: float, low: float, high: float, theme: Theme) -> str:
    """Return the ramp's colour at ``value`` between ``low`` (worst) and ``high`` (best), clamped to the ends."""
    ramp = palette(theme).ramp
    share = 0.5 if high <= low else min(max((value - low) / (high - low), 0.0), 1.0)
    place = share * (len(ramp) - 1)
    left = min(int(place), len(ramp) - 2)
    mix = place - left
    pair = zip(_channels(ramp[left]), _channels(ramp[left + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * mix):02X}" for a, b in pair)


@lru_cache(maxsize=4096)
def ink(hex_colour: str) -> str:
    """Return black or white, whichever reads better on a colour; the contrast is at least 4.58 on any."""
    return max(("#000000", "#FFFFFF"), key=lambda candidate: contrast(candidate, hex_colour))


def contrast(one: str, other: str) -> float:
    """Return the WCAG 2 contrast ratio of two "#RRGGBB" colours, in [1, 21]."""
    brighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def colourscale(theme: Theme) -> list[list[float | str]]:
    """Return the ramp as plotly wants it: [share, colour] from worst to best."""
    ramp = palette(theme).ramp
    return [[i / (len(ramp) - 1), hex_colour] for i, hex_colour in enumerate(ramp)]


def template(theme: Theme) -> dict[str, Any]:
    """Return the plotly template of a theme: transparent ground, faint grid, no frame, the page's own font.

    A plain dictionary: a Template object is copied property by property into every figure.
    """
    tones = palette(theme)
    axis = {
        "gridcolor": tones.grid, "zerolinecolor": tones.grid, "linecolor": tones.grid, "ticks": "",
        "tickfont": {"color": tones.muted, "size": 12}, "title": {"font": {"color": tones.muted, "size": 12}},
    }  # fmt: skip
    layout = {
        "font": {"family": FONT, "color": tones.text, "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(tones.families.values()),
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {
            "align": "left", "bgcolor": tones.ground, "bordercolor": tones.muted,
            "font": {"family": FONT, "color": tones.text, "size": 13},
        },
        "legend": {"font": {"color": tones.muted, "size": 12}, "itemclick": False, "itemdoubleclick": False},
        "dragmode": False,
    }  # fmt: skip
    return {"layout": layout}


def _channels(hex_colour: str) -> tuple[int, int, int]:
    return int(hex_colour[1:3], 16), int(hex_colour[3:5], 16), int(hex_colour[5:7], 16)


def _luminance(hex_colour: str) -> float:
    shares = [channel / 255 for channel in _channels(hex_colour)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
