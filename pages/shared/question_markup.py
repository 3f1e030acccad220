"""Texts of datasets with marks and links inside them, the one place where such text becomes HTML.

Streamlit's own elements cannot mark a stretch of a text without reading the rest of it as Markdown. Safe by
construction: every text passes ``plain``, which escapes all that HTML gives a meaning, and stands between tags only;
attributes are made of whole numbers. (Streamlit sanitises besides.)
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NewType

import streamlit as st

from core.services.evidence import Piece

#: HTML in which every text is escaped
Markup = NewType("Markup", str)


def draw(*parts: Markup) -> None:
    """Show markup; nothing for none."""
    if body := "".join(parts):
        st.html(body)


def plain(text: str) -> Markup:
    """Return a text as it is, its line breaks kept."""
    lines = html.escape(text, quote=True).replace("\r\n", "\n").replace("\r", "\n")
    return Markup(lines.replace("\n", "<br>"))


def bold(text: str) -> Markup:
    """Return a text in bold."""
    return Markup(f"<b>{plain(text)}</b>")


def heading(text: str, level: int) -> Markup:
    """Return a text as a heading, ``level`` from 2 to 6."""
    return Markup(f"<h{int(level)}>{plain(text)}</h{int(level)}>")


def paragraph(*parts: Markup) -> Markup:
    """Return parts as one paragraph."""
    return Markup(f"<p>{''.join(parts)}</p>")


def line_break() -> Markup:
    """Return the end of a line within a paragraph."""
    return Markup("<br>")


def marked(pieces: Iterable[Piece]) -> Markup:
    """Return pieces of a text, the marked ones on a ground of their own and underlined: colour alone tells nobody."""
    return Markup("".join(f"<mark><u>{plain(p.text)}</u></mark>" if p.marked else plain(p.text) for p in pieces))


def link(column: int, place: int) -> Markup:
    """Return "[place]" that leads to the passage of that place in that column."""
    return Markup(f' <a href="#passage-{int(column)}-{int(place)}">[{int(place)}]</a>')


def target(column: int, place: int, *parts: Markup) -> Markup:
    """Return parts as the passage that ``link`` leads to."""
    return Markup(f'<div id="passage-{int(column)}-{int(place)}">{"".join(parts)}</div>')
