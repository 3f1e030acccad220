"""What a rater compares: question, reference and produced answer side by side, passages folded. Nothing else of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.services.evidence import Piece
from core.services.word_differences import differing_words
from pages.shared import question_markup as markup


def draw_item(question: str, reference: str, produced: str, *, marks: bool) -> None:
    """Show an item as text; ``marks`` underlines the words that stand in one of the two answers only."""
    st.subheader("Question", anchor=False)
    st.text(question)
    left, right = differing_words(reference, produced) if marks else ((Piece(reference),), (Piece(produced),))
    columns = st.columns(2, border=True)
    for column, title, pieces in zip(columns, ("Reference answer", "Produced answer"), (left, right), strict=True):
        with column:
            st.subheader(title, anchor=False)
            if any(piece.text.strip() for piece in pieces):
                markup.draw(markup.paragraph(markup.marked(pieces)))
            else:
                st.text("This answer is empty.")


def draw_passages(key: str, passages: Sequence[str]) -> None:
    """Offer the passages, folded; without the place or score a retriever gave them."""
    if not passages:
        return
    with st.expander(f"Passages ({len(passages)})", key=key):
        for place, passage in enumerate(passages):
            if place:
                st.divider()
            st.text(passage)
