"""Content words: what is left of a text without its stop words and endings, to compare wordings across sentences.

Stop words and stemmer follow the language (BCP 47); where there is no stemmer words are compared as they are. Runs of
scripts without spaces give character bigrams. Numbers are brought to one spelling, so that "1,450" finds "1450".
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import regex

from core.text.tokens import lexical_tokens

if TYPE_CHECKING:
    from nltk.stem.snowball import SnowballStemmer

#: the stemmers' names by primary language subtag
_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
}  # fmt: skip
#: names of bm25s's lists of stop words
_STOP_WORDS = {
    "da": "DANISH", "de": "GERMAN", "en": "EN_PLUS", "es": "SPANISH", "fr": "FRENCH", "it": "ITALIAN",
    "nb": "NORWEGIAN", "nl": "DUTCH", "nn": "NORWEGIAN", "no": "NORWEGIAN", "pt": "PORTUGUESE", "ru": "RUSSIAN",
    "sv": "SWEDISH",
}  # fmt: skip
#: what the English list lacks
_MODAL_VERBS = ("could", "would", "may", "might", "must", "shall")
_OTHER_STOP_WORDS = ("ar", "bg", "ca", "cs", "fi", "hi", "hu", "id", "pl", "ro", "sk", "tr", "uk", "vi")
_THOUSANDS = r"[,'’\u00a0\u202f٬ ]"
_NUMBER = regex.compile(
    rf"(?<!\p{{Nd}})\p{{Nd}}{{1,3}}(?:{_THOUSANDS}\p{{Nd}}{{3}})+(?!\p{{Nd}})(?:[.,٫]\p{{Nd}}+)?"
    r"|\p{Nd}+(?:[.,'’٫]\p{Nd}+)*"
)
_SEPARATOR = regex.compile(rf"{_THOUSANDS}(?=\d{{3}}(?!\d))")
_POSSESSIVE = regex.compile(r"['’]s?$")


@lru_cache(maxsize=50_000)
def content_words(text: str, language: str = "en") -> tuple[str, ...]:
    """Return the stemmed content words of a text in order, repeats included.

    A text of stop words alone keeps them: "Who is it?" is compared by what it has.
    """
    stops = _stop_words(_primary(language))
    # full stops inside letters ("U.S.") and digits stay; a possessive is no part of the word
    tokens = [_POSSESSIVE.sub("", token) for token in lexical_tokens(text)]
    kept = [token for token in tokens if token and token not in stops]
    return tuple(_stem(token, _primary(language)) for token in kept or tokens if token)


@lru_cache(maxsize=50_000)
def number_words(text: str) -> frozenset[str]:
    """Return the numbers written in digits, each in one spelling: no thousands separators, a point for decimals.

    Digits of any script count. "3, 5 and 7" are three numbers, "3,5" is one.
    """
    found = set()
    for match in _NUMBER.finditer(text):
        digits = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in match[0])
        found.add(regex.sub("[,٫'’]", ".", _SEPARATOR.sub("", digits)))
    return frozenset(found)


def four_grams(text: str, language: str = "en") -> frozenset[str]:
    """Return the character 4-grams inside the content words of a text (whole words where they are shorter)."""
    grams: set[str] = set()
    for word in content_words(text, language):
        grams.update((word,) if len(word) < 4 else (word[at : at + 4] for at in range(len(word) - 3)))
    return frozenset(grams)


def _primary(language: str) -> str:
    return language.partition("-")[0].casefold()


@cache
def _stop_words(language: str) -> frozenset[str]:
    """For each language the shorter list of the two packages. They take seconds to load: not before they are needed."""
    listed: tuple[str, ...] = ()
    if language in _STOP_WORDS:
        from bm25s import stopwords

        listed = getattr(stopwords, f"STOPWORDS_{_STOP_WORDS[language]}")
    elif language in _OTHER_STOP_WORDS:
        from stop_words import get_stop_words

        listed = get_stop_words(language)
    if language == "en":
        listed = (*listed, *_MODAL_VERBS)
    return frozenset(token for word in listed for token in lexical_tokens(word))


@cache
def _stemmer(language: str) -> SnowballStemmer | None:
    name = _STEMMERS.get(language)
    if name is None:
        return None
    from nltk.stem.snowball import SnowballStemmer

    return SnowballStemmer(name)


@lru_cache(maxsize=200_000)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return word if stemmer is None or not word[0].isalpha() else str(stemmer.stem(word))
