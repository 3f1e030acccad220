"""The buttons of the Annotate page, each with its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.shared import annotate_keys as keys

#: what a press does: called with the assignment, its token and, for a score, the score
Press = Callable[..., None]


def draw_scores(scale: Sequence[float], assignment: str, token: str, press: Press, *, keys_rest: bool) -> None:
    """Draw one button a score in one row, on a phone too; ``press`` gets assignment, token and score.

    ``keys_rest`` takes the keys away while a dialog is open.
    """
    with st.container(horizontal=True, gap="small", wrap=False, key="annotate-scores"):
        for score in scale:
            st.button(
                keys.as_score(score),
                key=keys.widget_key(f"score-{keys.as_score(score)}", assignment, token),
                shortcut=None if keys_rest else keys.score_key(score, scale),
                on_click=press,
                args=(assignment, token, score),
                type="primary",
                width="stretch",
            )


def draw_action(
    label: str, action: str, assignment: str, token: str, press: Press, *, shortcut: str | None, disabled: bool = False
) -> None:
    """Draw one further button; ``press`` gets assignment and token."""
    st.button(
        label, key=keys.widget_key(action, assignment, token), shortcut=shortcut, on_click=press,
        args=(assignment, token), disabled=disabled, width="stretch",
    )  # fmt: skip
