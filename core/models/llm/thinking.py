"""Models that think before they answer: what they thought is no part of the answer, and has no tokens of its own."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|reasoning"
#: a block at the beginning; one without its first tag, which some chat templates write themselves; one that was cut off
_WHOLE = re.compile(rf"\A(?:\s*<({_NAMES})>.*?</\1>)+", re.DOTALL | re.IGNORECASE)
_HEADLESS = re.compile(rf"\A(?:(?!<(?:{_NAMES})>).)*?</(?:{_NAMES})>", re.DOTALL | re.IGNORECASE)
_CUT_OFF = re.compile(rf"\A\s*<({_NAMES})>(?!.*</\1>).*\Z", re.DOTALL | re.IGNORECASE)


def spoken(text: str) -> str:
    """Return what a model says after it has thought: the text without a leading block of thoughts.

    Such a block stands between <think> tags (or thinking, thought, reasoning); its first tag may be missing. Where it
    does not end, nothing was said.
    """
    if _CUT_OFF.match(text):
        return ""
    return _HEADLESS.sub("", _WHOLE.sub("", text, count=1), count=1)


def is_thought(text: str) -> bool:
    """Return whether a text is nothing but a thought that was cut off."""
    return _CUT_OFF.match(text) is not None
