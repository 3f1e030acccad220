"""Use case *see the cost first*, the part of the language model: calls, tokens, price and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from core.engine.calls import mean_output, spent_of
from core.engine.forecast import Expected, forecast
from core.engine.models import endpoint_of, price_of
from core.engine.spec import RunSpec
from core.models.llm.calls import Call, ModelSpec
from core.models.llm.purse import Spent
from core.models.llm.tokens import TokenCounter
from core.schema import Dataset
from core.services.made_up_prompts import MadeUpPrompts
from core.services.workspace import workspace
from core.settings import Endpoint
from core.store.database import Store
from core.store.runs import finished_costs

#: calls whose tokens are counted; those of more are judged by so many from all over them
_SAMPLE = 100
#: seconds a call: of the local model on two processors, idle or busy, and of a hosted one; rules of thumb until a run
#: has finished
_LOCAL, _HOSTED = (2.0, 10.0), (0.5, 5.0)
#: how far a run may be from the speed that was measured, both ways
_SPREAD = 1.6
#: tokens of an answer until the model has given some
_ANSWER_TOKENS = 80
#: tokens of a relation's name in its braces
_RELATION_TOKENS = 12
#: calls that must have been measured for their speed to count
_ENOUGH = 10


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one run asks of its language model, called ``model``.

    ``calls`` will be sent, at most where not ``exact`` (what is asked depends on what is retrieved, and the same is
    asked once), about so many where ``sampled`` (a part of the questions was looked at); ``cached`` more were answered
    before. Tokens are counted with the model's tokenizer where ``counted``, else estimated by a rule. ``price`` is None
    where the settings name none. ``seconds`` is a range; ``measured`` says whether it rests on finished runs with this
    model. ``limit`` says in a sentence which spending limit the run would reach, "" where none.
    """

    model: str
    calls: int
    cached: int
    exact: bool
    sampled: bool
    input_tokens: int
    output_tokens: int
    counted: bool
    price: float | None
    seconds: tuple[float, float]
    measured: bool
    limit: str


def model_cost(spec: RunSpec, dataset: Dataset) -> ModelCost | None:
    """Return what a run will ask of its language model, None where it has none; nothing is sent and nothing stored.

    Raises:
        ModelError: the tokenizer that the settings name cannot be read.
    """
    endpoint = endpoint_of(spec.request)
    if spec.model is None or endpoint is None:
        return None
    _, store = workspace()
    counter = TokenCounter(endpoint)
    found = forecast(store, spec, dataset)
    made_up = MadeUpPrompts(spec, dataset)
    output = mean_output(store, spec.model) or min(_ANSWER_TOKENS, endpoint.answer_tokens)
    parts = (
        _part(found.answers, found.share, counter, made_up.answers, output),
        _part(found.relations, found.share, counter, made_up.relations, _RELATION_TOKENS),
        _part(found.nuggets, found.share, counter, made_up.nuggets, made_up.judgment_tokens),
    )
    calls, cached = sum(part.calls for part in parts), sum(part.cached for part in parts)
    tokens = sum(part.input_tokens for part in parts), sum(part.output_tokens for part in parts)
    seconds, measured = _seconds(store, spec.model, endpoint, calls)
    return ModelCost(
        model=endpoint.model,
        calls=calls,
        cached=cached,
        exact=not any(part.open for part in (found.answers, found.relations, found.nuggets)),
        sampled=found.share < 1,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        counted=not counter.estimated,
        price=price_of(spec.request).of(*tokens),
        seconds=seconds,
        measured=measured,
        limit=_limit(endpoint, spent_of(store, spec.model, spec.run_id), calls, sum(tokens)),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """So many calls with so many tokens, of one purpose."""

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int


def _part(
    expected: Expected, share: float, counter: TokenCounter, made_up: Callable[[], Sequence[Call]], output: float
) -> _Part:
    """What is known of the calls of a part of the questions stands for all; the rest is told from made-up prompts."""
    known, unknown = len(expected.calls) / share, expected.open / share
    tokens = known * _mean_prompt(counter, expected.calls)
    if unknown:
        tokens += unknown * _mean_prompt(counter, made_up())
    calls = round(known + unknown)
    return _Part(calls, round(expected.stored / share), round(tokens), round(calls * output))


def _mean_prompt(counter: TokenCounter, calls: Sequence[Call]) -> float:
    some = calls[:: ceil(len(calls) / _SAMPLE)] if calls else ()
    return counter.prompts(some) / len(some) if some else 0.0


def _limit(endpoint: Endpoint, spent: Spent, calls: int, tokens: int) -> str:
    """Return which limit so many calls and tokens more would reach."""
    for most, used, needed, what in (
        (endpoint.max_calls, spent.calls, calls, "calls"),
        (endpoint.max_tokens, spent.tokens, tokens, "tokens"),
    ):
        if most is not None and used + needed > most:
            before = f", {used:,} of them used before" if used else ""
            return (
                f"The limit of {most:,} {what}{before} may end the run before that: it can be raised and the run "
                "resumed."
            )
    return ""


def _seconds(store: Store, model: ModelSpec, endpoint: Endpoint, calls: int) -> tuple[tuple[float, float], bool]:
    """How long so many calls take, and whether that was measured."""
    costs = [run["cost"] for run in finished_costs(store) if run["cost"]]
    speeds = [cost["speed"] for cost in costs if cost["model"] == model.as_spec()]
    sent = sum(speed["calls"] for speed in speeds)
    if sent >= _ENOUGH:
        expected = calls * sum(speed["seconds"] for speed in speeds) / sent
        return (expected / _SPREAD, expected * _SPREAD), True
    low, high = _LOCAL if endpoint.identity else _HOSTED
    at_once = 1 if endpoint.identity else endpoint.concurrency
    return (calls * low / at_once, calls * high / at_once), False
