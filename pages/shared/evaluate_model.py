"""The part of Evaluate's form that is about the language model: whether one answers, which one, what it is asked."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.services.endpoints import endpoint_choices, endpoint_names
from core.services.prompts import ShownPrompt, shown_prompts
from pages.shared import chrome

_ANSWERS = {"extractive": "Extractive", "model": "Language model"}
_LINES = {
    "extractive": "The sentences of the retrieved text that best answer the question, cited; no language model.",
    "model": "A language model writes the answer from the numbered passages and cites them.",
}


def pick_answers() -> str:
    """Let somebody choose what makes the answers: "extractive" or "model"."""
    first = next(iter(_ANSWERS))
    picked = st.segmented_control(
        "Answers", list(_ANSWERS), format_func=_ANSWERS.__getitem__, default=first, required=True,
        key="evaluate_answers", bind="query-params",
    )  # fmt: skip
    answers = picked if picked in _ANSWERS else first
    chrome.small("evaluate-answers", _LINES[answers])
    return answers


def pick_model() -> dict[str, object]:
    """Let somebody choose the model and bound its calls; {} where none can be chosen."""
    choices = {choice.name: choice for choice in endpoint_choices()}
    names = endpoint_names()
    if not names:
        chrome.small("evaluate-no-model", "\n".join(choice.problem for choice in choices.values()))
        return {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Language model", names, key="evaluate_model", bind="query-params")
        most = st.number_input(
            "Calls at most", min_value=1, max_value=10**9, value=None, step=1, placeholder="no limit", width=170,
            key="evaluate_calls", bind="query-params",
            help="The run stops when it has sent so many calls; what was answered is kept.",
        )  # fmt: skip
    chosen = choices[name] if name in names else choices[names[0]]
    chrome.small("evaluate-model", chosen.problem or chosen.what)
    return {"endpoint": chosen.name, "max_calls": None if most is None else int(most)}


def answer_prompts(datasets: Sequence[str]) -> None:
    """Offer to read what the model is asked for an answer."""
    _prompts("evaluate-prompts", "What the model is asked", shown_prompts(datasets, answers=True))


def judging_prompts(datasets: Sequence[str], *, relations: bool, nuggets: bool) -> None:
    """Offer to read what the model is asked about answers: their relations, the nuggets they say."""
    shown = shown_prompts(datasets, relations=relations, nuggets=nuggets)
    _prompts("evaluate-judging-prompts", "What the model is asked about answers", shown)


def _prompts(key: str, label: str, prompts: Sequence[ShownPrompt]) -> None:
    if not prompts:
        return
    with st.popover(label, icon=":material/chat:", type="tertiary", key=key):
        for prompt in prompts:
            st.text(prompt.title)
            st.code(prompt.text, language=None, wrap_lines=True)
