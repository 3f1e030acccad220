"""A question or a document that is open: its text with evidence marked, and everything it is labelled with."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.figures.notation import count
from core.schema import Nugget, Question
from core.services.browsing import OpenedDocument, OpenedQuestion
from core.services.evidence import shortened
from core.taxonomy.trees import Tree
from core.text.tokens import count_words
from pages.shared import chrome
from pages.shared import question_markup as markup
from pages.shared.datasets_address import chosen_row, follow, go, number_asked

#: characters of a document that are shown at once, and of what else is known of it
_PART, _MOST_REST = 20_000, 20_000


def opened_question(view: OpenedQuestion, open_document: Callable[[str], None]) -> None:
    """Draw a question, its answer and labels, and its documents with the evidence marked."""
    asked = view.question
    markup.draw(markup.heading(asked.question, 3))
    chrome.small("datasets-question-facts", " · ".join(_facts(asked)))
    if asked.answer:
        markup.draw(markup.heading("Reference answer", 4))
        st.text(asked.answer)
    if asked.categories:
        markup.draw(markup.heading("Categories", 4))
        st.text("\n".join(_path(dimension, node, view.trees) for dimension, node in asked.categories.items()))
    if asked.nuggets:
        title = f"{count(len(asked.nuggets), 'nugget')} that a full answer needs"
        markup.draw(markup.heading(title, 4), *(_nugget(nugget) for nugget in asked.nuggets))
    if asked.judged:
        judged = f"{count(len(asked.judged), 'document')} judged for it, known by the ids of their collection."
        chrome.small("datasets-question-judged", judged)
    for place, opened in enumerate(view.documents):
        document = opened.document
        marked = any(piece.marked for piece in opened.pieces)
        of = f" {place + 1} of {len(view.documents)}" if len(view.documents) > 1 else ""
        markup.draw(markup.heading(f"Document{of}: {document.title or document.id}", 4))
        chrome.small(
            f"datasets-question-document-{place}",
            "Underlined on yellow: the evidence." if marked else "No evidence is marked in it.",
        )
        _marked(opened, place)
        st.button(
            "Open the document", key=f"datasets-open-document-{place}", icon=":material/article:", type="tertiary",
            on_click=open_document, args=(document.id,),
        )  # fmt: skip
    _rest(asked.meta, "question")


def opened_document(view: OpenedDocument, open_question: Callable[[str], None]) -> None:
    """Draw a document and the questions that are asked on it."""
    document = view.document
    markup.draw(markup.heading(document.title or document.id, 3))
    language = document.language or "language unknown"
    words = count(count_words(document.text), "word")
    chrome.small("datasets-document-facts", " · ".join((f"document {document.id}", words, language)))
    _parts(document.text)
    if not view.n_questions:
        st.text("No question is asked on it: it only competes with other documents in corpus scope.")
    else:
        _questions(view, open_question)
    _rest(document.meta, "document")


def _facts(asked: Question) -> list[str]:
    facts = [f"question {asked.id}", f"relation {asked.relation}" if asked.relation else "no relation"]
    return facts + ([f"split {asked.split}"] if asked.split else [])


def _path(dimension: str, node: str, trees: Mapping[str, Tree]) -> str:
    """Return "QC: simple › single_fact"."""
    tree = trees.get(dimension)
    above = tree.ancestors(node)[::-1] if tree and node in tree.parents else ()
    return f"{dimension}: {' › '.join((*above, node))}"


def _nugget(nugget: Nugget) -> markup.Markup:
    inferred = "" if nugget.stated else ", to be inferred"
    parts = [markup.bold(f"{nugget.importance}{inferred}: "), markup.plain(nugget.text)]
    if nugget.answers:
        which = "any of" if nugget.aggregator == "OR" else "all of"
        parts += [markup.line_break(), markup.plain(f"{which}: {'; '.join(one.text for one in nugget.answers)}")]
    return markup.paragraph(*parts)


def _marked(opened: OpenedDocument, place: int) -> None:
    """Draw a document with its evidence; of a very long one, what is marked and what is near it."""
    shown, left_out = shortened(opened.pieces, _PART)
    with st.container(border=True):
        markup.draw(markup.paragraph(markup.marked(shown)))
    if left_out:
        chrome.small(f"datasets-cut-{place}", f"{left_out:,} of its characters are left out; the document has all.")


def _parts(text: str) -> None:
    """Draw a document's text, a very long one part by part."""
    n_parts = max(1, math.ceil(len(text) / _PART))
    number = min(number_asked("part"), n_parts)
    with st.container(border=True):
        markup.draw(markup.paragraph(markup.plain(text[(number - 1) * _PART : number * _PART])))
    if n_parts > 1:
        key = f"datasets-part-{n_parts}"
        follow(key, number)
        st.pagination(n_parts, key=key, on_change=lambda: go(part=str(st.session_state[key])))


def _questions(view: OpenedDocument, open_question: Callable[[str], None]) -> None:
    rows, key = view.questions, f"datasets-asked-{view.document.id}"
    shown = f" (the first {len(rows)})" if len(rows) < view.n_questions else ""
    markup.draw(markup.heading(f"{count(view.n_questions, 'question')} on it{shown}", 4))

    def take() -> None:
        row = chosen_row(key, len(rows))
        if row is not None:
            open_question(rows[row]["id"])

    table = {"Question": [row["question"] for row in rows]}
    if any(row["relation"] for row in rows):
        table["Relation"] = [row["relation"] for row in rows]
    st.dataframe(
        table, hide_index=True, key=key, on_select=take, selection_mode="single-row",
        column_config={"Question": st.column_config.TextColumn(width=380)},
        alt="Questions asked on this document; tick a row to open one",
    )  # fmt: skip


def _rest(meta: Mapping[str, Any], noun: str) -> None:
    """Offer what else the file says of it, as it was read."""
    if meta:
        with st.expander(f"What else the file says of this {noun}", icon=":material/data_object:"):
            st.code(json.dumps(meta, ensure_ascii=False, indent=2)[:_MOST_REST], language="json", wrap_lines=True)
