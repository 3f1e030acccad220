"""The form of the Generate page: documents, what is asked of them, by which model, and what that costs."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import generating, generating_cost, generating_run, generating_uploads
from core.services.endpoints import endpoint_choices, endpoint_names
from core.services.generating import Choices, Prepared, Sources
from pages.shared import chrome
from pages.shared.generate_parts import PARAMETER, attempt, say_problem

_UPLOAD, _STORED = "Upload documents", "Documents of a dataset"
_KINDS = ["txt", "md", "jsonl", "pdf", "docx"]
#: files that were left out, named one by one
_SHOWN = 5


def draw() -> None:
    """Draw the form and, beside it, its cost with the way to begin."""
    answer = st.container()
    say_problem()
    form, cost = st.columns([3, 2], gap="large")
    prepared: Prepared | None = None
    with form:
        sources = _sources()
        choices = _choices(sources)
    with cost, st.container(border=True):
        if sources is None:
            with answer:
                chrome.finding(
                    "Choose documents, and a language model writes questions about them, category by category."
                )
            st.text("The cost is shown here before anything is sent.")
            return
        try:
            prepared = generating.prepare(sources, choices)
            found = generating_cost.estimate(prepared)
        except TrilensError as problem:
            chrome.problem(problem)
            return
        with answer:
            chrome.finding(
                f"{count(found.questions, 'question')} about {count(len(sources.documents), 'document')}: "
                f"{found.calls[0]:,} to {found.calls[1]:,} calls to {found.model}."
            )
        for sentence in generating_cost.estimate_sentences(found):
            st.text(sentence)
        for line in prepared.sources.left_out[:_SHOWN]:
            chrome.small(f"generate-left-{line}", line)
        known = generating.is_known(prepared)
        if st.button("Go on with it" if known else "Generate", key="generate-start", type="primary",
                     icon=":material/auto_awesome:"):  # fmt: skip
            _begin(prepared)
        with st.popover("As a command", icon=":material/terminal:"):
            st.code(generating.command_of(choices, [_source_word(sources)]), language=None, wrap_lines=True)


def _begin(prepared: Prepared) -> None:
    def begin() -> None:
        identifier = generating.register(prepared)
        if generating_run.generation(identifier).state != "done":
            generating_run.start(identifier)
        st.query_params[PARAMETER] = identifier

    with st.spinner("Starting"):
        attempt(begin)
    st.rerun()


def _source_word(sources: Sources) -> str:
    """A stored dataset has a name; where an upload came from only its owner knows."""
    return "DOCUMENTS" if sources.trees is None else sources.title


def _sources() -> Sources | None:
    kind = st.segmented_control(
        "Documents", [_UPLOAD, _STORED], default=_UPLOAD, required=True, key="generate_from", bind="query-params"
    )
    try:
        return _stored() if kind == _STORED else _uploaded()
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def _stored() -> Sources | None:
    names = generating.stored_names()
    if not names:
        st.text("No dataset with documents is stored: import one on the Datasets page, or upload documents.")
        return None
    name = st.selectbox("Dataset", list(names), key="generate_dataset", bind="query-params")
    return _of_dataset(name, names[name]) if name in names else None


@st.cache_data(max_entries=4, show_spinner=False)
def _of_dataset(name: str, fingerprint: str) -> Sources:
    del fingerprint
    return generating.sources_of_dataset(name)


def _uploaded() -> Sources | None:
    files = st.file_uploader(
        "Text, Markdown, JSON Lines, PDF or Word files", _KINDS, accept_multiple_files=True, key="generate-files"
    )
    # what was uploaded before a refresh is found by its id in the address
    token = "|".join(file.file_id for file in files)
    if files and st.session_state.get("generate-token") != token:
        st.session_state["generate-token"] = token
        st.query_params["generate_upload"] = generating_uploads.keep_documents([(file.name, file) for file in files])
    identifier = str(st.query_params.get("generate_upload", ""))
    if not identifier:
        return None
    found = _read(identifier)
    if not files:
        chrome.small("generate-kept", f"{count(len(found.documents), 'document')} of the last upload, kept for a day.")
    return found


@st.cache_data(max_entries=8, show_spinner="Reading the documents")
def _read(identifier: str) -> Sources:
    return generating_uploads.uploaded_sources(identifier)


def _choices(sources: Sources | None) -> Choices:
    offered = generating.offered_levels(sources.trees if sources else None)
    sets = st.multiselect(
        "Sets: questions of every category of a level", offered, default=["QC:coarse"], key="generate_sets",
        bind="query-params", help="Each set is independent of the others, as a coherence ratio needs it. "
        "QC question complexity, AT answer type, LV linguistic variation.",
    )  # fmt: skip
    dimensions = {one.partition(":")[0] for one in sets}
    drawn = st.multiselect(
        "Drawn by chance for each question", [one for one in offered if one.partition(":")[0] not in dimensions],
        key="generate_drawn", bind="query-params",
    )  # fmt: skip
    users = st.multiselect("Who asks", generating.offered_users(), key="generate_users", bind="query-params")
    config = _config()
    with st.container(horizontal=True):
        if sets:
            number = st.number_input(
                "Questions a category", 1, 10_000, 5, key="generate_each", bind="query-params", width=170
            )
        else:
            number = st.number_input(
                "Questions in all", 1, 100_000, 20, key="generate_n", bind="query-params", width=170
            )
        attempts = st.number_input(
            "Calls a question at most", 1, 20, 3, key="generate_tries", bind="query-params", width=190
        )
        seed = st.number_input("Seed", 0, 10**9, 0, key="generate_seed", bind="query-params", width=130)
    names = endpoint_names()
    if not names:
        chrome.small("generate-no-model", "\n".join(choice.problem for choice in endpoint_choices()))
    endpoint = st.selectbox("Language model", names, key="generate_model", bind="query-params") if names else None
    path, called = config or (None, "")
    sized: dict[str, Any] = {"per_category": int(number)} if sets else {"questions": int(number)}
    return Choices(
        sets=tuple(one for one in sets if one in offered),
        drawn=tuple(one for one in drawn if one in offered),
        users=tuple(one for one in users if one in generating.offered_users()),
        config=path,
        config_name=called,
        attempts=int(attempts),
        seed=int(seed),
        endpoint=endpoint if endpoint in names else "",
        **sized,
    )


def _config() -> Any:
    with st.expander("Categories of a DataMorgana config file", icon=":material/upload_file:"):
        file = st.file_uploader("Config file, JSON or YAML", ["json", "yaml", "yml"], key="generate-config")
        if file and st.session_state.get("generate-config-token") != file.file_id:
            st.session_state["generate-config-token"] = file.file_id
            st.query_params["generate_config"] = generating_uploads.keep_config(file.name, file)
        identifier = str(st.query_params.get("generate_config", ""))
        if not identifier:
            return None
        try:
            found = generating_uploads.uploaded_config(identifier)
        except TrilensError as problem:
            chrome.problem(problem)
            return None
        st.text(f"Its categories are drawn by their probabilities: {found[1]}")
        st.button(
            "Leave it out", key="generate-no-config", on_click=lambda: st.query_params.pop("generate_config", None)
        )
        return found
