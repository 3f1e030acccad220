"""Does a text say a statement? The offline rule: shared content words and character 4-grams, and every number.

Deterministic, needs no model. It under-counts paraphrase and does not see negation; whoever shows its verdicts says so.
Measured against people: kappa .56 on news claims, .28 to .37 on passage-length conversational nuggets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text.content import content_words, four_grams, number_words


@dataclass(frozen=True, slots=True)
class Profile:
    """How much of a statement must be found: in one or two neighbouring sentences, or in the whole text."""

    name: str
    sentence: float
    whole: float


LENIENT = Profile("lenient", 0.45, 0.50)
DEFAULT = Profile("default", 0.50, 0.55)
STRICT = Profile("strict", 0.65, 0.70)


def sentence_support(statement: str, sentences: Sequence[str], language: str = "en") -> list[tuple[int, int, float]]:
    """Return ``(first, last, share)`` of every window of one or two neighbouring sentences, in document order.

    ``share`` in [0, 1] is the share of the statement's distinct content words in the window, 0 where one of its
    numbers is missing.
    """
    wanted, numbers = _distinct(statement, language), number_words(statement)
    found = [_distinct(sentence, language) for sentence in sentences]
    digits = [number_words(sentence) for sentence in sentences]
    windows = [(at, at) for at in range(len(sentences))] + [(at, at + 1) for at in range(len(sentences) - 1)]
    result = []
    for first, last in sorted(windows):
        if not wanted or not numbers <= digits[first] | digits[last]:
            share = 0.0
        else:
            share = len(wanted & (found[first] | found[last])) / len(wanted)
        result.append((first, last, share))
    return result


def whole_support(statement: str, text: str, language: str = "en") -> float:
    """Return the mean of the shares of the statement's content words and of its 4-grams found in a text: in [0, 1].

    0 where one of the statement's numbers is missing from the text, and for a statement without words.
    """
    wanted = _distinct(statement, language)
    if not wanted or not number_words(statement) <= number_words(text):
        return 0.0
    grams = _grams(statement, language)
    words = len(wanted & _distinct(text, language)) / len(wanted)
    return (words + len(grams & _grams(text, language)) / len(grams)) / 2


def is_supported(statement: str, sentences: Sequence[str], language: str = "en", profile: Profile = DEFAULT) -> bool:
    """Return whether a text, given as its sentences, says a statement: by any window, or as a whole."""
    windows = sentence_support(statement, sentences, language)
    if any(share >= profile.sentence for _, _, share in windows):
        return True
    return whole_support(statement, " ".join(sentences), language) >= profile.whole


# One text is compared with many statements, and one statement with many texts.
@lru_cache(maxsize=20_000)
def _distinct(text: str, language: str) -> frozenset[str]:
    return frozenset(content_words(text, language))


@lru_cache(maxsize=5_000)
def _grams(text: str, language: str) -> frozenset[str]:
    return four_grams(text, language)
