"""Answers by a language model: what it is asked, and what its text comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.answering.citing import cited_sentences
from core.answering.prompts import PROMPT_VERSION, prompt_for
from core.answering.refusal import is_refusal
from core.models.llm.calls import Call, Message, ModelSpec
from core.schema import Answer, Citation, ContextSentence

#: counts changes of how a text is read that change answers
VERSION = 2


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    """A passage as the model sees it: ``number`` counts from 1, ``text`` is its whole sentences."""

    number: int
    passage_id: str
    document_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a text is no answer."""

    reason: str


def numbered(passages: Sequence[str], sentences: Sequence[ContextSentence]) -> tuple[NumberedPassage, ...]:
    """Return the passages (ids in the order handed on) with their sentences, each under the first that has it.

    A passage all of whose sentences stand under others before it is left out, and gets no number.
    """
    first: dict[str, list[ContextSentence]] = {passage: [] for passage in passages}
    order = {passage: place for place, passage in enumerate(first)}
    for sentence in sentences:
        first[min(sentence.passage_ids, key=order.__getitem__)].append(sentence)
    shown = [(passage, own) for passage, own in first.items() if own]
    return tuple(
        NumberedPassage(number, passage, own[0].document_id, " ".join(sentence.text for sentence in own))
        for number, (passage, own) in enumerate(shown, start=1)
    )


@dataclass(frozen=True, slots=True)
class Generated:
    """The model and all that decides its answers besides question and passages.

    ``name`` is how it is reached ("local", "openai" or "chat"), ``max_tokens`` bounds an answer.
    """

    name: str
    model: ModelSpec
    max_tokens: int = 512
    temperature: float = 0.0
    prompt_version: int = PROMPT_VERSION

    def as_spec(self) -> dict[str, Any]:
        """Return what decides an answer besides question, language and passages."""
        return {
            "name": self.name,
            "version": VERSION,
            "model": self.model.as_spec(),
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "prompt_version": self.prompt_version,
        }

    def call(self, question: str, passages: Sequence[NumberedPassage], language: str) -> Call:
        """Return what is asked, in the language given (BCP 47; "" where nobody knows).

        Nothing is cut: where the passages are longer than the model reads, the endpoint refuses the call in words, and
        that answer is failed. An answer from part of the passages would be an answer of another configuration.

        Raises:
            ValueError: there are no passages; without any there is nothing to ask.
        """
        if not passages:
            raise ValueError("an answer needs at least one passage to be made from")
        messages = prompt_for(language).messages(question, [passage.text for passage in passages])
        return Call(messages, max_tokens=self.max_tokens, temperature=self.temperature)

    def answer(self, text: str, passages: Sequence[NumberedPassage], language: str) -> Answer | Unusable:
        """Return the answer a text holds, or why it is none.

        Numbers of no passage are no citations, and a refusal cites nothing. A text
        in another language or format than was asked for counts as it is.
        """
        cited = cited_sentences(text, language or "en")
        if not cited.sentences:
            return Unusable("the model gave an empty answer")
        plain = " ".join(cited.sentences)
        if is_refusal(plain):
            return Answer(cited.sentences, refused=True)
        known = {passage.number: passage for passage in passages}
        return Answer(
            cited.sentences,
            tuple(
                Citation(sentence, known[number].document_id, known[number].passage_id)
                for sentence, number in cited.citations
                if number in known
            ),
        )


def shown_prompt(language: str) -> tuple[Message, ...]:
    """Return what a model is asked in a language, with dots in place of the passages and the question."""
    return prompt_for(language).messages("…", ["…", "…"])
