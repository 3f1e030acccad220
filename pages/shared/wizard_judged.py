"""The import of what other tools made: files, then what each of them is and where they belong."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.datasets.importers.judged import FORMATS, SYSTEM_FORMATS, looks_judged
from core.errors import TrilensError
from core.figures.notation import count
from core.services import browsing, judged_wizard, roots
from core.services.judged_drafts import JudgedChoice, JudgedDraft
from pages.shared import chrome
from pages.shared.datasets_address import asked, follow, leave
from pages.shared.wizard_file import LARGEST_MB, size_text
from pages.shared.wizard_judged_report import done, report
from pages.shared.wizard_parts import attempt, go_to_check, say_problem

#: this import, as the URL says it
PATH = "judged"
_LEFT_OUT = "left out"


def draft() -> JudgedDraft | None:
    """Return the import that the URL names; one that is gone is said."""
    identifier = asked("draft")
    if not identifier:
        return None
    try:
        return judged_wizard.draft(identifier)
    except TrilensError as problem:
        chrome.problem(problem)
        return None


def steps(found: JudgedDraft) -> None:
    """Draw the step that the URL and the draft say, after the first."""
    if found.stored:
        done(found)
    elif asked("step") == "check":
        report(found)
    else:
        _files(found)


def begin() -> None:
    """Step 1: the files, from the browser or from under the import roots."""
    st.header("Step 1 of 3: choose the files", anchor=False)
    chrome.finding("Judgments, nuggets, topics, rankings, responses or labels that other tools wrote, as they are.")
    st.text(
        "TREC runs and judgments, AutoNuggetizer, ARGUE and Auto-ARGUE, answers and reports of RAG24, RAG25, RAGTIME, "
        "DRAGUN and NeuCLIR, MiRAGE and WikiVideo. Judgments and nuggets make a collection, on which rankings and "
        "responses are compared as systems; files of one collection may come together or one after the other."
    )
    offered = roots.offered_files(looks_judged)
    left, right = st.columns(2, gap="large") if offered else (st.container(), None)
    with left:
        _upload()
    if right is not None:
        with right:
            _on_server(offered)


def _upload() -> None:
    files = st.file_uploader(
        "Files of yours", accept_multiple_files=True, key="wizard-judged-files", max_upload_size=LARGEST_MB
    )
    if files and st.button("Take these files", key="wizard-judged-take", icon=":material/upload_file:"):
        _take_up(lambda: judged_wizard.upload([(file, file.name) for file in files]))


def _on_server(offered: list[roots.Offered]) -> None:
    sizes = {(one.root, one.path): one.size for one in offered}
    chosen = st.multiselect(
        f"Or some of {count(len(offered), 'file')} on this machine", list(sizes), key="wizard-judged-root-files",
        format_func=lambda one: f"{one[0]}/{one[1]} ({size_text(sizes.get(one, 0))})",
    )  # fmt: skip
    if chosen and st.button("Take these", key="wizard-judged-root-take", icon=":material/folder_open:"):
        _take_up(lambda: judged_wizard.choose(chosen))


def _take_up(begun: Callable[[], JudgedDraft]) -> None:
    try:
        with st.spinner("Keeping the files and looking at their first rows", show_time=True):
            found = begun()
    except TrilensError as problem:
        chrome.problem(problem)
        return
    leave(view="import", path=PATH, draft=found.id)
    st.rerun()


def _files(found: JudgedDraft) -> None:
    """Step 2: what each file is; every choice is kept beside the files at once."""
    st.header("Step 2 of 3: say what the files are", anchor=False)
    fault = judged_wizard.fault(found)
    told = sum(map(bool, found.choice.formats))
    about = f"{told:,} of {count(len(found.files), 'file')} will be read"
    chrome.finding(f"{about}: {fault[:1].lower()}{fault[1:]}" if fault else f"{about}, as chosen here.")
    say_problem()
    _target(found)
    for number, one in enumerate(found.files):
        _file(found, number, one.called, one.size, one.problem)
    with st.expander("How judgments and ids are taken", icon=":material/tune:"):
        _options(found)
    st.button(
        "Check all files", key="wizard-check", type="primary", icon=":material/fact_check:", disabled=bool(fault),
        on_click=_check, args=(found,),
    )  # fmt: skip


def _target(found: JudgedDraft) -> None:
    titles = {"": "a new collection", **{one.name: one.title for one in browsing.stored_datasets()}}

    def shown(name: str) -> str:
        title = titles.get(name, name)
        return f"{title} ({name})" if name and title != name else title

    key = f"wizard-judged-of-{found.id}"
    follow(key, found.choice.dataset if found.choice.dataset in titles else "")
    st.selectbox(
        "They belong to", list(titles), key=key, width=420, on_change=_take, args=(found,),
        format_func=shown,
        help="A collection may get more judgments and systems, a dataset with documents rankings and responses.",
    )  # fmt: skip


def _file(found: JudgedDraft, number: int, called: str, size: int, problem: str) -> None:
    left, right = st.columns([3, 2], gap="small", vertical_alignment="bottom")
    key = f"wizard-judged-format-{found.id}-{number}"
    follow(key, found.choice.formats[number])
    left.selectbox(
        chrome.as_label(f"{called} ({size_text(size)})"), ["", *FORMATS], key=key, on_change=_take, args=(found,),
        format_func=lambda one: FORMATS.get(one, _LEFT_OUT),
    )  # fmt: skip
    if found.choice.formats[number] in SYSTEM_FORMATS:
        key = f"wizard-judged-system-{found.id}-{number}"
        follow(key, found.choice.systems[number])
        right.text_input(
            f"System of {chrome.as_label(called)}",
            key=key,
            placeholder="as the file says",
            on_change=_take,
            args=(found,),
            max_chars=60,
        )
    if problem and not found.choice.formats[number]:
        chrome.small(f"wizard-judged-problem-{number}", problem)


def _options(found: JudgedDraft) -> None:
    key = f"wizard-judged-grade-{found.id}"
    follow(key, found.choice.grade)
    st.number_input(
        "Lowest judgment that counts as yes", 0, judged_wizard.HIGHEST_GRADE, key=key, on_change=_take, args=(found,),
        width=280,
    )  # fmt: skip
    key = f"wizard-judged-segments-{found.id}"
    follow(key, found.choice.segments)
    st.checkbox(
        "Parts of documents (doc#5) stand for their documents", key=key, on_change=_take, args=(found,),
    )  # fmt: skip


def _take(found: JudgedDraft) -> None:
    """Keep what is chosen now; what the browser sent is checked there."""
    state, before = st.session_state, found.choice

    def chosen(what: str, number: int, default: str) -> str:
        return str(state.get(f"wizard-judged-{what}-{found.id}-{number}", default) or "")

    choice = JudgedChoice(
        dataset=str(state.get(f"wizard-judged-of-{found.id}", before.dataset) or ""),
        formats=tuple(chosen("format", number, one) for number, one in enumerate(before.formats)),
        systems=tuple(chosen("system", number, one) for number, one in enumerate(before.systems)),
        grade=int(state.get(f"wizard-judged-grade-{found.id}", before.grade) or 0),
        segments=bool(state.get(f"wizard-judged-segments-{found.id}", before.segments)),
    )
    attempt(lambda: judged_wizard.decide(found.id, choice))


def _check(found: JudgedDraft) -> None:
    stopped = found.report is not None and bool(found.report.problem)
    go_to_check((lambda: judged_wizard.forget(found.id)) if stopped else None)
