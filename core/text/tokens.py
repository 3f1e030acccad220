"""Words: where they are, how many there are, and as what the lexical retrievers see them.

A word is a Unicode word segment (Unicode Standard Annex 29) that holds a letter or a number. Scripts written without
spaces (Chinese characters, kana, bopomofo, Thai, Lao, Khmer, Burmese) have no such segments, so there every character
with its marks counts as one word.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import regex

# A letter or number of a script without spaces. U+30FC and U+FF70 lengthen kana and belong to no script.
_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\uff70]&&[\p{L}\p{N}]]"
)
_UNSPACED_WORD = rf"{_UNSPACED}\p{{M}}*+"
_BEGIN = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}]"
# Marks, joiners, soft hyphens and underscores go on with a word; a zero-width space ends it.
_CONTINUE = rf"[[\p{{L}}\p{{N}}\p{{M}}\p{{Pc}}[\p{{Cf}}--\u200b]]--{_UNSPACED}]"
# Rules WB6, WB7, WB11 and WB12: an apostrophe or full stop between letters, a separator between digits. The colon,
# which joins words in Swedish only, is left out.
_JOINED_LETTERS = r"(?<=[\p{L}\p{M}])['’‘.․·‧״＇．](?=\p{L})"
_JOINED_DIGITS = r"(?<=\p{N})['’.,;٫٬](?=\p{N})"
_SPACED_WORD = rf"{_BEGIN}{_CONTINUE}*+(?:(?:{_JOINED_LETTERS}|{_JOINED_DIGITS}){_CONTINUE}++)*+"

_WORD = regex.compile(rf"(?V1){_UNSPACED_WORD}|{_SPACED_WORD}")
_RUN = regex.compile(rf"(?V1)(?P<run>(?:{_UNSPACED_WORD})++)|{_SPACED_WORD}")
_CLUSTER = regex.compile(rf"(?V1){_UNSPACED_WORD}")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")
_ANY_UNSPACED = regex.compile(rf"(?V1){_UNSPACED}")

# The same rules for ASCII text, four times as fast.
_ASCII_WORD = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9_]*"
    r"(?:(?:(?<=[A-Za-z])['.](?=[A-Za-z])|(?<=[0-9])['.,;](?=[0-9]))[A-Za-z0-9_]+)*"
)

# So that "don’t" finds "don't", and a word hyphenated by a typesetter finds itself.
_TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "＇": "'", "\u00ad": None, "\ufeff": None})


def words(text: str) -> list[tuple[int, int]]:
    """Return the ``[start, end)`` of every word in order; every letter and number lies in exactly one of them."""
    pattern = _ASCII_WORD if text.isascii() else _WORD
    return [match.span() for match in pattern.finditer(text)]


def count_words(text: str) -> int:
    """Return the number of words of a text (not negative)."""
    return len(_ASCII_WORD.findall(text)) if text.isascii() else len(_WORD.findall(text))


def has_word(text: str) -> bool:
    """Return whether a text holds a word character, that is, a letter or a number."""
    return _WORD_CHARACTER.search(text) is not None


def lexical_tokens(text: str) -> list[str]:
    """Return what the lexical retrievers match: casefolded words, runs of unspaced script as character bigrams.

    A lone unspaced character is a token of its own. Canonically equivalent spellings give equal tokens.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = unicodedata.normalize("NFC", text.translate(_TYPOGRAPHY).casefold())
    if _ANY_UNSPACED.search(folded) is None:
        tokens: list[str] = _WORD.findall(folded)
        return tokens
    tokens = []
    for match in _RUN.finditer(folded):
        if match["run"] is None:
            tokens.append(match[0])
            continue
        characters = _CLUSTER.findall(match["run"])
        if len(characters) == 1:
            tokens.append(characters[0])
        tokens.extend(left + right for left, right in pairwise(characters))
    return tokens
