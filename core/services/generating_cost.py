"""Use case *generate*: see the cost first, from the very calls that would be sent."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.calls import mean_output, stored_keys
from core.engine.generation import call_of, model_request
from core.engine.models import price_of
from core.generation.plan import draw, slots, usable
from core.models.llm.calls import call_key, model_spec
from core.models.llm.tokens import TokenCounter
from core.services.generating import Prepared
from core.services.workspace import workspace

#: tokens of a pair until the model has given some
_TOKENS_A_PAIR = 60
#: first calls that are looked at
_LOOKED_AT = 300
#: seconds a call: of the local model on two processors, idle or busy, and of a hosted one; rules of thumb
_LOCAL_SECONDS, _HOSTED_SECONDS = (5.0, 40.0), (1.0, 10.0)


@dataclass(frozen=True, slots=True)
class GenerationCost:
    """What a generation asks of its model, at least (every first call gives a pair that stays) and at most.

    ``calls`` are sent, ``cached`` of the first ones were answered before and cost nothing. Tokens are counted where
    ``counted``, else estimated by a rule; ``price`` is None where the settings name none, ``seconds`` a rough range.
    """

    model: str
    questions: int
    calls: tuple[int, int]
    cached: int
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]
    counted: bool
    price: tuple[float, float] | None
    seconds: tuple[float, float]


def estimate(prepared: Prepared) -> GenerationCost:
    """Return what a prepared generation will ask of its model; nothing is sent.

    Raises:
        ModelError: the tokenizer that the settings name cannot be read.
    """
    _, store = workspace()
    plan, endpoint, model = prepared.plan, prepared.endpoint, model_spec(prepared.endpoint)
    documents, _ = usable(prepared.sources.documents)
    by_id = {document.id: document for document in documents}
    wanted = slots(plan)
    # those of more are judged by a part from all over them: the page waits for it
    some_slots = wanted[:: -(-len(wanted) // _LOOKED_AT)]
    share = len(some_slots) / len(wanted)
    draws = [draw(plan, slot, 0, documents) for slot in some_slots]
    first = [call_of(plan, one, by_id[one.document_id]) for one in draws]
    keys = {call_key(model, call) for call in first}
    cached = round(len(stored_keys(store, model, list(keys))) / share)
    counter = TokenCounter(endpoint)
    mean_in = counter.prompts(first) / len(first)
    mean_out = mean_output(store, model) or _TOKENS_A_PAIR * plan.pairs
    low, high = len(wanted) - cached, len(wanted) * plan.attempts - cached
    tokens_in = round(low * mean_in), round(high * mean_in)
    tokens_out = round(low * mean_out), round(high * mean_out)
    price = price_of(model_request(prepared.choices.endpoint))
    prices = price.of(tokens_in[0], tokens_out[0]), price.of(tokens_in[1], tokens_out[1])
    fast, slow = _LOCAL_SECONDS if endpoint.identity else _HOSTED_SECONDS
    at_once = 1 if endpoint.identity else endpoint.concurrency
    return GenerationCost(
        model=endpoint.model,
        questions=plan.wanted,
        calls=(low, high),
        cached=cached,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        counted=not counter.estimated,
        price=None if prices[0] is None or prices[1] is None else (prices[0], prices[1]),
        seconds=(low * fast / at_once, high * slow / at_once),
    )


def estimate_sentences(cost: GenerationCost) -> list[str]:
    """Return an estimate in words."""
    low, high = cost.calls
    known = f"; {cost.cached:,} were answered before and cost nothing" if cost.cached else ""
    how = "counted with its tokenizer" if cost.counted else "estimated by a rule"
    found = [
        f"{cost.questions:,} questions: {low:,} to {high:,} calls to {cost.model}{known}.",
        f"{cost.input_tokens[0]:,} to {cost.input_tokens[1]:,} tokens in and {cost.output_tokens[0]:,} to "
        f"{cost.output_tokens[1]:,} out, {how}.",
    ]
    if cost.price is not None:
        found.append(f"Price: {cost.price[0]:.4f} to {cost.price[1]:.4f} by the prices in the settings.")
    found.append(f"Time: {cost.seconds[0]:,.0f} to {cost.seconds[1]:,.0f} seconds, by a rule of thumb.")
    return found
