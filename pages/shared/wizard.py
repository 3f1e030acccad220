"""The import, step by step: choose a file, say what its columns hold, see what that gives, store it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from core.services import wizard
from core.services.drafts import Draft
from core.services.judged_drafts import JudgedDraft
from core.services.system_drafts import SystemDraft
from pages.shared import chrome, wizard_judged, wizard_systems
from pages.shared.datasets_address import asked, follow, leave
from pages.shared.wizard_columns import columns
from pages.shared.wizard_file import TABLES, Taking, choose_file
from pages.shared.wizard_parts import PROBLEM
from pages.shared.wizard_report import done, report


def draw() -> None:
    """Draw the step that the URL and the draft say."""
    found = _DRAFTS.get(asked("path"), _draft)()
    with st.container(horizontal=True):
        st.button("All datasets", key="wizard-leave", icon=":material/arrow_back:", on_click=leave, type="tertiary")
        if found is not None:
            st.button(
                "Another file", key="wizard-again", icon=":material/upload_file:", type="tertiary", on_click=leave,
                kwargs={"view": "import", "path": asked("path")},
            )  # fmt: skip
    if found is None:
        # what an upload that is gone could not do is no news for the next one
        st.session_state.pop(PROBLEM, None)
        _choose_path()
    elif isinstance(found, SystemDraft):
        wizard_systems.steps(found)
    elif isinstance(found, JudgedDraft):
        wizard_judged.steps(found)
    elif found.stored:
        done(found)
    elif asked("step") == "check":
        report(found)
    else:
        columns(found)


def _draft() -> Draft | None:
    """Return the import that the URL names; one that is gone is said."""
    identifier = asked("draft")
    if not identifier:
        return None
    try:
        return wizard.draft(identifier)
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def _choose_path() -> None:
    """Let one choose what to import, and begin with it."""
    key, value = "wizard-path", asked("path")
    follow(key, value if value in PATHS else "")
    st.segmented_control(
        "What do you bring?", list(PATHS), format_func=lambda path: PATHS[path][0], required=True, key=key,
        on_change=lambda: leave(view="import", path=st.session_state[key] or ""),
    )  # fmt: skip
    PATHS.get(value, PATHS[""])[1]()


def _questions_and_documents() -> None:
    """Step 1: a file from the browser, or one under an import root."""
    st.header("Step 1 of 3: choose a file", anchor=False)
    chrome.finding("One file with your questions, their reference answers and the texts they are asked on.")
    st.text(
        "A row a question: CSV, TSV, Excel, JSON, JSON Lines or Parquet, packed with gzip or not; or a Trilens folder "
        "as a ZIP archive. Columns may be called anything: the next step asks what they hold. Logical relations, "
        "evidence, splits and categories are read where there are columns for them."
    )
    choose_file(
        Taking(
            "wizard",
            (*TABLES, "zip"),
            upload=lambda stream, name: wizard.upload(stream, name).id,
            choose=lambda root, path: wizard.choose(root, path).id,
            arrive=lambda identifier: leave(view="import", draft=identifier),
        )
    )


#: what can be imported, as the URL says it → as people do, and how its import begins
PATHS: dict[str, tuple[str, Callable[[], None]]] = {
    "": ("Questions and documents", _questions_and_documents),
    wizard_systems.PATH: ("Answers of my own system", wizard_systems.begin),
    wizard_judged.PATH: ("Judgments, rankings or responses of others", wizard_judged.begin),
}
_DRAFTS: dict[str, Callable[[], Draft | SystemDraft | JudgedDraft | None]] = {
    wizard_systems.PATH: wizard_systems.draft,
    wizard_judged.PATH: wizard_judged.draft,
}
