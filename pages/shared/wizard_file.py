"""Step 1 of every import: a file from the browser, or one under an import root."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import roots
from core.services.uploads import Readable
from pages.shared import chrome
from pages.shared.datasets_address import follow

#: 512 MB, the server's own limit, would be shown as 1 GB
LARGEST_MB = 500
#: endings of files that hold a table
TABLES = ("csv", "tsv", "tab", "xlsx", "json", "jsonl", "ndjson", "parquet", "txt", "gz")


@dataclass(frozen=True, slots=True)
class Taking:
    """How a file is taken: ``upload`` (content, name) and ``choose`` (root, path) return the id of the import.

    ``arrive`` goes to its next step. ``key`` begins the widgets' keys.
    """

    key: str
    endings: Sequence[str]
    upload: Callable[[Readable, str], str]
    choose: Callable[[str, str], str]
    arrive: Callable[[str], None]


def choose_file(taking: Taking) -> None:
    """Offer both ways, the second where there are files under import roots."""
    offered = roots.offered_files()
    left, right = st.columns(2, gap="large") if offered else (st.container(), None)
    with left:
        _upload(taking)
    if right is not None:
        with right:
            _on_server(taking, offered)


def _upload(taking: Taking) -> None:
    file = st.file_uploader(
        "A file of yours", type=list(taking.endings), key=f"{taking.key}-file", max_upload_size=LARGEST_MB
    )
    if file is None:
        return
    key = f"{taking.key}-refused"
    if st.session_state.get(key, ("", ""))[0] != file.file_id:
        try:
            with st.spinner("Keeping the file and looking at its first rows", show_time=True):
                found = taking.upload(file, file.name)
        except TrilensError as problem:
            # said again on every rerun, without reading the file again
            st.session_state[key] = (file.file_id, str(problem))
        else:
            taking.arrive(found)
            st.rerun()
    chrome.problem(TrilensError(st.session_state[key][1]))


def _on_server(taking: Taking, offered: Sequence[roots.Offered]) -> None:
    sizes = {(one.root, one.path): one.size for one in offered}
    key, wanted = f"{taking.key}-root-file", f"{taking.key}-root-wanted"
    follow(key, chosen if (chosen := st.session_state.get(key)) in sizes else next(iter(sizes)))

    def take() -> None:
        # as it was chosen: the files may be others by the time the list is read again
        st.session_state[wanted] = st.session_state[key]

    st.selectbox(
        f"Or one of {count(len(offered), 'file')} on this machine", list(sizes), key=key,
        format_func=lambda one: f"{one[0]}/{one[1]} ({size_text(sizes.get(one, 0))})",
    )  # fmt: skip
    st.button("Take this file", key=f"{taking.key}-root-take", icon=":material/folder_open:", on_click=take)
    if (one := st.session_state.pop(wanted, None)) is None:
        return
    try:
        with st.spinner("Looking at its first rows"):
            found = taking.choose(*one)
    except TrilensError as problem:
        chrome.problem(problem)
        return
    taking.arrive(found)
    st.rerun()


def size_text(size: int) -> str:
    """Return bytes as people read them: "3.5 MB", "0.4 kB"."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"
