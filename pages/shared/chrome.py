"""The frame that pages share: access, texts that are never markup, findings, figures in two widths."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.figures.chart import Chart
from core.figures.theme import Theme
from core.services.cautions import Finding
from pages.shared import access

#: the only styles of the product: two widths of every figure, the size of findings and small print, line lengths, and
#: buttons, chips and marked evidence that can be read in both themes
#: (a row of icon and text would scroll by the pixels of the icon's margin)
_STYLE = """<style>
.stMainBlockContainer {container-type: inline-size; max-width: 78rem;}
.st-key-finding .stText {font-size: 1.2rem; line-height: 1.4; max-width: 62rem;}
@container (max-width: 699.9px) {[class*="st-key-wide-"] {display: none;} .st-key-finding .stText {font-size: 1.05rem;}}
@container (min-width: 700px) {[class*="st-key-narrow-"] {display: none;}}
[class*="st-key-note-"] {overflow: hidden;}
[class*="st-key-small"] .stText {font-size: 0.85rem; line-height: 1.4; opacity: 0.8; max-width: 62rem;}
.stMultiSelect [data-tag] {background-color: color-mix(in srgb, currentColor 12%, transparent);}
.stMultiSelect [data-tag], .stMultiSelect [data-tag] * {color: inherit;}
.stApp button[kind="primary"]:enabled, .stApp button[kind="primary"]:enabled * {color: light-dark(#FFFFFF, #14171C);}
.stHtml mark {background-color: color-mix(in srgb, #E69F00 30%, transparent); color: inherit;}
</style>"""
_CLOSE_NOT_FOUND = """<script>
(function close(left) {
  const dialogs = [...document.querySelectorAll('[role="dialog"]')];
  const dialog = dialogs.find((one) => one.innerText.startsWith("Page not found"));
  if (dialog) dialog.querySelector('button[aria-label="Close"]')?.click();
  else if (left > 0) setTimeout(() => close(left - 1), 50);
})(40);
</script>"""
#: a server that was started anew knows nothing of this tab's fragments and lets their reruns pass in silence: a tab
#: that is looked at and has not been drawn for a while loads itself again, as soon as the server answers
_BEAT = """<script>/* %s */
(function arm(wait, strikes) {
  clearTimeout(window.trilensBeat);
  window.trilensBeat = setTimeout(async () => {
    if (!document.querySelector(".st-key-beat")) return;
    if (document.hidden || strikes === 0) return arm(4000, 1);
    const answer = await fetch("_stcore/health").catch(() => null);
    if (answer && answer.ok && document.querySelector(".st-key-beat")) location.reload(); else arm(4000, 1);
  }, wait);
})(8000, 0);
</script>"""
#: what Markdown, and Streamlit's colours, icons and formulas in it, give a meaning
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~:$&^=])")
_ICONS = {"result": ":material/insights:", "caution": ":material/warning:", "note": ":material/info:"}


def require(role: access.Role) -> access.Visitor:
    """Return the visitor, or stop the page with a sentence where their role does not reach ``role``."""
    found = access.visitor()
    if not found.may(role):
        st.error(found.reason or f"This page is for the role {role}.", icon=":material/lock:")
        st.stop()
    return found


def refusal() -> None:
    """Say why the dashboard stays closed."""
    st.error(access.visitor().reason, icon=":material/lock:")


def is_first_request() -> bool:
    """Return whether this process has not called st.navigation yet. To be asked before it is called."""
    return bool(PagesManager.uses_pages_directory)


def style(*, close_not_found: bool = False) -> None:
    """Add the product's few styles; called once, by the entry.

    ``close_not_found``: on a server's first request Streamlit looks for pages directly in pages/, finds none for the
    address, and tells the browser "Page not found" before the entry runs and draws the right page under that dialog.
    """
    st.html(_STYLE)
    if close_not_found:
        st.sidebar.html(_CLOSE_NOT_FOUND, unsafe_allow_javascript=True)


def beat() -> None:
    """Let this tab load itself again when its server was restarted; to be called in a fragment that runs on its own."""
    with st.container(key="beat"):
        st.html(_BEAT % time.time(), unsafe_allow_javascript=True)


def theme() -> Theme:
    """Return the theme the browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


def problem(error: Exception) -> None:
    """Show what a user can put right, as text."""
    with st.container(border=True):
        st.badge("This did not work", icon=":material/error:", color="red")
        st.text(str(error))


def finding(text: str) -> None:
    """Show the page's finding, large, as text."""
    with st.container(key="finding"):
        st.text(text)


def small(key: str, text: str) -> None:
    """Show small print as text."""
    with st.container(key=f"small-{key}"):
        st.text(text)


def as_label(text: str) -> str:
    """Return a text of data as headings and labels, which read Markdown, show it letter by letter."""
    return _MARKDOWN.sub(r"\\\1", text)


def findings(key: str, entries: Iterable[Finding]) -> None:
    """List findings, each with its mark, as text."""
    for place, entry in enumerate(entries):
        with st.container(horizontal=True, gap="small", wrap=False, key=f"note-{key}-{place}"):
            st.markdown(_ICONS[entry.kind], width="content")
            st.text(entry.text, width="stretch")


def reproduce(command: str, provenance: Mapping[str, Any]) -> None:
    """Offer the command that computes the same tables, and everything the run depends on."""
    with st.popover("Reproduce", icon=":material/terminal:", width="content"):
        st.text("This command computes the same tables and rankings:")
        st.code(command, language=None, wrap_lines=True)
        st.text("What the run depends on:")
        st.json(_brief(provenance), expanded=1)


def _brief(value: Any) -> Any:
    """Return nested values with long lists (question ids) replaced by their length."""
    if isinstance(value, Mapping):
        return {key: _brief(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_brief(one) for one in value] if len(value) <= 40 else f"{len(value):,} entries"
    return value


def figure(
    key: str,
    title: str,
    draw: Callable[[bool], Chart],
    sentence: str = "",
    on_select: Callable[[Any], None] | None = None,
) -> None:
    """Draw a figure under its title for wide and for narrow pages (the browser shows the one that fits), then its key.

    ``draw(narrow)`` returns the chart; ``sentence`` says in plain words what it shows for this data. ``on_select`` is
    called before the rerun with the ``customdata`` of a point that was clicked: as the browser sent it, unchecked.
    """
    st.header(title, anchor=False)
    for width, narrow in (("wide", False), ("narrow", True)):
        chart = draw(narrow)
        plot = f"{width}-{key}-plot"
        clicks: dict[str, Any] = {}
        if on_select is not None:
            clicks = {"on_select": partial(_clicked, plot, on_select), "selection_mode": "points"}
        with st.container(key=f"{width}-{key}", gap="xsmall"):
            st.plotly_chart(
                chart.figure,
                key=plot,
                theme=None,
                alt=chart.alt,
                **clicks,
                config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "showTips": False},
            )
            if chart.key:
                small(f"{width}-{key}", " · ".join(chart.key))
    if sentence:
        st.text(sentence)


def _clicked(plot: str, on_select: Callable[[Any], None]) -> None:
    """Pass on what was clicked; a click that only ends a selection passes nothing."""
    points = st.session_state[plot].selection.points
    if points and points[0].get("customdata") is not None:
        on_select(points[0]["customdata"])
