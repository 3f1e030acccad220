"""Use case *which language models are there*: names the browser may choose, what stands behind them, and a test."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.models import LOCAL
from core.errors import ModelError, OptionError
from core.models.llm import connection
from core.models.llm.connection import Step
from core.models.local_llm import local_endpoint, local_limits
from core.settings import Endpoint, secret, trilens_settings


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """A language model one may choose. ``what`` says where it answers and with which limits, never its key.

    ``kind`` is the answerer that asks it: "local", "openai" or "chat". ``problem`` says why it cannot be used now.
    """

    name: str
    kind: str
    model: str
    what: str
    problem: str = ""


def endpoint_choices() -> tuple[EndpointChoice, ...]:
    """Return the local model and the endpoints of the settings.

    Raises:
        InputError: the settings file cannot be used.
    """
    return (_local(), *(_choice(endpoint) for endpoint in trilens_settings().endpoints.values()))


def endpoint_names() -> tuple[str, ...]:
    """Return what may be chosen: the local model where it is installed, and the endpoints of the settings."""
    return tuple(choice.name for choice in endpoint_choices() if choice.name != LOCAL or not choice.problem)


def try_endpoint(name: str) -> tuple[Step, ...]:
    """Try an endpoint step by step, from its address to an answer by schema; the local model is started for it.

    Raises:
        OptionError: the settings do not name it.
        ModelError: the local model cannot be started.
    """
    if name == LOCAL:
        with local_endpoint() as running:
            return tuple(connection.test_connection(running))
    endpoint = trilens_settings().endpoints.get(name)
    if endpoint is None:
        raise OptionError(f"The settings name no endpoint '{name[:80]}' (any more): choose one that is offered.")
    return tuple(connection.test_connection(endpoint))


def _local() -> EndpointChoice:
    try:
        endpoint = local_limits()
    except ModelError as error:
        return EndpointChoice(LOCAL, LOCAL, "", "a small model on this machine", str(error))
    return EndpointChoice(LOCAL, LOCAL, endpoint.model, "on this machine, started for a run and ended with it")


def _choice(endpoint: Endpoint) -> EndpointChoice:
    limits = [f"{endpoint.concurrency} calls at once"]
    limits += [f"at most {endpoint.max_calls:,} calls a run"] if endpoint.max_calls else []
    limits += [f"at most {endpoint.max_tokens:,} tokens a run"] if endpoint.max_tokens else []
    where = endpoint.base_url or f"LangChain's provider {endpoint.provider}"
    missing = endpoint.key_env and not secret(endpoint.key_env)
    return EndpointChoice(
        endpoint.name,
        endpoint.kind,
        endpoint.model,
        f"{endpoint.model} at {where}; {', '.join(limits)}",
        f"{endpoint.key_env}, which should hold its key, is set neither in the environment nor in the settings file"
        if missing
        else "",
    )
