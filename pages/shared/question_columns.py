"""One configuration's answer to a question beside the others': scores, sentences with citations, passages in order."""

from __future__ import annotations

import streamlit as st

from core.figures.notation import count, decimal
from core.services.passages import Retrieved, RetrievedPassage
from core.services.question_findings import evidence_words, order_words
from core.services.questions import Outcome
from pages.shared import question_markup as markup
from pages.shared.question_markup import Markup

_HOLDS = {"all": "holds complete evidence", "some": "holds part of the evidence"}


def column(number: int, outcome: Outcome, found: Retrieved, relation: str | None) -> None:
    """Draw a configuration as the column of that number, which its citations lead within."""
    with st.container(border=True):
        markup.draw(markup.heading(outcome.label, 3))
        st.text("\n".join(_facts(outcome, relation)))
        of = f", the first of {len(outcome.repeats)}; scores are their means" if outcome.repeats else ""
        markup.draw(markup.heading(f"Answer{of}", 4), *_answer(number, outcome))
        _others(outcome)
        if found.missing:
            markup.draw(
                markup.heading("Evidence that no passage holds", 4),
                *(markup.paragraph(markup.plain(quote)) for quote in found.missing),
            )
        title = f"{count(len(found.passages), 'passage')}, {order_words(outcome.id)}"
        markup.draw(markup.heading(title, 4), *(_passage(number, one) for one in found.passages))


def _facts(outcome: Outcome, relation: str | None) -> list[str]:
    facts = [] if outcome.state == "scored" else [f"State: {outcome.state}"]
    if outcome.similarity is not None:
        facts.append(f"BERTSim {decimal(outcome.similarity)}")
    if outcome.predicted:
        asked = f", {outcome.verdict}" if outcome.verdict else ""
        instead = f" (asked: {relation})" if relation and outcome.verdict == "wrong" else ""
        facts.append(f"Relation {outcome.predicted}{asked}{instead}")
    elif outcome.verdict:
        facts.append(f"Relation {outcome.verdict}: a refusal has none (asked: {relation})")
    if held := evidence_words(outcome.evidence):
        facts.append(f"Passages hold {held}")
    facts.append(f"Handed over: {count(outcome.words, 'word')}, {count(outcome.n_sentences, 'sentence')}")
    return facts


def _answer(number: int, outcome: Outcome) -> list[Markup]:
    if not outcome.sentences:
        return [markup.paragraph(markup.plain("There is none."))]
    parts = []
    for sentence, places in outcome.sentences:
        cited = [markup.link(number, place) if place else markup.plain(" [not retrieved]") for place in places]
        parts.append(markup.paragraph(markup.plain(sentence), *cited))
    if outcome.cut:
        parts.append(markup.paragraph(markup.bold("Cut off at the bound of tokens")))
    if outcome.refused:
        parts.insert(0, markup.paragraph(markup.bold("Refused")))
    return parts


def _others(outcome: Outcome) -> None:
    """Show the further answers of a model that was asked several times, each with its scores."""
    if not outcome.repeats:
        return
    with st.expander(f"The other {count(len(outcome.repeats) - 1, 'answer')}"):
        for number, one in enumerate(outcome.repeats[1:], start=2):
            facts = [f"BERTSim {decimal(one.similarity)}"] if one.similarity is not None else []
            facts += [f"relation {one.predicted}"] if one.predicted else []
            facts += ["cut off at the bound of tokens"] if one.cut else []
            st.text(f"{number}. {one.text or 'There is none.'}" + (f" ({', '.join(facts)})" if facts else ""))


def _passage(number: int, passage: RetrievedPassage) -> Markup:
    title = f"[{passage.place}] {passage.title or passage.id}"
    note = _HOLDS.get(passage.holds or "", "")
    about = " · ".join(part for part in (passage.id, note) if part)
    text = markup.marked(passage.pieces) if passage.pieces else markup.plain(f"No text: {passage.problem}.")
    return markup.target(
        number,
        passage.place,
        markup.paragraph(markup.bold(title), markup.line_break(), markup.plain(about)),
        markup.paragraph(text),
    )
