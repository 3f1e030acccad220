"""A provider's integration package as LangChain expects one, talking to the tests' own server.

It stands in for a package that is not installed: ``init_chat_model`` finds it by its name, as it would the real one.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

_ROLES = {"human": "user", "system": "system", "ai": "assistant"}


class ChatFireworks(BaseChatModel):
    """Takes what providers' models take, and the key from its own environment variable where none is given."""

    model: str
    temperature: float | None = None
    max_tokens: int
    timeout: float
    max_retries: int
    base_url: str = "http://127.0.0.1:9/v1"
    api_key: str = Field(default_factory=lambda: os.environ.get("FIREWORKS_API_KEY", ""))

    @property
    def _llm_type(self) -> str:
        return "tests"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs  # LangChain hands them over; nobody here needs them
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": _ROLES[message.type], "content": message.content} for message in messages],
            "max_tokens": self.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        request = urllib.request.Request(
            self.base_url + "/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {self.api_key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                value = json.load(response)
        except urllib.error.HTTPError as error:
            # as the errors of real packages, it says what the endpoint said
            error.msg = error.read().decode()
            raise
        usage = value["usage"]
        counts = {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"],
            "total_tokens": usage["total_tokens"],
        }
        choice = value["choices"][0]
        message = AIMessage(
            choice["message"]["content"],
            usage_metadata=counts,
            response_metadata={"finish_reason": choice["finish_reason"]},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])
