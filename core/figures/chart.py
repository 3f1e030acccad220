"""What a figure function returns, and the text rules every figure keeps."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class Chart:
    """A plotly ``figure`` with what a reader needs beside it.

    ``alt`` says in one or two sentences what the figure shows (for screen readers and exports). ``key`` explains the
    marks that do occur in it, one sentence each, in plain text.
    """

    figure: Any
    alt: str
    key: tuple[str, ...] = ()


def assemble(traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> Any:
    """Return the plotly figure of plain traces and layout.

    Plotly's own check of every property takes five times as long as all the rest of a figure and a rerun draws several
    of them, so it is left out here; the tests of core/figures check every figure once.
    """
    return go.Figure(list(traces), layout, _validate=False)


def plain(text: str) -> str:
    """Return ``text`` so that plotly draws it literally: plotly reads tags and entities in labels and hovers."""
    return html.escape(" ".join(text.split()), quote=False)


def shorten(text: str, most: int) -> str:
    """Return ``text`` cut to ``most`` characters at most, the last one an ellipsis where something is missing."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def wrapped(text: str, width: int) -> str:
    """Return ``text`` escaped and broken into lines of about ``width`` characters, for hovers."""
    if len(text) <= width:  # thousands of short lines a figure: textwrap would take most of its time
        return plain(text)
    return "<br>".join(plain(line) for line in textwrap.wrap(text, width)) if text else ""
