"""One question's nuggets under one configuration: who holds which, which sentence says which, what would help."""

from __future__ import annotations

import streamlit as st

from core.figures.notation import count, listed
from core.figures.nugget_matrix import Column, Line, matrix
from core.services.catalogue import RunSummary
from core.services.coverage_question import NuggetMatrices, matrix_sentence
from pages.shared import chrome, coverage_readers, question_readers
from pages.shared import question_markup as markup

#: where StRecall is read when a passage is put in, and at which rank it is put
_K, _RANK = 5, 3


def draw(run: RunSummary, question_id: str, configuration: str, page: str) -> bool:
    """Draw both matrices; return False, and draw nothing, where the run has no coverage of this question."""
    rank = st.session_state.get(f"{page}-rank", _RANK)
    rank = rank if rank in range(1, _K + 1) else _RANK
    found = coverage_readers.matrices(run, question_id, configuration, _K, rank)
    if found is None:
        return False
    st.text(matrix_sentence(found))
    theme = chrome.theme()
    shown = (run.id, run.stamp, question_id, configuration, theme)
    lines = [
        Line(one.text, f"n{place}{'' if one.importance == 'vital' else ' (okay)'}", one.outcome)
        for place, one in enumerate(found.nuggets, start=1)
    ]
    if found.passages:
        passages = [Column(one.head, f"{one.id}: {one.text}" if one.text else one.id) for one in found.passages]
        title = "passages, best first" if not found.no_ranking else "passages, a set without ranks"
        chrome.figure(
            f"{page}-passages",
            "Which passage holds which nugget?",
            lambda narrow: question_readers.chart(
                ("passages", *shown, narrow),
                lambda: matrix(lines, passages, found.held, title, theme, after=found.handed_on, narrow=narrow),
            ),
        )
        if parted := [f"n{place}" for place, one in enumerate(found.nuggets, start=1) if one.needs_all]:
            chrome.small(
                f"{page}-parted",
                f"{listed(parted)} {'needs' if len(parted) == 1 else 'need'} several answers: marked is what holds or "
                "says any of them.",
            )
        _helpful(found, page)
    if found.sentences:
        sentences = [
            Column(str(place), "".join(piece.text for piece in one.pieces))
            for place, one in enumerate(found.sentences, start=1)
        ]
        chrome.figure(
            f"{page}-sentences",
            "Which sentence of the answer says which nugget?",
            lambda narrow: question_readers.chart(
                ("sentences", *shown, narrow),
                lambda: matrix(lines, sentences, found.says, "sentences of the answer", theme, narrow=narrow),
            ),
        )
        _answer(found)
    _nuggets(found)
    return True


def _helpful(found: NuggetMatrices, page: str) -> None:
    if found.no_ranking:
        chrome.small(f"{page}-no-ranking", f"No α-nDCG and StRecall: {found.no_ranking}.")
        return
    if not found.helpful:
        chrome.small(f"{page}-helpful", f"No passage that is known to hold a nugget would raise StRecall@{_K}.")
        return
    st.selectbox("Rank at which a passage is put in", range(1, _K + 1), index=_RANK - 1, key=f"{page}-rank", width=260)
    for place, sentence in enumerate(found.helpful):
        chrome.small(f"{page}-helpful-{place}", sentence)


def _answer(found: NuggetMatrices) -> None:
    """Show the answer's sentences, numbered as in the matrix, words they share with the nuggets they say marked."""
    parts = []
    for place, one in enumerate(found.sentences, start=1):
        cites = f" [{', '.join(one.cites)}]" if one.cites else ""
        parts.append(markup.paragraph(markup.bold(f"{place}. "), markup.marked(one.pieces), markup.plain(cites)))
    markup.draw(*parts)
    chrome.small(
        "matched-words", "Underlined: words shared with the nuggets that the sentence says. [1]: what it cites."
    )


def _nuggets(found: NuggetMatrices) -> None:
    """Show the nuggets whole: the matrix has room for their beginnings only."""
    parts = [
        markup.paragraph(
            markup.bold(f"n{place} "), markup.plain(one.text), markup.line_break(),
            markup.plain(f"{one.importance} · {one.outcome}"),
        )
        for place, one in enumerate(found.nuggets, start=1)
    ]  # fmt: skip
    markup.draw(markup.heading(f"The {count(len(found.nuggets), 'nugget')} in full", 3), *parts)
    if any(one.derived for one in found.nuggets):
        chrome.small("derived", "No evidence is marked for some nuggets: the matcher decided which passages hold them.")
