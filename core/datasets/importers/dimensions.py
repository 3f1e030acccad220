"""The names under which files label category dimensions, and the names by which the product knows them."""

from __future__ import annotations

import re

_SYMBOLS = ("QC", "AT", "LV")
#: What is left of a file's name for a dimension (letters only, the words "question" and "categorization" removed)
#: to the dimension: QC question complexity, AT answer type, LV linguistic variation.
_KNOWN = {
    "complexity": "QC",
    "answertype": "AT",
    "linguisticvariation": "LV",
    "phrasing": "phrasing",
    "formulation": "phrasing",
    "expertise": "user_expertise",
    "userexpertise": "user_expertise",
}
_FILLER = re.compile(r"[^a-z]|categori[sz]ation|question(?!type)")


def known_dimension(name: str) -> str | None:
    """Return the product's dimension for a file's name of it ("question_linguisticvariation" → "LV"), else None."""
    if name.strip() in _SYMBOLS:
        return name.strip()
    letters = re.sub(r"[^a-z]", "", name.casefold())
    return _KNOWN.get(_FILLER.sub("", letters))


def dimension(name: str) -> str:
    """Return the product's dimension, or the stripped name itself where it is the user's own."""
    return known_dimension(name) or name.strip()
