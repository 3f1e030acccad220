"""What an owner may choose for a study: every choice held against its range, and kept as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, get_args

from core.errors import OptionError
from core.people.guidelines import sanitised
from core.people.records import DEFAULT_SCALE, Aspect, Design, Gold, Template

LONGEST_NAME, LONGEST_QUESTION, LONGEST_GUIDELINES, LONGEST_TEXT = 120, 200, 20_000, 50_000
MOST_QUESTIONS, MOST_RATERS, MOST_VALUES, MOST_GOLD = 100_000, 50, 11, 1_000
#: how right a generated pair is, from 0 (wrong) to 3 (right and complete)
CORRECTNESS = (0.0, 1.0, 2.0, 3.0)


def checked(design: Design) -> Design:
    """Return a design with its texts trimmed, its guidelines sanitised and its deadline in UTC.

    Raises:
        OptionError: a choice lies outside its range; the message says which and what to choose.
    """
    if design.template not in get_args(Template):
        raise OptionError(f"the template is '{str(design.template)[:40]}': choose answers or questions.")
    scale = CORRECTNESS if design.template == "questions" and design.scale == DEFAULT_SCALE else design.scale
    design = replace(
        design,
        name=_text("the name", design.name, LONGEST_NAME, needed=True),
        second_question=_text("the second question", design.second_question, LONGEST_QUESTION),
        guidelines=sanitised(_text("the guidelines", design.guidelines, LONGEST_GUIDELINES)),
        scale=_scale(scale),
        deadline=_deadline(design.deadline),
    )
    _whole("the number of questions", design.n_questions, 0, MOST_QUESTIONS)
    _whole("the number of raters an item", design.raters_per_item, 1, MOST_RATERS)
    _whole("the seed", design.seed, 0, 2**53)
    if not (math.isfinite(design.shared) and 0 <= design.shared <= 1):
        raise OptionError(f"the share of items that all see is {design.shared}: choose a number from 0 to 1.")
    _check_sources(design)
    return replace(design, gold=_gold(design.gold, design.scale))


def scale_of(text: str) -> tuple[float, ...]:
    """Return the values of a scale as one writes it, "0, 3, 7". Raises OptionError as ``checked`` does."""
    try:
        return _scale([float(one) for one in text.split(",")])
    except ValueError:
        raise OptionError(f"the scale is '{text[:40]}': give numbers such as 0, 3, 7.") from None


def as_record(design: Design) -> dict[str, Any]:
    """Return a design as JSON-able values, from which ``design_of`` makes it again."""
    return asdict(design)


def design_of(record: Mapping[str, Any]) -> Design:
    """Return the design of a record."""
    made = {name: tuple(record[name]) for name in ("runs", "configurations", "scale")}
    gold = tuple(Gold(**{**one, "passages": tuple(one["passages"])}) for one in record["gold"])
    return Design(**{**record, **made, "gold": gold})


def further_aspects(design: Design, options: Sequence[str] = ()) -> tuple[Aspect, ...]:
    """Return what is asked besides the score: of generated questions invention, answerability and best category.

    ``options`` are the categories of the tree that is asked for; () leaves that question out.
    """
    if design.template == "answers":
        return ()
    category = (Aspect("category", "Which category fits best?", options=tuple(options)),) if options else ()
    return (
        Aspect("invention", "How much does the pair invent? (0 nothing, 2 most of it)", (0.0, 1.0, 2.0)),
        Aspect("answerable", "Can the document answer the question? (0 not at all, 3 fully)", CORRECTNESS),
        *category,
    )


def _check_sources(design: Design) -> None:
    if design.template == "answers" and not design.runs:
        raise OptionError("no run is chosen: name at least one whose answers are to be rated.")
    if design.template == "questions" and not design.dataset:
        raise OptionError("no question set is chosen: name the dataset whose questions are to be checked.")
    if len(set(design.runs)) < len(design.runs):
        raise OptionError("a run is named twice: name each one once.")


def _scale(values: Sequence[float]) -> tuple[float, ...]:
    scale = tuple(float(value) for value in values)
    if not 2 <= len(scale) <= MOST_VALUES or not all(math.isfinite(value) for value in scale):
        raise OptionError(f"a scale has 2 to {MOST_VALUES} numbers: choose such as 0, 3, 7.")
    if any(first >= second for first, second in pairwise(scale)):
        raise OptionError("the scale's values do not rise: name each once, the lowest first, such as 0, 3, 7.")
    return scale


def _gold(items: Sequence[Gold], scale: Sequence[float]) -> tuple[Gold, ...]:
    if len(items) > MOST_GOLD:
        raise OptionError(f"there are {len(items):,} items with a known score: give at most {MOST_GOLD:,}.")
    for number, item in enumerate(items, start=1):
        if item.value not in scale:
            known = ", ".join(f"{value:g}" for value in scale)
            raise OptionError(f"known score {number} is {item.value:g}, which is not on the scale: choose of {known}.")
        for name, text in (("question", item.question), ("reference", item.reference), ("answer", item.answer)):
            _text(f"the {name} of known score {number}", text, LONGEST_TEXT, needed=name != "answer")
    return tuple(items)


def _deadline(text: str) -> str:
    if not text.strip():
        return ""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise OptionError(f"the deadline is '{text[:40]}': write it such as 2027-03-31 or 2027-03-31T18:00.") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(what: str, text: str, most: int, *, needed: bool = False) -> str:
    text = text.strip()
    if needed and not text:
        raise OptionError(f"{what} is empty: write something.")
    if len(text) > most:
        raise OptionError(f"{what} has {len(text):,} characters: {most:,} are the most.")
    return text


def _whole(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise OptionError(f"{what} is {value:,}: choose {low:,} to {high:,}.")
