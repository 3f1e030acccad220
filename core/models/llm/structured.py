"""Values in an answer: JSON found in what a model wrote and held against a schema, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from core.models.llm.thinking import spoken

_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
#: places in prose where a value may begin that are looked at
_MAX_PLACES = 100
_MAX_REASON = 160


@dataclass(frozen=True, slots=True)
class Unparsable:
    """Why an answer holds no value that counts."""

    reason: str


def parsed(text: str, schema: str) -> Any | Unparsable:
    """Return the one value in ``text`` that fits a JSON schema (given as JSON text), or why there is none.

    The value may be the whole text, or stand in a code fence; an object may stand between prose. The first of these
    that is JSON at all decides. Two different values that fit are unparsable: which was meant would be a guess.
    """
    validator = _validator(schema)
    answer = spoken(text).strip()
    if not answer:
        return Unparsable("the model gave an empty answer")
    values = list(_whole(answer)) or list(_fenced(answer)) or list(_between(answer))
    if not values:
        return Unparsable(f"the answer is no JSON: {_short(answer)}")
    errors = [best_match(validator.iter_errors(value)) for value in values]
    fitting = {
        json.dumps(value, sort_keys=True): value for value, error in zip(values, errors, strict=True) if not error
    }
    if len(fitting) > 1:
        return Unparsable("the answer holds several different values that fit the schema")
    if fitting:
        return next(iter(fitting.values()))
    return Unparsable(f"the answer does not fit the schema: {_short(errors[0].message)}")


def instruction(schema: str) -> str:
    """Return the sentence that asks for a schema where the endpoint takes none."""
    return f"Answer with one JSON value that fits this JSON schema, and with nothing else: {schema}"


@lru_cache(maxsize=32)
def _validator(schema: str) -> Draft202012Validator:
    value = json.loads(schema)
    Draft202012Validator.check_schema(value)
    return Draft202012Validator(value)


def _whole(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return


def _fenced(text: str) -> Iterator[Any]:
    for match in _FENCE.finditer(text):
        yield from _whole(match[1])


def _between(text: str) -> Iterator[Any]:
    """Yield the objects that stand in prose, outermost only; lists do not count there, because "[1]" is a citation."""
    decoder = json.JSONDecoder(parse_constant=_refused)
    place = 0
    for _ in range(_MAX_PLACES):
        start = text.find("{", place)
        if start < 0:
            return
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
        else:
            yield value


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_REASON else line[:_MAX_REASON] + "…"
