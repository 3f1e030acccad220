"""Definitions one click away: a measure's card from the one record that reports and URLs use too."""

from __future__ import annotations

import streamlit as st

from core.metrics.cards import metric_card

_BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}


def cards(key: str, question: str, *measures: str) -> None:
    """Offer the cards of some measures behind ``question``."""
    with st.popover(question, icon=":material/help:", type="tertiary", key=f"{key}-cards"):
        for measure in measures:
            card = metric_card(measure)
            low, high = card.range
            st.text(f"{card.name}, {card.symbol}")
            st.code(card.formula, language=None, wrap_lines=True)
            ends = f"at least {low:g}" if high == float("inf") else f"from {low:g} to {high:g}".replace("-", "−")
            st.text(
                f"{card.unit}, {ends}, {_BETTER[card.direction]}\n"
                f"Aggregation: {card.aggregation}\n"
                f"Needs: {card.needs}\n"
                f"Does not see: {card.blind_spots}\n"
                f"Source: {card.source}"
            )
