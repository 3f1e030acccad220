"""How many tokens a text has: counted with the model's tokenizer where it is at hand, else estimated."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex

from core.endpoints import Endpoint
from core.errors import ModelError
from core.models.llm.calls import Call

#: what a chat template adds around a message, about
_PER_MESSAGE = 4
_WORD = regex.compile(r"\p{Latin}+")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_OTHER_LETTER = regex.compile(r"[\p{L}\p{M}]")
_MARK = regex.compile(r"[^\p{L}\p{M}\s]")


class TokenCounter:
    """Counts tokens for one endpoint; ``estimated`` says whether by a rule instead of its tokenizer."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Read the tokenizer the settings name.

        Raises:
            ModelError: it cannot be read, or is no tokenizer.
        """
        self._tokenizer = _tokenizer(endpoint.tokenizer) if endpoint.tokenizer else None
        self.estimated = self._tokenizer is None

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        if self._tokenizer is None:
            return estimated_tokens(text)
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def prompt(self, call: Call) -> int:
        """Return the tokens that are sent with a call, its schema included."""
        return self.prompts([call])

    def prompts(self, calls: Iterable[Call]) -> int:
        """Return the tokens that are sent with all calls; a text they share is looked at once and counted each time."""
        known: dict[str, int] = {}
        total = 0
        for call in calls:
            for text in (*(message.content for message in call.messages), *([call.schema] if call.schema else ())):
                if text not in known:
                    known[text] = self.text(text) + _PER_MESSAGE
                total += known[text]
        return total


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a byte-pair vocabulary of today makes of a text.

    A rule by script, a decision of ours: a Latin word is one token for each six letters begun, a character of a script
    without spaces one, other letters (Cyrillic, Arabic, Hangul …) one for each two, and every digit or mark one for
    each one and a half.
    """
    latin = sum((len(word) + 5) // 6 for word in _WORD.findall(text))
    rest = _WORD.sub(" ", text)
    unspaced = len(_UNSPACED.findall(rest))
    others = len(_OTHER_LETTER.findall(rest)) - unspaced
    marks = len(_MARK.findall(rest))
    return latin + unspaced + (others + 1) // 2 + (2 * marks + 2) // 3


@lru_cache(maxsize=4)
def _tokenizer(path: str) -> Any:
    from tokenizers import Tokenizer

    file = Path(path).expanduser()
    if not file.is_file():
        raise ModelError(f"The tokenizer {file} is not there: correct 'tokenizer' in the endpoint's settings.")
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises Exception itself
        raise ModelError(
            f"The tokenizer {file} cannot be read ({error}): give the tokenizer.json of the endpoint's model, or "
            "remove the line; tokens are then estimated."
        ) from error
    # a file may ask for both, and every text would count the same
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
