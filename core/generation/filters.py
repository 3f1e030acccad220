"""Which generated pairs are kept: every rejection has one reason, the first that applies.

Thresholds are decisions of ours where the specification names none; each stands here by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from core.datasets.language import detect_language
from core.generation.prompts import Pair
from core.text.content import content_words, number_words
from core.text.overlap import SIMILAR, lexical_overlap
from core.text.tokens import lexical_tokens

#: characters of a question at least, and of texts at most
FEWEST_CHARACTERS, LONGEST_QUESTION, LONGEST_ANSWER = 8, 600, 2_000
#: share of an answer's content words that its document must hold
GROUNDED = 0.5
#: cosine from which a question is a near-duplicate of one that was kept
DUPLICATE = 0.9
#: a question below this share of words from its document is believed to be in another language when it looks so
_FOREIGN_SHARE = 0.25
#: words in a row that a question and its document share only where one copies the other
_COPY = 12

TOO_SHORT = f"the question has fewer than {FEWEST_CHARACTERS} characters"
TOO_LONG = "the question or the answer is too long"
LONGER_THAN_DOCUMENT = "the question is longer than its document"
NO_ANSWER = "the answer is empty"
COPIED = "the question copies a passage of the document"
GIVEN_AWAY = "the question says its own answer"
REFUSED = "the answer refuses"
MENTIONS = "the question mentions the document"
FOREIGN = "the pair is in another language than its document"
UNGROUNDED = "the answer is not grounded in the document"
NEAR_DUPLICATE = "the question is a near-duplicate of one that was kept"
NOT_CHOSEN = "another pair of the same call was chosen"

_DOCUMENT = r"(?:document|text|passage|article|excerpt|context|paragraph|extract)"
_POINTS = regex.compile(
    rf"\b(?:according to|in|from|by|per) (?:the|this|that) (?:\w+ )?{_DOCUMENT}\b"
    rf"|\b(?:the|this) {_DOCUMENT} (?:\w+ )?(?:say|state|mention|describe|discuss|explain|suggest|provide|refer)s?\b"
    rf"|\bdoes (?:the|this) {_DOCUMENT}\b|\bmentioned in (?:the|this) {_DOCUMENT}\b"
    r"|\b(?:laut|gemäß|in) (?:dem|diesem) (?:text|dokument|artikel|abschnitt)\b"
    r"|\bim (?:text|dokument|artikel|abschnitt)\b"
    r"|\b(?:selon|dans|d'après) (?:le|ce) (?:texte|document|passage)\b|\b(?:selon|dans|d'après) (?:l'|cet )article\b"
    r"|\b(?:según|en) (?:el|este) (?:texto|documento|artículo|pasaje)\b",
    regex.IGNORECASE,
)


def fault(pair: Pair, document: str, language: str, is_refusal: Callable[[str], bool]) -> str:
    """Return why a pair cannot be kept, whatever else was kept, or "".

    ``document`` is what the model was shown of it; ``is_refusal`` tells answers that refuse. Short answers (names,
    numbers) need no length of their own; an answer is grounded when half of its content words and all of its numbers
    stand in the document.
    """
    question, answer = pair.question, pair.answer
    if len(question) < FEWEST_CHARACTERS:
        return TOO_SHORT
    if not answer:
        return NO_ANSWER
    if len(question) > LONGEST_QUESTION or len(answer) > LONGEST_ANSWER:
        return TOO_LONG
    if len(question) > len(document):
        return LONGER_THAN_DOCUMENT
    if is_refusal(answer):
        return REFUSED
    if _copies(question, document):
        return COPIED
    if answer.casefold().rstrip(".") in question.casefold():
        return GIVEN_AWAY
    if _POINTS.search(question):
        return MENTIONS
    if _is_foreign(pair, document, language):
        return FOREIGN
    return "" if groundedness(answer, document, language) >= GROUNDED else UNGROUNDED


def groundedness(answer: str, document: str, language: str) -> float:
    """Return the share of an answer's distinct content words that the document holds, in [0, 1].

    0 where one of the answer's numbers is missing from the document, and for an answer without words.
    """
    wanted = set(content_words(answer, language or "en"))
    if not wanted or not number_words(answer) <= number_words(document):
        return 0.0
    return len(wanted & set(content_words(document, language or "en"))) / len(wanted)


def nearest(vector: NDArray[np.float32], kept: Sequence[NDArray[np.float32]]) -> float:
    """Return the greatest cosine of a unit vector (d,) with those of ``kept`` (each (d,)), -1 where there are none."""
    return float(np.max(np.stack(kept) @ vector)) if kept else -1.0


def label_agrees(label: str, question: str, document: str, language: str) -> bool | None:
    """Return whether a label of linguistic variation (LV) agrees with the measured overlap of words.

    The two coarse labels are judged by the threshold 0.50, the four that are named by their overlap by their bands; any
    other label, and a question of proper names alone, cannot be judged: None.
    """
    band = _BANDS.get(label)
    share = lexical_overlap(question, document, language or "en") if band else None
    return None if band is None or share is None else band[0] <= share < band[1]


_ABOVE = 1.01
_BANDS = {
    "similar_to_document": (SIMILAR, _ABOVE),
    "distant_from_document": (0.0, SIMILAR),
    "high_lexical_overlap": (0.70, _ABOVE),
    "moderate_lexical_overlap": (0.50, 0.70),
    "moderate_low_lexical_overlap": (0.30, 0.50),
    "low_lexical_overlap": (0.0, 0.30),
}


def _copies(question: str, document: str) -> bool:
    words, inside = lexical_tokens(question), f" {' '.join(lexical_tokens(document))} "
    return any(f" {' '.join(words[at : at + _COPY])} " in inside for at in range(len(words) - _COPY + 1))


def _is_foreign(pair: Pair, document: str, language: str) -> bool:
    """A short text is often taken for another language: it must also share few words with its document."""
    spoken = detect_language(f"{pair.question} {pair.answer}")
    primary = language.partition("-")[0].casefold()
    if not spoken or not primary or spoken == primary:
        return False
    wanted = set(content_words(pair.question, primary))
    return len(wanted & set(content_words(document, primary))) < _FOREIGN_SHARE * max(len(wanted), 1)
