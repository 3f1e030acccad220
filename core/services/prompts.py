"""Use case *see what the model is asked*: the prompts as they are sent, dots where a question's texts stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.answering.generated import shown_prompt
from core.models.llm.calls import Message
from core.nuggets.judge import shown_inquiry
from core.relations.labelled import relations_in
from core.relations.prompted import Case, inquiry, instruction
from core.schema import Dataset
from core.services.offers import content

#: languages whose prompts are shown, the commonest first
_LANGUAGES = 3


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """One prompt: ``title`` says what it is for, ``text`` is its messages, each after its role."""

    title: str
    text: str


def shown_prompts(
    datasets: Iterable[str], *, answers: bool = False, relations: bool = False, nuggets: bool = False
) -> tuple[ShownPrompt, ...]:
    """Return what a model is asked for answers, in the languages of the datasets, for relations and for nuggets.

    Raises:
        OptionError: a dataset is not there (any more).
    """
    found = [content(name)[0] for name in datasets]
    shown: dict[str, ShownPrompt] = {}
    if answers:
        for language in _languages(found):
            text = _text(shown_prompt(language))
            # languages without a prompt of their own share one
            shown.setdefault(text, ShownPrompt(f"For an answer ({language or 'language unknown'})", text))
    if relations:
        for dataset in found:
            if named := relations_in(dataset):
                text = _text((Message("system", instruction(named)), Message("user", inquiry(Case("…", "…", "…")))))
                shown.setdefault(text, ShownPrompt("For a relation", text))
    if nuggets:
        text = _text(shown_inquiry())
        shown[text] = ShownPrompt("For the nuggets of an answer", text)
    return tuple(shown.values())


def _languages(datasets: Iterable[Dataset]) -> list[str]:
    spoken = Counter(language for dataset in datasets for language in dataset.language_of.values())
    return [language for language, _ in spoken.most_common(_LANGUAGES)]


def _text(messages: Iterable[Message]) -> str:
    return "\n\n".join(f"{message.role}:\n{message.content}" for message in messages)
