"""Who tells what an answer says of its question's nuggets, as a request chooses it."""

from __future__ import annotations

from collections.abc import Collection

from core.engine.models import model_of
from core.engine.request import Request
from core.errors import OptionError
from core.nuggets.judge import Judge
from core.nuggets.matching import Matcher, matcher_named
from core.schema import Dataset

#: the language model of the run as the judge
LLM = "llm"


def matcher_of(request: Request, dataset: Dataset, questions: Collection[str]) -> Matcher | Judge | None:
    """Return the matcher, None where no question of the run has nuggets, so that there is nothing to match.

    Raises:
        OptionError: there is no such matcher, or the judge has no endpoint.
        InputError: the settings that name the endpoints cannot be used.
    """
    judged = request.matcher.strip().casefold() == LLM
    chosen = None if judged else matcher_named(request.matcher)
    asked = set(questions)
    if not any(question.nuggets for question in dataset.questions if question.id in asked):
        return None
    if chosen is not None:
        return chosen
    model = model_of(request)
    if model is None:
        raise OptionError("--matcher llm asks a language model: name one with --endpoint.")
    return Judge(model)
