"""The import, step by step: choose a file, say what its columns hold, see what that gives, store it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import roots, wizard
from core.services.drafts import Draft
from pages.shared import chrome
from pages.shared.datasets_address import asked, leave
from pages.shared.wizard_columns import columns
from pages.shared.wizard_report import done, report

#: what can be imported → how its import begins. The choice is offered as soon as there are two.
PATHS: dict[str, Callable[[], None]] = {}
#: 512 MB, the server's own limit, would be shown as 1 GB
_LARGEST_MB = 500
_ENDINGS = ["csv", "tsv", "tab", "xlsx", "json", "jsonl", "ndjson", "parquet", "txt", "gz", "zip"]


def draw() -> None:
    """Draw the step that the URL and the draft say."""
    found = _draft()
    with st.container(horizontal=True):
        st.button("All datasets", key="wizard-leave", icon=":material/arrow_back:", on_click=leave, type="tertiary")
        if found is not None:
            st.button(
                "Another file", key="wizard-again", icon=":material/upload_file:", type="tertiary", on_click=leave,
                kwargs={"view": "import"},
            )  # fmt: skip
    if found is None:
        _choose_path()
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
    """Let one choose what to import, where there is a choice."""
    names = list(PATHS)
    picked = names[0]
    if len(names) > 1:
        picked = st.segmented_control("What do you bring?", names, default=picked, required=True, key="wizard-path")
    PATHS.get(str(picked), _questions_and_documents)()


def _questions_and_documents() -> None:
    """Step 1: a file from the browser, or one under an import root."""
    st.header("Step 1 of 3: choose a file", anchor=False)
    chrome.finding("One file with your questions, their reference answers and the texts they are asked on.")
    st.text(
        "A row a question: CSV, TSV, Excel, JSON, JSON Lines or Parquet, packed with gzip or not; or a Trilens folder "
        "as a ZIP archive. Columns may be called anything: the next step asks what they hold. Logical relations, "
        "evidence, splits and categories are read where there are columns for them."
    )
    offered = roots.offered_files()
    left, right = st.columns(2, gap="large") if offered else (st.container(), None)
    with left:
        _upload()
    if right is not None:
        with right:
            _on_server(offered)


def _upload() -> None:
    file = st.file_uploader("A file of yours", type=_ENDINGS, key="wizard-file", max_upload_size=_LARGEST_MB)
    if file is None:
        return
    key = "wizard-refused"
    if st.session_state.get(key, ("", ""))[0] != file.file_id:
        try:
            with st.spinner("Keeping the file and looking at its first rows", show_time=True):
                found = wizard.upload(file, file.name)
        except TrilensError as problem:
            # said again on every rerun, without reading the file again
            st.session_state[key] = (file.file_id, str(problem))
        else:
            leave(view="import", draft=found.id)
            st.rerun()
    chrome.problem(TrilensError(st.session_state[key][1]))


def _on_server(offered: list[roots.Offered]) -> None:
    picked = st.selectbox(
        f"Or one of {count(len(offered), 'file')} on this machine", range(len(offered)), key="wizard-root-file",
        format_func=lambda i: f"{offered[i].root}/{offered[i].path} ({_size(offered[i].size)})",
    )  # fmt: skip
    if not st.button("Take this file", key="wizard-root-take", icon=":material/folder_open:"):
        return
    one = offered[picked if picked in range(len(offered)) else 0]
    try:
        with st.spinner("Looking at its first rows"):
            found = wizard.choose(one.root, one.path)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    leave(view="import", draft=found.id)
    st.rerun()


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"


PATHS["Questions and documents"] = _questions_and_documents
