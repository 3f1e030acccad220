"""The language model of a run: which one a request means, and how it is reached while the run lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.answering.extractive import Extractive
from core.answering.generated import Generated
from core.engine.ledger import Price
from core.engine.request import Request
from core.errors import OptionError
from core.models.llm.calls import ModelSpec, model_spec
from core.models.llm.client import LanguageModel
from core.models.llm.purse import Spent
from core.models.local_llm import local_endpoint, local_limits
from core.settings import Endpoint, trilens_settings

ANSWERERS = ("extractive", "local", "openai", "chat")
#: the name under which the local model stands beside the endpoints of the settings
LOCAL = "local"


def answerer_of(request: Request) -> Extractive | Generated:
    """Return what makes the answers.

    Raises:
        OptionError: no such answerer, or no endpoint of its kind is named.
        InputError: the settings cannot be used.
        ModelError: the local model is not installed.
    """
    name = request.answerer
    if name not in ANSWERERS:
        raise OptionError(f"--answerer is '{name}': it must be one of {', '.join(ANSWERERS)}.")
    if name == "extractive":
        return Extractive()
    if name != LOCAL and not request.endpoint:
        raise OptionError(f"--answerer {name} asks a language model: name one with --endpoint ({_offered()}).")
    endpoint = endpoint_of(request)
    assert endpoint is not None
    if name != LOCAL and (request.endpoint == LOCAL or endpoint.kind != name):
        raise OptionError(
            f"--answerer is '{name}', but endpoint '{request.endpoint}' is "
            f"{'the local model' if request.endpoint == LOCAL else f'of kind {endpoint.kind}'}: choose another."
        )
    return Generated(name, model_spec(endpoint), max_tokens=endpoint.answer_tokens, temperature=endpoint.temperature)


def endpoint_of(request: Request) -> Endpoint | None:
    """Return the endpoint that answers and relations of a run are asked of, None where no model takes part.

    Its limits are the lower of the settings' and the request's. The local model's has no address until it is started.

    Raises:
        OptionError: the settings name no such endpoint, or answers and relations would need two.
    """
    name = request.endpoint
    if request.answerer == LOCAL:
        if name not in ("", LOCAL):
            raise OptionError(f"--answerer local asks the local model: leave out --endpoint {name}.")
        name = LOCAL
    if not name:
        return None
    found = local_limits() if name == LOCAL else trilens_settings().endpoints.get(name)
    if found is None:
        raise OptionError(f"--endpoint is '{name}', which the settings do not name: choose among {_offered()}.")
    return replace(
        found,
        max_calls=_lower(found.max_calls, request.max_calls),
        max_tokens=_lower(found.max_tokens, request.max_tokens),
    )


def settings_of(request: Request) -> Endpoint | None:
    """Return the request's endpoint as the settings have it, None where they do not name it."""
    return trilens_settings().endpoints.get(request.endpoint)


def model_of(request: Request) -> ModelSpec | None:
    """Return what identifies that model's answers. Raises as ``endpoint_of`` does."""
    endpoint = endpoint_of(request)
    return model_spec(endpoint) if endpoint else None


@contextmanager
def connected(request: Request, spent: Spent) -> Iterator[LanguageModel]:
    """Reach the model while the context lasts; the local one is started before and ended after it.

    ``spent`` is what the run has used of its limits before.

    Raises:
        OptionError: the settings do not name the endpoint any more.
        ModelError: the local model cannot be started.
    """
    endpoint = endpoint_of(request)
    if endpoint is None:
        raise OptionError("this run asks a language model, but names none: give --endpoint.")
    if endpoint.identity:
        with local_endpoint() as running:
            yield LanguageModel(replace(endpoint, base_url=running.base_url), spent=spent)
    else:
        yield LanguageModel(endpoint, spent=spent)


def price_of(request: Request) -> Price:
    """Return what the settings say that tokens cost."""
    endpoint = endpoint_of(request)
    return Price(endpoint.price_input, endpoint.price_output) if endpoint else Price()


def _lower(limit: int | None, other: int | None) -> int | None:
    return min((one for one in (limit, other) if one is not None), default=None)


def _offered() -> str:
    names = [LOCAL, *trilens_settings().endpoints]
    return ", ".join(f"'{name}'" for name in names)
