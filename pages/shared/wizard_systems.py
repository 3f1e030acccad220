"""The import of another system's answers: dataset and file, then what the columns hold."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import OptionError, TrilensError
from core.figures.notation import count
from core.services import browsing, system_wizard
from core.services.cautions import Finding
from core.services.system_drafts import SystemChoice, SystemDraft
from pages.shared import chrome
from pages.shared.datasets_address import asked, follow, go, leave
from pages.shared.wizard_columns import samples
from pages.shared.wizard_file import TABLES, Taking, choose_file, size_text
from pages.shared.wizard_parts import attempt, go_to_check, say_problem
from pages.shared.wizard_systems_report import done, report

#: this import, as the URL says it
PATH = "systems"
#: field → its label and what it is for, in the order people think of them
_FIELDS = {
    "answer": ("Answer (required)", "What your system said. An empty one counts as failed, a refusal as an answer."),
    "id": ("Question id", "The ids of the dataset, which its export holds. Without them the question's text decides."),
    "question": ("Question", "Its text, as it stands in the dataset. Not needed where there are ids."),
    "contexts": (
        "Contexts",
        "The passages that the answer was made from: a text, a list of texts, or objects with text and document_id. "
        "Without them no relation can be told, so that LRCR and OPI are not applicable.",
    ),
    "citations": ("Citations", "The numbers of the contexts cited; not needed where answers hold markers such as [1]."),
}
_NOT_THERE = "not in this file"


def draft() -> SystemDraft | None:
    """Return the import that the URL names; one that is gone is said."""
    identifier = asked("draft")
    if not identifier:
        return None
    try:
        return system_wizard.draft(identifier)
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def steps(found: SystemDraft) -> None:
    """Draw the step that the URL and the draft say, after the first."""
    if found.stored:
        done(found)
    elif asked("step") == "check":
        report(found)
    else:
        _columns(found)


def begin() -> None:
    """Step 1: the dataset that was answered, and the file."""
    st.header("Step 1 of 3: choose a dataset and a file", anchor=False)
    chrome.finding("One file with what your own system answered to the questions of a dataset that is stored here.")
    titles = _titles()
    if not titles:
        st.text("No dataset is stored yet: import its questions and documents first, then what your system answered.")
        return
    st.text(
        "A row a question: its id or its text, the answer, and the contexts that the answer was made from. CSV, TSV, "
        "Excel, JSON, JSON Lines or Parquet, packed with gzip or not. The system then stands beside the retrievers in "
        "every new run on the dataset."
    )
    key, value = "wizard-answers-of", asked("of")
    if value and value not in titles:
        chrome.problem(OptionError(f"No dataset '{value[:80]}' is stored here: choose one of those offered."))
    dataset = value if value in titles else next(iter(titles))
    follow(key, dataset)
    st.selectbox(
        "Dataset whose questions were answered", list(titles), key=key, format_func=_shown(titles), width=420,
        on_change=lambda: go(of=st.session_state[key]),
    )  # fmt: skip
    choose_file(
        Taking(
            "wizard-answers",
            TABLES,
            upload=lambda stream, name: system_wizard.upload(stream, name, dataset).id,
            choose=lambda root, path: system_wizard.choose(root, path, dataset).id,
            arrive=lambda identifier: leave(view="import", path=PATH, draft=identifier),
        )
    )


def _columns(found: SystemDraft) -> None:
    """Step 2: dataset, mapping and samples; every choice is kept beside the file at once."""
    st.header("Step 2 of 3: say what the columns hold", anchor=False)
    titles = _titles()
    chosen = found.choice if found.choice.dataset in titles else SystemChoice("", found.choice.mapping)
    fault = system_wizard.fault(chosen)
    about = f"{found.called} ({size_text(found.size)}, {count(len(found.columns), 'column')})"
    chrome.finding(
        f"{about}: {fault[:1].lower()}{fault[1:]}"
        if fault
        else f"{about} is read as chosen here; columns are guessed by their names at first."
    )
    chrome.findings("wizard-notes", [Finding(note, "note") for note in found.notes])
    say_problem()
    left, right = st.columns([2, 3], gap="large")
    with left:
        _choices(found, chosen, titles)
    with right:
        samples(found.columns)
    st.button(
        "Check the whole file", key="wizard-check", type="primary", icon=":material/fact_check:",
        disabled=bool(fault), on_click=_check, args=(found,),
    )  # fmt: skip


def _choices(found: SystemDraft, chosen: SystemChoice, titles: dict[str, str]) -> None:
    names = [column.name for column in found.columns]
    key = f"wizard-answers-of-{found.id}"
    follow(key, chosen.dataset)
    st.selectbox(
        "Dataset whose questions were answered", list(titles) if chosen.dataset else ["", *titles], key=key,
        format_func=_shown(titles), on_change=_take, args=(found,),
    )  # fmt: skip
    for field, (label, help_text) in _FIELDS.items():
        key = f"wizard-field-{found.id}-{field}"
        column = chosen.mapping.get(field, "")
        follow(key, column if column in names else "")
        st.selectbox(
            label, ["", *names], key=key, help=help_text, on_change=_take, args=(found,),
            format_func=lambda one, empty="choose a column" if field == "answer" else _NOT_THERE: one or empty,
        )  # fmt: skip


def _take(found: SystemDraft) -> None:
    """Keep what is chosen now; what the browser sent is checked there."""
    state, before = st.session_state, found.choice
    mapping = {
        field: state.get(f"wizard-field-{found.id}-{field}", before.mapping.get(field, "")) or "" for field in _FIELDS
    }
    dataset = state.get(f"wizard-answers-of-{found.id}", before.dataset) or ""
    attempt(lambda: system_wizard.decide(found.id, SystemChoice(dataset, mapping)))


def _check(found: SystemDraft) -> None:
    stopped = found.report is not None and bool(found.report.problem)
    go_to_check((lambda: system_wizard.forget(found.id)) if stopped else None)


def _titles() -> dict[str, str]:
    """Return the stored datasets, newest first, with what people read."""
    return {one.name: one.title for one in browsing.stored_datasets()}


def _shown(titles: dict[str, str]) -> Callable[[str], str]:
    """Return how a dataset is offered; two of one title differ by their names."""

    def shown(name: str) -> str:
        title = titles.get(name, "")
        return (title if title == name else f"{title} ({name})") if title else "choose a dataset"

    return shown
