"""Endpoints of language models as the settings name them: address, model, where the key is, and what a run may use."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from core.errors import InputError

#: written this way so that a key pasted in place of its variable's name is noticed
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
#: field: (least, greatest) that makes sense
_RANGES: Mapping[str, tuple[float, float]] = {
    "concurrency": (1, 256),
    "timeout_seconds": (0.1, 3600),
    "total_seconds": (0.1, 86400),
    "retries": (0, 20),
    "max_calls": (1, 10**9),
    "max_tokens": (1, 10**12),
    "temperature": (0, 2),
    "answer_tokens": (1, 10**6),
    "thinking_tokens": (0, 10**6),
    "price_input": (0, 10**6),
    "price_output": (0, 10**6),
}
_WHOLE = frozenset({"concurrency", "retries", "max_calls", "max_tokens", "answer_tokens", "thinking_tokens"})
#: the language model that is started for a run is chosen under this name, beside those of the settings
_LOCAL = "local"
#: what people call the key; it must not stand in a file
_KEY_NAMES = frozenset({"key", "api_key", "token", "secret", "password", "authorization"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint and the limits it is used with.

    ``kind`` is "openai" (anything that speaks the OpenAI protocol at ``base_url``) or "chat" (LangChain's
    ``init_chat_model`` with ``provider``). ``key_env`` names the environment variable that holds the key, "" means
    that none is needed; the key itself is nowhere in here. ``timeout_seconds`` bounds one request, ``total_seconds`` a
    call with its ``retries``. ``max_calls`` and ``max_tokens`` bound a run, None is no bound; ``answer_tokens`` bounds
    an answer, ``thinking_tokens`` is what a model that thinks first may use for that on top of any bound. Prices are
    per million tokens. ``tokenizer`` is the path of a ``tokenizer.json``, "" where the model's is not at hand.
    ``identity`` never comes from settings: a server started for this run names its weights by it,
    because its address says nothing.
    """

    name: str
    kind: Literal["openai", "chat"]
    model: str
    base_url: str = ""
    provider: str = ""
    key_env: str = ""
    concurrency: int = 8
    timeout_seconds: float = 60.0
    total_seconds: float = 300.0
    retries: int = 6
    max_calls: int | None = None
    max_tokens: int | None = None
    temperature: float = 0.0
    answer_tokens: int = 512
    price_input: float | None = None
    price_output: float | None = None
    tokenizer: str = ""
    identity: str = ""
    thinking_tokens: int = 0


_FIELDS = tuple(field.name for field in fields(Endpoint) if field.name not in ("name", "identity"))


def endpoints_in(path: Path, table: object) -> dict[str, Endpoint]:
    """Return the endpoints of a ``[trilens.endpoints]`` table by name; ``path`` is its file, for the messages.

    Raises:
        InputError: no table of tables, an unknown or missing field, or a value outside its type or range.
    """
    if not isinstance(table, dict) or not all(isinstance(lines, dict) for lines in table.values()):
        raise InputError(f"{path}: [trilens.endpoints] must hold tables such as [trilens.endpoints.NAME].")
    if _LOCAL in table:
        raise InputError(
            f"{path}, trilens.endpoints.{_LOCAL}: this is the name of the model on this machine; choose another one."
        )
    return {str(name): _endpoint(f"{path}, trilens.endpoints.{name}", str(name), table[name]) for name in table}


def _endpoint(where: str, name: str, lines: Mapping[str, object]) -> Endpoint:
    for key in lines:
        if key.casefold() in _KEY_NAMES:
            raise InputError(
                f"{where}.{key}: a key must not stand in this file; put it into an environment variable and write "
                "the variable's name as key_env."
            )
        if key not in _FIELDS:
            raise InputError(f"{where}.{key} is unknown; an endpoint may hold {', '.join(_FIELDS)}.")
    values: dict[str, Any] = {
        key: _number(f"{where}.{key}", key, value) if key in _RANGES else _text(f"{where}.{key}", value)
        for key, value in lines.items()
    }
    values.setdefault("kind", "openai")
    _check_whole(where, values)
    if values["kind"] == "openai" or values.get("base_url"):
        values["base_url"] = _address(f"{where}.base_url", values["base_url"])
    endpoint = Endpoint(name=name, **values)
    if endpoint.total_seconds < endpoint.timeout_seconds:
        raise InputError(
            f"{where}.total_seconds is {endpoint.total_seconds:g}, less than timeout_seconds "
            f"({endpoint.timeout_seconds:g}); a call with its retries needs at least the time of one request."
        )
    return endpoint


def _check_whole(where: str, values: Mapping[str, Any]) -> None:
    """Look at what one field means for another."""
    kind = values["kind"]
    if kind not in ("openai", "chat"):
        raise InputError(f'{where}.kind is \'{kind}\'; write "openai" or "chat".')
    for field in ("model", "base_url" if kind == "openai" else "provider"):
        if not values.get(field):
            raise InputError(f'{where}.{field} is missing; an endpoint of kind "{kind}" needs it.')
    if kind == "openai" and values.get("provider"):
        raise InputError(f'{where}.provider is for kind "chat" only; remove it or write kind = "chat".')
    key_env = values.get("key_env", "")
    if key_env and not _VARIABLE.fullmatch(key_env):
        # the value is not shown: it may be a key
        raise InputError(
            f"{where}.key_env must be the name of an environment variable in capital letters, such as MY_KEY, "
            "not the key itself."
        )
    tokenizer = values.get("tokenizer", "")
    if tokenizer and not Path(tokenizer).expanduser().is_absolute():
        raise InputError(f"{where}.tokenizer: '{tokenizer}' is not absolute; write the whole path.")


def _text(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise InputError(f'{where} must be a text such as "value".')
    return value.strip()


def _number(where: str, field: str, value: object) -> float:
    least, greatest = _RANGES[field]
    whole = field in _WHOLE
    good = isinstance(value, int) if whole else isinstance(value, int | float)
    if isinstance(value, bool) or not good or not least <= float(str(value)) <= greatest:
        kind = "a whole number" if whole else "a number"
        raise InputError(f"{where} must be {kind} from {least:g} to {greatest:g}.")
    return int(str(value)) if whole else float(str(value))


def _address(where: str, text: str) -> str:
    """Return the address without a final slash."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    strange = any(sign.isspace() or not sign.isprintable() for sign in text)
    if parts.scheme not in ("http", "https") or not host or strange:
        # the value is not shown: it may hold a password
        raise InputError(f"{where} is no address; write it as https://host/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            f"{where} must be an address alone, without user, password, '?' or '#'; the key belongs into the "
            "environment variable that key_env names."
        )
    return text.rstrip("/")


def is_loopback(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
