"""Step 2 of the import: which format, and which column holds what, with samples of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.datasets.importers.preview import REQUIRED, Column
from core.figures.notation import count, listed
from core.services import wizard
from core.services.cautions import Finding
from core.services.drafts import Choice, Draft
from pages.shared import chrome
from pages.shared.datasets_address import follow
from pages.shared.wizard_file import size_text
from pages.shared.wizard_parts import attempt, go_to_check, say_problem

#: format → what people call it
FORMATS = {
    "table": "a table: question, answer and text in columns",
    "rag12000": "RAG-Dataset-12000: with logical relations and extracted sentences",
    "datamorgana": "DataMorgana: question-answer pairs with categories",
    "trilens": "a Trilens folder",
}
#: field → its label and what it is for, in the order people think of them
_FIELDS = {
    "question": ("Question", "The question as people ask it."),
    "answer": ("Answer", "The reference: what a right answer says."),
    "context": ("Text", "The document that the question is asked on, or a list of documents."),
    "document_id": ("Document id", "Without it, equal texts are one document."),
    "relation": ("Relation", "The logical relation; needed for LRCR and OPI on the Logic page."),
    "evidence": ("Evidence", "Sentences of the text that hold the answer; they are looked up in it."),
    "split": ("Split", "train or test; anything else is kept aside."),
    "id": ("Question id", "Without it, a question is known by its row."),
}
_CHOOSE, _NOT_THERE = "choose a column", "not in this file"


def columns(found: Draft) -> None:
    """Draw format, mapping and samples; every choice is kept beside the upload at once."""
    st.header("Step 2 of 3: say what the columns hold", anchor=False)
    missing = [_FIELDS[one][0].lower() for one in REQUIRED.get(found.choice.format, ()) if not _column(found, one)]
    chrome.finding(_finding(found, missing))
    chrome.findings("wizard-notes", [Finding(note, "note") for note in found.notes])
    say_problem()
    left, right = st.columns([2, 3], gap="large") if found.is_mapped else (st.container(), st.container())
    with left:
        _formats(found)
        if found.is_mapped:
            _mapping(found)
    with right:
        samples(found.columns)
    st.button(
        "Check the whole file", key="wizard-check", type="primary", icon=":material/fact_check:",
        disabled=bool(missing), on_click=_check, args=(found,),
    )  # fmt: skip


def _finding(found: Draft, missing: list[str]) -> str:
    about = f"{found.called} ({size_text(found.size)}, {count(len(found.columns), 'column')})"
    if not found.is_mapped:
        return f"{about} is {FORMATS[found.choice.format]}, whose fields have fixed names: nothing to choose."
    if missing:
        return f"{about}: choose the column of the {listed(missing)}."
    return f"{about} is read as chosen here; columns are guessed by their names at first."


def _column(found: Draft, field: str) -> str:
    return found.choice.mapping.get(field, "")


def _formats(found: Draft) -> None:
    if len(found.formats) < 2:
        return
    key = f"wizard-format-{found.id}"
    follow(key, found.choice.format)
    st.selectbox(
        "Format", found.formats, format_func=lambda one: FORMATS.get(one, one), key=key, on_change=_take, args=(found,)
    )


def _mapping(found: Draft) -> None:
    """Draw a choice for every field, the required ones first, and one for the category columns."""
    names = [column.name for column in found.columns]
    required = REQUIRED[found.choice.format]
    fields = [*required, *(one for one in _FIELDS if one not in required)]
    for first in range(0, len(fields), 2):
        for place, field in zip(st.columns(2), fields[first : first + 2], strict=False):
            key = f"wizard-field-{found.id}-{field}"
            chosen = _column(found, field)
            follow(key, chosen if chosen in names else "")
            label, help_text = _FIELDS[field]
            place.selectbox(
                f"{label} (required)" if field in required else label, ["", *names], key=key, help=help_text,
                format_func=_shown(field in required), on_change=_take, args=(found,),
            )  # fmt: skip
    key = f"wizard-categories-{found.id}"
    follow(key, [name for name in found.choice.categories if name in names])
    st.multiselect(
        "Categories (a dimension each)", names, key=key, on_change=_take, args=(found,), placeholder=_NOT_THERE,
        help="Needed for Granularity: complexity, type of answer, or whatever your questions are sorted by.",
    )  # fmt: skip


def _shown(required: bool) -> Callable[[str], str]:
    return lambda one: one or (_CHOOSE if required else _NOT_THERE)


def _take(found: Draft) -> None:
    """Keep what is chosen now; what the browser sent is checked there."""
    state = st.session_state
    mapping = {field: state.get(f"wizard-field-{found.id}-{field}", _column(found, field)) for field in _FIELDS}
    categories = state.get(f"wizard-categories-{found.id}", found.choice.categories)
    chosen = Choice(state.get(f"wizard-format-{found.id}", found.choice.format), mapping, tuple(categories))
    attempt(lambda: wizard.decide(found.id, chosen))


def _check(found: Draft) -> None:
    stopped = found.report is not None and bool(found.report.problem)
    go_to_check((lambda: wizard.forget(found.id)) if stopped else None)


def samples(columns: Sequence[Column]) -> None:
    """Draw a table of the file's columns, each with up to three of its values."""
    rows = [(column.name, *column.samples, "", "", "")[:4] for column in columns]
    table = pd.DataFrame.from_records(rows, columns=["Column", "A value", "Another", "A third"])
    st.dataframe(
        table, hide_index=True, key="wizard-samples", height=min(len(table), 14) * 35 + 38,
        column_config={name: st.column_config.TextColumn(width=150) for name in table.columns[1:]},
        alt="The file's columns, each with up to three of its values",
    )  # fmt: skip
