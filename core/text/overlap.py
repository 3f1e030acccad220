"""How much of a question's wording stands in the document it asks about (the measured side of linguistic variation)."""

from __future__ import annotations

import regex

from core.text.content import content_words

_CAPITALISED = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*")
_SENTENCE_START = regex.compile(r"(?:^|[.?!:;]['\"”’)\]]*\s+|\n\s*|[\"“‘(\[])$")

#: similar to the document from here on, distant from it below
SIMILAR = 0.50


def lexical_overlap(question: str, document: str, language: str = "en") -> float | None:
    """Return the share of a question's distinct content words, proper names left out, that its document holds.

    In [0, 1]; None where nothing but names is left. A proper name is a word that the question or the document writes
    with a capital inside a sentence; where a language gives capitals to all nouns (German), no word is left out.
    """
    names: set[str] = set()
    if language.partition("-")[0].casefold() != "de":
        names = {stem for name in (*_names(question), *_names(document)) for stem in content_words(name, language)}
    wanted = set(content_words(question, language)) - names
    return len(wanted & set(content_words(document, language))) / len(wanted) if wanted else None


def _names(text: str) -> set[str]:
    return {match[0] for match in _CAPITALISED.finditer(text) if not _SENTENCE_START.search(text[: match.start()][-6:])}
