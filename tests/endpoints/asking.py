"""Asking the server through the real client, in a few words."""

from __future__ import annotations

import threading
from typing import Any

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Message, Outcome
from core.models.llm.client import LanguageModel
from tests.endpoints.server import MODEL, MisbehavingServer


def endpoint_of(server: MisbehavingServer, **settings: Any) -> Endpoint:
    """An endpoint at the server with limits that suit a test."""
    limits = {"timeout_seconds": 1.0, "total_seconds": 10.0, "retries": 1}
    return Endpoint(
        **{"name": "mine", "kind": "openai", "model": MODEL, "base_url": server.base_url, **limits, **settings}
    )


def call(text: str, **parameters: Any) -> Call:
    return Call((Message("user", text),), **parameters)


def ask(model: LanguageModel | Endpoint, *texts: str, **parameters: Any) -> dict[str, Outcome]:
    """Return the outcome of each text, asked for at once."""
    outcomes: dict[str, Outcome] = {}
    asked = model if isinstance(model, LanguageModel) else LanguageModel(model)
    asked.run(
        {text: call(text, **parameters) for text in texts}, on_outcome=outcomes.__setitem__, stop=threading.Event()
    )
    return outcomes
