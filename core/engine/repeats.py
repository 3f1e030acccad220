"""Sampled answers that are asked for several times: each repeat goes through the stages as a configuration of its own.

Its name is that of its configuration with the repeat's number; the first has none. At the end all repeats of a
question become one row again, see ``core.engine.averaging``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from core.answering.generated import Generated
from core.engine.request import Request
from core.errors import OptionError

Value = TypeVar("Value")
Pair = tuple[str, str]
#: of one answer: more tell hardly more about its question, and each is paid for
MOST_REPEATS = 20
#: stands in no name of a configuration
_MARK = "\x1f"


def check_repeats(request: Request, answerer: object) -> None:
    """Raise OptionError where answers cannot be repeated so often, or would be the same each time."""
    if not 1 <= request.repeats <= MOST_REPEATS:
        raise OptionError(f"--repeats is {request.repeats}: it must be from 1 to {MOST_REPEATS}.")
    if request.repeats == 1:
        return
    if not isinstance(answerer, Generated):
        raise OptionError(
            f"--repeats {request.repeats}: extractive answers are the same each time; leave it out, or let a language "
            "model answer."
        )
    if answerer.temperature == 0:
        raise OptionError(
            f"--repeats {request.repeats}: at temperature 0 the model '{answerer.model.model}' gives the same answer "
            "each time; leave it out, or set a temperature above 0 in the endpoint's settings."
        )


def nth(configuration: str, repeat: int) -> str:
    """Return the name under which a repeat (from 0) of a configuration's answers goes through the stages."""
    return f"{configuration}{_MARK}{repeat}" if repeat else configuration


def plain(name: str) -> str:
    """Return the configuration of such a name."""
    return name.partition(_MARK)[0]


def repeat_of(name: str) -> int:
    """Return the repeat (from 0) of such a name."""
    return int(name.partition(_MARK)[2] or 0)


def repeated(values: Mapping[Pair, Value], repeats: int) -> dict[Pair, Value]:
    """Return (configuration id, question id) → value for every repeat of it as well."""
    return {(nth(name, n), question): value for (name, question), value in values.items() for n in range(repeats)}
